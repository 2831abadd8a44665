#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/simulation/batch/parallel.hpp"

namespace foothold::simulation {
namespace {

TEST(ForEachItem, DoesEachItemOnceAndPollsMeanwhile) {
  std::vector<int> done(50);
  int polls = 0;
  const ParallelOptions options{.threads = 2, .poll = [&] { ++polls; }};
  for_each_item(done.size(), options, [&](std::size_t item, const WorkToken& token) {
    EXPECT_TRUE(token.is_wanted());
    ++done[item];
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  EXPECT_EQ(done, std::vector<int>(50, 1));
  EXPECT_GE(polls, 1);  // 250 ms of work, ten polls a second
}

TEST(ForEachItem, BeginsNothingOnceItIsStopped) {
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  for_each_item(100, {.threads = 2, .stop = &stop}, [&](std::size_t, const WorkToken& token) {
    ++begun;
    stop = true;
    EXPECT_FALSE(token.is_wanted());
  });
  EXPECT_GE(begun.load(), 1);
  EXPECT_LE(begun.load(), 2);
}

TEST(ForEachItem, ThrowsWhatTheFirstFailingItemThrew) {
  try {
    for_each_item(4, {.threads = 2}, [](std::size_t item, const WorkToken&) {
      if (item >= 2) {
        throw std::runtime_error(std::to_string(item));
      }
    });
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "2");
  }
}

TEST(ThreadCount, IsWhatWasAskedForButNoMoreThanThereIsWork) {
  EXPECT_EQ(thread_count(3, 10), 3U);
  EXPECT_EQ(thread_count(3, 2), 2U);
  EXPECT_EQ(thread_count(3, 0), 1U);
  EXPECT_GE(thread_count(0, 1000), 1U);
}

}  // namespace
}  // namespace foothold::simulation
