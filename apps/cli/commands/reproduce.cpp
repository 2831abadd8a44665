#include "reproduce.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "foothold/report/gnuplot.hpp"
#include "foothold/report/report.hpp"
#include "foothold/reproduction/reproduction.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "options.hpp"
#include "progress.hpp"

namespace foothold::cli {
namespace {

using reproduction::Part;

const std::map<std::string, std::vector<Part>> kParts{{"all", reproduction::all_parts()},
                                                      {"fig1a", {Part::Fig1a}},
                                                      {"fig1b", {Part::Fig1b}},
                                                      {"fig2", {Part::Fig2}},
                                                      {"fig3", {Part::Fig3}},
                                                      {"theory", {Part::Theory}}};

reproduction::ReproductionSize size_of(const ReproduceArgs& args) {
  if (args.is_quick) {
    return reproduction::quick_size();
  }
  return args.is_full ? reproduction::full_size() : reproduction::standard_size();
}

// One line a stage, and a bar within it for a person.
class StageDisplay {
 public:
  explicit StageDisplay(const Console& console) : console_(console) {}

  void begin(const std::string& stage) {
    end();
    start_ = std::chrono::steady_clock::now();
    console_.err << stage << " ..." << std::endl;
  }

  void update(const simulation::Progress& progress) {
    if (!display_) {
      display_.emplace(console_.err, console_.is_err_terminal);
    }
    last_ = progress;
    display_->update(progress, seconds());
  }

  void end() {
    if (display_) {
      display_->finish(last_, seconds());
      display_.reset();
    }
  }

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const Console& console_;
  std::optional<ProgressDisplay> display_;  // of the stage, if it is an experiment
  std::chrono::steady_clock::time_point start_;
  simulation::Progress last_;
};

void print_verdicts(const std::vector<reproduction::Verdict>& verdicts, std::ostream& out) {
  for (const reproduction::Verdict& verdict : verdicts) {
    out << fmt::format("{:<13} {}\n{:<13} ours: {}\n{:<13} {}\n", verdict.item, verdict.claim, "",
                       verdict.ours, "", reproduction::sentence(verdict));
  }
}

}  // namespace

ExitCode run_reproduce(const ReproduceArgs& args, const Console& console) {
  const std::filesystem::path out = args.out.empty() ? "results/reproduction" : args.out;
  // Before minutes of work, not after.
  simulation::prepare_directory(out);
  static_cast<void>(report::find_gnuplot());
  reproduction::ReproductionOptions options{.parts = kParts.at(args.part),
                                            .size = size_of(args),
                                            .seed = args.seed,
                                            .threads = args.threads,
                                            .stop = console.stop};
  StageDisplay display(console);
  if (!args.quiet) {
    options.begin_stage = [&](const std::string& stage) { display.begin(stage); };
    options.progress = [&](const simulation::Progress& progress) { display.update(progress); };
  }
  std::optional<reproduction::Reproduction> result = reproduction::reproduce(options);
  if (!result) {
    console.err << "foothold: reproduce: interrupted; no report was written" << std::endl;
    return ExitCode::Interrupted;
  }
  if (!args.quiet) {
    display.begin("drawing");
  }
  result->report.facts.emplace_back(
      "command",
      fmt::format("foothold reproduce {}{}{} --seed {}", args.part, args.is_quick ? " --quick" : "",
                  args.is_full ? " --full" : "", args.seed));
  report::write_report(result->report, out);
  print_verdicts(result->verdicts, console.out);
  console.out << fmt::format("\nreport: {}\n", (out / "report.html").string()) << std::flush;
  require_written(console.out);
  return ExitCode::Success;
}

void add_reproduce(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command = root.add_subcommand(
      "reproduce", "Reproduce the paper's figures and judge its claims, into one HTML report");
  const auto args = std::make_shared<ReproduceArgs>();  // outlives parsing, owned by the callback
  command->add_option("PART", args->part, "all (default), fig1a, fig1b, fig2, fig3 or theory")
      ->check(CLI::IsMember({"all", "fig1a", "fig1b", "fig2", "fig3", "theory"}).description(""))
      ->type_name("");
  CLI::Option* quick = command->add_flag("--quick", args->is_quick,
                                         "Fewer seeds, shorter horizons: within a minute");
  command->add_flag("--full", args->is_full, "More seeds, horizons to 1000000: hours")
      ->excludes(quick);
  command
      ->add_option("--out", args->out,
                   "Directory of the report, made if missing (default: results/reproduction)")
      ->type_name("DIR");
  add_threads_option(*command, args->threads);
  add_seed_option(*command, args->seed);
  command->add_flag("--quiet", args->quiet, "No progress on standard error");
  command->footer(
      "Examples:\n"
      "  foothold reproduce\n"
      "  foothold reproduce fig2 --quick --out results/fig2\n"
      "\n"
      "Writes report.html, verdicts.json and verdicts.md, each figure as SVG, PNG and PDF with "
      "its\n"
      "data as CSV, and the experiment files behind them. Needs gnuplot. The same seed and "
      "version\n"
      "give the same verdicts on one type of CPU, whatever the number of threads.\n");
  command->callback([args, &console, &exit_code] { exit_code = run_reproduce(*args, console); });
}

}  // namespace foothold::cli
