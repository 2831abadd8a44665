#include "foothold/simulation/world/environment.hpp"

#include <limits>
#include <numbers>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "foothold/base/check.hpp"
#include "foothold/base/double_double.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::simulation {

double draw_noise(const config::NoiseConfig& noise, RandomStream& random) {
  switch (noise.type) {
    case config::NoiseType::Gaussian:
      return noise.scale * random.normal();
    case config::NoiseType::Uniform:
      return std::numbers::sqrt3 * noise.scale * (2.0 * random.uniform() - 1.0);
    case config::NoiseType::Rademacher:
      return random.index(2) == 0 ? -noise.scale : noise.scale;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

BestSafeAction best_of_all_rounds(const safety::Problem& problem,
                                  const Eigen::VectorXd& parameter) {
  if (!geometry::is_contextual(problem.decision_set)) {
    return best_safe_action(problem, parameter);
  }
  check::size_is(parameter.size(), problem.dim(), "parameter");
  check::all_finite(parameter, "parameter");
  return {.action = Eigen::VectorXd(), .loss = kNaN, .safety_gap = kNaN};
}

}  // namespace

Environment::Environment(const safety::Problem& problem, Eigen::VectorXd parameter)
    : parameter_(std::move(parameter)), best_(best_of_all_rounds(problem, parameter_)) {
  const Eigen::Index d = parameter_.size();
  for (const safety::SafetyConstraint& constraint : problem.constraints) {
    Row row{.high = Eigen::VectorXd(d), .low = Eigen::VectorXd(d), .limit = constraint.limit};
    for (Eigen::Index j = 0; j < d; ++j) {
      DoubleDouble sum;
      for (Eigen::Index i = 0; i < d; ++i) {
        sum = sum + two_product(constraint.matrix(i, j), parameter_(i));
      }
      row.high(j) = sum.high;
      row.low(j) = sum.low;
    }
    rows_.push_back(std::move(row));
  }
}

double Environment::mean_loss(const Eigen::VectorXd& action) const {
  return parameter_.dot(action);
}

BestSafeAction Environment::best_among(const Eigen::MatrixXd& arms) const {
  BestSafeAction best{.action = Eigen::VectorXd(), .loss = kInfinity, .safety_gap = kNaN};
  Eigen::VectorXd arm(arms.cols());
  for (Eigen::Index row = 0; row < arms.rows(); ++row) {
    arm = arms.row(row).transpose();
    const double loss = mean_loss(arm);
    if (!(loss < best.loss)) {
      continue;
    }
    const double slack = margin(arm);
    if (slack >= 0.0) {
      best = {.action = arm, .loss = loss, .safety_gap = slack};
    }
  }
  if (best.action.size() == 0) {
    throw Error(ErrorCode::InvalidArgument, "arms",
                fmt::format("must have one that is safe under the environment's parameter, but "
                            "none of the {} is",
                            arms.rows()));
  }
  return best;
}

double Environment::margin(const Eigen::VectorXd& action) const {
  double margin = std::numeric_limits<double>::infinity();
  for (const Row& row : rows_) {
    DoubleDouble slack{.high = row.limit, .low = 0.0};
    for (Eigen::Index j = 0; j < action.size(); ++j) {
      slack = slack + DoubleDouble{.high = row.high(j), .low = row.low(j)} * -action(j);
    }
    margin = std::min(margin, slack.value());
  }
  return margin;
}

}  // namespace foothold::simulation
