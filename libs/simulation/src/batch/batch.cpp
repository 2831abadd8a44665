#include "foothold/simulation/batch/batch.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/digest.hpp"
#include "foothold/base/error.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "batch/batch_files.hpp"
#include "batch/batch_plan.hpp"
#include "batch/finished_runs.hpp"
#include "batch/item_player.hpp"
#include "batch/journal.hpp"
#include "files/durable.hpp"
#include "ranks/rank_protocol.hpp"

namespace foothold::simulation {
namespace {

// Between two exchanges of ranks: short, since a full buffer lets a rank wait.
constexpr std::chrono::milliseconds kExchangeInterval{10};

// What a power cut may cost beside the runs being played. A sync takes milliseconds, of the thread
// that waits for the others.
constexpr std::chrono::seconds kSyncInterval{1};

void validate_batch(const BatchOptions& options) {
  const Shard& shard = options.shard;
  if (!(shard.number >= 1 && shard.number <= shard.count)) {
    throw Error(ErrorCode::InvalidArgument, "shard",
                fmt::format("must be i/n with 1 <= i <= n, got {}/{}", shard.number, shard.count));
  }
  if (options.directory.empty() && shard.count > 1) {
    throw Error(ErrorCode::InvalidArgument, "out",
                "must be given for a shard, whose result is the journal there");
  }
}

std::vector<const config::ExperimentConfig*> experiments_of(const config::Sweep& sweep) {
  std::vector<const config::ExperimentConfig*> experiments;
  experiments.reserve(sweep.points.size());
  for (const config::SweepPoint& point : sweep.points) {
    experiments.push_back(&point.experiment);
  }
  return experiments;
}

std::uint64_t digest_of(const BatchPlan& plan) {
  Digest digest;
  const Bytes bytes = encode_plan(plan);
  digest.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return digest.value();
}

// What the runs of an experiment took on one thread, shared among the threads.
double shared_seconds(const ExperimentResult& result, unsigned threads) {
  double seconds = 0.0;
  for (const PolicyResult& policy : result.policies) {
    for (const RunResult& run : policy.runs) {
      seconds += run.seconds;
    }
  }
  return seconds / threads;
}

// A batch on one process, which may be one of several.
class BatchRun {
 public:
  BatchRun(const config::Sweep& sweep, const BatchOptions& options)
      : options_(options),
        plan_(plan_of(sweep, options.shard)),
        items_(work_items(plan_)),
        player_(experiments_of(sweep), plan_, items_),
        finished_(is_leader() ? items_.size() : 0) {}

  [[nodiscard]] bool is_leader() const {
    return options_.ranks == nullptr || options_.ranks->rank() == 0;
  }

  void open_journal() {
    if (!is_leader() || options_.directory.empty()) {
      return;
    }
    prepare_directory(options_.directory);  // Before hours of work, not after.
    const std::filesystem::path file = options_.directory / kJournalName;
    const auto start = options_.is_fresh ? Journal::Start::Fresh : Journal::Start::GoOn;
    journal_.emplace(Journal::resume(
        file, plan_, start,
        [this](RunRecord record, std::uint64_t offset) { recall(std::move(record), offset); }));
    runs_done_ = runs_kept_;
  }

  void play() {
    if (!is_leader()) {
      follow();
    } else if (options_.ranks != nullptr) {
      lead();
    } else {
      play_items(
          finished_flags(), options_.run.stop, options_.run.progress_interval,
          [this] {
            sync_now_and_then();
            report(nullptr);
          },
          [this](std::uint64_t item, RunResult run) { keep(item, std::move(run)); });
      report(nullptr);
    }
  }

  [[nodiscard]] BatchResult result() {
    if (!is_leader()) {
      return {.is_leader = false};
    }
    BatchResult batch = finished_.take_results(plan_, items_);
    batch.runs_kept = runs_kept_;
    const unsigned ranks =
        options_.ranks == nullptr ? 1U : static_cast<unsigned>(options_.ranks->size());
    for (BatchPoint& point : batch.points) {
      point.result.threads = threads_ * ranks;
      // In a sweep, and after a second start, there is no time that was this experiment's own.
      const bool is_whole = batch.points.size() == 1 && runs_kept_ == 0;
      point.result.seconds = is_whole ? elapsed() : shared_seconds(point.result, threads_ * ranks);
    }
    return batch;
  }

  void write_files(const BatchResult& batch) {
    if (journal_) {
      journal_->sync();  // Of a shard, and of a batch that was stopped, it is the result.
    }
    if (!journal_ || !batch.is_complete() || plan_.shard.count > 1) {
      return;
    }
    write_batch_files(batch, items_, finished_, {&*journal_}, options_.directory);
    // Only now: what is in the files need not be played again, once they are on the disk.
    sync_file_system(options_.directory);
    std::error_code error;
    std::filesystem::remove(journal_->file(), error);
    if (error) {
      throw Error(
          ErrorCode::Unavailable, "out",
          fmt::format("{} must be removed, but: {}", journal_->file().string(), error.message()));
    }
  }

 private:
  // A run that an earlier start has finished.
  void recall(RunRecord record, std::uint64_t offset) {
    if (!finished_.has(record.item)) {
      const std::size_t point = items_.at(record.item).point;
      finished_.add_at(record.item, std::move(record.run), {.offset = offset});
      rounds_kept_ += plan_.points[point].outline.horizon;
      ++runs_kept_;
    }
  }

  void play_items(const std::vector<bool>& is_finished, const std::atomic<bool>* stop,
                  std::chrono::milliseconds interval, const std::function<void()>& poll,
                  const ItemPlayer::Keep& keep_run) {
    const std::vector<std::uint64_t> todo = own_items(is_finished);
    threads_ = thread_count(
        options_.run.threads == 0 && options_.ranks != nullptr ? 1 : options_.run.threads,
        todo.size());
    player_.play(todo, {.threads = threads_, .stop = stop, .poll = poll, .poll_interval = interval},
                 keep_run);
  }

  void lead() {
    Leader leader(*options_.ranks, {.plan_digest = digest_of(plan_), .finished = finished_flags()},
                  [this](std::uint64_t item, RunResult run) { keep(item, std::move(run)); });
    const auto poll = [&] {
      leader.poll();
      if (is_stopped()) {
        stop_.store(true);
        leader.stop();
      }
      sync_now_and_then();
      report(&leader);
    };
    std::optional<Error> failure = failure_of([&] {
      play_items(finished_flags(), &stop_, kExchangeInterval, poll,
                 [this](std::uint64_t item, RunResult run) { keep(item, std::move(run)); });
    });
    leader.finish(std::move(failure), poll);
    report(&leader);
  }

  void follow() {
    Follower follower(*options_.ranks);
    const auto poll = [&] {
      follower.poll(player_.rounds_done());
      if (is_stopped() || follower.is_told_to_stop()) {
        stop_.store(true);
      }
    };
    const std::optional<Error> failure = failure_of([&] {
      if (follower.beginning().plan_digest != digest_of(plan_)) {
        throw Error(ErrorCode::Conflict, "", "must run the same experiment as rank 0");
      }
      play_items(follower.beginning().finished, &stop_, kExchangeInterval, poll,
                 [&](std::uint64_t item, const RunResult& run) { follower.keep(item, run); });
    });
    follower.finish(player_.rounds_done(), failure);
  }

  // From any thread, for different items.
  void keep(std::uint64_t item, RunResult run) {
    const std::uint64_t offset = journal_ ? journal_->append(item, run) : 0;
    finished_.add_at(item, std::move(run), {.offset = offset});
    runs_done_.fetch_add(1, std::memory_order_relaxed);
  }

  // On the thread that polls.
  void sync_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (journal_ && now - last_sync_ >= kSyncInterval) {
      last_sync_ = now;
      journal_->sync();
    }
  }

  [[nodiscard]] bool is_stopped() const {
    return options_.run.stop != nullptr && options_.run.stop->load();
  }

  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  [[nodiscard]] std::vector<bool> finished_flags() const {
    std::vector<bool> flags(items_.size());
    for (std::uint64_t item = 0; item < items_.size(); ++item) {
      flags[item] = finished_.has(item);
    }
    return flags;
  }

  // What is left for this rank of this shard.
  [[nodiscard]] std::vector<std::uint64_t> own_items(const std::vector<bool>& is_finished) const {
    const auto shards = static_cast<std::uint64_t>(plan_.shard.count);
    const std::uint64_t ranks =
        options_.ranks == nullptr ? 1 : static_cast<std::uint64_t>(options_.ranks->size());
    const std::uint64_t rank =
        options_.ranks == nullptr ? 0 : static_cast<std::uint64_t>(options_.ranks->rank());
    std::vector<std::uint64_t> own;
    for (std::uint64_t item = 0; item < items_.size(); ++item) {
      if (!is_finished[item] && is_in_shard(items_, item, plan_.shard) &&
          items_.deal(item) / shards % ranks == rank) {
        own.push_back(item);
      }
    }
    return own;
  }

  void report(const Leader* leader) const {
    if (!options_.run.progress) {
      return;
    }
    const std::int64_t elsewhere = leader == nullptr ? 0 : leader->rounds_elsewhere();
    options_.run.progress({.rounds_done = rounds_kept_ + player_.rounds_done() + elsewhere,
                           .rounds_kept = rounds_kept_,
                           .rounds_total = rounds_total_,
                           .runs_done = runs_done_.load(std::memory_order_relaxed),
                           .runs_total = runs_total_});
  }

  [[nodiscard]] std::int64_t count_total(bool is_rounds) const {
    std::int64_t total = 0;
    for (std::uint64_t item = 0; item < items_.size(); ++item) {
      if (is_in_shard(items_, item, plan_.shard)) {
        total += is_rounds ? plan_.points[items_.at(item).point].outline.horizon : 1;
      }
    }
    return total;
  }

  const BatchOptions& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  BatchPlan plan_;
  WorkItems items_;
  ItemPlayer player_;
  FinishedRuns finished_;  // of the leader
  std::int64_t rounds_total_ = count_total(/*is_rounds=*/true);
  std::int64_t runs_total_ = count_total(/*is_rounds=*/false);
  std::optional<Journal> journal_{};
  std::chrono::steady_clock::time_point last_sync_ = start_;
  std::int64_t rounds_kept_ = 0;
  std::int64_t runs_kept_ = 0;
  std::atomic<std::int64_t> runs_done_{0};
  std::atomic<bool> stop_{false};
  unsigned threads_ = 1;
};

}  // namespace

BatchResult run_batch(const config::Sweep& sweep, const BatchOptions& options) {
  std::optional<BatchRun> run;
  agree(options.ranks, [&] {
    validate_batch(options);
    run.emplace(sweep, options);
    run->open_journal();
  });
  run->play();
  BatchResult batch;
  agree(options.ranks, [&] {
    batch = run->result();
    run->write_files(batch);
  });
  return batch;
}

}  // namespace foothold::simulation
