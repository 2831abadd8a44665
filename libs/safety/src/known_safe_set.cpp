#include "foothold/safety/known_safe_set.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/sampling.hpp"

namespace foothold::safety {
namespace {

// A constraint matrix with a smaller ratio of singular values counts as singular: its
// ellipsoid is so long that no bounded decision set of ordinary size contains it.
constexpr double kSingularRatio = 1e-12;

// Arms span if the smallest eigenvalue of their mean outer product exceeds this share of the trace,
// a few roundings of it.
constexpr double kSpanTolerance = 1e-13;

double smallest_eigenvalue(const Eigen::MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()(0);
}

// Σ_i g_i g_iᵀ/h_i² over the faces of a convex decision set, h_i the room at the centre.
Eigen::MatrixXd face_terms(const geometry::DecisionSet& set, const Eigen::VectorXd& centre) {
  const Eigen::Index d = centre.size();
  if (const auto* box = std::get_if<geometry::Box>(&set)) {
    const Eigen::ArrayXd above = (box->upper() - centre).array();
    const Eigen::ArrayXd below = (centre - box->lower()).array();
    return (above.square().inverse() + below.square().inverse()).matrix().asDiagonal();
  }
  if (const auto* ball = std::get_if<geometry::Ball>(&set)) {
    const double room = ball->radius() - centre.norm();
    return Eigen::MatrixXd::Identity(d, d) / (room * room);
  }
  const auto& polytope = std::get<geometry::Polytope>(set);
  const Eigen::VectorXd room = polytope.offsets() - polytope.normals() * centre;
  const Eigen::MatrixXd scaled = room.cwiseInverse().asDiagonal() * polytope.normals();
  return scaled.transpose() * scaled;
}

}  // namespace

KnownSafeSet::KnownSafeSet(const Problem& problem, Sampler sampler)
    : problem_(&problem),
      safe_set_(problem),
      sampler_(sampler),
      centre_(problem.centre()),
      point_(Eigen::VectorXd::Zero(problem.dim())),
      image_(point_) {
  for (const SafetyConstraint& constraint : problem.constraints) {
    matrix_norms_.push_back(rounding::norm_upper(constraint.matrix.reshaped()));
  }
  if (std::holds_alternative<geometry::Arms>(problem.decision_set)) {
    collect_arms();
    return;
  }
  if (std::holds_alternative<geometry::ContextualArms>(problem.decision_set)) {
    min_eigenvalue_ = kNaN;
    return;
  }
  is_exact_ = fit_whole_ellipsoid();
  if (!is_exact_) {
    fit_inscribed_ellipsoid();
  }
  // E[x xᵀ] = x₀x₀ᵀ + map·mapᵀ/(d + 2) for the ball, /d for the sphere.
  const auto d = static_cast<double>(problem.dim());
  const double scale = sampler_ == Sampler::Shell ? d : d + 2.0;
  const Eigen::MatrixXd second_moment =
      centre_ * centre_.transpose() + map_ * map_.transpose() / scale;
  min_eigenvalue_ = smallest_eigenvalue(second_moment);
}

// The ellipsoid { ‖B(x − x₀)‖ ≤ m/S } itself, if there is one and it fits.
bool KnownSafeSet::fit_whole_ellipsoid() {
  if (problem_->constraints.size() != 1) {
    return false;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(problem_->constraints[0].matrix,
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::VectorXd& sigma = svd.singularValues();
  if (!(sigma(sigma.size() - 1) > kSingularRatio * sigma(0))) {
    return false;
  }
  const Eigen::MatrixXd inverse =
      svd.matrixV() * sigma.cwiseInverse().asDiagonal() * svd.matrixU().transpose();
  const double full_scale = safe_set_.room(0) / safe_set_.norm_bound(0);
  const double fitting = geometry::inscribed_scale(problem_->decision_set, centre_, inverse);
  if (sampler_ == Sampler::Uniform && !(full_scale <= fitting)) {
    return false;
  }
  map_ = std::min(full_scale, fitting) * inverse;
  return true;
}

void KnownSafeSet::fit_inscribed_ellipsoid() {
  Eigen::MatrixXd M = face_terms(problem_->decision_set, centre_);
  for (std::size_t k = 0; k < safe_set_.constraints(); ++k) {
    const Eigen::MatrixXd scaled =
        (safe_set_.norm_bound(k) / safe_set_.room(k)) * safe_set_.matrix(k);
    M += scaled.transpose() * scaled;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M);
  map_ = eigen.eigenvectors() * eigen.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal() *
         eigen.eigenvectors().transpose();
}

void KnownSafeSet::collect_arms() {
  const Eigen::MatrixXd& features = std::get<geometry::Arms>(problem_->decision_set).features();
  Eigen::MatrixXd second_moment = Eigen::MatrixXd::Zero(features.cols(), features.cols());
  for (Eigen::Index arm = 0; arm < features.rows(); ++arm) {
    const Eigen::VectorXd x = features.row(arm).transpose();
    if (contains(x)) {
      safe_arms_.push_back(arm);
      second_moment += x * x.transpose();
    }
  }
  is_exact_ = true;
  if (safe_arms_.empty()) {
    return;
  }
  second_moment /= static_cast<double>(safe_arms_.size());
  const double smallest = smallest_eigenvalue(second_moment);
  min_eigenvalue_ = smallest > kSpanTolerance * second_moment.trace() ? smallest : 0.0;
}

bool KnownSafeSet::contains(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  const auto d = static_cast<double>(x.size());
  for (std::size_t k = 0; k < safe_set_.constraints(); ++k) {
    const double S = safe_set_.norm_bound(k);
    // Plain products with the error bound γ_{d+2}|B||x − x₀|: the certificate is sharper, but
    // this is asked for every arm.
    const Eigen::MatrixXd& B = safe_set_.matrix(k);
    point_ = x - centre_;
    image_.noalias() = B * point_;
    const double error =
        matrix_norms_[k] * rounding::norm_upper(point_) * rounding::gamma(2.0 * d + 4.0);
    const double norm = rounding::norm_upper(image_);
    if (!(rounding::up(S * rounding::up(norm + error), 8.0) <= safe_set_.room(k))) {
      return false;
    }
  }
  return true;
}

void KnownSafeSet::sample(RandomStream& random, Eigen::Ref<Eigen::VectorXd> x) const {
  FOOTHOLD_ASSERT(geometry::is_continuous(problem_->decision_set));
  if (sampler_ == Sampler::Shell) {
    geometry::sample_sphere(random, point_);
  } else {
    geometry::sample_ball(random, point_);
  }
  x.noalias() = map_ * point_;
  x += centre_;
}

}  // namespace foothold::safety
