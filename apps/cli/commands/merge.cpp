#include "merge.hpp"

#include <filesystem>
#include <memory>

#include "foothold/simulation/batch/batch.hpp"

namespace foothold::cli {

ExitCode run_merge(const MergeArgs& args, const Console& console) {
  const simulation::BatchResult batch = simulation::merge_batches(
      args.out,
      std::vector<std::filesystem::path>(args.directories.begin(), args.directories.end()));
  print_results(batch, args.format, console.out);
  return batch.failed_runs == 0 ? ExitCode::Success : ExitCode::NoSafeAction;
}

void add_merge(CLI::App& root, const Console& console, ExitCode& exit_code) {
  CLI::App* command = root.add_subcommand("merge", "Put the shards of an experiment together");
  const auto args = std::make_shared<MergeArgs>();  // outlives parsing, owned by the callback
  command->add_option("OUT", args->out, "Directory for the results; made if missing")
      ->required()
      ->type_name("");
  command->add_option("DIR", args->directories, "The directories of all shards")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--format", [args](const std::string& word) { args->format = format_named(word); },
          "What to print: table (default), json or csv, as `foothold run`")
      ->check(CLI::IsMember({"table", "json", "csv"}).description(""))
      ->type_name("table|json|csv");
  command->footer(
      "Example:\n"
      "  for i in 1 2 3; do foothold run FILE --out part-$i --shard $i/3; done\n"
      "  foothold merge results part-1 part-2 part-3\n"
      "\n"
      "Writes the very bytes that `foothold run FILE --out results` writes, timing.json aside.\n"
      "The shards must be of one file, seed and version, and hold every run exactly once; they\n"
      "are left as they are.\n");
  command->callback([args, &console, &exit_code] { exit_code = run_merge(*args, console); });
}

}  // namespace foothold::cli
