#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foothold/report/report.hpp"

namespace foothold::reproduction {

enum class Outcome : std::uint8_t {
  Reproduced,
  ReproducedInPart,  ///< In some of the seeds.
  NotReproduced,
  NotChecked  ///< Nothing that a number could decide.
};

/// The word for it in files.
[[nodiscard]] std::string_view name(Outcome outcome);

/// What a rule decided: never written by hand, always the result of one of the functions below.
struct Judgement {
  Outcome outcome = Outcome::NotChecked;
  std::int64_t held = 0;    ///< In how many …
  std::int64_t trials = 0;  ///< … of how many; 0 where there is nothing to count.
  std::string because{};    ///< What speaks against it, or limits it; may be empty.
};

/// A claim about every single run, or one that the paper shows in one run: it is reproduced if
/// it held in all of them, in part if in some. Requires 0 ≤ held ≤ trials and trials ≥ 1.
[[nodiscard]] Judgement judge_runs(std::int64_t held, std::int64_t trials);

/// A claim that holds with probability ≥ 1 − `allowed`: it is refuted if so many failures would be
/// improbable, that is, if the exact 95 % lower limit of the probability of failure exceeds
/// `allowed`. Requires as above.
[[nodiscard]] Judgement judge_probability(std::int64_t held, std::int64_t trials, double allowed);

/// A number that the paper prints: |ours − theirs| ≤ tolerance. NaN is not reproduced.
[[nodiscard]] Judgement judge_value(double theirs, double ours, double tolerance);

/// A bound: value ≤ bound. NaN is not reproduced. `what` names the value if it is too large.
[[nodiscard]] Judgement judge_at_most(double value, double bound, const std::string& what = "");

/// value < bound, as above.
[[nodiscard]] Judgement judge_below(double value, double bound, const std::string& what = "");

/// A statement that a program cannot check, and why.
[[nodiscard]] Judgement not_checked(std::string why);

/// All of them hold, or the first that does not speaks: the worst outcome, with its reason.
/// Counts are those of that judgement.
[[nodiscard]] Judgement all_of(const std::vector<Judgement>& judgements);

/// One row of the table: a numbered statement or figure of the paper.
struct Verdict {
  std::string item{};   ///< "Lemma 1", "Fig. 2(a)".
  std::string claim{};  ///< In a sentence.
  std::string paper{};  ///< The paper's figure, where it has one.
  std::string ours{};
  std::int64_t seeds = 0;  ///< Runs behind our figure; 0: it is not random.
  Judgement judgement{};
};

/// "reproduced", "reproduced in 47 of 50 seeds", "not reproduced, because …".
[[nodiscard]] std::string sentence(const Verdict& verdict);

/// The table as the report shows it.
[[nodiscard]] report::Scorecard scorecard(const std::vector<Verdict>& verdicts);

/// The table as JSON: an array of objects, and as a Markdown table.
[[nodiscard]] std::string verdicts_json(const std::vector<Verdict>& verdicts);
[[nodiscard]] std::string verdicts_markdown(const std::vector<Verdict>& verdicts);

}  // namespace foothold::reproduction
