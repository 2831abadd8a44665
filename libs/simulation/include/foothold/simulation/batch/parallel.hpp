#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace foothold::simulation {

/// Tells a piece of work whether its result is still wanted. Cheap enough to ask often.
class WorkToken {
 public:
  WorkToken(std::size_t item, const std::atomic<std::size_t>& first_failed,
            const std::atomic<bool>& cancelled, const std::atomic<bool>* stop)
      : item_(item), first_failed_(first_failed), cancelled_(cancelled), stop_(stop) {}

  [[nodiscard]] bool is_wanted() const noexcept;

 private:
  std::size_t item_;
  const std::atomic<std::size_t>& first_failed_;
  const std::atomic<bool>& cancelled_;
  const std::atomic<bool>* stop_;
};

struct ParallelOptions {
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  ///< Once true, no further work begins.
  std::function<void()> poll{};             ///< Called from the calling thread now and then.
  std::chrono::milliseconds poll_interval{100};
};

/// How many threads to take for so many items when `wanted` were asked for, 0 for all of the
/// machine: no more than there is work for.
[[nodiscard]] unsigned thread_count(unsigned wanted, std::size_t items);

/// Runs work(0), …, work(items − 1), taken in this order by the threads, and returns when all
/// threads are done. If work throws, the exception of the smallest failing item is thrown again
/// here, whatever the number of threads: an item below one that failed has always been taken
/// before it and is finished, those above are dropped. What `poll` throws cancels the work.
void for_each_item(std::size_t items, const ParallelOptions& options,
                   const std::function<void(std::size_t, const WorkToken&)>& work);

}  // namespace foothold::simulation
