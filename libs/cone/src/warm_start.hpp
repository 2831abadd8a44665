#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/cone/cone_program.hpp"

namespace foothold::cone {

// Relative overshoot of a constraint, or multiplier of the wrong sign, below which a guess of the
// active set stands: far above rounding, far below what the duality gap tolerates.
inline constexpr double kGuessTolerance = 1e-13;

// What the last solve of one vertex leaves for the next round: which constraints held with
// equality, and the multipliers. Only a guess; every solution is verified anew.
struct WarmStart {
  bool is_set = false;
  std::vector<signed char> side{};   // box: −1 at lower, +1 at upper, 0 free
  std::vector<Eigen::Index> rows{};  // rows that were active
  Eigen::VectorXd u{};
  ConeMultipliers multipliers{};
};

void save(const WarmStart& warm, ByteWriter& out);
// Into a warm start of the same shape; throws `Error{InvalidArgument, "snapshot"}` otherwise.
void restore(ByteReader& in, WarmStart& warm);

}  // namespace foothold::cone
