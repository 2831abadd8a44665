// The processes of a batch as threads: what ranks say to each other, without mpirun.
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/batch/batch.hpp"
#include "foothold/simulation/ranks/rank_agreement.hpp"

#include "small_batch.hpp"

namespace foothold::simulation {
namespace {

using testing::files_below;
using testing::small_sweep;
using testing::TemporaryDirectory;

class Mail {
 public:
  explicit Mail(int size) : boxes_(static_cast<std::size_t>(size)) {}
  [[nodiscard]] int size() const { return static_cast<int>(boxes_.size()); }
  void send(int from, int to, const Bytes& bytes) {
    const std::lock_guard guard(mutex_);
    boxes_[static_cast<std::size_t>(to)].push_back({.from = from, .bytes = bytes});
  }
  std::optional<Ranks::Received> receive(int rank) {
    const std::lock_guard guard(mutex_);
    std::deque<Ranks::Received>& box = boxes_[static_cast<std::size_t>(rank)];
    if (box.empty()) {
      return std::nullopt;
    }
    Ranks::Received message = std::move(box.front());
    box.pop_front();
    return message;
  }
  [[nodiscard]] bool is_empty() {
    const std::lock_guard guard(mutex_);
    for (const auto& box : boxes_) {
      if (!box.empty()) {
        return false;
      }
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Ranks::Received>> boxes_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Mail& mail, int rank) : mail_(mail), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return mail_.size(); }
  void send(int to, const Bytes& bytes) override { mail_.send(rank_, to, bytes); }
  [[nodiscard]] std::optional<Received> receive() override { return mail_.receive(rank_); }

 private:
  Mail& mail_;
  int rank_;
};

// Runs `act` on each rank and returns what each threw, if it did.
std::vector<std::string> on_ranks(int size, const std::function<void(Ranks&)>& act) {
  Mail mail(size);
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadRank self(mail, rank);
        try {
          act(self);
        } catch (const Error& error) {
          errors[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
  }
  EXPECT_TRUE(mail.is_empty());  // Nothing is left for whatever comes next.
  return errors;
}

TEST(RanksThreads, GiveTheSameBytesInAnyNumber) {
  const TemporaryDirectory directory;
  static_cast<void>(run_batch(small_sweep(), {.directory = directory / "alone"}));
  const auto expected = files_below(directory / "alone");
  for (const int size : {1, 2, 4}) {
    const auto out = directory / std::to_string(size);
    const auto errors = on_ranks(size, [&](Ranks& ranks) {
      const BatchResult batch = run_batch(small_sweep(), {.directory = out, .ranks = &ranks});
      EXPECT_EQ(batch.is_leader, ranks.rank() == 0);
      EXPECT_EQ(batch.runs_done, ranks.rank() == 0 ? 20 : 0);
    });
    EXPECT_EQ(errors, std::vector<std::string>(static_cast<std::size_t>(size)));
    EXPECT_TRUE(files_below(out) == expected) << size;
  }
}

TEST(RanksThreads, GoOnFromTheJournalOfOneProcess) {
  const TemporaryDirectory directory;
  static_cast<void>(run_batch(small_sweep(), {.directory = directory / "alone"}));
  testing::leave_half(small_sweep(), directory / "out");
  static_cast<void>(on_ranks(3, [&](Ranks& ranks) {
    const BatchResult batch =
        run_batch(small_sweep(), {.directory = directory / "out", .ranks = &ranks});
    EXPECT_EQ(batch.runs_kept, ranks.rank() == 0 ? 10 : 0);
  }));
  EXPECT_TRUE(files_below(directory / "out") == files_below(directory / "alone"));
}

TEST(RanksThreads, AllFailWhenOneDoes) {
  // Item 1 is on rank 1: it needs a gap and there is none to tell.
  config::Sweep sweep = small_sweep();
  for (config::SweepPoint& point : sweep.points) {
    config::PolicyConfig& policy = point.experiment.policies[1];
    policy.algorithm = policy::Algorithm::SafeLucb;
    policy.options.warmup = {.schedule = policy::Schedule::Gap, .safety_gap = -1.0};
  }
  const auto errors =
      on_ranks(3, [&](Ranks& ranks) { static_cast<void>(run_batch(sweep, {.ranks = &ranks})); });
  EXPECT_NE(errors[0].find("\"ours\", run "), std::string::npos) << errors[0];
  EXPECT_EQ(errors[1], errors[0]);
  EXPECT_EQ(errors[2], errors[0]);
}

TEST(RanksThreads, AgreeOnTheFailureOfOne) {
  const auto errors = on_ranks(3, [](Ranks& ranks) {
    agree(&ranks, [&] {
      if (ranks.rank() == 2) {
        throw Error(ErrorCode::NotFound, "path", "is not there");
      }
    });
  });
  EXPECT_EQ(errors, std::vector<std::string>(3, "rank 2: path: is not there"));
}

TEST(RanksThreads, RefuseToShareDifferentExperiments) {
  const auto errors = on_ranks(2, [](Ranks& ranks) {
    config::Sweep sweep = small_sweep();
    sweep.points[0].experiment.seed = ranks.rank() == 0 ? 1 : 2;
    static_cast<void>(run_batch(sweep, {.ranks = &ranks}));
  });
  EXPECT_EQ(errors, std::vector<std::string>(2, "rank 1: must run the same experiment as rank 0"));
}

}  // namespace
}  // namespace foothold::simulation
