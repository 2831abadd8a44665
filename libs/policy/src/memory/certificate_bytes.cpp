#include "memory/certificate_bytes.hpp"

#include <variant>

#include "foothold/base/error.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::policy {

void refuse_snapshot(const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, "snapshot", message);
}

void save(const safety::Certificate& certificate, ByteWriter& out) {
  out.write(static_cast<std::uint64_t>(certificate.is_in_decision_set ? 1 : 0));
  out.write(certificate.observations);
  out.write(certificate.digest);
  for (const safety::ConstraintCertificate& entry : certificate.constraints) {
    out.write(static_cast<std::uint64_t>(entry.kind));
    for (const double number : {entry.bound, entry.limit, entry.excess, entry.room, entry.radius,
                                entry.ridge, entry.width, entry.allowance}) {
      out.write(number);
    }
  }
}

safety::Certificate load_certificate(ByteReader& in, const safety::Problem& problem) {
  safety::Certificate certificate;
  certificate.is_in_decision_set = in.read_word() != 0;
  certificate.observations = in.read_integer();
  certificate.digest = in.read_digest();
  certificate.constraints.resize(problem.constraints.size());
  for (safety::ConstraintCertificate& entry : certificate.constraints) {
    const std::uint64_t kind = in.read_word();
    if (kind > static_cast<std::uint64_t>(safety::kLastBoundKind)) {
      refuse_snapshot("must name a known kind of bound");
    }
    entry.kind = static_cast<safety::BoundKind>(kind);
    for (double* number : {&entry.bound, &entry.limit, &entry.excess, &entry.room, &entry.radius,
                           &entry.ridge, &entry.width, &entry.allowance}) {
      *number = in.read_double();
    }
  }
  if (!fits(certificate, problem)) {
    refuse_snapshot("must hold certificates that say 'safe' of this problem");
  }
  return certificate;
}

bool fits(const safety::Certificate& certificate, const safety::Problem& problem) {
  if (!certificate.is_safe() || certificate.observations < 0 ||
      certificate.constraints.size() != problem.constraints.size()) {
    return false;
  }
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const safety::ConstraintCertificate& entry = certificate.constraints[k];
    if (entry.limit != problem.constraints[k].limit || entry.room != problem.room(k) ||
        !(entry.bound <= entry.limit)) {
      return false;
    }
  }
  return true;
}

bool is_action_of(const safety::Problem& problem, const Eigen::Ref<const Eigen::VectorXd>& x) {
  if (x.size() != problem.dim() || !x.allFinite()) {
    return false;
  }
  const double L = *problem.assumptions.action_bound * (1.0 + 1e-12);  // as RidgeEstimate::observe
  return rounding::norm_upper(x) <= L && geometry::contains(problem.decision_set, x);
}

Eigen::VectorXd load_action(ByteReader& in, const safety::Problem& problem) {
  Eigen::VectorXd action = in.read_matrix(problem.dim(), 1);
  if (!is_action_of(problem, action)) {
    refuse_snapshot("must hold actions of the decision set");
  }
  return action;
}

Eigen::MatrixXd load_arms(ByteReader& in, const safety::Problem& problem) {
  const std::int64_t rows = in.read_integer();
  if (rows < 1) {
    refuse_snapshot("must hold sets of arms with at least one arm");
  }
  Eigen::MatrixXd arms = in.read_matrix(rows, problem.dim());
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    if (!is_action_of(problem, arms.row(i).transpose())) {
      refuse_snapshot("must hold arms of the decision set");
    }
  }
  return arms;
}

}  // namespace foothold::policy
