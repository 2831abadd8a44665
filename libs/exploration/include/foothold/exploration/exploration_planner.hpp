#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::exploration {

/// How much time there is, and how much uncertainty counts.
struct PlanTerms {
  double remaining = 0.0;  ///< Rounds in which a gain would be enjoyed.
  double weight = 0.0;     ///< k_t: standard deviations of hope.
};

/// Which exploration pays, if any.
struct ExplorationPlan {
  Eigen::Index target = -1;   ///< The action worth certifying; −1 if none is.
  Eigen::Index teacher = -1;  ///< The certified action to play for it.
  double value = 0.0;         ///< What is expected to be gained, in units of the loss.
  double plays = 0.0;         ///< N: rounds until the target is certified.
  double cost = 0.0;          ///< Regret of those rounds.
};

/// The value rule of targeted exploration (docs/algorithms/targeted.md): for each action y that is
/// not certified, what it would gain if it were, and what it would cost to find out.
///
/// Actions are offsets u = x − x₀ from the problem's centre, one per column. Arms are played as
/// they are. Rays (`are_rays`, convex sets) may be shrunk towards the centre: their certified part
/// is α·u with α = min(1, m/bound(u)), and what is gained is the growth of α.
///
/// The cost of a target is found by simulating greedy plays of certified teachers,
///
///     argmax_x (xᵀA⁻¹z)² / (1 + ‖x‖²_{A⁻¹}) / (r_x + g),    z = B(y − x₀),
///
/// r_x the regret of x and g the gain, in batches that grow by a fifth. A heuristic in plain
/// arithmetic: nothing here decides what is safe. No allocation once the sizes have been seen.
class ExplorationPlanner {
 public:
  /// Requires a resolved problem; keeps a reference to it.
  ExplorationPlanner(const safety::Problem& problem, const safety::SafetyRule& rule, bool are_rays);

  /// Takes over a state, which must last until the next call, and the actions. For rays `exploit`
  /// is the certified offset with the best estimate; for arms it is found here and the argument is
  /// ignored.
  void begin(const estimation::ConfidenceRegion& region,
             const Eigen::Ref<const Eigen::MatrixXd>& offsets,
             const Eigen::Ref<const Eigen::VectorXd>& exploit, const PlanTerms& terms);

  /// Says that an arm is certified by other means than the region. Between `begin` and `best`.
  void grant(Eigen::Index arm);

  /// The target with the largest value among the first `targets` columns; none if no value is
  /// positive.
  [[nodiscard]] ExplorationPlan best(Eigen::Index targets);

  /// The certified action that teaches most about z, whatever it costs; −1 if none is certified.
  [[nodiscard]] Eigen::Index best_teacher(const Eigen::Ref<const Eigen::VectorXd>& z);

  /// α of each column, as of `begin`: how much of it is certified; 0 or 1 for arms.
  [[nodiscard]] const Eigen::VectorXd& scales() const noexcept { return scales_; }
  /// Number of the certified arm with the best estimate; −1 for rays, or if there is none.
  [[nodiscard]] Eigen::Index exploit_arm() const noexcept { return exploit_arm_; }

 private:
  struct Outlook {  // of one target at some point of the simulated future
    double scale = 0.0;
    Eigen::Index blocking = 0;  // the constraint that holds it back most
  };
  struct Promise {      // gain per round of one target
    double full = 0.0;  // certified as a whole
    double free = 0.0;  // by what is certified of it already: for exploitation to find
  };
  struct Prospect {
    double gained = 0.0;  // per round, beyond what is free
    Eigen::Index blocking = 0;
    bool is_progress = false;  // more of the target is certified than now
    bool is_settled = false;   // further plays bring nothing
  };
  struct Spending {  // on simulated plays
    Eigen::Index first_teacher = -1;
    double plays = 0.0;
    double cost = 0.0;
  };

  [[nodiscard]] double square(const Eigen::MatrixXd& M, const Eigen::Ref<const Eigen::VectorXd>& z);
  [[nodiscard]] double deviation(const Eigen::Ref<const Eigen::VectorXd>& z);
  [[nodiscard]] double admitted_bound(double region, double prior) const;
  [[nodiscard]] double certified_scale(const safety::RayScale& scale) const;
  [[nodiscard]] double scale_of(Eigen::Index column);
  [[nodiscard]] Outlook outlook(Eigen::Index target);
  [[nodiscard]] double gain(Eigen::Index target, double scale);
  [[nodiscard]] double chance(Eigen::Index target);
  [[nodiscard]] bool is_worth_a_look(Eigen::Index target);
  [[nodiscard]] Prospect prospect(Eigen::Index target, const Promise& promise);
  [[nodiscard]] bool teach(const Eigen::Ref<const Eigen::VectorXd>& z, double gain,
                           Spending& spent);
  [[nodiscard]] ExplorationPlan evaluate(Eigen::Index target, double at_least);
  [[nodiscard]] Eigen::Index choose_teacher(const Eigen::Ref<const Eigen::VectorXd>& z,
                                            double gain);
  void play(Eigen::Index teacher, double count);
  void find_exploit(const Eigen::Ref<const Eigen::VectorXd>& exploit);

  const safety::Problem* problem_;
  bool are_rays_;
  safety::SafeSet safe_set_;  // the exact ℓ₁ bound replaced by its outer cone: widths are A⁻¹'s
  Eigen::VectorXd centre_;

  // The state.
  PlanTerms terms_;
  Eigen::VectorXd mu_hat_;
  double loss_reach_ = 0.0;                  // κβ of the losses' parameter
  Eigen::MatrixXd inverse_start_;            // A⁻¹ now …
  Eigen::MatrixXd inverse_;                  // … and in the simulated future
  Eigen::MatrixXd offsets_;                  // u, one per column
  std::vector<Eigen::MatrixXd> directions_;  // z = B_k u
  Eigen::MatrixXd estimates_;                // μ̂ᵀz, constraint × column
  Eigen::MatrixXd prior_;                    // S‖z‖
  Eigen::MatrixXd width_start_;              // ‖z‖_{A⁻¹}
  Eigen::MatrixXd deviation_start_;          // sd(z)
  Eigen::VectorXd losses_;                   // μ̂ᵀu
  Eigen::VectorXd scales_;
  Eigen::VectorXd scales_now_;  // in the simulated future
  double exploit_loss_ = 0.0;   // m_E
  Eigen::VectorXd exploit_;
  Eigen::Index exploit_arm_ = -1;
  double best_pessimistic_ = 0.0;
  Eigen::VectorXd image_;   // of the last `square`
  Eigen::VectorXd lesson_;  // A⁻¹z of the target
  Eigen::VectorXd scratch_;
};

}  // namespace foothold::exploration
