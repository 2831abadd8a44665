#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "foothold/base/byte_stream.hpp"

#include "batch/batch_plan.hpp"
#include "files/run_record.hpp"

namespace foothold::simulation {

/// A file of finished runs. First the plan of the batch, then one record per run in the order in
/// which they finished; each is its size in bytes (one word) and the bytes, which end in a
/// checksum. Only ever appended to, so that whatever ends a process leaves at most the last record
/// torn. What was synced outlives the machine, too.
class Journal {
 public:
  /// Called with each run found, and where it begins in the file.
  using Visit = std::function<void(RunRecord, std::uint64_t offset)>;

  enum class Start { GoOn, Fresh };

  /// Opens the journal to go on with it, or begins it; `Fresh` begins it in any case. A tail that
  /// is no whole record is cut off; an item that the plan does not have, or a trace of another
  /// length, counts as one. Another process is kept from writing it as long as this exists. Throws
  /// `Error{Conflict}` if it is of another plan or shard or in use, `Error{Unavailable}` if it
  /// cannot be written.
  [[nodiscard]] static Journal resume(const std::filesystem::path& file, const BatchPlan& plan,
                                      Start start, const Visit& visit);
  /// Opens it to read. Throws `Error{NotFound}` if there is none, `Error{Conflict}` if it has no
  /// plan.
  [[nodiscard]] static Journal read(const std::filesystem::path& file);

  Journal(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] const BatchPlan& plan() const noexcept { return plan_; }

  /// All whole records of a journal. Returns where they end.
  [[nodiscard]] std::uint64_t visit_records(const Visit& visit) const;

  /// Appends a run and returns where it begins. From any thread. Throws `Error{Unavailable}` if
  /// the file does not take it.
  std::uint64_t append(std::uint64_t item, const RunResult& run);

  /// Puts what was appended so far on the disk, so that a power cut does not undo it. Appending
  /// goes on meanwhile; one thread at a time may sync. Does nothing if nothing was appended since.
  /// Throws `Error{Unavailable}` if the disk fails.
  void sync();

  /// The run that begins at `offset`. From any thread.
  [[nodiscard]] RunResult run_at(std::uint64_t offset) const;

 private:
  Journal(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  // The piece at an offset, or none if it is not whole.
  [[nodiscard]] std::optional<Bytes> piece_at(std::uint64_t offset) const;
  [[nodiscard]] bool read_plan();
  [[nodiscard]] bool has_runs(const BatchPlan& plan);
  [[nodiscard]] bool is_torn_beginning(const BatchPlan& plan) const;
  void begin(const BatchPlan& plan);
  void lock() const;
  std::uint64_t append_piece(const Bytes& piece);

  std::filesystem::path file_;
  int descriptor_;
  BatchPlan plan_{};
  std::uint64_t records_ = 0;  // where they begin
  std::mutex mutex_{};
  std::uint64_t end_ = 0;     // under the mutex
  std::uint64_t synced_ = 0;  // of the thread that syncs
};

}  // namespace foothold::simulation
