#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/batch/batch.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "batch/batch_files.hpp"
#include "batch/batch_plan.hpp"
#include "batch/finished_runs.hpp"
#include "batch/journal.hpp"

namespace foothold::simulation {
namespace {

std::string name_of_item(const BatchPlan& plan, const WorkItem& place) {
  const PlanPoint& point = plan.points[place.point];
  return fmt::format("run {} of \"{}\"{}{}", place.run, point.outline.policies[place.policy].name,
                     point.folder.empty() ? "" : " at ", point.folder);
}

// The runs of all journals, each found once.
class Merger {
 public:
  explicit Merger(const std::vector<std::filesystem::path>& directories) {
    if (directories.empty()) {
      throw Error(ErrorCode::InvalidArgument, "directories", "must have at least one, got none");
    }
    for (const std::filesystem::path& directory : directories) {
      journals_.push_back(Journal::read(directory / kJournalName));
    }
  }

  BatchResult merge(const std::filesystem::path& out) {
    const WorkItems items = work_items(plan());
    FinishedRuns finished(items.size());
    for (std::size_t number = 0; number < journals_.size(); ++number) {
      check_same_batch(journals_[number]);
      const auto take = [&](RunRecord record, std::uint64_t offset) {
        if (finished.has(record.item)) {
          refuse_second(items.at(record.item), finished.address(record.item).journal, number);
        }
        finished.add_at(record.item, std::move(record.run), {.journal = number, .offset = offset});
      };
      static_cast<void>(journals_[number].visit_records(take));
    }
    check_complete(items, finished);
    BatchPlan whole = plan();
    whole.shard = {};
    BatchResult batch = finished.take_results(whole, items);
    for (BatchPoint& point : batch.points) {
      set_time(point.result);
    }
    prepare_directory(out);
    write_batch_files(batch, items, finished, pointers(), out);
    return batch;
  }

 private:
  [[nodiscard]] const BatchPlan& plan() const { return journals_.front().plan(); }

  void check_same_batch(const Journal& journal) const {
    const std::string reason = difference(plan(), journal.plan());
    if (!reason.empty()) {
      throw Error(ErrorCode::Conflict, journal.file().string(),
                  fmt::format("must be of the same experiment as {}, but is of {}",
                              journals_.front().file().string(), reason));
    }
  }

  [[noreturn]] void refuse_second(const WorkItem& place, std::size_t first,
                                  std::size_t second) const {
    throw Error(ErrorCode::Conflict, journals_[second].file().string(),
                fmt::format("must hold other runs than {}, but {} is in both",
                            journals_[first].file().string(), name_of_item(plan(), place)));
  }

  void check_complete(const WorkItems& items, const FinishedRuns& finished) const {
    std::uint64_t missing = 0;
    std::uint64_t first = 0;
    for (std::uint64_t item = items.size(); item-- > 0;) {
      if (!finished.has(item)) {
        ++missing;
        first = item;
      }
    }
    if (missing > 0) {
      const Shard& shards = plan().shard;
      const auto number =
          static_cast<std::int64_t>(items.deal(first) % static_cast<std::uint64_t>(shards.count)) +
          1;
      throw Error(ErrorCode::Conflict, "directories",
                  fmt::format("must hold every run, but {} of {} are missing, the first {}: {}",
                              missing, items.size(), name_of_item(plan(), items.at(first)),
                              remedy({.number = number, .count = shards.count})));
    }
  }

  // What to do about runs that a shard should have.
  [[nodiscard]] std::string remedy(const Shard& shard) const {
    const auto journal = std::find_if(journals_.begin(), journals_.end(), [&](const Journal& j) {
      return j.plan().shard.number == shard.number && j.plan().shard.count == shard.count;
    });
    return journal == journals_.end()
               ? fmt::format("the directory of shard {}/{} was not given", shard.number,
                             shard.count)
               : fmt::format("{} is not finished; start its command again to go on",
                             journal->file().string());
  }

  static void set_time(ExperimentResult& result) {
    for (const PolicyResult& policy : result.policies) {
      for (const RunResult& run : policy.runs) {
        result.seconds += run.seconds;
      }
    }
  }

  [[nodiscard]] std::vector<const Journal*> pointers() const {
    std::vector<const Journal*> all;
    all.reserve(journals_.size());
    for (const Journal& journal : journals_) {
      all.push_back(&journal);
    }
    return all;
  }

  std::vector<Journal> journals_;
};

}  // namespace

BatchResult merge_batches(const std::filesystem::path& out,
                          const std::vector<std::filesystem::path>& directories) {
  return Merger(directories).merge(out);
}

}  // namespace foothold::simulation
