#include "foothold/reproduction/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foothold/base/invariant.hpp"
#include "foothold/report/markup.hpp"
#include "foothold/simulation/play/summary.hpp"
#include "foothold/statistics/intervals.hpp"

namespace foothold::reproduction {
namespace {

void require_counts(std::int64_t held, std::int64_t trials) {
  FOOTHOLD_INVARIANT(held >= 0 && held <= trials && trials >= 1);
}

Outcome outcome_of(bool is_reproduced) {
  return is_reproduced ? Outcome::Reproduced : Outcome::NotReproduced;
}

// How bad an outcome is when several must hold.
int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::Reproduced:
      return 0;
    case Outcome::NotChecked:
      return 1;
    case Outcome::ReproducedInPart:
      return 2;
    case Outcome::NotReproduced:
      return 3;
  }
  return 3;
}

report::Grade grade_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Reproduced:
      return report::Grade::Good;
    case Outcome::ReproducedInPart:
      return report::Grade::Part;
    case Outcome::NotReproduced:
      return report::Grade::Bad;
    case Outcome::NotChecked:
      return report::Grade::None;
  }
  return report::Grade::None;
}

std::string seeds_text(const Verdict& verdict) {
  return verdict.seeds > 0 ? std::to_string(verdict.seeds) : "–";
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Reproduced:
      return "reproduced";
    case Outcome::ReproducedInPart:
      return "reproduced-in-part";
    case Outcome::NotReproduced:
      return "not-reproduced";
    case Outcome::NotChecked:
      return "not-checked";
  }
  return "unknown";
}

Judgement judge_runs(std::int64_t held, std::int64_t trials) {
  require_counts(held, trials);
  Judgement judgement{.held = held, .trials = trials};
  if (held == trials) {
    judgement.outcome = Outcome::Reproduced;
  } else if (held > 0) {
    judgement.outcome = Outcome::ReproducedInPart;
  } else {
    judgement.outcome = Outcome::NotReproduced;
    judgement.because = fmt::format("it held in none of {} seeds", trials);
  }
  return judgement;
}

Judgement judge_probability(std::int64_t held, std::int64_t trials, double allowed) {
  require_counts(held, trials);
  // The lower limit for failures is one minus the upper limit for successes.
  const double failing =
      1.0 - statistics::binomial_upper_limit(held, trials, simulation::kConfidence);
  Judgement judgement{.outcome = outcome_of(failing <= allowed), .held = held, .trials = trials};
  if (judgement.outcome == Outcome::NotReproduced) {
    judgement.because = fmt::format(
        "it failed in {} of {} seeds: with 95 % confidence the probability of failure is at least "
        "{:.3g}, and {:.3g} is allowed",
        trials - held, trials, failing, allowed);
  } else if (held < trials) {
    judgement.because =
        fmt::format("it held in {} of {} seeds, which does not refute the allowed {:.3g}", held,
                    trials, allowed);
  }
  return judgement;
}

Judgement judge_value(double theirs, double ours, double tolerance) {
  const bool is_equal = std::abs(ours - theirs) <= tolerance;
  return {.outcome = outcome_of(is_equal),
          .because = is_equal ? "" : fmt::format("we get {:.6g}, not {:.6g}", ours, theirs)};
}

Judgement judge_at_most(double value, double bound, const std::string& what) {
  const bool is_met = value <= bound;
  return {.outcome = outcome_of(is_met),
          .because = is_met ? ""
                            : fmt::format("{}{:.4g} exceeds {:.4g}", what.empty() ? "" : what + " ",
                                          value, bound)};
}

Judgement judge_below(double value, double bound, const std::string& what) {
  const bool is_met = value < bound;
  return {.outcome = outcome_of(is_met),
          .because = is_met ? ""
                            : fmt::format("{}{:.4g} is not below {:.4g}",
                                          what.empty() ? "" : what + " ", value, bound)};
}

Judgement not_checked(std::string why) {
  return {.outcome = Outcome::NotChecked, .because = std::move(why)};
}

Judgement all_of(const std::vector<Judgement>& judgements) {
  FOOTHOLD_INVARIANT(!judgements.empty());
  return *std::ranges::max_element(
      judgements, {}, [](const Judgement& judgement) { return severity(judgement.outcome); });
}

std::string sentence(const Verdict& verdict) {
  const Judgement& judgement = verdict.judgement;
  const std::string& because = judgement.because;
  switch (judgement.outcome) {
    case Outcome::Reproduced:
      return because.empty() ? "reproduced" : "reproduced; " + because;
    case Outcome::ReproducedInPart:
      return fmt::format("reproduced in {} of {} seeds{}", judgement.held, judgement.trials,
                         because.empty() ? "" : "; " + because);
    case Outcome::NotReproduced:
      return "not reproduced, because " + because;
    case Outcome::NotChecked:
      return "not checked: " + because;
  }
  return "";
}

report::Scorecard scorecard(const std::vector<Verdict>& verdicts) {
  report::Scorecard card{.title = "Verdicts",
                         .grades = {"reproduced", "in some seeds", "not reproduced", "not checked"},
                         .facts = {"paper", "ours", "seeds"},
                         .finding = "verdict"};
  for (const Verdict& verdict : verdicts) {
    card.findings.push_back({.item = verdict.item,
                             .claim = verdict.claim,
                             .facts = {verdict.paper, verdict.ours, seeds_text(verdict)},
                             .finding = sentence(verdict),
                             .grade = grade_of(verdict.judgement.outcome)});
  }
  return card;
}

std::string verdicts_json(const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::ordered_json row;
    row["item"] = report::printable(verdict.item);
    row["claim"] = report::printable(verdict.claim);
    row["paper"] = report::printable(verdict.paper);
    row["ours"] = report::printable(verdict.ours);
    row["seeds"] = verdict.seeds;
    row["outcome"] = name(verdict.judgement.outcome);
    row["held"] = verdict.judgement.held;
    row["trials"] = verdict.judgement.trials;
    row["verdict"] = report::printable(sentence(verdict));
    rows.push_back(std::move(row));
  }
  return rows.dump(2) + "\n";
}

std::string verdicts_markdown(const std::vector<Verdict>& verdicts) {
  std::string text =
      "| item | claim | paper | ours | seeds | verdict |\n|---|---|---|---|---|---|\n";
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", report::markdown_cell(verdict.item),
                        report::markdown_cell(verdict.claim), report::markdown_cell(verdict.paper),
                        report::markdown_cell(verdict.ours), seeds_text(verdict),
                        report::markdown_cell(sentence(verdict)));
  }
  return text;
}

}  // namespace foothold::reproduction
