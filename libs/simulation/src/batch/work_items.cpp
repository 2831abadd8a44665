#include "batch/work_items.hpp"

#include <algorithm>

#include "foothold/base/invariant.hpp"

namespace foothold::simulation {

WorkItems::WorkItems(const std::vector<Extent>& extents) : starts_{0} {
  std::uint64_t runs = 0;
  for (const Extent& extent : extents) {
    policies_.push_back(extent.policies);
    first_deals_.push_back(runs);
    runs += static_cast<std::uint64_t>(extent.runs);
    starts_.push_back(starts_.back() + static_cast<std::uint64_t>(extent.runs) * extent.policies);
  }
}

WorkItem WorkItems::at(std::uint64_t item) const {
  FOOTHOLD_ASSERT(item < size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), item);
  const auto point = static_cast<std::size_t>(next - starts_.begin()) - 1;
  const std::uint64_t within = item - starts_[point];
  return {.point = point,
          .run = static_cast<std::int64_t>(within / policies_[point]),
          .policy = static_cast<std::size_t>(within % policies_[point])};
}

std::uint64_t WorkItems::index(const WorkItem& item) const {
  return starts_[item.point] + static_cast<std::uint64_t>(item.run) * policies_[item.point] +
         item.policy;
}

std::uint64_t WorkItems::deal(std::uint64_t item) const {
  const WorkItem place = at(item);
  return first_deals_[place.point] + static_cast<std::uint64_t>(place.run) + place.policy;
}

bool is_in_shard(const WorkItems& items, std::uint64_t item, const Shard& shard) {
  return items.deal(item) % static_cast<std::uint64_t>(shard.count) ==
         static_cast<std::uint64_t>(shard.number - 1);
}

}  // namespace foothold::simulation
