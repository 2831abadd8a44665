#pragma once

#include <string>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/safety/certificate.hpp"
#include "foothold/safety/problem.hpp"

// Parts of snapshots. What cannot belong to the problem is refused with
// Error{InvalidArgument, "snapshot"}: bytes may come from a stranger.
namespace foothold::policy {

[[noreturn]] void refuse_snapshot(const std::string& message);

void save(const safety::Certificate& certificate, ByteWriter& out);

// A safe certificate with the limits of the problem.
[[nodiscard]] safety::Certificate load_certificate(ByteReader& in, const safety::Problem& problem);

// Whether a certificate says "safe" of this problem, as far as can be told without its state.
[[nodiscard]] bool fits(const safety::Certificate& certificate, const safety::Problem& problem);

// An action of the decision set; for contextual arms one that they allow.
[[nodiscard]] Eigen::VectorXd load_action(ByteReader& in, const safety::Problem& problem);

// Arms that may be offered.
[[nodiscard]] Eigen::MatrixXd load_arms(ByteReader& in, const safety::Problem& problem);

// Whether x could have been released: of the right size, in the decision set, not too long.
[[nodiscard]] bool is_action_of(const safety::Problem& problem,
                                const Eigen::Ref<const Eigen::VectorXd>& x);

}  // namespace foothold::policy
