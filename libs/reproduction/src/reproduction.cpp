#include "foothold/reproduction/reproduction.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

#include "studies/study.hpp"

namespace foothold::reproduction {
namespace {

// The statements of [AAT19] in its order; appendices by their letters.
constexpr std::array<std::string_view, 30> kOrder{
    "Assumption 1", "Assumption 2", "Assumption 3", "Algorithm 1", "Remark 1",    "Theorem 1",
    "Lemma 1",      "Lemma 2",      "Theorem 2",    "Theorem 3",   "Algorithm 2", "Fig. 1(a)",
    "Fig. 1(b)",    "Theorem 4",    "Lemma 3",      "Lemma 4",     "Remark 2",    "Lemma 5",
    "Assumption 4", "Assumption 5", "App. C",       "App. D",      "App. E",      "App. F",
    "Fig. 2(a)",    "Fig. 2(b)",    "Fig. 3",       "Fig. 3(a)",   "Fig. 3(b)",   "Fig. 3(c)"};

std::size_t place(const Verdict& verdict) {
  return static_cast<std::size_t>(std::ranges::find(kOrder, verdict.item) - kOrder.begin());
}

[[noreturn]] void size_error(const char* field, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, field, message);
}

void require_runs(std::int64_t runs, const char* field) {
  if (!(runs >= 2)) {
    size_error(field, fmt::format("must be at least 2, got {}", runs));
  }
}

void require_horizons(const std::vector<std::int64_t>& horizons, std::size_t least,
                      const char* field) {
  if (horizons.size() < least || horizons.front() < 2 ||
      !std::ranges::is_sorted(horizons, std::less_equal<>())) {
    size_error(
        field,
        fmt::format(
            "must be {} or more numbers from 2 upwards, each larger than the one before; got {}",
            least, horizons.size()));
  }
}

void validate(const ReproductionOptions& options) {
  const ReproductionSize& size = options.size;
  if (options.parts.empty()) {
    size_error("parts", "must have at least one entry, got none");
  }
  require_runs(size.k_armed_runs, "size.k_armed_runs");
  require_runs(size.polytope_runs, "size.polytope_runs");
  require_runs(size.theory_runs, "size.theory_runs");
  require_runs(size.polytope_horizon, "size.polytope_horizon");
  require_runs(size.draws, "size.draws");
  require_horizons(size.k_armed_horizons, 1, "size.k_armed_horizons");
  require_horizons(size.theory_horizons, 2, "size.theory_horizons");
}

report::Report opening(const ReproductionOptions& options) {
  report::Report report{.title = "Linear Stochastic Bandits Under Safety Constraints, reproduced"};
  report.lead = {
      "Every figure of Amani, Alizadeh and Thrampoulidis (NeurIPS 2019) drawn anew, and every "
      "numbered statement checked by a rule against runs or draws. Verdicts are computed, "
      "none is written by hand. A proof is not a number: where a statement is a theorem, what is "
      "checked is that our runs do not contradict it.",
      "Beside each figure stands what Foothold's default, targeted exploration with the mixture "
      "radius, achieves on the same instances and the same noise."};
  report.facts = report::program_facts();
  for (const auto& [word, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"seed", std::to_string(options.seed)},
           {"size", options.size.name},
           {"δ, R, S", "0.01, 0.1, 1"},
           {"λ", "1 for the paper's learners, R²/S² for Foothold's default"},
           {"noise", "Gaussian; the same for all learners of a run"}}) {
    report.facts.emplace_back(word, value);
  }
  return report;
}

}  // namespace

std::vector<Part> all_parts() {
  return {Part::Fig1a, Part::Fig1b, Part::Fig2, Part::Fig3, Part::Theory};
}

ReproductionSize quick_size() {
  return {.name = "quick",
          .k_armed_runs = 20,
          .k_armed_horizons = {1000, 3000, 10000},
          .polytope_runs = 10,
          .polytope_horizon = 100000,
          .theory_runs = 10,
          .theory_horizons = {10000, 17000, 30000},
          .draws = 300};
}

ReproductionSize standard_size() {
  return {.name = "standard",
          .k_armed_runs = 50,
          .k_armed_horizons = {3000, 10000, 30000, 100000},
          .polytope_runs = 50,
          .polytope_horizon = 100000,
          .theory_runs = 50,
          .theory_horizons = {10000, 30000, 100000},
          .draws = 2000};
}

ReproductionSize full_size() {
  return {.name = "full",
          .k_armed_runs = 200,
          .k_armed_horizons = {3000, 10000, 30000, 100000, 300000, 1000000},
          .polytope_runs = 500,
          .polytope_horizon = 100000,
          .theory_runs = 200,
          .theory_horizons = {10000, 30000, 100000, 300000, 1000000},
          .draws = 20000};
}

bool has_part(const ReproductionOptions& options, Part part) {
  return std::ranges::find(options.parts, part) != options.parts.end();
}

std::optional<simulation::ExperimentResult> run_stage(const PaperExperiment& experiment,
                                                      const std::string& stage,
                                                      const ReproductionOptions& options) {
  if (options.begin_stage) {
    options.begin_stage(stage);
  }
  simulation::ExperimentResult result = simulation::run_experiment(
      experiment.config,
      {.threads = options.threads, .stop = options.stop, .progress = options.progress});
  return result.is_complete ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<Reproduction> reproduce(const ReproductionOptions& options) {
  validate(options);
  struct Study {
    bool is_wanted;
    std::optional<StudyOutput> (*run)(const ReproductionOptions&);
  };
  const std::array studies{
      Study{has_part(options, Part::Fig1a) || has_part(options, Part::Fig3), k_armed_study},
      Study{has_part(options, Part::Fig1b) || has_part(options, Part::Fig2), polytope_study},
      Study{has_part(options, Part::Theory), theory_study}};
  Reproduction result{.report = opening(options)};
  for (const Study& study : studies) {
    if (!study.is_wanted) {
      continue;
    }
    std::optional<StudyOutput> output = study.run(options);
    if (!output) {
      return std::nullopt;
    }
    std::ranges::move(output->sections, std::back_inserter(result.report.sections));
    std::ranges::move(output->verdicts, std::back_inserter(result.verdicts));
    std::ranges::move(output->listings, std::back_inserter(result.report.listings));
  }
  std::ranges::stable_sort(result.verdicts, {}, place);
  result.report.scorecard = scorecard(result.verdicts);
  if (!result.verdicts.empty()) {
    result.report.attachments = {
        {.file = "verdicts.json", .text = verdicts_json(result.verdicts)},
        {.file = "verdicts.md", .text = verdicts_markdown(result.verdicts)}};
  }
  return result;
}

}  // namespace foothold::reproduction
