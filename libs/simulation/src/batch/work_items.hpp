#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foothold/simulation/batch/batch.hpp"

namespace foothold::simulation {

/// One policy in one run of one experiment of a batch.
struct WorkItem {
  std::size_t point = 0;
  std::int64_t run = 0;
  std::size_t policy = 0;
};

/// All items of a batch in a fixed order: point after point, run after run, policy after policy.
class WorkItems {
 public:
  /// How much one experiment has.
  struct Extent {
    std::int64_t runs = 0;
    std::size_t policies = 0;
  };

  explicit WorkItems(const std::vector<Extent>& extents);

  [[nodiscard]] std::uint64_t size() const noexcept { return starts_.back(); }
  [[nodiscard]] WorkItem at(std::uint64_t item) const;
  [[nodiscard]] std::uint64_t index(const WorkItem& item) const;

  /// A number whose remainder by n tells which of n workers has the item. Along the runs every
  /// worker meets every policy and every point equally often, since some take much longer.
  [[nodiscard]] std::uint64_t deal(std::uint64_t item) const;

 private:
  std::vector<std::size_t> policies_;
  std::vector<std::uint64_t> starts_;       // of the points' items, and the end
  std::vector<std::uint64_t> first_deals_;  // runs of all points before
};

[[nodiscard]] bool is_in_shard(const WorkItems& items, std::uint64_t item, const Shard& shard);

}  // namespace foothold::simulation
