#include "batch/finished_runs.hpp"

#include <utility>

#include <fmt/format.h>

namespace foothold::simulation {
namespace {

// What failed runs mean for the numbers of a policy, if there are any.
void add_failure_note(const PolicyResult& policy, std::vector<std::string>& notes) {
  std::int64_t failed = 0;
  std::size_t first = 0;
  for (std::size_t run = 0; run < policy.runs.size(); ++run) {
    if (policy.runs[run].failed_round) {
      first = failed == 0 ? run : first;
      ++failed;
    }
  }
  if (failed > 0) {
    notes.push_back(fmt::format(
        "\"{}\" found no safe action in {} of {} runs, the first of them run {} at "
        "round {}; those runs ended there, and its regret is that of the others",
        policy.name, failed, policy.runs.size(), first, *policy.runs[first].failed_round));
  }
}

}  // namespace

void FinishedRuns::add_at(std::uint64_t item, RunResult run, const Address& address) {
  // Neither clear() nor = {}, which keep the memory: that is what this is about.
  std::vector<double>().swap(run.trace_regret);
  std::vector<std::int64_t>().swap(run.trace_violations);
  addresses_[item] = address;
  runs_[item] = std::move(run);
}

BatchResult FinishedRuns::take_results(const BatchPlan& plan, const WorkItems& items) {
  BatchResult batch{.axes = plan.axes, .shard = plan.shard};
  for (const PlanPoint& point : plan.points) {
    batch.points.push_back(
        {.folder = point.folder, .settings = point.settings, .result = point.outline});
  }
  for (std::uint64_t item = 0; item < items.size(); ++item) {
    if (!is_in_shard(items, item, plan.shard)) {
      continue;
    }
    const WorkItem place = items.at(item);
    ExperimentResult& result = batch.points[place.point].result;
    ++batch.runs_total;
    if (runs_[item]) {
      ++batch.runs_done;
      batch.failed_runs += runs_[item]->failed_round ? 1 : 0;
      result.policies[place.policy].runs.push_back(std::move(*runs_[item]));
      runs_[item].reset();
    } else {
      result.is_complete = false;
    }
  }
  for (BatchPoint& point : batch.points) {
    for (const PolicyResult& policy : point.result.policies) {
      add_failure_note(policy, point.result.notes);
    }
  }
  return batch;
}

}  // namespace foothold::simulation
