#include "foothold/simulation/files/result_files.hpp"

#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/files/staged_files.hpp"
#include "foothold/simulation/files/version.hpp"
#include "foothold/simulation/play/summary.hpp"

#include "files/json_writer.hpp"
#include "files/policy_csv.hpp"
#include "files/trace_file.hpp"

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;

// One number per run.
template <typename Member>
void write_per_run(JsonWriter& json, const char* key, const PolicyResult& policy, Member member) {
  json.key(key).begin_array();
  for (const RunResult& run : policy.runs) {
    json.value(run.*member);
  }
  json.end_array();
}

void write_policy(JsonWriter& json, const PolicyResult& policy, std::int64_t horizon) {
  const PolicySummary summary = summarize(policy, horizon);
  json.begin_object();
  json.key("name").value(std::string_view(summary.name));
  json.key("runs").value(summary.runs);
  json.key("mean_regret").value(summary.mean_regret);
  json.key("std_regret").value(summary.std_regret);
  write_per_run(json, "final_regrets", policy, &RunResult::final_regret);
  json.key("violations").value(summary.violations);
  json.key("violating_runs").value(summary.violating_runs);
  json.key("min_margin").value(summary.min_margin);
  write_per_run(json, "warmup_rounds", policy, &RunResult::warmup_rounds);
  json.key("coverage_failures").value(summary.coverage_failures);
  json.key("algorithm").value(policy.algorithm);
  json.key("oracle_gap").value(policy.has_oracle_gap);
  json.key("regret_half_width").value(summary.regret_half_width);
  json.key("median_regret").value(summary.median_regret);
  json.key("regret_quantiles").begin_array();
  for (const double value : summary.regret_quantiles) {
    json.value(value);
  }
  json.end_array();
  json.key("regret_bootstrap").begin_array();
  json.value(summary.regret_bootstrap.lower);
  json.value(summary.regret_bootstrap.upper);
  json.end_array();
  json.key("per_step_regret").value(summary.per_step_regret);
  json.key("violating_runs_limit").value(summary.violating_limit);
  write_per_run(json, "run_violations", policy, &RunResult::violations);
  write_per_run(json, "run_min_margins", policy, &RunResult::min_margin);
  write_per_run(json, "run_coverage_failed", policy, &RunResult::has_lost_coverage);
  write_per_run(json, "optimum_certified_rounds", policy, &RunResult::optimum_certified_round);
  write_per_run(json, "explorations", policy, &RunResult::explorations);
  json.key("failed_runs").value(summary.failed_runs);
  write_per_run(json, "failed_rounds", policy, &RunResult::failed_round);
  json.end_object();
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace

void write_summary(const ExperimentResult& result, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.key("name").value(std::string_view(result.name));
  json.key("seed").value(result.seed);
  json.key("horizon").value(result.horizon);
  json.key("version").value(version());
  json.key("config_hash").value(std::string_view(fmt::format("{:016x}", result.config_hash)));
  json.key("policies").begin_array(/*is_block=*/true);
  for (const PolicyResult& policy : result.policies) {
    write_policy(json, policy, result.horizon);
  }
  json.end_array();
  // All policies of a run meet the same instance.
  if (!result.policies.empty()) {
    write_per_run(json, "safety_gaps", result.policies.front(), &RunResult::safety_gap);
    write_per_run(json, "best_losses", result.policies.front(), &RunResult::best_loss);
  }
  json.key("notes").begin_array(/*is_block=*/true);
  for (const std::string& note : result.notes) {
    json.value(std::string_view(note));
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

void write_trace(const ExperimentResult& result, std::ostream& out) {
  write_trace_by(
      result,
      [&result](std::size_t policy, std::size_t run) -> const RunResult& {
        return result.policies[policy].runs[run];
      },
      out);
}

void write_policies(const ExperimentResult& result, std::ostream& out) {
  out << kPolicyColumns << '\n';
  for (const PolicyResult& policy : result.policies) {
    out << policy_csv(policy, result.horizon) << '\n';
  }
}

void write_timing(const ExperimentResult& result, std::ostream& out) {
  JsonWriter json(out);
  double rounds = 0.0;
  for (const PolicyResult& policy : result.policies) {
    rounds += static_cast<double>(policy.runs.size()) * static_cast<double>(result.horizon);
  }
  json.begin_object();
  json.key("seconds").value(result.seconds);
  json.key("rounds_per_second").value(rounds / result.seconds);
  json.key("threads").value(static_cast<std::int64_t>(result.threads));
  json.key("machine").value(std::string_view(cpu_model()));
  json.key("hardware_threads")
      .value(static_cast<std::int64_t>(std::thread::hardware_concurrency()));
  json.key("policies").begin_array(/*is_block=*/true);
  for (const PolicyResult& policy : result.policies) {
    double seconds = 0.0;
    for (const RunResult& run : policy.runs) {
      seconds += run.seconds;
    }
    json.begin_object();
    json.key("name").value(std::string_view(policy.name));
    json.key("thread_seconds").value(seconds);
    json.key("microseconds_per_round")
        .value(1e6 * seconds /
               (static_cast<double>(policy.runs.size()) * static_cast<double>(result.horizon)));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

void prepare_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    throw Error(ErrorCode::Unavailable, "out",
                fmt::format("must be a directory or a path where one can be made, got {}: {}",
                            directory.string(), error ? error.message() : "it is something else"));
  }
  StagedFiles(directory).write("probe", [](std::ostream& out) { out << '\n'; });
}

void write_result_files(const ExperimentResult& result, const fs::path& directory) {
  if (!result.is_complete) {
    throw Error(ErrorCode::Conflict, "result", "must be of an experiment that was not interrupted");
  }
  prepare_directory(directory);
  write_files_with_trace(result, directory,
                         [&result](std::ostream& out) { write_trace(result, out); });
}

void write_files_with_trace(const ExperimentResult& result, const fs::path& directory,
                            const std::function<void(std::ostream&)>& trace) {
  StagedFiles files(directory);
  files.write("summary.json", [&](std::ostream& out) { write_summary(result, out); });
  files.write("trace.csv", trace);
  files.write("timing.json", [&](std::ostream& out) { write_timing(result, out); });
  files.commit();
}

}  // namespace foothold::simulation
