#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "foothold/config/experiment.hpp"
#include "foothold/simulation/batch/parallel.hpp"
#include "foothold/simulation/play/result.hpp"

#include "batch/batch_plan.hpp"
#include "batch/work_items.hpp"

namespace foothold::simulation {

/// Plays items of a batch on threads.
class ItemPlayer {
 public:
  /// Called from the thread that finished the item.
  using Keep = std::function<void(std::uint64_t item, RunResult run)>;

  /// The experiments of the plan's points, in their order. All are borrowed.
  ItemPlayer(std::vector<const config::ExperimentConfig*> experiments, const BatchPlan& plan,
             const WorkItems& items)
      : experiments_(std::move(experiments)), plan_(plan), items_(items) {}

  /// Returns when all are played or `options.stop` is set. Throws what the first failing item
  /// throws, with its names in front, and what `keep` throws.
  void play(const std::vector<std::uint64_t>& todo, const ParallelOptions& options,
            const Keep& keep);

  [[nodiscard]] std::int64_t rounds_done() const noexcept { return rounds_done_.load(); }
  [[nodiscard]] std::int64_t runs_done() const noexcept { return runs_done_.load(); }

 private:
  void play_item(std::uint64_t item, const WorkToken& token, const Keep& keep);

  std::vector<const config::ExperimentConfig*> experiments_;
  const BatchPlan& plan_;
  const WorkItems& items_;
  std::atomic<std::int64_t> rounds_done_{0};
  std::atomic<std::int64_t> runs_done_{0};
};

}  // namespace foothold::simulation
