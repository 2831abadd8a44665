#include "certificate_cases.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace foothold::safety::testing {
namespace {

Eigen::MatrixXd normal_matrix(RandomStream& random, Eigen::Index dim) {
  return Eigen::MatrixXd::NullaryExpr(dim, dim, [&] { return random.normal(); });
}

Eigen::MatrixXd rotation(RandomStream& random, Eigen::Index dim) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(normal_matrix(random, dim)).householderQ();
}

// Invertible, of rank one, diagonal, or zero.
Eigen::MatrixXd constraint_matrix(RandomStream& random, Eigen::Index dim) {
  const double kind = random.uniform();
  const Eigen::MatrixXd full = normal_matrix(random, dim);
  if (kind < 0.75) {
    return full;
  }
  if (kind < 0.85) {
    return full.col(0) * full.row(0);
  }
  if (kind < 0.97) {
    return full.diagonal().asDiagonal();
  }
  return Eigen::MatrixXd::Zero(dim, dim);
}

// Fills in data whose actions have norm ≤ L·scale, with `aniso` decades between axes.
void add_data(RandomStream& random, CertificateCase& made, int count, double aniso, double scale) {
  const Eigen::Index d = made.problem.dim();
  const estimation::Assumptions& assumptions = made.problem.assumptions;
  const double L = *assumptions.action_bound;
  const Eigen::MatrixXd axes = rotation(random, d);
  const Eigen::VectorXd scales =
      Eigen::VectorXd::NullaryExpr(d, [&] { return power_of_ten(random, -aniso, 0.0); });
  const Eigen::VectorXd mu =
      normal_vector(random, d).normalized() * assumptions.norm_bound * random.uniform();
  for (int n = 0; n < count; ++n) {
    Eigen::VectorXd x = axes * scales.cwiseProduct(normal_vector(random, d));
    x *= 0.99 * L * scale / std::max(1.0, x.norm());
    made.data.push_back(
        {.action = x, .loss = x.dot(mu) + assumptions.noise_scale * random.normal()});
  }
}

CertificateCase empty_case(RandomStream& random, Eigen::Index dim, int constraints,
                           double action_bound, double ridge) {
  CertificateCase made{.problem = {.decision_set = geometry::ContextualArms(dim)}};
  made.problem.assumptions = {.noise_scale = coin(random, 0.1) ? 0.0 : power_of_ten(random, -2, 1),
                              .norm_bound = power_of_ten(random, -1.0, 1.0),
                              .action_bound = action_bound,
                              .ridge = ridge,
                              .failure_prob = random.uniform() * 0.9 + 1e-9};
  for (int k = 0; k < constraints; ++k) {
    made.problem.constraints.push_back({.matrix = constraint_matrix(random, dim), .limit = 1.0});
  }
  made.reach = action_bound;
  return made;
}

void maybe_add_baseline(RandomStream& random, CertificateCase& made, double prob) {
  if (coin(random, prob)) {
    made.problem.baseline =
        Baseline{.action = normal_vector(random, made.problem.dim()) * made.reach, .margin = 1.0};
    for (SafetyConstraint& constraint : made.problem.constraints) {
      constraint.limit = random.normal();
    }
  }
}

// Copies of earlier actions, or neighbours that differ by about 1e-16 to 1e-12 of their size.
void add_neighbours(RandomStream& random, CertificateCase& made) {
  const std::vector<Observation> originals = made.data;
  for (const Observation& original : originals) {
    Observation copy = original;
    const double distance = coin(random, 0.3) ? 0.0 : power_of_ten(random, -16.0, -12.0);
    copy.action += distance * original.action.norm() * normal_vector(random, copy.action.size());
    copy.loss += random.normal();
    made.data.push_back(copy);
  }
}

// The direction to be judged nearly cancels: rows of B sum to rounding errors along reach·1.
void make_cancelling(RandomStream& random, CertificateCase& made) {
  for (SafetyConstraint& constraint : made.problem.constraints) {
    Eigen::MatrixXd& B = constraint.matrix;
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(B.cols());
    B -= (B * ones) * ones.transpose() / static_cast<double>(B.cols());
  }
  made.reach = power_of_ten(random, -14.0, 2.0);
}

}  // namespace

double power_of_ten(RandomStream& random, double low, double high) {
  return std::pow(10.0, low + (high - low) * random.uniform());
}

Eigen::VectorXd normal_vector(RandomStream& random, Eigen::Index dim) {
  return Eigen::VectorXd::NullaryExpr(dim, [&] { return random.normal(); });
}

bool coin(RandomStream& random, double prob) {
  return random.uniform() < prob;
}

CertificateCase ordinary_case(RandomStream& random) {
  const auto dim = static_cast<Eigen::Index>(1 + random.index(8));
  const int constraints = static_cast<int>(1 + random.index(3));
  const double ridge =
      coin(random, 0.5) ? power_of_ten(random, -2.0, 1.0) : power_of_ten(random, -11.0, 1.0);
  CertificateCase made =
      empty_case(random, dim, constraints, power_of_ten(random, -0.5, 0.5), ridge);
  const double aniso = coin(random, 0.5) ? 0.0 : 6.0;
  add_data(random, made, static_cast<int>(random.index(61)), aniso, 1.0);
  maybe_add_baseline(random, made, 0.4);
  return made;
}

CertificateCase pathological_case(RandomStream& random, Pathology pathology) {
  const auto dim = static_cast<Eigen::Index>(1 + random.index(6));
  const auto is = [pathology](Pathology other) {
    return pathology == other || pathology == Pathology::Everything;
  };
  const bool is_tiny =
      pathology == Pathology::TinyScales || pathology == Pathology::BrokenTinyFactor;
  double ridge = 1.0;
  double action_bound = 1.0;
  if (is(Pathology::HighCondition)) {
    ridge = power_of_ten(random, -40.0, -12.0);
  }
  if (is(Pathology::ExtremeRidge)) {
    ridge = power_of_ten(random, -300.0, 300.0);
  }
  if (is(Pathology::ExtremeActions)) {
    action_bound = power_of_ten(random, -150.0, 150.0);
    ridge =
        coin(random, 0.5) ? action_bound * action_bound * power_of_ten(random, -8.0, 2.0) : ridge;
    ridge = std::clamp(ridge, 1e-300, 1e300);
  }
  if (is_tiny) {
    ridge = power_of_ten(random, -306.0, -290.0);
    action_bound = std::sqrt(
        ridge * power_of_ten(random, 0.0, pathology == Pathology::TinyScales ? 40.0 : 6.0));
  }
  CertificateCase made =
      empty_case(random, dim, 1 + static_cast<int>(random.index(2)), action_bound, ridge);
  if (is(Pathology::ExtremeConstraint)) {
    for (SafetyConstraint& constraint : made.problem.constraints) {
      constraint.matrix *= power_of_ten(random, -150.0, 150.0);
    }
  }
  if (is(Pathology::SingularMatrix)) {
    Eigen::MatrixXd& B = made.problem.constraints[0].matrix;
    B = coin(random, 0.5) ? Eigen::MatrixXd::Zero(dim, dim) : Eigen::MatrixXd(B.col(0) * B.row(0));
  }
  if (is_tiny) {
    made.reach = power_of_ten(random, -170.0, -150.0);
  }
  if (pathology == Pathology::Everything) {
    made.problem.assumptions.noise_scale = power_of_ten(random, -150.0, 150.0);
    made.problem.assumptions.norm_bound = power_of_ten(random, -150.0, 150.0);
    made.reach = power_of_ten(random, -150.0, 150.0);
  }
  const double aniso = coin(random, 0.5) ? 9.0 : 0.0;
  add_data(random, made, static_cast<int>(random.index(25)), aniso, 1.0);
  made.breaks_factor =
      pathology == Pathology::BrokenFactor || pathology == Pathology::BrokenTinyFactor;
  if (pathology == Pathology::ManyUpdates) {
    made.data.resize(std::min<std::size_t>(made.data.size(), 3));
    add_data(random, made, 1, 0.0, 1.0);
    made.data.back().times = 100'000;
  }
  if (is(Pathology::NearlyDependent)) {
    add_neighbours(random, made);
  }
  if (is(Pathology::ExtremeLosses)) {
    for (Observation& observation : made.data) {
      observation.loss = random.normal() * power_of_ten(random, -150.0, 150.0);
    }
  }
  maybe_add_baseline(random, made, 0.3);
  if (pathology == Pathology::Cancellation) {
    maybe_add_baseline(random, made, 0.5);
    make_cancelling(random, made);
  }
  return made;
}

}  // namespace foothold::safety::testing
