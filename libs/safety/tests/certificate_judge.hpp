#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/byte_stream.hpp"
#include "foothold/base/error.hpp"
#include "foothold/safety/certifier.hpp"

#include "certificate_cases.hpp"
#include "mpfi_oracle.hpp"
#include "rounding_costs.hpp"

namespace foothold::safety::testing {

// The kinds of error a certificate can make, and how often it was right.
struct Tally {
  long cases = 0;        // certificates
  long constraints = 0;  // entries in them
  long safe = 0;
  long unsafe_by_proof = 0;  // the exact bound exceeds the limit
  long false_safe = 0;       // of those, certified
  long broken_bound = 0;     // exact bound > reported excess
  long broken_total = 0;     // exact bound + what the centre uses > reported bound
  long broken_radius = 0;
  long broken_width = 0;     // ‖z‖_{A⁻¹} of a direction > its bound, in either arithmetic
  long broken_estimate = 0;  // μ̂ᵀz beyond the allowance
  long broken_log_det = 0;
  long not_a_number = 0;  // certified on a number that is none
  long naive_false_safe = 0;
  long moved = 0;          // actions that were moved off a limit and then certified, …
  long moved_too_far = 0;  // … by much more than the exact bounds ask for
  long eligible = 0;       // safe by a relative 1e-9 to 1e-5 at condition ≤ 1e8
  long accepted = 0;
  // What was lost at most, as a share of what rounding can cost: by the ℓ₁ exact bound, …
  double worst_l1_error = 0.0;
  double worst_width = 0.0;      // … by a width in plain arithmetic
  double worst_allowance = 0.0;  // … and by an allowance
};

inline void raise(double& worst, double share) {
  if (!(share <= worst)) {
    worst = std::isnan(share) ? std::numeric_limits<double>::infinity() : share;
  }
}

constexpr double kAcceptanceMargin = 1e-9;
constexpr double kAcceptanceReach = 1e-5;  // what is safe by more is no test
constexpr double kAcceptanceCondition = 1e8;
constexpr double kMoveMargin = 1e-9;  // what a move may cost beyond the exact excess

// Builds one state twice, in the library and in interval arithmetic, and compares what the two
// say of random actions with limits laid on the exact bounds.
class Judge {
 public:
  Judge(CertificateCase given, RandomStream& random, Tally& tally)
      : case_(std::move(given)),
        random_(&random),
        tally_(&tally),
        estimate_(case_.problem.dim(), case_.problem.assumptions),
        exact_(case_.problem.dim(), case_.problem.assumptions),
        region_(case_.problem.dim()),
        naive_(observe_all()) {
    EXPECT_TRUE(exact_.factor()) << "the oracle needs more precision";
    if (case_.breaks_factor) {
      break_factor();
    }
  }

  void ask(int queries) {
    for (int q = 0; q < queries; ++q) {
      choose_rule();
      choose_action();
      choose_limits();
      judge();
      judge_direction();
      judge_moved();
    }
    tally_->broken_log_det += exact_.log_det_ratio().is_above(estimate_.log_det_ratio()) ? 1 : 0;
  }

 private:
  // Both estimates see the same data; a refused observation enters neither.
  NaiveEstimate observe_all() {
    std::vector<Observation> taken;
    for (Observation row : case_.data) {
      int times = 0;
      try {
        for (; times < row.times; ++times) {
          estimate_.observe(row.action, row.loss);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
      }
      exact_.observe(row.action, row.loss, times);
      row.times = times;
      taken.push_back(row);
    }
    case_.data = std::move(taken);
    return NaiveEstimate(case_);
  }

  // Spoils F, F⁻¹ and the computed μ̂, which no bound may rely on, by way of a snapshot: μ̂ ends
  // before the Gram matrix (two words and four matrices of 2 + d² words each), of which F and F⁻ᵀ
  // are the last two.
  void break_factor() {
    ByteWriter saved;
    estimate_.save(saved);
    const Bytes bytes = saved.sealed();
    ByteReader reader(bytes);
    std::vector<std::uint64_t> words;
    while (reader.remaining() > 0) {
      words.push_back(reader.read_word());
    }
    const auto d = static_cast<std::size_t>(case_.problem.dim());
    const double size = power_of_ten(*random_, -12.0, 0.5);
    const auto spoil = [&](std::size_t end, std::size_t count) {
      for (std::size_t i = end - count; i < end; ++i) {
        const double entry = std::bit_cast<double>(words[i]) * (1.0 + size * random_->normal());
        words[i] = std::bit_cast<std::uint64_t>(entry);
      }
    };
    spoil(words.size(), d * d);
    spoil(words.size() - (2 + d * d), d * d);
    spoil(words.size() - 2 - 4 * (2 + d * d), d);
    ByteWriter spoilt;
    for (const std::uint64_t word : words) {
      spoilt.write(word);
    }
    const Bytes spoilt_bytes = spoilt.sealed();
    ByteReader in(spoilt_bytes);
    estimate_.load(in);
    in.finish();
  }

  void choose_rule() {
    rule_.caution = static_cast<Caution>(random_->index(3));
    rule_.radius = static_cast<estimation::RadiusForm>(random_->index(3));
    rule_.root = static_cast<estimation::RootForm>(random_->index(2));
    evidence_ = static_cast<Evidence>(random_->index(3));
    if (evidence_ == Evidence::Prior && coin(*random_, 0.5)) {
      evidence_ = Evidence::Region;  // the data-driven bounds are the harder ones
    }
    if (rule_.caution == Caution::L1Exact) {
      region_.update(estimate_, rule_.radius, rule_.root);
    }
    radius_ = exact_.radius(rule_.radius);
  }

  // Of ±(x − x₀) at least one has a positive bound, which a limit can be laid on.
  void choose_action() {
    const Eigen::VectorXd centre = case_.problem.centre();
    const Eigen::VectorXd step = normal_vector(*random_, centre.size()) * case_.reach;
    action_ = centre + step;
    bound_constraints();
    if (!(target(exact_bounds_[0]).is_positive())) {
      action_ = centre - step;
      bound_constraints();
    }
  }

  void bound_constraints() {
    exact_bounds_.clear();
    for (const SafetyConstraint& constraint : case_.problem.constraints) {
      exact_bounds_.push_back(
          exact_.bounds(constraint.matrix, action_, case_.problem.centre(), radius_));
    }
  }

  // What makes an action safe beyond dispute. The ℓ₁ region contains the ellipsoid for every
  // root, so its bound must never fall below the ellipsoid's.
  [[nodiscard]] Interval truth(const ExactBounds& exact, BoundKind kind) const {
    switch (kind) {
      case BoundKind::APriori:
        return exact.prior;
      case BoundKind::L1Paper:
        return exact.l1_paper;
      default:
        return exact.ellipsoid;
    }
  }

  [[nodiscard]] BoundKind region_kind() const {
    return rule_.caution == Caution::Ellipsoid ? BoundKind::Ellipsoid
           : rule_.caution == Caution::L1Exact ? BoundKind::L1Exact
                                               : BoundKind::L1Paper;
  }

  [[nodiscard]] Interval target(const ExactBounds& exact) const {
    const Interval region = truth(exact, region_kind());
    switch (evidence_) {
      case Evidence::Prior:
        return exact.prior;
      case Evidence::Region:
        return region;
      default:
        return min(exact.prior, region);
    }
  }

  // The bound that the rule promises to compute, for the Cholesky root.
  [[nodiscard]] Interval nominal(const ExactBounds& exact) const {
    if (rule_.caution != Caution::L1Exact || evidence_ == Evidence::Prior) {
      return target(exact);
    }
    return evidence_ == Evidence::Region ? exact.l1_exact : min(exact.prior, exact.l1_exact);
  }

  // A limit near `bound`: on it, some ulps aside, or a relative 1e-15 to 1e-6 aside.
  [[nodiscard]] double near(double bound) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    if (!(bound > 0.0)) {
      return power_of_ten(*random_, -3.0, 3.0);  // a limit must be positive
    }
    double limit = bound;
    const double sign = coin(*random_, 0.5) ? 1.0 : -1.0;
    if (coin(*random_, 0.4)) {
      for (auto ulps = random_->index(6); ulps > 0; --ulps) {
        limit = std::nextafter(limit, sign * kLargest);
      }
    } else {
      limit *= 1.0 + sign * power_of_ten(*random_, -15.0, -6.0);
    }
    return std::clamp(limit, std::numeric_limits<double>::denorm_min(), kLargest);
  }

  [[nodiscard]] double bound_to_test(const ExactBounds& exact) {
    return (coin(*random_, 0.5) ? target(exact) : nominal(exact)).nearest();
  }

  void choose_limits() {
    if (case_.problem.baseline) {
      const auto k = random_->index(exact_bounds_.size());
      case_.problem.baseline->margin = near(bound_to_test(exact_bounds_[k]));
      return;
    }
    for (std::size_t k = 0; k < exact_bounds_.size(); ++k) {
      case_.problem.constraints[k].limit = near(bound_to_test(exact_bounds_[k]));
    }
  }

  void judge() {
    Certifier certifier(case_.problem, rule_);
    Certificate certificate;
    certifier.certify(estimate_, region_, action_, evidence_, certificate);
    ++tally_->cases;
    for (std::size_t k = 0; k < exact_bounds_.size(); ++k) {
      judge_entry(k, certificate.constraints[k]);
    }
    tally_->safe += certificate.is_safe() ? 1 : 0;
  }

  // The action that `certify_scaled` makes of this one, as a policy would release it. Last, since
  // it replaces the action.
  void judge_moved() {
    Certifier certifier(case_.problem, rule_);
    Certificate certificate;
    const Eigen::VectorXd start = action_;
    const std::vector<ExactBounds> start_bounds = exact_bounds_;
    if (!certifier.certify_scaled(estimate_, region_, action_, evidence_, certificate)) {
      return;
    }
    EXPECT_TRUE(certificate.is_safe());
    if (action_ == start) {
      return;  // judged already
    }
    ++tally_->moved;
    bound_constraints();
    for (std::size_t k = 0; k < exact_bounds_.size(); ++k) {
      judge_entry(k, certificate.constraints[k]);
    }
    if (naive_.condition <= kAcceptanceCondition && is_within_limits(start_bounds)) {
      const Eigen::VectorXd centre = case_.problem.centre();
      const double kept = (action_ - centre).norm() / (start - centre).norm();
      tally_->moved_too_far += kept < 1.0 - 2.0 * kMoveMargin ? 1 : 0;
    }
  }

  // Whether an action with these bounds, of the rule, exceeds its limits by little at most.
  [[nodiscard]] bool is_within_limits(const std::vector<ExactBounds>& bounds) const {
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      if (!nominal(bounds[k]).is_below(case_.problem.room(k) * (1.0 + kMoveMargin))) {
        return false;
      }
    }
    return rule_.caution != Caution::L1Exact || rule_.root == estimation::RootForm::Cholesky;
  }

  // The parts of a bound, which its other allowances cannot cover up for here, in both arithmetics.
  // Multiplied by A, a direction has a small width of large terms that cancel; by a constraint's
  // scale, it leaves that of the actions.
  void judge_direction() {
    const Eigen::Index d = action_.size();
    Eigen::VectorXd z = normal_vector(*random_, d);
    if (coin(*random_, 0.5)) {
      z = naive_.gram * z / naive_.gram.norm();
    }
    z *= case_.reach;
    if (coin(*random_, 0.5)) {
      z *= case_.problem.constraints[0].matrix.cwiseAbs().maxCoeff();
    }
    // What the direction's first part leaves out, which the second part or an error bound makes
    // good.
    Eigen::VectorXd rest = Eigen::VectorXd::Zero(d);
    double error = 0.0;
    if (coin(*random_, 0.5)) {
      rest = normal_vector(*random_, d).cwiseProduct(z) * power_of_ten(*random_, -17.0, -8.0);
      error = rest.stableNorm() * (1.0 + 1e-12) + std::numeric_limits<double>::min();
    }
    const ExactBounds exact =
        exact_.bounds(Eigen::MatrixXd::Identity(d, d), z, -rest, /*radius=*/1.0);
    judge_parts(exact, estimate_.bounds({.high = z, .low = rest, .error = 0.0}));
    const estimation::DirectionBounds plain = estimate_.bounds(
        {.high = z, .low = {}, .error = error, .has_low = false}, estimation::Arithmetic::Plain);
    judge_parts(exact, plain);
    if (error == 0.0) {
      judge_costs(exact, plain, z);
    }
  }

  void judge_parts(const ExactBounds& exact, const estimation::DirectionBounds& bounds) {
    const Interval width = exact.ellipsoid - exact.estimate;
    const Interval error = abs(exact.estimate - bounds.estimate);
    tally_->broken_width += width.is_above(bounds.width) ? 1 : 0;
    tally_->broken_estimate += error.is_above(bounds.allowance) ? 1 : 0;
  }

  // Where ‖A‖/λ is moderate, what is of second order in u is nothing beside the rest.
  void judge_costs(const ExactBounds& exact, const estimation::DirectionBounds& plain,
                   const Eigen::VectorXd& z) {
    if (!(naive_.growth <= kAcceptanceCondition) || z.isZero(0.0)) {
      return;
    }
    const PlainCosts costs(naive_, z, /*error=*/0.0);
    const Interval width = exact.ellipsoid - exact.estimate;
    raise(tally_->worst_width, (Interval(plain.width) - width).nearest() / costs.width);
    if (naive_.mu_hat.norm() > 0.0) {
      raise(tally_->worst_allowance, plain.allowance / costs.allowance);
    }
  }

  void judge_entry(std::size_t k, const ConstraintCertificate& entry) {
    const ExactBounds& exact = exact_bounds_[k];
    const double room = case_.problem.room(k);
    const Interval bound = truth(exact, entry.kind);
    ++tally_->constraints;
    const bool is_unsafe = bound.is_above(room);
    tally_->unsafe_by_proof += is_unsafe ? 1 : 0;
    tally_->false_safe += is_unsafe && entry.is_safe() ? 1 : 0;
    tally_->broken_bound += bound.is_above(entry.excess) ? 1 : 0;
    const Interval used = case_.problem.baseline
                              ? Interval(entry.limit) - case_.problem.baseline->margin
                              : Interval(0.0);
    tally_->broken_total += (used + bound).is_above(entry.bound) ? 1 : 0;
    tally_->not_a_number += entry.is_safe() && !std::isfinite(entry.excess) ? 1 : 0;
    if (entry.kind != BoundKind::APriori) {
      tally_->broken_radius += radius_.is_above(entry.radius) ? 1 : 0;
    }
    tally_->naive_false_safe += naive_bound(k) <= room && target(exact).is_above(room) ? 1 : 0;
    judge_acceptance(k, entry);
  }

  // Acceptance is asked of the whole rule: some enabled bound is safe by the margin.
  void judge_acceptance(std::size_t k, const ConstraintCertificate& entry) {
    const ExactBounds& exact = exact_bounds_[k];
    const double room = case_.problem.room(k);
    if (!(naive_.condition <= kAcceptanceCondition)) {
      return;
    }
    if (entry.kind == BoundKind::L1Exact && rule_.root == estimation::RootForm::Cholesky) {
      judge_l1(k, entry);
    }
    if (rule_.caution == Caution::L1Exact && rule_.root == estimation::RootForm::Symmetric) {
      return;  // the oracle has the Cholesky root only
    }
    const Interval goal = nominal(exact);
    if (goal.is_below(room * (1.0 - kAcceptanceMargin)) &&
        goal.is_above(room * (1.0 - kAcceptanceReach))) {
      ++tally_->eligible;
      tally_->accepted += entry.is_safe() ? 1 : 0;
    }
  }

  // A constraint that is zero in floating point is left to the other checks.
  void judge_l1(std::size_t k, const ConstraintCertificate& entry) {
    const ExactBounds& exact = exact_bounds_[k];
    const double cost =
        l1_cost(naive_, case_.problem.constraints[k].matrix, action_ - case_.problem.centre(),
                {.radius = radius_.nearest(),
                 .estimate = exact.estimate.nearest(),
                 .spread = (exact.l1_exact - exact.estimate).nearest()});
    if (cost > 0.0) {
      const Interval error = abs(Interval(entry.excess) - exact.l1_exact);
      raise(tally_->worst_l1_error, error.nearest() / cost);
    }
  }

  [[nodiscard]] double naive_bound(std::size_t k) const {
    const Problem& problem = case_.problem;
    const estimation::Assumptions& given = problem.assumptions;
    const auto d = static_cast<double>(problem.dim());
    const Eigen::VectorXd z = problem.constraints[k].matrix * (action_ - problem.centre());
    const double prior = given.norm_bound * z.norm();
    if (evidence_ == Evidence::Prior) {
      return prior;
    }
    const double log_inverse_delta = -std::log(given.failure_prob);
    const double n = static_cast<double>(estimate_.count());
    const bool is_paper = rule_.radius == estimation::RadiusForm::Paper && problem.dim() > 1;
    const double L = *given.action_bound;
    const double log_term = is_paper
                                ? d * (std::log1p(n * L * L / *given.ridge) + log_inverse_delta)
                                : 2.0 * log_inverse_delta + naive_.log_det_ratio;
    const double noise = given.noise_scale * std::sqrt(log_term);
    const double shrink = std::sqrt(*given.ridge) * given.norm_bound;
    const double radius = rule_.radius == estimation::RadiusForm::Mixture
                              ? std::hypot(noise, shrink)
                              : noise + shrink;
    const double kappa = rule_.caution == Caution::L1Paper ? std::sqrt(d) : 1.0;
    const double region =
        naive_.mu_hat.dot(z) + kappa * radius * naive_.factor.matrixL().solve(z).norm();
    return evidence_ == Evidence::Region ? region : std::min(prior, region);
  }

  CertificateCase case_;
  RandomStream* random_;
  Tally* tally_;
  estimation::RidgeEstimate estimate_;
  ExactEstimate exact_;
  estimation::ConfidenceRegion region_;
  NaiveEstimate naive_;
  SafetyRule rule_{};
  Evidence evidence_ = Evidence::Either;
  Interval radius_;
  Eigen::VectorXd action_;
  std::vector<ExactBounds> exact_bounds_;
};

}  // namespace foothold::safety::testing
