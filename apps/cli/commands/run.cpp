#include "run.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "foothold/config/sweep.hpp"
#include "foothold/simulation/ranks/rank_agreement.hpp"

#include "options.hpp"
#include "progress.hpp"

namespace foothold::cli {
namespace {

using simulation::BatchResult;
using simulation::Progress;

constexpr std::int64_t kMaxShards = 1'000'000;

// All of the text as a number, or none.
template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

std::optional<simulation::Shard> parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = whole_number<std::int64_t>(std::string_view(text).substr(0, slash));
  const auto count =
      whole_number<std::int64_t>(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count || *count > kMaxShards) {
    return std::nullopt;
  }
  return simulation::Shard{.number = *number, .count = *count};
}

std::string check_shard(const std::string& text) {
  return parse_shard(text) ? ""
                           : fmt::format("must be i/n with 1 <= i <= n <= {}, such as 2/8, got {}",
                                         kMaxShards, text);
}

config::Sweep load(const RunArgs& args) {
  config::Sweep sweep;
  try {
    sweep = config::load_sweep(args.file);
  } catch (const Error& error) {
    throw Error(error.code(), "", with_location_first(error.what()));
  }
  if (args.seed) {
    if (std::find(sweep.axes.begin(), sweep.axes.end(), "seed") != sweep.axes.end()) {
      throw Error(ErrorCode::InvalidArgument, "--seed",
                  fmt::format("must not be given for {}, which sweeps over seeds", args.file));
    }
    for (config::SweepPoint& point : sweep.points) {
      point.experiment.seed = *args.seed;
    }
  }
  return sweep;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The line before the work. Points of a sweep may differ in all but their number of policies.
void announce(const config::Sweep& sweep, const RunArgs& args, std::ostream& err) {
  const config::ExperimentConfig& first = sweep.points.front().experiment;
  const std::string policies = counted(first.policies.size(), "policy", "policies");
  err << first.name << ": "
      << (sweep.axes.empty()
              ? fmt::format("{} x {} x {} rounds", policies,
                            counted(static_cast<std::size_t>(first.runs), "run", "runs"),
                            first.horizon)
              : fmt::format("{} x {}", counted(sweep.points.size(), "point", "points"), policies));
  if (args.shard.count > 1) {
    err << fmt::format(", shard {}/{}", args.shard.number, args.shard.count);
  }
  err << std::endl;
}

// Runs with the progress shown, unless quiet.
BatchResult run_with_progress(const config::Sweep& sweep, const RunArgs& args,
                              const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProgressDisplay display(console.err, console.is_err_terminal);
  Progress last;
  simulation::BatchOptions options{.run = {.threads = args.threads, .stop = console.stop},
                                   .directory = args.out,
                                   .shard = args.shard,
                                   .is_fresh = args.is_fresh,
                                   .ranks = console.ranks};
  if (!args.quiet) {
    announce(sweep, args, console.err);
    options.run.progress = [&](const Progress& progress) {
      last = progress;
      display.update(progress, elapsed());
    };
  }
  BatchResult batch = simulation::run_batch(sweep, options);
  if (!args.quiet && batch.is_leader) {
    display.finish(last, elapsed());
  }
  return batch;
}

std::string journal_of(const RunArgs& args) {
  return (std::filesystem::path(args.out) / simulation::kJournalName).string();
}

void report_interruption(const BatchResult& batch, const RunArgs& args, const Console& console) {
  console.err << fmt::format("foothold: {}: interrupted; {} of {} runs are finished", args.file,
                             batch.runs_done, batch.runs_total)
              << (args.out.empty() ? "; no results were written"
                                   : fmt::format(" and kept in {}; the same command goes on from "
                                                 "there",
                                                 journal_of(args)))
              << std::endl;
}

void report_shard(const BatchResult& batch, const RunArgs& args, std::ostream& out) {
  out << fmt::format("shard {}/{}: {} of {} runs in {}\n", batch.shard.number, batch.shard.count,
                     batch.runs_done, batch.runs_total, journal_of(args))
      << std::flush;
}

}  // namespace

ExitCode run_run(const RunArgs& args, const Console& console) {
  config::Sweep sweep;
  simulation::agree(console.ranks, [&] { sweep = load(args); });
  BatchResult batch;
  try {
    batch = run_with_progress(sweep, args, console);
  } catch (const Error& error) {
    throw Error(error.code(), args.file, error.what());
  }
  if (!batch.is_leader) {
    return ExitCode::Success;
  }
  if (!batch.is_complete()) {
    report_interruption(batch, args, console);
    return ExitCode::Interrupted;
  }
  if (batch.shard.count > 1) {
    report_shard(batch, args, console.out);
  } else {
    print_results(batch, args.format, console.out);
  }
  return batch.failed_runs == 0 ? ExitCode::Success : ExitCode::NoSafeAction;
}

void add_run(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command =
      root.add_subcommand("run", "Run an experiment file or a sweep and report its results");
  const auto args = std::make_shared<RunArgs>();  // outlives parsing, owned by the callback
  command->add_option("FILE", args->file, "The experiment, .toml or .json")
      ->required()
      ->type_name("");
  CLI::Option* out =
      command
          ->add_option(
              "--out", args->out,
              "Directory for summary.json, trace.csv and timing.json, and for the journal\n"
              "of finished runs until then; made if missing")
          ->type_name("DIR");
  command
      ->add_option("--threads", args->threads,
                   "Number of threads; results do not depend on it (default: all of the machine;\n"
                   "one on each rank under mpirun)")
      ->check(CLI::Range(1U, kMaxThreads).description(""))
      ->type_name("N");
  command->add_option("--seed", args->seed, "Seed in place of the file's")
      ->check(CLI::Validator(check_seed, ""))
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--shard", [args](const std::string& text) { args->shard = *parse_shard(text); },
          "Only part i of n, for `foothold merge`")
      ->check(CLI::Validator(check_shard, ""))
      ->type_name("i/n")
      ->needs(out);
  command->add_flag("--fresh", args->is_fresh, "Drop the finished runs of an earlier start")
      ->needs(out);
  command
      ->add_option_function<std::string>(
          "--format", [args](const std::string& word) { args->format = format_named(word); },
          "What to print: table (default), json (as summary.json or sweep.json) or csv (one line\n"
          "per policy)")
      ->check(CLI::IsMember({"table", "json", "csv"}).description(""))
      ->type_name("table|json|csv");
  command->add_flag("--quiet", args->quiet, "No progress on standard error");
  command->footer(
      "Examples:\n"
      "  foothold run experiments/polytope.toml\n"
      "  foothold run experiments/k-armed.toml --out results/k-armed --threads 8\n"
      "  foothold run experiments/sweep.toml --out results/sweep --shard 2/8\n"
      "  mpirun -n 16 foothold run experiments/sweep.toml --out results/sweep\n"
      "  foothold run experiments/polytope.toml --seed 7 --format csv --quiet >> seeds.csv\n"
      "\n"
      "The same file, seed and version give the same summary.json and trace.csv, byte for byte,\n"
      "on one type of CPU, on any number of threads, shards and ranks. Started again after\n"
      "Ctrl-C (exit code 130) or any other end, the command goes on with the runs that are not\n"
      "finished, if --out is given. If a run finds no safe action, it ends there; the results\n"
      "say so, and the exit code is 5. See docs/experiments.md.\n");
  command->callback([args, &console, &exit_code] { exit_code = run_run(*args, console); });
}

}  // namespace foothold::cli
