#pragma once

#include <cstdint>
#include <span>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/cone/cone_program.hpp"

#include "random_state.hpp"

namespace foothold::oracle {

// The decision set, in coordinates around a centre inside it.
enum class Shape {
  SymmetricBox,
  AsymmetricBox,  // the centre is up to a thousand times closer to one side than to the other
  Ball,
  OffsetBall,  // the centre is up to 0.95 radii away from the ball's
  Polytope     // 4d rows: a box, d random rows, d that are copies, multiples or redundant
};

// How caution enters.
enum class CautionKind {
  Ellipsoid,  // a = Bᵀμ̂, M = F⁻¹B, ρ = β
  Prior,      // a = 0, M = B, ρ = S
  Rows        // ℓ₁ exact: 2d rows vᵀB u ≤ c; with a box or a polytope a linear program
};

enum class ObjectiveKind {
  Mixed,  // by turns normal, and a vertex of the ℓ₁ region as in the search
  Ties    // exact zeros, ±1 entries, or a single coordinate: whole faces are optimal
};

// One row of the table of results. What is not said is drawn: the dimension (1 to 32), the state,
// and the limit, from far below what the unconstrained minimiser needs to above it.
struct Family {
  const char* name = "";
  Shape shape = Shape::SymmetricBox;
  CautionKind caution = CautionKind::Ellipsoid;
  int max_cones = 1;
  MatrixKind matrix = MatrixKind::Dense;
  ObjectiveKind objective = ObjectiveKind::Mixed;
  // A's condition number goes up to 10 to this.
  double condition_exponent = 3.0;
  // Box, B and v are scaled by up to 10^±6 each, coordinates by 10^±1.5, the limit by 10^−6.
  bool is_badly_scaled = false;
};

[[nodiscard]] std::span<const Family> families();

struct RandomProblem {
  cone::ConeProgram program{};
  Eigen::VectorXd v{};
};

[[nodiscard]] RandomProblem draw_problem(RandomStream& random, const Family& family);

// The same problem some rounds earlier: what the solver remembers before it meets `problem`.
[[nodiscard]] RandomProblem perturbed(RandomStream& random, const RandomProblem& problem);

}  // namespace foothold::oracle
