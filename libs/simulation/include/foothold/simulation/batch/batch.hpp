#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "foothold/config/sweep.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/play/result.hpp"
#include "foothold/simulation/ranks/ranks.hpp"

namespace foothold::simulation {

/// The name of the journal in a directory of results.
inline constexpr const char* kJournalName = "runs.journal";

/// One of `count` parts of a batch that are played apart and merged later; `number` counts from 1.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

struct BatchOptions {
  RunOptions run{};
  /// Where the journal and the results go; empty: nothing is kept.
  std::filesystem::path directory{};
  Shard shard{};           ///< Parts need a directory.
  bool is_fresh = false;   ///< Drop what an earlier start has finished.
  Ranks* ranks = nullptr;  ///< The processes to share the work with, if any.
};

/// One experiment of a batch with what came of it.
struct BatchPoint {
  std::string folder{};  ///< Below the directory of the batch; empty unless it is a sweep.
  std::vector<config::SweepSetting> settings{};
  ExperimentResult result{};  ///< Without traces: those are in the files.
};

struct BatchResult {
  std::vector<std::string> axes{};  ///< Of the sweep; none for a single experiment.
  std::vector<BatchPoint> points{};
  Shard shard{};
  std::int64_t runs_total = 0;   ///< Of this shard, counted once per policy, as in `Progress`.
  std::int64_t runs_done = 0;    ///< Of these.
  std::int64_t runs_kept = 0;    ///< Of those, finished by an earlier start.
  std::int64_t failed_runs = 0;  ///< Of those done, ended for want of a safe action.
  bool is_leader = true;         ///< False on ranks other than 0, which know no results.

  [[nodiscard]] bool is_complete() const noexcept { return runs_done == runs_total; }
};

/// Simulates all experiments of a sweep, or the one of a file without, as `run_experiment` does
/// each; all runs of all points go to one pool of threads.
///
/// With a directory, every run that finishes is appended to a journal there, a checksum on each, so
/// that after any end (kill -9 too) the same call goes on where the last one was; a record that
/// was cut short is dropped. When all is done, the result files are written (see
/// `write_batch_files`) and the journal is removed; that of a shard stays, for `merge_batches`. The
/// files hold the same bytes whatever the number of starts, threads, shards and ranks. Memory grows
/// by a few hundred bytes a run, whatever the horizon: traces live in the journal.
///
/// With ranks, all of them call this with the same arguments. Rank 0 keeps the journal, writes the
/// files, and reports progress; a failure on any rank ends all of them with the same error.
///
/// Throws as `run_experiment` does; `Error{Conflict}` if the journal is of another experiment,
/// seed, version or shard, or another process writes it; `Error{Unavailable, "out"}` if a file
/// cannot be written.
[[nodiscard]] BatchResult run_batch(const config::Sweep& sweep, const BatchOptions& options);

/// Puts the journals of shards together and writes what one unsharded call would have written, byte
/// for byte. Leaves the journals. Throws `Error{NotFound}` if a directory has no journal and
/// `Error{Conflict}` if they are not of one batch, a run is in two of them, or one is in none.
[[nodiscard]] BatchResult merge_batches(const std::filesystem::path& out,
                                        const std::vector<std::filesystem::path>& directories);

}  // namespace foothold::simulation
