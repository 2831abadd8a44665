#pragma once

#include <optional>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/selection/arm_scan.hpp"
#include "foothold/selection/optimistic_search.hpp"

#include "nested_memory.hpp"
#include "pending_rounds.hpp"

namespace foothold::policy {

// The state of SafeLucb. What happens to a decision, in order: a draw from the foothold while the
// warm-up lasts, otherwise the optimistic choice; its certificate; a place among the open rounds.
class SafeLucb::Impl {
 public:
  Impl(safety::Problem resolved_problem, const SafeLucbOptions& resolved_options);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;
  ~Impl() = default;

  const Decision& ask();
  const Decision& ask_among(const Eigen::Ref<const Eigen::MatrixXd>& arms);
  void tell(DecisionId id, double loss);
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  const safety::Problem problem;
  const SafeLucbOptions options;
  const safety::SafetyRule rule;
  estimation::RidgeEstimate estimate;
  PendingRounds pending;
  std::int64_t warmup = 0;  // T'

 private:
  void update_region();
  bool draw_from_foothold();
  bool draw_arm_from_foothold(const Eigen::Ref<const Eigen::MatrixXd>& arms);
  bool choose_optimistically();
  bool choose_arm_optimistically(const Eigen::Ref<const Eigen::MatrixXd>& arms);
  void prove_arms(const Eigen::Ref<const Eigen::MatrixXd>& arms);
  const Decision& release(bool is_found, Purpose purpose);
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] bool is_warming_up() const { return told_warmup_ < warmup; }

  estimation::ConfidenceRegion region_;
  std::optional<std::int64_t> region_count_;  // observations that region_ describes
  safety::KnownSafeSet foothold_;
  safety::Certifier certifier_;
  std::optional<selection::OptimisticSearch> search_;  // convex sets
  std::optional<selection::ArmScan> scan_;             // arms
  std::optional<NestedMemory> nested_;
  std::vector<bool> nothing_proved_;
  std::vector<Eigen::Index> safe_rows_;
  RandomStream random_;
  std::int64_t told_warmup_ = 0;
  Eigen::VectorXd action_;
  std::optional<Eigen::Index> arm_;
  double optimistic_loss_ = 0.0;
  double dual_bound_ = 0.0;
  safety::Certificate certificate_;
  Decision decision_;
};

}  // namespace foothold::policy
