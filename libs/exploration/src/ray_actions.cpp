#include "foothold/exploration/ray_actions.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/sampling.hpp"

namespace foothold::exploration {
namespace {

// Up to here all corner directions (±1, …, ±1) are among the fixed ones, beyond a sample of them.
constexpr Eigen::Index kMaxCornerDim = 4;
constexpr Eigen::Index kSampledCorners = 24;

// The fixed directions are part of the method, the same for every seed.
constexpr std::uint64_t kDirectionSeed = 9;

// ±e_i, and corners.
Eigen::MatrixXd fixed_directions(Eigen::Index d) {
  const Eigen::Index corners = d == 1               ? 0
                               : d <= kMaxCornerDim ? Eigen::Index{1} << d
                                                    : kSampledCorners;
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(d, 2 * d + corners);
  for (Eigen::Index i = 0; i < d; ++i) {
    directions(i, 2 * i) = 1.0;
    directions(i, 2 * i + 1) = -1.0;
  }
  RandomStream random(kDirectionSeed, static_cast<std::uint64_t>(d));
  for (Eigen::Index c = 0; c < corners; ++c) {
    for (Eigen::Index i = 0; i < d; ++i) {
      const bool is_up = d <= kMaxCornerDim ? ((c >> i) & 1) != 0 : random.index(2) == 0;
      directions(i, 2 * d + c) = is_up ? 1.0 : -1.0;
    }
  }
  return directions;
}

}  // namespace

RayActions::RayActions(const safety::Problem& problem, const safety::SafetyRule& rule)
    : problem_(&problem),
      centre_(problem.centre()),
      programs_(problem, rule, /*slots=*/2),
      hopeful_(problem),
      targets_(2 * problem.dim() + 1),
      exploit_(Eigen::VectorXd::Zero(problem.dim())),
      best_(Eigen::VectorXd::Zero(problem.dim())) {
  const Eigen::MatrixXd directions = fixed_directions(problem.dim());
  offsets_ = Eigen::MatrixXd::Zero(problem.dim(), targets_ + directions.cols() + 1);
  for (Eigen::Index j = 0; j < directions.cols(); ++j) {
    offsets_.col(targets_ + j) = reach(directions.col(j)) * directions.col(j);
  }
}

double RayActions::reach(const Eigen::Ref<const Eigen::VectorXd>& direction) const {
  double t = kInfinity;
  if (const auto* ball = std::get_if<geometry::Ball>(&problem_->decision_set)) {
    // ‖x₀ + tp‖² = r².
    const double a = direction.squaredNorm();
    const double b = centre_.dot(direction);
    const double c = centre_.squaredNorm() - ball->radius() * ball->radius();
    return (std::sqrt(b * b - a * c) - b) / a;
  }
  const auto limit = [&t](double rate, double room) {
    if (rate > 0.0) {
      t = std::min(t, room / rate);
    }
  };
  if (const auto* box = std::get_if<geometry::Box>(&problem_->decision_set)) {
    for (Eigen::Index i = 0; i < direction.size(); ++i) {
      limit(direction(i), box->upper()(i) - centre_(i));
      limit(-direction(i), centre_(i) - box->lower()(i));
    }
    return t;
  }
  const auto& polytope = std::get<geometry::Polytope>(problem_->decision_set);
  for (Eigen::Index i = 0; i < polytope.normals().rows(); ++i) {
    limit(polytope.normals().row(i).dot(direction),
          polytope.offsets()(i) - polytope.normals().row(i).dot(centre_));
  }
  return t;
}

void RayActions::set_last(const Eigen::Ref<const Eigen::VectorXd>& direction) {
  const bool is_zero = direction.isZero(0.0);
  offsets_.col(offsets_.cols() - 1) = (is_zero ? 0.0 : reach(direction)) * direction;
}

const Eigen::VectorXd& RayActions::best_certified(const Eigen::Ref<const Eigen::VectorXd>& v) {
  double value = kInfinity;
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    const cone::ConeSolution& solution = programs_.solver(program).solve(v, 0);
    if (solution.value < value) {
      value = solution.value;
      best_ = solution.u;
      evidence_ = program == safety::CertifiedPrograms::kFoothold ? safety::Evidence::Prior
                                                                  : safety::Evidence::Region;
    }
  }
  return best_;
}

void RayActions::update(const estimation::ConfidenceRegion& region, double deviations) {
  load(region);
  exploit_ = best_certified(region.mu_hat());
  const double spread = deviations * problem_->assumptions.noise_scale;
  offsets_.col(0) = hopeful_.best_if(region.mu_hat(), region.mu_hat());
  for (Eigen::Index i = 0; i < problem_->dim(); ++i) {
    for (const double sign : {1.0, -1.0}) {
      v_ = region.mu_hat() + sign * spread * region.factor_inverse().row(i).transpose();
      offsets_.col(2 * i + (sign > 0.0 ? 1 : 2)) = hopeful_.best_if(v_, v_);
    }
  }
}

void RayActions::save(ByteWriter& out) const {
  out.write(offsets_);
  out.write(exploit_);
  programs_.save(out);
}

void RayActions::restore(ByteReader& in) {
  offsets_ = in.read_matrix(offsets_.rows(), offsets_.cols());
  exploit_ = in.read_matrix(exploit_.size(), 1);
  programs_.restore(in);
}

}  // namespace foothold::exploration
