#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foothold/report/report.hpp"
#include "foothold/reproduction/verdict.hpp"
#include "foothold/simulation/batch/runner.hpp"

namespace foothold::reproduction {

/// What of [AAT19] is reproduced.
enum class Part : std::uint8_t { Fig1a, Fig1b, Fig2, Fig3, Theory };

/// All parts, in the order of the report.
[[nodiscard]] std::vector<Part> all_parts();

/// How much work is done. Nothing else depends on it: the same instances, the same rules.
struct ReproductionSize {
  std::string name{};                            ///< For the report.
  std::int64_t k_armed_runs = 0;                 ///< Realisations of the K-armed ensemble, ≥ 2.
  std::vector<std::int64_t> k_armed_horizons{};  ///< Ascending; figures are drawn at the last.
  std::int64_t polytope_runs = 0;                ///< ≥ 2
  std::int64_t polytope_horizon = 0;             ///< The paper's is 100,000.
  std::int64_t theory_runs = 0;                  ///< ≥ 2
  std::vector<std::int64_t> theory_horizons{};   ///< Ascending, at least two.
  std::int64_t draws = 0;                        ///< Of Monte-Carlo checks.
};

[[nodiscard]] ReproductionSize quick_size();     ///< Under a minute on two cores.
[[nodiscard]] ReproductionSize standard_size();  ///< Under ten minutes on two cores.
[[nodiscard]] ReproductionSize full_size();      ///< A long evening: horizons to 10⁶, 200 seeds.

struct ReproductionOptions {
  std::vector<Part> parts = all_parts();
  ReproductionSize size = standard_size();
  std::uint64_t seed = 2019;
  unsigned threads = 0;                     ///< 0: as many as the machine runs at once.
  const std::atomic<bool>* stop = nullptr;  ///< Once true, there is no report.
  /// Called when a piece of work begins, with its name.
  std::function<void(const std::string& stage)> begin_stage{};
  /// Called now and then from the calling thread, for stages that are experiments.
  std::function<void(const simulation::Progress&)> progress{};
};

/// What came of it.
struct Reproduction {
  report::Report report{};  ///< With the verdicts: shown, and attached as verdicts.json and .md.
  std::vector<Verdict> verdicts{};  ///< In the order of the paper.
};

/// Runs the experiments of the parts, checks every claim by a rule, and puts figures, tables and
/// verdicts together. With all parts the verdicts have a row for every numbered assumption,
/// lemma, theorem, remark, algorithm and figure of [AAT19]. Deterministic: the same result for the
/// same parts, size and seed, whatever the number of threads. Nothing if it was stopped.
///
/// Throws `Error{InvalidArgument}` if a part is missing or a size out of range.
[[nodiscard]] std::optional<Reproduction> reproduce(const ReproductionOptions& options);

}  // namespace foothold::reproduction
