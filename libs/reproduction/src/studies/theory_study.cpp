#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "foothold/policy/warmup.hpp"
#include "foothold/report/regret_figures.hpp"
#include "foothold/simulation/batch/parallel.hpp"
#include "foothold/simulation/play/summary.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"
#include "foothold/statistics/quantiles.hpp"
#include "foothold/statistics/slopes.hpp"

#include "checks/foothold_draws.hpp"
#include "checks/l1_oracle.hpp"
#include "checks/theory_bounds.hpp"
#include "checks/watched_play.hpp"
#include "studies/study.hpp"

namespace foothold::reproduction {
namespace {

using report::Figure;
using report::Mark;
using report::Section;
using report::Series;
using simulation::ExperimentResult;

constexpr double kDelta = 0.01;  // δ of the paper's experiments

// Runs of one learner at one horizon, with the bounds of their instance.
struct Cell {
  std::int64_t horizon = 0;
  std::vector<WatchedRun> runs{};
  ExperimentResult standard{};  // Foothold's default on the same instance and noise
};

// One instance at several horizons.
struct Ladder {
  config::ExperimentConfig experiment{};
  TheoryBounds bounds{};
  std::vector<Cell> cells{};
};

struct LadderPlan {
  std::string stage{};
  PaperExperiment (*paper)(const ExperimentSize&) = nullptr;
  PaperExperiment (*standard)(const ExperimentSize&) = nullptr;
  policy::Schedule schedule = policy::Schedule::None;
};

double oracle_gap(const config::ExperimentConfig& experiment) {
  return simulation::best_safe_action(*experiment.problem, experiment.environment->parameter)
      .safety_gap;
}

policy::PolicyOptions scheduled(const config::ExperimentConfig& experiment,
                                policy::Schedule schedule) {
  policy::PolicyOptions options = experiment.policies.front().options;
  options.warmup = {.schedule = schedule};
  if (schedule == policy::Schedule::Gap || schedule == policy::Schedule::Nested) {
    options.warmup.safety_gap = oracle_gap(experiment);
  }
  options.nested = schedule == policy::Schedule::Nested;
  return options;
}

std::optional<std::vector<WatchedRun>> watch_runs(const config::ExperimentConfig& experiment,
                                                  policy::Schedule schedule, std::int64_t horizon,
                                                  const ReproductionOptions& options) {
  const auto runs = static_cast<std::size_t>(options.size.theory_runs);
  std::vector<WatchedRun> results(runs);
  std::atomic<std::int64_t> rounds_done{0};
  std::atomic<std::int64_t> runs_done{0};
  const auto report_progress = [&] {
    if (options.progress) {
      options.progress({.rounds_done = rounds_done.load(),
                        .rounds_total = options.size.theory_runs * horizon,
                        .runs_done = runs_done.load(),
                        .runs_total = options.size.theory_runs});
    }
  };
  const simulation::ParallelOptions parallel{
      .threads = simulation::thread_count(options.threads, runs),
      .stop = options.stop,
      .poll = report_progress};
  simulation::for_each_item(
      runs, parallel, [&](std::size_t run, const simulation::WorkToken& token) {
        const auto go_on = [&](std::int64_t rounds) {
          rounds_done += rounds;
          return token.is_wanted();
        };
        results[run] = watched_play({.experiment = experiment,
                                     .options = scheduled(experiment, schedule),
                                     .horizon = horizon,
                                     .run = static_cast<std::int64_t>(run),
                                     .go_on = go_on});
        ++runs_done;
      });
  report_progress();
  const bool is_done = options.stop == nullptr || !options.stop->load();
  return is_done ? std::optional(std::move(results)) : std::nullopt;
}

std::optional<Ladder> climb(const LadderPlan& plan, const ReproductionOptions& options) {
  Ladder ladder;
  for (const std::int64_t horizon : options.size.theory_horizons) {
    const ExperimentSize size{
        .horizon = horizon, .runs = options.size.theory_runs, .seed = options.seed};
    const PaperExperiment paper = plan.paper(size);
    ladder.experiment = paper.config;
    const std::string stage = fmt::format("{}, horizon {}", plan.stage, horizon);
    if (options.begin_stage) {
      options.begin_stage(stage);
    }
    auto runs = watch_runs(paper.config, plan.schedule, horizon, options);
    auto standard = runs ? run_stage(plan.standard(size), stage + ", Foothold's default", options)
                         : std::nullopt;
    if (!standard) {
      return std::nullopt;
    }
    ladder.cells.push_back(
        {.horizon = horizon, .runs = std::move(*runs), .standard = std::move(*standard)});
  }
  ladder.bounds = theory_bounds(safety::resolved(*ladder.experiment.problem), std::sqrt(2.0));
  return ladder;
}

std::int64_t count(const std::vector<WatchedRun>& runs, const auto& condition) {
  return static_cast<std::int64_t>(std::ranges::count_if(runs, condition));
}

double largest(const std::vector<WatchedRun>& runs, const auto& value) {
  double most = value(runs.front());
  for (const WatchedRun& run : runs) {
    most = std::max(most, value(run));
  }
  return most;
}

std::int64_t size_of(const std::vector<WatchedRun>& runs) {
  return static_cast<std::int64_t>(runs.size());
}

double horizon_of(const Cell& cell) {
  return static_cast<double>(cell.horizon);
}

double warmup_of(const WatchedRun& run) {
  return static_cast<double>(run.warmup);
}

// A sum that must stay below a bound in each run, but for a share `allowed` of them.
Verdict bound_verdict(const Cell& cell, double allowed, const auto& value, const auto& bound) {
  const auto held =
      count(cell.runs, [&](const WatchedRun& run) { return value(run) <= bound(run); });
  const double most =
      largest(cell.runs, [&](const WatchedRun& run) { return value(run) / bound(run); });
  return {.paper = fmt::format("≤ {}", report::short_number(bound(cell.runs.front()))),
          .ours = fmt::format("T = {}: at most {:.3g} of the bound", cell.horizon, most),
          .seeds = size_of(cell.runs),
          .judgement = judge_probability(held, size_of(cell.runs), allowed)};
}

Verdict named(Verdict verdict, const char* item, const char* claim) {
  verdict.item = item;
  verdict.claim = claim;
  return verdict;
}

// How fast the regret grows with the horizon: one final regret per run and horizon.
statistics::SlopeFit growth(const Ladder& ladder) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Cell& cell : ladder.cells) {
    for (const WatchedRun& run : cell.runs) {
      x.push_back(horizon_of(cell));
      y.push_back(run.regret);
    }
  }
  return statistics::fit_log_log(x, y, simulation::kConfidence);
}

// The same of the bound itself.
double bound_growth(const Ladder& ladder, double (TheoryBounds::*bound)(double, double) const) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Cell& cell : ladder.cells) {
    x.push_back(horizon_of(cell));
    y.push_back((ladder.bounds.*bound)(horizon_of(cell), warmup_of(cell.runs.front())));
  }
  return statistics::fit_log_log(x, y, simulation::kConfidence).slope;
}

// A theorem: its bound in every run at the last horizon, and its order over all of them.
Verdict theorem_verdict(const Ladder& ladder, double (TheoryBounds::*bound)(double, double) const) {
  const Cell& cell = ladder.cells.back();
  Verdict verdict = bound_verdict(
      cell, 2.0 * kDelta, [](const WatchedRun& run) { return run.regret; },
      [&](const WatchedRun& run) {
        return (ladder.bounds.*bound)(horizon_of(cell), warmup_of(run));
      });
  const statistics::SlopeFit fit = growth(ladder);
  const double allowed = bound_growth(ladder, bound);
  verdict.paper += fmt::format("; grows like T^{:.2f} here", allowed);
  verdict.ours += fmt::format("; R grows like T^({:.3f} ± {:.3f})", fit.slope, fit.half_width);
  // Refuted only if the whole interval lies above.
  verdict.judgement =
      all_of({verdict.judgement, judge_at_most(fit.slope - fit.half_width, allowed)});
  return verdict;
}

std::vector<Verdict> positive_gap_verdicts(const Ladder& ladder) {
  const Cell& cell = ladder.cells.back();
  const TheoryBounds& bounds = ladder.bounds;
  const double T = horizon_of(cell);
  const std::int64_t runs = size_of(cell.runs);
  const auto kept = count(cell.runs, [](const WatchedRun& run) { return run.keeps_optimum; });
  Verdict widths = bound_verdict(
      cell, kDelta, [](const WatchedRun& run) { return run.width_sum; },
      [&](const WatchedRun& run) { return bounds.width_sum(T, warmup_of(run)); });
  Verdict optimism = bound_verdict(
      cell, 2.0 * kDelta, [](const WatchedRun& run) { return run.optimism_sum; },
      [&](const WatchedRun& run) { return bounds.optimism_sum(T, warmup_of(run)); });
  const double worst = largest(cell.runs, [](const WatchedRun& run) { return run.largest_safety; });
  const auto nonpositive =
      count(cell.runs, [](const WatchedRun& run) { return run.largest_safety <= 1e-9; });
  const std::string inside =
      fmt::format("T = {}, T′ = {}: {} of {}", cell.horizon, cell.runs.front().warmup, kept, runs);
  return {{.item = "Lemma 2",
           .claim = "With T′ ≥ T_Δ, x* ∈ D_t^s at every round after the warm-up",
           .paper = "with probability ≥ 1 − δ = 0.99 (the proof gives 1 − 2δ)",
           .ours = inside,
           .seeds = runs,
           .judgement = judge_probability(kept, runs, kDelta)},
          named(theorem_verdict(ladder, &TheoryBounds::positive_gap_regret), "Theorem 2",
                "Regret bound for Δ > 0, T′ = T_Δ; order √T log T"),
          named(std::move(widths), "Lemma 3", "Σ min(‖x_t‖²_{A⁻¹}, 1) after the warm-up"),
          named(std::move(optimism), "Lemma 3", "Σ Term I after the warm-up"),
          {.item = "Lemma 4",
           .claim = "With T′ ≥ T_Δ, Term II ≤ 0 at every round after the warm-up",
           .paper = "with probability ≥ 1 − 2δ = 0.98",
           .ours = fmt::format("largest Term II {}; {} of {}", report::short_number(worst),
                               nonpositive, runs),
           .seeds = runs,
           .judgement = judge_probability(nonpositive, runs, 2.0 * kDelta)}};
}

std::vector<Verdict> binding_verdicts(const Ladder& ladder) {
  const Cell& cell = ladder.cells.back();
  const TheoryBounds& bounds = ladder.bounds;
  const double T = horizon_of(cell);
  Verdict shortfall = bound_verdict(
      cell, kDelta, [](const WatchedRun& run) { return run.shortfall_sum; },
      [&](const WatchedRun& run) { return bounds.safety_sum(T, warmup_of(run)); });
  Verdict safety = bound_verdict(
      cell, 2.0 * kDelta, [](const WatchedRun& run) { return run.safety_sum; },
      [&](const WatchedRun& run) { return bounds.safety_sum(T, warmup_of(run)); });
  return {named(theorem_verdict(ladder, &TheoryBounds::general_regret), "Theorem 3",
                "General regret bound, T′ = T₀, on an instance with Δ = 0; order T^(2/3) log T"),
          named(std::move(shortfall), "Lemma 5", "Σ (1 − α_t) after the warm-up, Δ = 0"),
          named(std::move(safety), "Lemma 5", "Σ Term II after the warm-up, Δ = 0")};
}

std::vector<Verdict> draw_verdicts(const Ladder& ladder, const ReproductionOptions& options) {
  const safety::Problem problem = safety::resolved(*ladder.experiment.problem);
  const TheoryBounds& bounds = ladder.bounds;
  const std::int64_t draws = options.size.draws;
  const safety::KnownSafeSet shell(problem, safety::Sampler::Shell);
  // The ellipsoid fits into the box here, so ε = c/S.
  const double formula = std::pow(bounds.limit / bounds.norm_bound, 2) /
                         (bounds.dim * bounds.matrix_norm * bounds.matrix_norm);
  const double sampled =
      sampled_min_eigenvalue(problem, safety::Sampler::Shell, 100 * draws, options.seed);
  const double typo =
      bounds.limit / bounds.norm_bound / (bounds.dim * bounds.matrix_norm * bounds.matrix_norm);

  const auto rounds = static_cast<std::int64_t>(std::ceil(bounds.eigenvalue_rounds()));
  const double floor = bounds.eigenvalue_floor(static_cast<double>(rounds)) - bounds.ridge;
  const EigenvalueTrials lemma = eigenvalue_trials(problem, rounds, floor, draws, options.seed);

  const std::int64_t short_rounds = 1000;
  const std::int64_t covered = covered_trials(problem, ladder.experiment.environment->parameter,
                                              short_rounds, draws, options.seed);
  std::int64_t watched = 0;
  std::int64_t watched_covered = 0;
  for (const WatchedRun& run : ladder.cells.back().runs) {
    ++watched;
    watched_covered += run.is_covered ? 1 : 0;
  }
  return {{.item = "Remark 1",
           .claim = "Draws on the shell ‖Bx‖ = ε have λ_- = ε²/(d‖B‖²)",
           .paper = fmt::format("{} (its first expression, with ε for ε², would be {})",
                                report::short_number(formula), report::short_number(typo)),
           .ours = fmt::format("{:.5f} from {} draws; {:.5f} in the library", sampled, 100 * draws,
                               shell.min_eigenvalue()),
           // The eigenvalue of a sample errs by about λ_-/√draws.
           .judgement =
               all_of({judge_value(formula, sampled,
                                   4.0 * formula / std::sqrt(static_cast<double>(100 * draws))),
                       judge_value(formula, shell.min_eigenvalue(), 1e-9)})},
          {.item = "Theorem 1",
           .claim = "μ lies in the confidence region at all rounds",
           .paper = "with probability ≥ 1 − δ = 0.99",
           .ours = fmt::format("{} of {} sequences of {} draws; {} of {} runs of Safe-LUCB",
                               covered, draws, short_rounds, watched_covered, watched),
           .seeds = draws + watched,
           .judgement = judge_probability(covered + watched_covered, draws + watched, kDelta)},
          {.item = "Lemma 1",
           .claim = "λ_min(A) ≥ λ + λ_-T′/2 after T′ ≥ t_δ draws",
           .paper = fmt::format("with probability ≥ 0.99 at T′ = t_δ = {}", rounds),
           .ours = fmt::format("{} of {}; smallest λ_min/floor {:.3f}", draws - lemma.below, draws,
                               (lemma.smallest + bounds.ridge) / (floor + bounds.ridge)),
           .seeds = draws,
           .judgement = judge_probability(draws - lemma.below, draws, kDelta)}};
}

// [Tropp] at several lengths and shares, with L the largest ‖x‖² in the foothold.
Verdict chernoff_verdict(const Ladder& ladder, const ReproductionOptions& options) {
  const safety::Problem problem = safety::resolved(*ladder.experiment.problem);
  const TheoryBounds& bounds = ladder.bounds;
  const Eigen::MatrixXd& B = problem.constraints.front().matrix;
  const double longest = bounds.limit / bounds.norm_bound * B.inverse().operatorNorm();
  std::vector<Judgement> judgements;
  double closest = 0.0;
  for (const std::int64_t count : {50, 100, 200}) {
    for (const double share : {0.5, 0.7, 0.9}) {
      const double mean = bounds.min_eigenvalue * static_cast<double>(count);
      const double allowed = std::min(
          1.0, bounds.dim * std::exp(-std::pow(1.0 - share, 2) * mean / (2.0 * longest * longest)));
      const EigenvalueTrials trials =
          eigenvalue_trials(problem, count, share * mean, options.size.draws, options.seed);
      judgements.push_back(
          judge_probability(options.size.draws - trials.below, options.size.draws, allowed));
      closest = std::max(closest, static_cast<double>(trials.below) /
                                      static_cast<double>(options.size.draws) / allowed);
    }
  }
  Judgement judgement = all_of(judgements);
  if (judgement.outcome == Outcome::Reproduced) {
    judgement.because.clear();  // Failures are what the bound is about.
  }
  return {.item = "Theorem 4",
          .claim = "Matrix Chernoff inequality, nine pairs of length and ε",
          .paper = "Pr(λ_min ≤ εμ) ≤ d exp(−(1−ε)²μ/2L)",
          .ours = fmt::format("largest frequency/bound {:.3g}", closest),
          .seeds = options.size.draws,
          .judgement = std::move(judgement)};
}

std::vector<Verdict> assumption_verdicts(const Ladder& ladder, const ReproductionOptions& options) {
  const safety::Problem problem = safety::resolved(*ladder.experiment.problem);
  const Eigen::VectorXd& mu = ladder.experiment.environment->parameter;
  const double reach = mu.lpNorm<1>();  // max |μᵀx| over [−1, 1]²
  // E e^{sη} at s = 1/R against e^{s²R²/2}; the standard error of e^{sη} is known.
  RandomStream random(options.seed, 0xF007'0003'0000'0000U);
  const std::int64_t draws = 100 * options.size.draws;
  double sum = 0.0;
  for (std::int64_t i = 0; i < draws; ++i) {
    sum += std::exp(random.normal());
  }
  const double moment = sum / static_cast<double>(draws);
  const double error = std::sqrt((std::exp(2.0) - std::exp(1.0)) / static_cast<double>(draws));
  return {{.item = "Assumption 1",
           .claim = "The noise is R-sub-Gaussian: E exp(η/R) ≤ exp(1/2)",
           .paper = "assumed; the simulator's noise is Gaussian with R = 0.1",
           .ours = fmt::format("{:.4f} ± {:.4f} (standard error) ≤ {:.4f} up to 4 errors", moment,
                               error, std::exp(0.5)),
           .seeds = draws,
           .judgement = judge_at_most(moment - 4.0 * error, std::exp(0.5))},
          {.item = "Assumption 2",
           .claim = "‖μ‖ ≤ S = 1 and |μᵀx| ≤ 1 on the polytope",
           .paper = "assumed",
           .ours = fmt::format("‖μ‖ = {:.4f}, max |μᵀx| = {:.4f}", mu.norm(), reach),
           .judgement = all_of({judge_at_most(mu.norm(), 1.0), judge_at_most(reach, 1.0)})},
          {.item = "Assumption 3",
           .claim = "D₀ is a convex body with the origin in its interior",
           .paper = "assumed",
           .ours = "[−1, 1]²",
           .judgement = judge_at_most(
               geometry::contains_in_interior(problem.decision_set, problem.centre()) ? 0.0 : 1.0,
               0.0)}};
}

Verdict l1_verdict(const Ladder& ladder) {
  const std::int64_t horizon = ladder.experiment.horizon;
  std::vector<std::int64_t> rounds{2, 20, 200, horizon / 2, horizon};
  std::erase_if(rounds, [&](std::int64_t round) { return round > horizon; });
  std::ranges::sort(rounds);
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  const std::vector<OptimismCheck> checks = check_optimism(
      ladder.experiment, scheduled(ladder.experiment, policy::Schedule::None), rounds);
  double largest_gap = 0.0;
  double deepest = 0.0;
  for (const OptimismCheck& check : checks) {
    largest_gap = std::max(largest_gap, std::abs(check.searched - check.decided));
    deepest = std::max(deepest, check.decided - check.searched);
  }
  return {.item = "App. D",
          .claim = "The 2d vertices of the ℓ₁ region suffice to minimise over it",
          .paper = "equality (its proof shows ≥, which is enough)",
          .ours = fmt::format("largest difference to a search of the border: {:.1e} at {} rounds",
                              largest_gap, checks.size()),
          .seeds = 1,
          // The search errs by the tolerance of its border.
          .judgement = all_of({judge_at_most(deepest, 1e-5), judge_at_most(largest_gap, 1e-5)})};
}

// Remark 2: nested regions, a warm-up that does not know T.
std::optional<Verdict> nested_verdict(const Ladder& ladder, const ReproductionOptions& options) {
  const Cell& cell = ladder.cells.back();
  const auto runs = watch_runs(ladder.experiment, policy::Schedule::Nested, cell.horizon, options);
  if (!runs) {
    return std::nullopt;
  }
  const auto kept = count(*runs, [](const WatchedRun& run) { return run.keeps_optimum; });
  const auto faithful = count(*runs, [](const WatchedRun& run) { return !run.loses_optimum; });
  const std::int64_t nested = runs->front().warmup;
  const std::int64_t plain = cell.runs.front().warmup;
  const auto first = static_cast<double>(ladder.cells.front().horizon);
  const auto last = horizon_of(cell);
  const double gap = oracle_gap(ladder.experiment);
  return Verdict{
      .item = "Remark 2",
      .claim =
          "With nested regions T′ does not depend on T and is no longer than T_Δ; x*, once "
          "in, stays in",
      .paper = "a constant T′",
      .ours = fmt::format(
          "T′ = {} (T_Δ = {}; without t_δ, T_Δ grows from {:.0f} to {:.0f} with T); x* in from "
          "T′ + 1 on in {}, never lost in {} of {}",
          nested, plain, ladder.bounds.gap_rounds(first, gap), ladder.bounds.gap_rounds(last, gap),
          kept, faithful, runs->size()),
      .seeds = size_of(*runs),
      .judgement = all_of({judge_at_most(static_cast<double>(nested), static_cast<double>(plain)),
                           judge_runs(faithful, size_of(*runs)),
                           judge_probability(kept, size_of(*runs), 2.0 * kDelta)})};
}

Series standard_series(const Ladder& ladder) {
  Series series{.name = "targeted", .mark = Mark::Bars, .colour = report::colours::kGreen};
  for (const Cell& cell : ladder.cells) {
    std::vector<double> values;
    for (const simulation::RunResult& run : cell.standard.policies.front().runs) {
      values.push_back(run.final_regret);
    }
    series.x.push_back(horizon_of(cell));
    series.y.push_back(statistics::median(values));
    series.lower.push_back(statistics::quantile(values, 0.0));
    series.upper.push_back(statistics::quantile(values, 1.0));
  }
  return series;
}

Figure bound_figure(const Ladder& ladder, const Figure& frame, const std::string& policy,
                    double (TheoryBounds::*bound)(double, double) const) {
  Figure figure = frame;
  figure.x = {.label = "horizon T",
              .is_log = true,
              .lower = 0.8 * horizon_of(ladder.cells.front()),
              .upper = 1.25 * horizon_of(ladder.cells.back())};
  figure.y = {.label = "regret R(T)", .is_log = true};
  Series limit{
      .name = "the theorem's bound", .mark = Mark::Dashes, .colour = report::colours::kRed};
  Series regret{.name = policy, .mark = Mark::Bars, .colour = report::colours::kBlue};
  for (const Cell& cell : ladder.cells) {
    figure.x.tics.push_back(horizon_of(cell));
    std::vector<double> values;
    for (const WatchedRun& run : cell.runs) {
      values.push_back(run.regret);
    }
    limit.x.push_back(horizon_of(cell));
    limit.y.push_back((ladder.bounds.*bound)(horizon_of(cell), warmup_of(cell.runs.front())));
    regret.x.push_back(horizon_of(cell));
    regret.y.push_back(statistics::median(values));
    regret.lower.push_back(statistics::quantile(values, 0.0));
    regret.upper.push_back(statistics::quantile(values, 1.0));
  }
  figure.series = {std::move(limit), std::move(regret), standard_series(ladder)};
  return figure;
}

Section theory_section(const Ladder& positive, const Ladder& binding) {
  const std::int64_t runs = size_of(positive.cells.back().runs);
  const std::string caption = fmt::format(
      "A run of its own for each horizon, {} seeds: median, bar from the smallest to the largest.",
      runs);
  return {.title = "Theory: regret against the bounds",
          .paragraphs =
              {"Safe-LUCB with ℓ₁ regions on the polytope, so β is √d β in every bound. Theorem 2: "
               "the paper's instance, T′ = T_Δ with its minimum t_δ. Theorem 3 is about Δ = 0, of "
               "which the paper has no example: ours is the polytope with −B for B.",
               "All bounds are the paper's as printed."},
          .figures = {
              bound_figure(
                  positive,
                  {.name = "theorem2", .title = "Theorem 2: Δ > 0, gap known", .caption = caption},
                  "Safe-LUCB, gap known", &TheoryBounds::positive_gap_regret),
              bound_figure(
                  binding,
                  {.name = "theorem3", .title = "Theorem 3: Δ = 0, T′ = T₀", .caption = caption},
                  "Safe-LUCB, T₀", &TheoryBounds::general_regret)}};
}

void append(std::vector<Verdict>& all, std::vector<Verdict> more) {
  for (Verdict& verdict : more) {
    all.push_back(std::move(verdict));
  }
}

}  // namespace

std::optional<StudyOutput> theory_study(const ReproductionOptions& options) {
  const auto positive = climb({.stage = "theory, Δ > 0",
                               .paper = polytope_experiment,
                               .standard = polytope_default_experiment,
                               .schedule = policy::Schedule::Gap},
                              options);
  const auto binding = positive ? climb({.stage = "theory, Δ = 0",
                                         .paper = binding_experiment,
                                         .standard = binding_default_experiment,
                                         .schedule = policy::Schedule::WorstCase},
                                        options)
                                : std::nullopt;
  if (!binding) {
    return std::nullopt;
  }
  if (options.begin_stage) {
    options.begin_stage("theory, nested regions");
  }
  std::optional<Verdict> nested = nested_verdict(*positive, options);
  if (!nested) {
    return std::nullopt;
  }
  if (options.begin_stage) {
    options.begin_stage("theory, draws");
  }
  StudyOutput output;
  append(output.verdicts, assumption_verdicts(*positive, options));
  append(output.verdicts, draw_verdicts(*positive, options));
  append(output.verdicts, positive_gap_verdicts(*positive));
  append(output.verdicts, binding_verdicts(*binding));
  output.verdicts.push_back(chernoff_verdict(*positive, options));
  output.verdicts.push_back(std::move(*nested));
  output.verdicts.push_back(l1_verdict(*positive));
  output.sections.push_back(theory_section(*positive, *binding));
  const ExperimentSize size{.horizon = options.size.theory_horizons.back(),
                            .runs = options.size.theory_runs,
                            .seed = options.seed};
  output.listings = {listing_of(binding_experiment(size)),
                     listing_of(binding_default_experiment(size))};
  return output;
}

}  // namespace foothold::reproduction
