#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "foothold/geometry/decision_set.hpp"
#include "foothold/report/regret_figures.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/simulation/play/summary.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"
#include "foothold/simulation/world/family.hpp"
#include "foothold/statistics/intervals.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/quantiles.hpp"

#include "checks/theory_bounds.hpp"
#include "studies/study.hpp"

namespace foothold::reproduction {
namespace {

using report::Figure;
using report::Mark;
using report::Section;
using report::Series;
using report::Spread;
using report::TextTable;
using simulation::ExperimentResult;
using simulation::PolicyResult;
using simulation::RunResult;

// The policies of `k_armed_experiment`, in their order.
constexpr std::size_t kGapKnown = 0;
constexpr std::size_t kWorstCase = 1;
constexpr std::size_t kGslucb = 2;
constexpr std::size_t kTargetedArms = 3;

// [AAT19, App. F] averages over this many realisations.
constexpr std::size_t kPaperRuns = 20;

// What is true of the drawn instances.
struct Ensemble {
  std::int64_t with_safe_arm = 0;      // Assumption 4
  std::int64_t with_gap = 0;           // Assumption 5
  std::int64_t with_active = 0;        // the constraint excludes the unconstrained best arm
  std::vector<TheoryBounds> bounds{};  // one a run
};

Ensemble look_at_instances(const config::ExperimentConfig& config) {
  Ensemble ensemble;
  for (std::int64_t run = 0; run < config.runs; ++run) {
    simulation::Instance instance = simulation::draw_instance(*config.family, config.seed, run);
    instance.problem.assumptions.ridge = 1.0;
    const safety::Problem problem = safety::resolved(instance.problem);
    const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
    const simulation::BestSafeAction best =
        simulation::best_safe_action(problem, instance.parameter);
    const double unconstrained =
        geometry::minimize_linear(problem.decision_set, instance.parameter).value;
    ensemble.with_safe_arm += foothold.safe_arms().empty() ? 0 : 1;
    ensemble.with_gap += best.safety_gap > 0.0 ? 1 : 0;
    ensemble.with_active += unconstrained < best.loss ? 1 : 0;
    ensemble.bounds.push_back(
        theory_bounds(problem, std::sqrt(static_cast<double>(problem.dim()))));
  }
  return ensemble;
}

std::vector<double> regrets_of(const PolicyResult& policy) {
  std::vector<double> values;
  for (const RunResult& run : policy.runs) {
    values.push_back(run.final_regret);
  }
  return values;
}

std::int64_t count_runs(const ExperimentResult& result, const auto& condition) {
  std::int64_t count = 0;
  for (std::size_t run = 0; run < static_cast<std::size_t>(result.runs); ++run) {
    count += condition(run) ? 1 : 0;
  }
  return count;
}

std::string mean_and_median(const PolicyResult& policy, std::int64_t horizon) {
  const std::vector<double> values = report::final_per_step(policy, horizon);
  return fmt::format("{} (median {})", report::short_number(statistics::mean(values)),
                     report::short_number(statistics::median(values)));
}

// "It can be seen from the figure that GSLUCB performs significantly better than the worst case."
Verdict better_than_worst_case(const ExperimentResult& result) {
  const std::vector<double> gslucb = regrets_of(result.policies[kGslucb]);
  const std::vector<double> worst = regrets_of(result.policies[kWorstCase]);
  std::vector<double> difference;
  std::ranges::transform(gslucb, worst, std::back_inserter(difference), std::minus<>());
  const double mean = statistics::mean(difference);
  const double half = statistics::mean_half_width(difference, simulation::kConfidence);
  const auto better = std::ranges::count_if(difference, [](double d) { return d < 0.0; });
  const auto worse = std::ranges::count_if(difference, [](double d) { return d > 0.0; });
  return {.item = "Fig. 1(a)",
          .claim =
              "GSLUCB performs significantly better than Safe-LUCB with T₀: the mean paired "
              "difference of regret is below 0 with its 95 % interval",
          .paper = "a figure without numbers, 20 realisations, horizon not stated",
          .ours = fmt::format("T = {}: {} ± {} per run; better in {}, worse in {} of {}",
                              result.horizon, report::short_number(mean),
                              report::short_number(half), better, worse, result.runs),
          .seeds = result.runs,
          // Below, not at: where nothing differs, nothing is better.
          .judgement = judge_below(mean + half, 0.0,
                                   "the upper end of the interval of the mean difference")};
}

// "It appears that it approaches the improved regret performance … with knowledge of Δ." Where T_Δ
// is not below T₀, knowing Δ improves nothing, and there is nothing to approach.
Verdict approaches_known_gap(const ExperimentResult& result) {
  const std::vector<RunResult>& known = result.policies[kGapKnown].runs;
  const std::vector<RunResult>& worst = result.policies[kWorstCase].runs;
  const std::vector<RunResult>& gslucb = result.policies[kGslucb].runs;
  const auto is_improved = [&](std::size_t run) {
    return known[run].warmup_rounds < worst[run].warmup_rounds;
  };
  const auto trials = count_runs(result, is_improved);
  const auto held = count_runs(result, [&](std::size_t run) {
    const double distance = worst[run].final_regret - known[run].final_regret;
    return is_improved(run) && gslucb[run].final_regret <= known[run].final_regret + 0.5 * distance;
  });
  Verdict verdict{
      .item = "Fig. 1(a)",
      .claim =
          "GSLUCB approaches Safe-LUCB with known gap: it closes at least half of the distance "
          "from T₀ to T_Δ, run by run where T_Δ < T₀",
      .paper = "a figure without numbers",
      .ours = fmt::format(
          "T = {}: R/T {} known gap, {} GSLUCB, {} T₀; T_Δ < T₀ in {} of {}", result.horizon,
          mean_and_median(result.policies[kGapKnown], result.horizon),
          mean_and_median(result.policies[kGslucb], result.horizon),
          mean_and_median(result.policies[kWorstCase], result.horizon), trials, result.runs),
      .seeds = result.runs};
  verdict.judgement =
      trials > 0 ? judge_runs(held, trials) : not_checked("T_Δ is below T₀ in no realisation");
  return verdict;
}

Verdict figure_3(const ExperimentResult& result, const char* item, const char* what,
                 std::size_t policy) {
  const Series curve = report::per_step_curve(result.policies[policy], result.trace_rounds,
                                              Spread::StandardDeviation, kPaperRuns);
  const auto runs = std::min<std::int64_t>(kPaperRuns, result.runs);
  return {
      .item = item,
      .claim = fmt::format("{}: mean per-step regret and one standard deviation", what),
      .paper = "a figure without numbers",
      .ours = fmt::format("T = {}: {} ± {}", result.horizon, report::short_number(curve.y.back()),
                          report::short_number(curve.upper.back() - curve.y.back())),
      .seeds = runs,
      .judgement = not_checked("the paper prints neither a number nor its horizon")};
}

Verdict figure_3_order(const ExperimentResult& result) {
  const auto mean_of = [&](std::size_t policy) {
    return report::per_step_curve(result.policies[policy], result.trace_rounds,
                                  Spread::StandardDeviation, kPaperRuns)
        .y.back();
  };
  const double known = mean_of(kGapKnown);
  const double gslucb = mean_of(kGslucb);
  const double worst = mean_of(kWorstCase);
  const auto runs = std::min<std::int64_t>(kPaperRuns, result.runs);
  // Knowing the gap does not help where T_Δ is the longer of the two; GSLUCB takes the shorter.
  std::int64_t longer = 0;
  for (std::size_t run = 0; run < static_cast<std::size_t>(runs); ++run) {
    longer += result.policies[kGapKnown].runs[run].warmup_rounds >
                      result.policies[kWorstCase].runs[run].warmup_rounds
                  ? 1
                  : 0;
  }
  Judgement judgement = all_of({judge_at_most(known, gslucb, "with known gap the mean"),
                                judge_at_most(gslucb, worst, "the mean of GSLUCB")});
  if (known > gslucb) {
    judgement.because += fmt::format(
        ", that of GSLUCB: T_Δ > T₀ in {} of {}, where knowing the gap means exploring longer",
        longer, runs);
  }
  return {.item = "Fig. 3",
          .claim = "In the mean over 20 realisations: known gap ≤ GSLUCB ≤ T₀",
          .paper = "this order",
          .ours = fmt::format("T = {}: {}, {}, {}", result.horizon, report::short_number(known),
                              report::short_number(gslucb), report::short_number(worst)),
          .seeds = runs,
          .judgement = std::move(judgement)};
}

std::vector<Verdict> gslucb_verdicts(const ExperimentResult& result) {
  const std::vector<RunResult>& gslucb = result.policies[kGslucb].runs;
  const std::vector<RunResult>& known = result.policies[kGapKnown].runs;
  const std::vector<RunResult>& worst = result.policies[kWorstCase].runs;
  const auto not_longer = count_runs(result, [&](std::size_t run) {
    return gslucb[run].warmup_rounds <= worst[run].warmup_rounds;
  });
  const auto not_shorter = count_runs(result, [&](std::size_t run) {
    return gslucb[run].warmup_rounds >=
           std::min(known[run].warmup_rounds, worst[run].warmup_rounds);
  });
  const auto safe =
      count_runs(result, [&](std::size_t run) { return gslucb[run].violations == 0; });
  const auto shorter = count_runs(result, [&](std::size_t run) {
    return gslucb[run].warmup_rounds < worst[run].warmup_rounds;
  });
  return {{.item = "Algorithm 2",
           .claim = "GSLUCB never explores longer than T₀, and every action is safe",
           .paper = "T′ ≤ T₀; δ = 0.01",
           .ours = fmt::format("T′ < T₀ in {}, = T₀ in {}, > T₀ in {} of {}; {} without violation",
                               shorter, not_longer - shorter, result.runs - not_longer, result.runs,
                               safe),
           .seeds = result.runs,
           .judgement = all_of(
               {judge_runs(not_longer, result.runs), judge_probability(safe, result.runs, 0.01)})},
          {.item = "App. E",
           .claim = "Δ_t ≤ Δ: the warm-up never ends before min(T_Δ, T₀)",
           .paper = "with probability ≥ 1 − δ = 0.99",
           .ours = fmt::format("{} of {}", not_shorter, result.runs),
           .seeds = result.runs,
           .judgement = judge_probability(not_shorter, result.runs, 0.01)}};
}

// Theorem 2 on K arms, in the realisations whose T_Δ ends before the horizon.
Verdict contextual_verdict(const ExperimentResult& result, const Ensemble& ensemble) {
  const auto T = static_cast<double>(result.horizon);
  std::int64_t trials = 0;
  std::int64_t held = 0;
  double closest = 0.0;
  for (std::size_t run = 0; run < ensemble.bounds.size(); ++run) {
    const RunResult& known = result.policies[kGapKnown].runs[run];
    if (known.warmup_rounds < result.horizon) {
      const auto T_prime = static_cast<double>(known.warmup_rounds);
      const double bound = ensemble.bounds[run].positive_gap_regret(T, T_prime);
      ++trials;
      held += known.final_regret <= bound ? 1 : 0;
      closest = std::max(closest, known.final_regret / bound);
    }
  }
  Verdict verdict{.item = "App. C",
                  .claim = "Theorem 2's bound holds on K arms with T′ = T_Δ",
                  .paper = "with probability ≥ 1 − 2δ = 0.98",
                  .ours = fmt::format("T = {}: {} of the {} realisations with T_Δ < T; largest "
                                      "R/bound {}",
                                      result.horizon, held, trials, report::short_number(closest)),
                  .seeds = trials};
  verdict.judgement = trials > 0 ? judge_probability(held, trials, 0.02)
                                 : not_checked("no realisation has T_Δ below the horizon");
  return verdict;
}

std::vector<Verdict> arm_assumption_verdicts(const ExperimentResult& result,
                                             const Ensemble& ensemble) {
  return {{.item = "Assumption 4",
           .claim = "At least one arm lies in D^w (the ensemble draws five there)",
           .paper = "assumed",
           .ours = fmt::format("{} of {} realisations", ensemble.with_safe_arm, result.runs),
           .seeds = result.runs,
           .judgement = judge_runs(ensemble.with_safe_arm, result.runs)},
          {.item = "Assumption 5",
           .claim = "The safety gap is positive",
           .paper = "assumed",
           .ours = fmt::format("{} of {} realisations", ensemble.with_gap, result.runs),
           .seeds = result.runs,
           .judgement = judge_runs(ensemble.with_gap, result.runs)}};
}

Series in_colour(Series series, std::size_t number) {
  series.colour = report::colour(number);
  return series;
}

// A standard deviation may be larger than its mean; regret is never negative.
void cut_off_at_zero(Series& band) {
  std::ranges::transform(band.lower, band.lower.begin(),
                         [](double value) { return std::max(value, 0.0); });
}

Figure mean_figure(const ExperimentResult& result) {
  Figure figure{
      .name = "fig1a",
      .title = "Fig. 1(a): K arms, mean",
      .caption = fmt::format("Mean per-step regret over the first {} realisations of the ensemble; "
                             "bands are one standard deviation, cut off at 0. The horizon is {}, "
                             "our choice: the paper does not state its own. Foothold's default, "
                             "targeted, meets the same instances and noise.",
                             std::min<std::int64_t>(kPaperRuns, result.runs), result.horizon),
      .x = report::round_axis(),
      .y = report::per_step_axis(false)};
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    Series series = in_colour(report::per_step_curve(result.policies[i], result.trace_rounds,
                                                     Spread::StandardDeviation, kPaperRuns),
                              i);
    cut_off_at_zero(series);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Figure quantile_figure(const ExperimentResult& result, const std::string& name,
                       const std::string& title, const std::string& caption) {
  Figure figure{.name = name,
                .title = title,
                .caption = caption,
                .x = report::round_axis(),
                .y = report::per_step_axis(true)};
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    figure.series.push_back(in_colour(
        report::per_step_curve(result.policies[i], result.trace_rounds, Spread::Quartiles), i));
  }
  report::fit_log_axis(figure.y, figure.series);
  return figure;
}

// In how many runs each learner of the paper gets to exploit at all: where none does, their curves
// coincide.
std::string ended_warmups(const ExperimentResult& result) {
  const auto ended = [&](std::size_t policy) {
    return count_runs(result, [&](std::size_t run) {
      return result.policies[policy].runs[run].warmup_rounds < result.horizon;
    });
  };
  return fmt::format(
      "Of {} warm-ups, {} with known gap, {} of GSLUCB and {} with T₀ end before the horizon; "
      "until "
      "then their curves are one.",
      result.runs, ended(kGapKnown), ended(kGslucb), ended(kWorstCase));
}

Figure horizon_figure(const std::vector<ExperimentResult>& results) {
  Figure figure{
      .name = "fig1a-horizon",
      .title = "K arms: what the horizon does",
      .caption = fmt::format("Per-step regret at the horizon T, a run of its own for each T, {} "
                             "realisations. Means are full lines, medians dashed. The schedules "
                             "depend on T, and the tail of the ensemble rules the mean.",
                             results.back().runs),
      .x = {.label = "horizon T", .is_log = true},
      .y = {.label = "regret per step, R(T)/T", .is_log = true}};
  figure.x.lower = 0.8 * static_cast<double>(results.front().horizon);
  figure.x.upper = 1.25 * static_cast<double>(results.back().horizon);
  for (const ExperimentResult& result : results) {
    figure.x.tics.push_back(static_cast<double>(result.horizon));
  }
  for (std::size_t i = 0; i < results.back().policies.size(); ++i) {
    Series mean{
        .name = results.back().policies[i].name, .colour = report::colour(i), .has_points = true};
    Series median{
        .name = "", .mark = Mark::Dashes, .colour = report::colour(i), .has_points = true};
    for (const ExperimentResult& result : results) {
      const std::vector<double> values = report::final_per_step(result.policies[i], result.horizon);
      mean.x.push_back(static_cast<double>(result.horizon));
      mean.y.push_back(statistics::mean(values));
      median.x.push_back(static_cast<double>(result.horizon));
      median.y.push_back(statistics::median(values));
    }
    figure.series.push_back(std::move(mean));
    figure.series.push_back(std::move(median));
  }
  return figure;
}

std::vector<Figure> band_figures(const ExperimentResult& result) {
  struct Panel {
    const char* name;
    const char* title;
    std::size_t policy;
  };
  const std::string caption = fmt::format(
      "Mean per-step regret of {} realisations, T = {}; the band is one standard "
      "deviation of the sample, cut off at 0. The four panels share their axes.",
      std::min<std::int64_t>(kPaperRuns, result.runs), result.horizon);
  std::vector<Figure> figures;
  double top = 0.0;
  for (const Panel& panel : {Panel{"fig3a", "Fig. 3(a): Safe-LUCB, gap known", kGapKnown},
                             Panel{"fig3b", "Fig. 3(b): GSLUCB", kGslucb},
                             Panel{"fig3c", "Fig. 3(c): Safe-LUCB, T₀", kWorstCase},
                             Panel{"fig3d", "Beside them: targeted", kTargetedArms}}) {
    Series band =
        in_colour(report::per_step_curve(result.policies[panel.policy], result.trace_rounds,
                                         Spread::StandardDeviation, kPaperRuns),
                  panel.policy);
    top = std::max(top, *std::ranges::max_element(band.upper));
    cut_off_at_zero(band);
    figures.push_back({.name = panel.name,
                       .title = panel.title,
                       .caption = caption,
                       .x = report::round_axis(),
                       .y = report::per_step_axis(false),
                       .series = {std::move(band)}});
  }
  for (Figure& figure : figures) {
    figure.y.upper = std::ceil(20.0 * top) / 20.0;  // The same for all, to compare them.
  }
  return figures;
}

// The claims about Fig. 1(a) at every horizon, since the paper does not state its own.
TextTable horizon_table(const std::vector<ExperimentResult>& results) {
  TextTable table{.caption = "The two claims about Fig. 1(a), horizon by horizon",
                  .headings = {"T", "better than T₀", "approaches the known gap"}};
  for (const ExperimentResult& result : results) {
    table.rows.push_back({std::to_string(result.horizon), sentence(better_than_worst_case(result)),
                          sentence(approaches_known_gap(result))});
  }
  return table;
}

Section figure_1a_section(const std::vector<ExperimentResult>& results,
                          const ExperimentResult& binding, const Ensemble& ensemble) {
  const ExperimentResult& main = results.back();
  Section section{.title = "Fig. 1(a): K arms"};
  section.paragraphs = {
      fmt::format("15 arms in ℝ⁴, 5 of them in the foothold, μ, B and c drawn anew for each of {} "
                  "realisations. The paper does not state its horizon; we show {}, and below how "
                  "the picture depends on it.",
                  main.runs, main.horizon),
      fmt::format("In {} of {} realisations the constraint excludes the arm that would be best "
                  "without it; in the others it costs nothing to know it. T_Δ spans orders of "
                  "magnitude over the ensemble, so a few realisations rule every mean: medians and "
                  "quantiles stand beside.",
                  ensemble.with_active, main.runs),
      "The second family keeps only draws in which the constraint excludes the best arm and the "
      "gap is at least 0.1."};
  section.figures = {
      mean_figure(main),
      quantile_figure(main, "fig1a-median", "K arms: median and quartiles",
                      fmt::format("The same runs, all {} realisations: median, band from the 25 % "
                                  "to the 75 % quantile. {}",
                                  main.runs, ended_warmups(main))),
      horizon_figure(results),
      quantile_figure(binding, "fig1a-binding", "K arms with a binding constraint",
                      fmt::format("{} realisations in which the constraint excludes the best arm, "
                                  "Δ ≥ 0.1: median, band from the 25 % to the 75 % quantile. {}",
                                  binding.runs, ended_warmups(binding)))};
  section.tables.push_back(horizon_table(results));
  for (const ExperimentResult& result : results) {
    section.tables.push_back(report::regret_table(result));
  }
  section.tables.push_back(report::regret_table(binding));
  return section;
}

}  // namespace

std::optional<StudyOutput> k_armed_study(const ReproductionOptions& options) {
  const ReproductionSize& size = options.size;
  StudyOutput output;
  std::vector<ExperimentResult> results;
  PaperExperiment experiment;
  for (const std::int64_t horizon : size.k_armed_horizons) {
    experiment =
        k_armed_experiment({.horizon = horizon, .runs = size.k_armed_runs, .seed = options.seed});
    auto result = run_stage(experiment, fmt::format("K arms, horizon {}", horizon), options);
    if (!result) {
      return std::nullopt;
    }
    results.push_back(std::move(*result));
  }
  output.listings.push_back(listing_of(experiment));
  const ExperimentResult& main = results.back();
  const Ensemble ensemble = look_at_instances(experiment.config);

  if (has_part(options, Part::Fig1a)) {
    const PaperExperiment binding = k_armed_binding_experiment(
        {.horizon = main.horizon, .runs = size.k_armed_runs, .seed = options.seed});
    const auto bound = run_stage(binding, "K arms, binding constraint", options);
    if (!bound) {
      return std::nullopt;
    }
    output.listings.push_back(listing_of(binding));
    output.sections.push_back(figure_1a_section(results, *bound, ensemble));
    output.verdicts = {better_than_worst_case(main), approaches_known_gap(main)};
    std::ranges::move(gslucb_verdicts(main), std::back_inserter(output.verdicts));
    output.verdicts.push_back(contextual_verdict(main, ensemble));
    std::ranges::move(arm_assumption_verdicts(main, ensemble), std::back_inserter(output.verdicts));
  }
  if (has_part(options, Part::Fig3)) {
    output.sections.push_back(
        {.title = "Fig. 3: one standard deviation",
         .paragraphs = {fmt::format("The runs of Fig. 1(a), the first {} realisations, one panel a "
                                    "policy.",
                                    std::min<std::int64_t>(kPaperRuns, main.runs))},
         .figures = band_figures(main)});
    output.verdicts.push_back(figure_3_order(main));
    output.verdicts.push_back(figure_3(main, "Fig. 3(a)", "Safe-LUCB, T′ = T_Δ", kGapKnown));
    output.verdicts.push_back(figure_3(main, "Fig. 3(b)", "GSLUCB", kGslucb));
    output.verdicts.push_back(figure_3(main, "Fig. 3(c)", "Safe-LUCB, T′ = T₀", kWorstCase));
  }
  return output;
}

}  // namespace foothold::reproduction
