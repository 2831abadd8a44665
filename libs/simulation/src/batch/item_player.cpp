#include "batch/item_player.hpp"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

#include "play/episode.hpp"

namespace foothold::simulation {
namespace {

// The error of one item, with point, policy and run named in front.
Error with_context(const Error& error, const std::string& folder, const std::string& policy,
                   const WorkItem& place) {
  return {error.code(), fmt::format("policies[{}]", place.policy),
          fmt::format("{}{}\"{}\", run {}: {}", folder, folder.empty() ? "" : ", ", policy,
                      place.run, error.what())};
}

}  // namespace

void ItemPlayer::play(const std::vector<std::uint64_t>& todo, const ParallelOptions& options,
                      const Keep& keep) {
  for_each_item(todo.size(), options, [&](std::size_t number, const WorkToken& token) {
    play_item(todo[number], token, keep);
  });
}

void ItemPlayer::play_item(std::uint64_t item, const WorkToken& token, const Keep& keep) {
  const WorkItem place = items_.at(item);
  const config::ExperimentConfig& experiment = *experiments_[place.point];
  const config::PolicyConfig& policy = experiment.policies[place.policy];
  const PlanPoint& point = plan_.points[place.point];
  const Episode episode{.experiment = experiment,
                        .policy = policy,
                        .run = place.run,
                        .trace_rounds = point.outline.trace_rounds};
  std::int64_t counted = 0;
  const auto go_on = [&](std::int64_t rounds) {
    counted += rounds;
    rounds_done_.fetch_add(rounds, std::memory_order_relaxed);
    return token.is_wanted();
  };
  std::optional<RunResult> run;
  try {
    run = simulation::play(episode, go_on);
  } catch (const Error& error) {
    throw with_context(error, point.folder, policy.name, place);
  }
  if (run) {
    keep(item, std::move(*run));
    // A run that failed leaves rounds that nobody will play.
    rounds_done_.fetch_add(experiment.horizon - counted, std::memory_order_relaxed);
    runs_done_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace foothold::simulation
