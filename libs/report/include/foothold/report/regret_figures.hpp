#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foothold/report/figure.hpp"
#include "foothold/report/report.hpp"
#include "foothold/simulation/play/result.hpp"

namespace foothold::report {

/// What the band around a curve is.
enum class Spread : std::uint8_t {
  StandardDeviation,  ///< mean ± one standard deviation of the sample, as [AAT19, Fig. 3]
  Quartiles,          ///< median, from the 25 % to the 75 % quantile
  Deciles             ///< median, from the 10 % to the 90 % quantile
};

/// The regret R_t/t of one policy over its first `runs` runs (0: all), at the traced rounds, as a
/// curve with a band. A band of one run has no width; a run that ended early counts as long as it
/// went.
[[nodiscard]] Series per_step_curve(const simulation::PolicyResult& policy,
                                    const std::vector<std::int64_t>& rounds, Spread spread,
                                    std::size_t runs = 0);

/// R_t/t of one run.
[[nodiscard]] Series per_step_run(const simulation::PolicyResult& policy,
                                  const std::vector<std::int64_t>& rounds, std::size_t run);

/// R_T/T at the horizon of one policy, one value for each run that got there.
[[nodiscard]] std::vector<double> final_per_step(const simulation::PolicyResult& policy,
                                                 std::int64_t horizon);

/// The axes of such figures: rounds on a logarithmic scale, regret per step.
[[nodiscard]] Axis round_axis();
[[nodiscard]] Axis per_step_axis(bool is_log);

/// Sets the ends of a logarithmic axis of values: below, the decade at or under the smallest
/// positive value, which bands, since they may touch zero, do not stretch; above, the first of 1, 2
/// and 5 times a decade that curves and bands stay under.
void fit_log_axis(Axis& axis, const std::vector<Series>& curves);

/// All policies of an experiment with bands, and the table of their numbers: what
/// `foothold plot` and `foothold compare` draw.
[[nodiscard]] Section regret_section(const simulation::ExperimentResult& result);

/// One row a policy: mean with its t-interval, standard deviation, median and deciles of the
/// cumulative regret, violations, warm-up.
[[nodiscard]] TextTable regret_table(const simulation::ExperimentResult& result);

/// "1.23e-3" and the like: three digits, for people.
[[nodiscard]] std::string short_number(double value);

}  // namespace foothold::report
