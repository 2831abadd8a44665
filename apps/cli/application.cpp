#include "application.hpp"

#include <exception>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>

#include "foothold/simulation/files/version.hpp"

#include "commands/compare.hpp"
#include "commands/merge.hpp"
#include "commands/plot.hpp"
#include "commands/reproduce.hpp"
#include "commands/run.hpp"

namespace foothold::cli {

ExitCode run_application(int argc, const char* const* argv, const Console& console) {
  CLI::App app{"Decisions that are safe every time, while what is safe is still being learnt"};
  app.name("foothold");
  app.require_subcommand(1);
  app.set_version_flag("--version", "foothold " + std::string(simulation::version()));
  app.footer(
      "Examples:\n"
      "  foothold run experiments/polytope.toml\n"
      "  foothold reproduce --quick\n"
      "  foothold merge results part-1 part-2\n"
      "  foothold run --help\n"
      "\n"
      "Exit codes: 0 success, 1 internal error, 2 wrong usage or file, 3 not found,\n"
      "4 unavailable, 5 no safe action, 130 interrupted. See docs/cli.md.\n");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "foothold: " + std::string(error.what()) + "\nRun with --help for more information.\n";
  });
  ExitCode exit_code = ExitCode::Success;
  add_run(app, console, exit_code);
  add_merge(app, console, exit_code);
  add_compare(app, console, exit_code);
  add_plot(app, console, exit_code);
  add_reproduce(app, console, exit_code);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, console.out, console.err) == 0 ? ExitCode::Success : ExitCode::Usage;
  } catch (const Error& error) {
    console.err << "foothold: " << error.what() << std::endl;
    return exit_code_for(error.code());
  } catch (const std::exception& error) {
    console.err << "foothold: internal error: " << error.what() << std::endl;
    return ExitCode::Failure;
  }
}

}  // namespace foothold::cli
