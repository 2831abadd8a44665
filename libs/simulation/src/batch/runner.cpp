#include "foothold/simulation/batch/runner.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "batch/batch_plan.hpp"
#include "batch/experiment_outline.hpp"
#include "batch/finished_runs.hpp"
#include "batch/item_player.hpp"

namespace foothold::simulation {

ExperimentResult run_experiment(const config::ExperimentConfig& config, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  BatchPlan plan;
  plan.points.push_back({.outline = outline_of(config)});
  const WorkItems items = work_items(plan);
  FinishedRuns finished(items.size());
  ItemPlayer player({&config}, plan, items);
  const auto report = [&] {
    if (options.progress) {
      const auto total = static_cast<std::int64_t>(items.size());
      options.progress({.rounds_done = player.rounds_done(),
                        .rounds_total = total * config.horizon,
                        .runs_done = player.runs_done(),
                        .runs_total = total});
    }
  };
  std::vector<std::uint64_t> todo(items.size());
  std::iota(todo.begin(), todo.end(), std::uint64_t{0});
  const ParallelOptions parallel{.threads = thread_count(options.threads, todo.size()),
                                 .stop = options.stop,
                                 .poll = report,
                                 .poll_interval = options.progress_interval};
  player.play(todo, parallel, [&finished](std::uint64_t item, RunResult run) {
    finished.add(item, std::move(run));
  });
  report();
  ExperimentResult result = std::move(finished.take_results(plan, items).points.front().result);
  result.threads = parallel.threads;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace foothold::simulation
