#include "run.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "foothold/config/experiment.hpp"
#include "foothold/simulation/result_files.hpp"
#include "foothold/simulation/runner.hpp"
#include "foothold/simulation/summary.hpp"

#include "progress.hpp"
#include "table.hpp"

namespace foothold::cli {
namespace {

using simulation::ExperimentResult;
using simulation::PolicySummary;
using simulation::Progress;

constexpr unsigned kMaxThreads = 4096;

const std::map<std::string, OutputFormat> kFormats{
    {"table", OutputFormat::Table}, {"json", OutputFormat::Json}, {"csv", OutputFormat::Csv}};

std::string number(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

std::string with_half_width(double value, double half_width) {
  // As many decimals as the half width has, so that the two can be compared.
  const double magnitude = std::isfinite(half_width) && half_width > 0.0 ? half_width : value;
  const double leading = magnitude == 0.0 ? 0.0 : std::floor(std::log10(std::abs(magnitude)));
  const int decimals = std::max(0, 1 - static_cast<int>(leading));
  if (decimals > 9 || !std::isfinite(value)) {
    return number(value) + " ± " + number(half_width);
  }
  return std::isfinite(half_width)
             ? fmt::format("{:.{}f} ± {:.{}f}", value, decimals, half_width, decimals)
             : fmt::format("{:.{}f}", value, decimals);
}

void write_table(const ExperimentResult& result, std::ostream& out) {
  out << fmt::format("{}: horizon {}, seed {}, {} {}\n\n", result.name, result.horizon, result.seed,
                     result.runs, result.runs == 1 ? "run" : "runs");
  Table table({"policy", "runs", "mean regret", "std", "per step", "violations", "violating runs",
               "min margin", "warm-up", "coverage failures"});
  for (const simulation::PolicyResult& policy : result.policies) {
    const PolicySummary summary = summarize(policy, result.horizon);
    table.add_row({summary.name, std::to_string(summary.runs),
                   with_half_width(summary.mean_regret, summary.regret_half_width),
                   number(summary.std_regret), number(summary.per_step_regret),
                   std::to_string(summary.violations), std::to_string(summary.violating_runs),
                   number(summary.min_margin), fmt::format("{:.0f}", summary.median_warmup),
                   std::to_string(summary.coverage_failures)});
  }
  table.write(out);
  out << "\nmean regret: cumulative at the horizon, ± half the 95 % t-interval; warm-up: median "
         "rounds\n";
  for (const std::string& note : result.notes) {
    out << "note: " << note << '\n';
  }
}

void write_result(const ExperimentResult& result, OutputFormat format, std::ostream& out) {
  switch (format) {
    case OutputFormat::Table:
      write_table(result, out);
      break;
    case OutputFormat::Json:
      simulation::write_summary(result, out);
      break;
    case OutputFormat::Csv:
      simulation::write_policies(result, out);
      break;
  }
  out.flush();
}

// A seed as the user types it: CLI11 alone would take -1 for 2⁶⁴ − 1.
std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? "" : fmt::format("must be a whole number from 0 to 2^64 - 1, got {}", text);
}

// The configuration's messages end in " (file:line)"; editors look for "file:line: " in front.
std::string with_location_first(const std::string& message) {
  const std::size_t open = message.rfind(" (");
  if (open == std::string::npos || !message.ends_with(')')) {
    return message;
  }
  const std::string location = message.substr(open + 2, message.size() - open - 3);
  const std::size_t digits = location.find_last_not_of("0123456789");
  if (digits == std::string::npos || digits + 1 == location.size() || location[digits] != ':') {
    return message;
  }
  return location + ": " + message.substr(0, open);
}

config::ExperimentConfig load(const std::string& file) {
  try {
    return config::load_experiment(file);
  } catch (const Error& error) {
    throw Error(error.code(), "", with_location_first(error.what()));
  }
}

// Runs with the progress shown, unless quiet.
ExperimentResult run_with_progress(const config::ExperimentConfig& config, const RunArgs& args,
                                   const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProgressDisplay display(console.err, console.is_err_terminal);
  Progress last;
  simulation::RunOptions options{.threads = args.threads, .stop = console.stop};
  if (!args.quiet) {
    console.err << fmt::format("{}: {} {} x {} {} x {} rounds", config.name, config.policies.size(),
                               config.policies.size() == 1 ? "policy" : "policies", config.runs,
                               config.runs == 1 ? "run" : "runs", config.horizon)
                << std::endl;
    options.progress = [&](const Progress& progress) {
      last = progress;
      display.update(progress, elapsed());
    };
  }
  ExperimentResult result = simulation::run_experiment(config, options);
  if (!args.quiet) {
    display.finish(last, elapsed());
  }
  return result;
}

void report_interruption(const ExperimentResult& result, const RunArgs& args,
                         const Console& console) {
  console.err << fmt::format("foothold: {}: interrupted; ", args.file);
  const char* separator = "";
  for (const simulation::PolicyResult& policy : result.policies) {
    console.err << fmt::format("{}\"{}\" finished {} of {} runs", separator, policy.name,
                               policy.runs.size(), result.runs);
    separator = ", ";
  }
  console.err << "; no results were written" << std::endl;
}

}  // namespace

ExitCode run_run(const RunArgs& args, const Console& console) {
  config::ExperimentConfig config = load(args.file);
  if (args.seed) {
    config.seed = *args.seed;
  }
  if (!args.out.empty()) {
    simulation::prepare_directory(args.out);  // Before hours of work, not after.
  }
  ExperimentResult result;
  try {
    result = run_with_progress(config, args, console);
  } catch (const Error& error) {
    throw Error(error.code(), args.file, error.what());
  }
  if (!result.is_complete) {
    report_interruption(result, args, console);
    return ExitCode::Interrupted;
  }
  if (!args.out.empty()) {
    simulation::write_result_files(result, args.out);
  }
  write_result(result, args.format, console.out);
  if (!console.out) {
    throw Error(ErrorCode::Unavailable, "", "the results could not be written to standard output");
  }
  return ExitCode::Success;
}

void add_run(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command = root.add_subcommand("run", "Run an experiment file and report its results");
  const auto args = std::make_shared<RunArgs>();  // outlives parsing, owned by the callback
  command->add_option("FILE", args->file, "The experiment, .toml or .json")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", args->out,
                   "Directory for summary.json, trace.csv and timing.json; made if missing")
      ->type_name("DIR");
  command
      ->add_option("--threads", args->threads,
                   "Number of threads; results do not depend on it (default: all of the machine)")
      ->check(CLI::Range(1U, kMaxThreads).description(""))
      ->type_name("N");
  command->add_option("--seed", args->seed, "Seed in place of the file's")
      ->check(CLI::Validator(check_seed, ""))
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--format", [args](const std::string& word) { args->format = kFormats.at(word); },
          "What to print: table (default), json (as summary.json) or csv (one line per policy)")
      ->check(CLI::IsMember({"table", "json", "csv"}).description(""))
      ->type_name("table|json|csv");
  command->add_flag("--quiet", args->quiet, "No progress on standard error");
  command->footer(
      "Examples:\n"
      "  foothold run experiments/polytope.toml\n"
      "  foothold run experiments/k-armed.toml --out results/k-armed --threads 8\n"
      "  foothold run experiments/polytope.toml --seed 7 --format csv --quiet >> seeds.csv\n"
      "\n"
      "The same file, seed and version give the same summary.json and trace.csv, byte for byte,\n"
      "on one type of CPU. Ctrl-C stops without writing results (exit code 130).\n");
  command->callback([args, &console, &exit_code] { exit_code = run_run(*args, console); });
}

}  // namespace foothold::cli
