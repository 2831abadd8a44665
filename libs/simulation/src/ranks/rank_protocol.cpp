#include "ranks/rank_protocol.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/invariant.hpp"

#include "files/text_bytes.hpp"

namespace foothold::simulation {
namespace {

enum class MessageKind : std::uint64_t {
  Status,    // follower: how its part of `agree` went
  Verdict,   // leader: how it went for all
  Begin,     // leader: what is finished already
  Record,    // follower: a run
  Progress,  // follower: rounds so far
  Ended,     // follower: it will send no more, and its failure
  Stop,      // leader
  Finish     // leader: how the batch ended
};

constexpr std::size_t kKindSize = 8;
constexpr std::size_t kFlagsPerWord = 64;
// Waiting is polling: the blocking calls of MPI keep a core busy.
constexpr std::chrono::milliseconds kPause{1};

Bytes message_of(MessageKind kind, const Bytes& content) {
  Bytes bytes(kKindSize + content.size());
  bytes[0] = static_cast<std::byte>(kind);
  std::copy(content.begin(), content.end(), bytes.begin() + kKindSize);
  return bytes;
}

MessageKind kind_of(const Bytes& message) {
  FOOTHOLD_INVARIANT(message.size() >= kKindSize);
  return static_cast<MessageKind>(message[0]);
}

Bytes content_of(const Bytes& message) {
  return {message.begin() + kKindSize, message.end()};
}

Bytes encode_number(std::int64_t number) {
  ByteWriter writer;
  writer.write(number);
  return writer.sealed();
}

std::int64_t decode_number(const Bytes& bytes) {
  return ByteReader(bytes).read_integer();
}

Bytes encode_failure(const std::optional<Error>& failure) {
  ByteWriter writer;
  writer.write(static_cast<std::uint64_t>(failure ? 1 : 0));
  if (failure) {
    writer.write(static_cast<std::uint64_t>(failure->code()));
    write_text(writer, failure->what());
  }
  return writer.sealed();
}

std::optional<Error> decode_failure(const Bytes& bytes) {
  ByteReader reader(bytes);
  if (reader.read_word() == 0) {
    return std::nullopt;
  }
  const auto code = static_cast<ErrorCode>(reader.read_word());
  return Error(code, "", read_text(reader));
}

Bytes encode_beginning(const Beginning& beginning) {
  const std::vector<bool>& flags = beginning.finished;
  ByteWriter writer;
  writer.write(beginning.plan_digest);
  writer.write(static_cast<std::uint64_t>(flags.size()));
  for (std::size_t start = 0; start < flags.size(); start += kFlagsPerWord) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < kFlagsPerWord && start + i < flags.size(); ++i) {
      word |= static_cast<std::uint64_t>(flags[start + i] ? 1 : 0) << i;
    }
    writer.write(word);
  }
  return writer.sealed();
}

Beginning decode_beginning(const Bytes& bytes) {
  ByteReader reader(bytes);
  Beginning beginning{.plan_digest = reader.read_word()};
  std::vector<bool>& flags = beginning.finished;
  flags.resize(reader.read_word());
  for (std::size_t start = 0; start < flags.size(); start += kFlagsPerWord) {
    const std::uint64_t word = reader.read_word();
    for (std::size_t i = 0; i < kFlagsPerWord && start + i < flags.size(); ++i) {
      flags[start + i] = ((word >> i) & 1U) != 0;
    }
  }
  return beginning;
}

Ranks::Received wait_for_message(Ranks& ranks) {
  while (true) {
    if (std::optional<Ranks::Received> message = ranks.receive()) {
      return std::move(*message);
    }
    std::this_thread::sleep_for(kPause);
  }
}

// The content of the next message of one kind; others that come before are orders that are of no
// use any more.
Bytes wait_for_kind(Ranks& ranks, MessageKind kind) {
  while (true) {
    const Ranks::Received message = wait_for_message(ranks);
    if (kind_of(message.bytes) == kind) {
      return content_of(message.bytes);
    }
  }
}

void send_to_followers(Ranks& ranks, MessageKind kind, const Bytes& content) {
  for (int rank = 1; rank < ranks.size(); ++rank) {
    ranks.send(rank, message_of(kind, content));
  }
}

Error of_rank(const Error& error, int rank) {
  return {error.code(), fmt::format("rank {}", rank), error.what()};
}

}  // namespace

std::optional<Error> failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorCode::Internal, "", error.what());
  }
  return std::nullopt;
}

void agree(Ranks* ranks, const std::function<void()>& act) {
  if (ranks == nullptr) {
    act();
    return;
  }
  std::optional<Error> failure = failure_of(act);
  if (ranks->rank() == 0) {
    std::vector<std::optional<Error>> others(static_cast<std::size_t>(ranks->size()));
    for (int count = 1; count < ranks->size(); ++count) {
      const Ranks::Received message = wait_for_message(*ranks);
      others[static_cast<std::size_t>(message.from)] = decode_failure(content_of(message.bytes));
    }
    for (std::size_t rank = 1; !failure && rank < others.size(); ++rank) {
      if (others[rank]) {
        failure = of_rank(*others[rank], static_cast<int>(rank));
      }
    }
    send_to_followers(*ranks, MessageKind::Verdict, encode_failure(failure));
  } else {
    ranks->send(0, message_of(MessageKind::Status, encode_failure(failure)));
    failure = decode_failure(wait_for_kind(*ranks, MessageKind::Verdict));
  }
  if (failure) {
    throw Error(*failure);
  }
}

Leader::Leader(Ranks& ranks, const Beginning& beginning, Keep keep)
    : ranks_(ranks), keep_(std::move(keep)), rounds_(static_cast<std::size_t>(ranks.size()), 0) {
  send_to_followers(ranks_, MessageKind::Begin, encode_beginning(beginning));
}

void Leader::poll() {
  while (const std::optional<Ranks::Received> message = ranks_.receive()) {
    take(*message);
  }
}

void Leader::take(const Ranks::Received& message) {
  const Bytes content = content_of(message.bytes);
  switch (kind_of(message.bytes)) {
    case MessageKind::Record: {
      RunRecord record = decode_record(content);
      keep_(record.item, std::move(record.run));
      break;
    }
    case MessageKind::Progress:
      rounds_[static_cast<std::size_t>(message.from)] = decode_number(content);
      break;
    case MessageKind::Ended: {
      ++ended_;
      const std::optional<Error> failure = decode_failure(content);
      if (failure && !failure_) {
        failure_ = of_rank(*failure, message.from);
      }
      break;
    }
    default:
      detail::fail_invariant("the leader is sent no orders", __FILE__, __LINE__);
  }
}

void Leader::stop() {
  if (!has_stopped_) {
    has_stopped_ = true;
    send_to_followers(ranks_, MessageKind::Stop, encode_number(0));
  }
}

std::int64_t Leader::rounds_elsewhere() const {
  std::int64_t sum = 0;
  for (const std::int64_t rounds : rounds_) {
    sum += rounds;
  }
  return sum;
}

void Leader::finish(std::optional<Error> own_failure, const std::function<void()>& meanwhile) {
  if (own_failure) {
    failure_ = std::move(own_failure);
  }
  while (ended_ < ranks_.size() - 1) {
    if (failure_) {
      stop();
    }
    const std::optional<Error> failure = failure_of([&] {
      poll();
      meanwhile();
    });
    if (failure && !failure_) {
      failure_ = failure;
    }
    std::this_thread::sleep_for(kPause);
  }
  send_to_followers(ranks_, MessageKind::Finish, encode_failure(failure_));
  if (failure_) {
    throw Error(*failure_);
  }
}

Follower::Follower(Ranks& ranks)
    : ranks_(ranks), beginning_(decode_beginning(wait_for_kind(ranks, MessageKind::Begin))) {}

void Follower::keep(std::uint64_t item, const RunResult& run) {
  Bytes record = encode_record(item, run);
  const std::lock_guard guard(mutex_);
  records_.push_back(std::move(record));
}

void Follower::poll(std::int64_t rounds_done) {
  std::vector<Bytes> records;
  {
    const std::lock_guard guard(mutex_);
    records.swap(records_);
  }
  for (const Bytes& record : records) {
    ranks_.send(0, message_of(MessageKind::Record, record));
  }
  ranks_.send(0, message_of(MessageKind::Progress, encode_number(rounds_done)));
  while (ranks_.receive()) {
    is_told_to_stop_ = true;  // The one order there is while at work.
  }
}

void Follower::finish(std::int64_t rounds_done, const std::optional<Error>& failure) {
  poll(rounds_done);
  ranks_.send(0, message_of(MessageKind::Ended, encode_failure(failure)));
  const std::optional<Error> last = decode_failure(wait_for_kind(ranks_, MessageKind::Finish));
  if (last) {
    throw Error(*last);
  }
}

}  // namespace foothold::simulation
