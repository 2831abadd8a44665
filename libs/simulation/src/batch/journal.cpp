#include "batch/journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foothold/base/error.hpp"

#include "files/durable.hpp"

namespace foothold::simulation {
namespace {

constexpr std::size_t kSizeBytes = 8;  // of the word in front of each piece

[[noreturn]] void fail_file(const std::filesystem::path& file, const char* doing) {
  throw Error(ErrorCode::Unavailable, "out",
              fmt::format("must be a directory that can be written, but {} {} failed: {}", doing,
                          file.string(), std::strerror(errno)));
}

[[noreturn]] void refuse_journal(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorCode::Conflict, "out",
              fmt::format("{} {}; give another directory, or --fresh to drop what it holds",
                          file.string(), reason));
}

std::uint64_t size_of_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Reads exactly `size` bytes, or fails.
bool read_fully(int descriptor, std::byte* target, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t count = ::pread(descriptor, target, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    target += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool write_fully(int descriptor, const std::byte* source, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t count = ::pwrite(descriptor, source, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    source += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

// A piece as the file has it.
Bytes with_size(const Bytes& piece) {
  Bytes bytes;
  bytes.reserve(kSizeBytes + piece.size());
  for (std::size_t i = 0; i < kSizeBytes; ++i) {
    bytes.push_back(static_cast<std::byte>((piece.size() >> (8U * i)) & 0xFFU));
  }
  bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

// Whether a record can be of this plan. A failed run has a shorter trace.
bool fits_plan(const RunRecord& record, const BatchPlan& plan, const WorkItems& items) {
  if (record.item >= items.size()) {
    return false;
  }
  const std::size_t traced = plan.points[items.at(record.item).point].outline.trace_rounds.size();
  return record.run.failed_round ? record.run.trace_regret.size() < traced
                                 : record.run.trace_regret.size() == traced;
}

void require_same_plan(const BatchPlan& wanted, const BatchPlan& found,
                       const std::filesystem::path& file) {
  const std::string reason = difference(wanted, found);
  if (!reason.empty()) {
    refuse_journal(file, fmt::format("must be of this experiment, but is of {}", reason));
  }
  if (found.shard.number != wanted.shard.number || found.shard.count != wanted.shard.count) {
    refuse_journal(file,
                   fmt::format("must be of shard {}/{}, but is of shard {}/{}", wanted.shard.number,
                               wanted.shard.count, found.shard.number, found.shard.count));
  }
}

}  // namespace

Journal Journal::resume(const std::filesystem::path& file, const BatchPlan& plan, Start start,
                        const Visit& visit) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail_file(file, "opening");
  }
  Journal journal(file, descriptor);
  journal.lock();
  if (start == Start::Fresh || !journal.has_runs(plan)) {
    journal.begin(plan);
    return journal;
  }
  require_same_plan(plan, journal.plan_, file);
  journal.end_ = journal.visit_records(visit);
  if (::ftruncate(descriptor, static_cast<off_t>(journal.end_)) != 0) {
    fail_file(file, "shortening");
  }
  return journal;
}

Journal Journal::read(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorCode::NotFound, file.string(),
                fmt::format("must be the journal of a shard, but: {}", std::strerror(errno)));
  }
  Journal journal(file, descriptor);
  if (!journal.read_plan()) {
    throw Error(ErrorCode::Conflict, file.string(), "must be a journal of this version");
  }
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      plan_(std::move(other.plan_)),
      records_(other.records_),
      end_(other.end_),
      synced_(other.synced_) {}

Journal::~Journal() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void Journal::lock() const {
  // A file system without locks is no reason to refuse.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorCode::Conflict, "out",
                fmt::format("{} must be free, but another process writes it", file_.string()));
  }
}

std::optional<Bytes> Journal::piece_at(std::uint64_t offset) const {
  const std::uint64_t file_size = size_of_file(descriptor_);
  std::array<std::byte, kSizeBytes> word{};
  if (offset + kSizeBytes > file_size ||
      !read_fully(descriptor_, word.data(), word.size(), offset)) {
    return std::nullopt;
  }
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) {
    size |= std::to_integer<std::uint64_t>(word[i]) << (8U * i);
  }
  if (size > file_size - offset - kSizeBytes) {
    return std::nullopt;
  }
  Bytes piece(size);
  return read_fully(descriptor_, piece.data(), size, offset + kSizeBytes) ? std::optional(piece)
                                                                          : std::nullopt;
}

bool Journal::read_plan() {
  const std::optional<Bytes> piece = piece_at(0);
  if (!piece) {
    return false;
  }
  try {
    plan_ = decode_plan(*piece);
  } catch (const Error&) {
    return false;
  }
  records_ = kSizeBytes + piece->size();
  return true;
}

// Whether there is anything to lose: without a run, of whatever plan, there is not.
bool Journal::has_runs(const BatchPlan& plan) {
  if (read_plan()) {
    return size_of_file(descriptor_) > records_;
  }
  if (!is_torn_beginning(plan)) {
    refuse_journal(file_, "must be a journal of this version, but is none");
  }
  return false;
}

// Nothing, or a plan that was cut short: no run can have followed.
bool Journal::is_torn_beginning(const BatchPlan& plan) const {
  const Bytes whole = with_size(encode_plan(plan));
  const std::uint64_t size = size_of_file(descriptor_);
  if (size >= whole.size()) {
    return false;
  }
  Bytes found(size);
  return read_fully(descriptor_, found.data(), size, 0) &&
         std::equal(found.begin(), found.end(), whole.begin());
}

void Journal::begin(const BatchPlan& plan) {
  if (::ftruncate(descriptor_, 0) != 0) {
    fail_file(file_, "shortening");
  }
  plan_ = plan;
  end_ = 0;
  append_piece(encode_plan(plan));
  records_ = end_;
  // A plan that is lost while its size is not would make the file a journal of nothing.
  synced_ = 0;
  sync();
  sync_directory(file_.parent_path());
}

std::uint64_t Journal::visit_records(const Visit& visit) const {
  const WorkItems items = work_items(plan_);
  std::uint64_t offset = records_;
  while (const std::optional<Bytes> piece = piece_at(offset)) {
    RunRecord record;
    try {
      record = decode_record(*piece);
    } catch (const Error&) {
      break;
    }
    if (!fits_plan(record, plan_, items)) {
      break;
    }
    visit(std::move(record), offset);
    offset += kSizeBytes + piece->size();
  }
  return offset;
}

std::uint64_t Journal::append(std::uint64_t item, const RunResult& run) {
  const Bytes piece = encode_record(item, run);
  const std::lock_guard guard(mutex_);
  return append_piece(piece);
}

std::uint64_t Journal::append_piece(const Bytes& piece) {
  const Bytes bytes = with_size(piece);
  const std::uint64_t offset = end_;
  if (!write_fully(descriptor_, bytes.data(), bytes.size(), offset)) {
    fail_file(file_, "writing");
  }
  end_ += bytes.size();
  return offset;
}

void Journal::sync() {
  std::uint64_t end = 0;
  {
    const std::lock_guard guard(mutex_);
    end = end_;
  }
  if (end == synced_) {
    return;
  }
  while (::fdatasync(descriptor_) != 0) {
    // A file system that cannot sync is no reason to refuse.
    if (errno == EINVAL || errno == ENOSYS) {
      break;
    }
    if (errno != EINTR) {
      fail_file(file_, "syncing");
    }
  }
  synced_ = end;
}

RunResult Journal::run_at(std::uint64_t offset) const {
  const std::optional<Bytes> piece = piece_at(offset);
  if (!piece) {
    throw Error(ErrorCode::Unavailable, "out",
                fmt::format("{} must stay as it was written, but was cut short", file_.string()));
  }
  return decode_record(*piece).run;
}

}  // namespace foothold::simulation
