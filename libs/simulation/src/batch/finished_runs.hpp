#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "foothold/simulation/batch/batch.hpp"

#include "batch/batch_plan.hpp"
#include "batch/work_items.hpp"

namespace foothold::simulation {

/// The finished runs of a batch, in their order whatever the order in which they finished.
/// Different items may be added from different threads at once.
class FinishedRuns {
 public:
  /// Where the trace of a run is: at an offset of one of several journals.
  struct Address {
    std::size_t journal = 0;
    std::uint64_t offset = 0;
  };

  explicit FinishedRuns(std::uint64_t items) : runs_(items), addresses_(items) {}

  [[nodiscard]] bool has(std::uint64_t item) const { return runs_[item].has_value(); }
  [[nodiscard]] const Address& address(std::uint64_t item) const { return addresses_[item]; }

  /// Keeps a run with its trace.
  void add(std::uint64_t item, RunResult run) { runs_[item] = std::move(run); }
  /// Keeps all of a run but its trace, which is elsewhere.
  void add_at(std::uint64_t item, RunResult run, const Address& address);

  /// Moves the runs into the outlines of their experiments, with notes on those that failed.
  [[nodiscard]] BatchResult take_results(const BatchPlan& plan, const WorkItems& items);

 private:
  std::vector<std::optional<RunResult>> runs_;
  std::vector<Address> addresses_;
};

}  // namespace foothold::simulation
