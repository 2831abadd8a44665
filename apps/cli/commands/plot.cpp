#include "plot.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "foothold/report/regret_figures.hpp"
#include "foothold/report/report.hpp"
#include "foothold/report/stored_results.hpp"

#include "options.hpp"

namespace foothold::cli {

ExitCode run_plot(const PlotArgs& args, const Console& console) {
  const simulation::ExperimentResult result = report::read_results(args.directory);
  report::Report page{.title = result.name.empty() ? "Results" : result.name};
  page.facts = {{"seed", std::to_string(result.seed)},
                {"horizon", std::to_string(result.horizon)},
                {"runs", std::to_string(result.runs)}};
  page.sections.push_back(report::regret_section(result));
  const std::string& out = args.out.empty() ? args.directory : args.out;
  report::write_report(page, out);
  console.out << fmt::format("report: {}/report.html\n", out) << std::flush;
  require_written(console.out);
  return ExitCode::Success;
}

void add_plot(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command = root.add_subcommand("plot", "Draw the results in a directory again");
  const auto args = std::make_shared<PlotArgs>();  // outlives parsing, owned by the callback
  command->add_option("DIR", args->directory, "What `foothold run --out` wrote")
      ->required()
      ->type_name("");
  command->add_option("--out", args->out, "Where figures go (default: the same directory)")
      ->type_name("DIR");
  command->footer(
      "Example:\n"
      "  foothold run experiments/polytope.toml --out results/polytope\n"
      "  foothold plot results/polytope\n"
      "\n"
      "Reads summary.json and trace.csv; writes regret and regret-quantiles as SVG, PNG, PDF and\n"
      "CSV, and report.html. Needs gnuplot.\n");
  command->callback([args, &console, &exit_code] { exit_code = run_plot(*args, console); });
}

}  // namespace foothold::cli
