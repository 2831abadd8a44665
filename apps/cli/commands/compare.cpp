#include "compare.hpp"

#include <chrono>
#include <memory>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "foothold/report/comparison.hpp"
#include "foothold/report/gnuplot.hpp"
#include "foothold/report/regret_figures.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "options.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace foothold::cli {
namespace {

using report::NamedExperiment;
using simulation::ExperimentResult;

std::vector<NamedExperiment> load_all(const CompareArgs& args) {
  std::vector<NamedExperiment> experiments;
  for (const std::string& file : args.files) {
    NamedExperiment experiment{.file = file, .config = load_experiment_file(file)};
    experiment.config.horizon = args.horizon.value_or(experiment.config.horizon);
    experiment.config.runs = args.runs.value_or(experiment.config.runs);
    experiment.config.seed = args.seed.value_or(experiment.config.seed);
    experiments.push_back(std::move(experiment));
  }
  return experiments;
}

ExperimentResult run_one(const NamedExperiment& experiment, const CompareArgs& args,
                         const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProgressDisplay display(console.err, console.is_err_terminal);
  simulation::Progress last;
  simulation::RunOptions options{.threads = args.threads, .stop = console.stop};
  if (!args.quiet) {
    console.err << experiment.file << " ..." << std::endl;
    options.progress = [&](const simulation::Progress& progress) {
      last = progress;
      display.update(progress, elapsed());
    };
  }
  try {
    ExperimentResult result = simulation::run_experiment(experiment.config, options);
    if (!args.quiet) {
      display.finish(last, elapsed());
    }
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), experiment.file, error.what());
  }
}

void print(const report::TextTable& text, std::ostream& out) {
  out << text.caption << "\n\n";
  Table table(text.headings);
  for (const std::vector<std::string>& row : text.rows) {
    table.add_row(row);
  }
  table.write(out);
  out << '\n';
}

}  // namespace

ExitCode run_compare(const CompareArgs& args, const Console& console) {
  const std::vector<NamedExperiment> experiments = load_all(args);
  report::require_comparable(experiments);
  if (!args.out.empty()) {
    // Before hours of work, not after.
    simulation::prepare_directory(args.out);
    static_cast<void>(report::find_gnuplot());
    for (const NamedExperiment& experiment : experiments) {
      static_cast<void>(config::to_toml(experiment.config));  // not every seed fits into a file
    }
  }
  std::vector<ExperimentResult> results;
  for (const NamedExperiment& experiment : experiments) {
    results.push_back(run_one(experiment, args, console));
    if (!results.back().is_complete) {
      console.err << fmt::format("foothold: {}: interrupted; no results were written",
                                 experiment.file)
                  << std::endl;
      return ExitCode::Interrupted;
    }
  }
  const ExperimentResult result = report::joined(experiments, std::move(results));
  print(report::regret_table(result), console.out);
  print(report::paired_table(result), console.out);
  for (const std::string& note : result.notes) {
    console.out << "note: " << note << '\n';
  }
  if (!args.out.empty()) {
    simulation::write_result_files(result, args.out);
    report::write_report(report::comparison_report(experiments, result), args.out);
    console.out << fmt::format("report: {}/report.html\n", args.out);
  }
  console.out.flush();
  require_written(console.out);
  return ExitCode::Success;
}

void add_compare(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command = root.add_subcommand(
      "compare", "Compare the policies of experiment files on common random numbers");
  const auto args = std::make_shared<CompareArgs>();  // outlives parsing, owned by the callback
  command->add_option("FILES", args->files, "Experiments with the same problem or family")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", args->out,
                   "Directory for report.html, its figures, summary.json and trace.csv")
      ->type_name("DIR");
  const CLI::Range positive(std::int64_t{1}, std::int64_t{1} << 53);
  command->add_option("--horizon", args->horizon, "Horizon in place of the files'")
      ->check(CLI::Range(positive).description(""))
      ->type_name("N");
  command->add_option("--runs", args->runs, "Number of runs in place of the files'")
      ->check(CLI::Range(positive).description(""))
      ->type_name("N");
  const auto seed = std::make_shared<std::uint64_t>(0);
  const CLI::Option* seed_option = add_seed_option(*command, *seed);
  add_threads_option(*command, args->threads);
  command->add_flag("--quiet", args->quiet, "No progress on standard error");
  command->footer(
      "Examples:\n"
      "  foothold compare experiments/polytope.toml experiments/polytope-naive.toml\n"
      "  foothold compare a.toml b.toml --runs 100 --out results/a-b\n"
      "\n"
      "Run i of every policy meets the same instance and the same noise. Differences are to the\n"
      "first policy of the first file, with 95 % intervals.\n");
  command->callback([args, seed, seed_option, &console, &exit_code] {
    if (seed_option->count() > 0) {
      args->seed = *seed;
    }
    exit_code = run_compare(*args, console);
  });
}

}  // namespace foothold::cli
