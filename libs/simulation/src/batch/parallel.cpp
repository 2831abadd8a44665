#include "foothold/simulation/batch/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace foothold::simulation {
namespace {

class Crew {
 public:
  Crew(std::size_t items, const ParallelOptions& options,
       const std::function<void(std::size_t, const WorkToken&)>& work)
      : items_(items), options_(options), work_(work) {}

  void run() {
    const std::size_t count =
        std::max<std::size_t>(1, std::min<std::size_t>(options_.threads, items_));
    std::vector<std::jthread> threads;
    threads.reserve(count);
    try {
      for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([this] { work_until_done(); });
        ++started_;
      }
      wait_and_poll();
    } catch (...) {
      cancelled_.store(true);
      throw;  // The threads are joined on the way out.
    }
    threads.clear();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  // Throws nothing: what the work throws is kept.
  void work_until_done() noexcept {
    while (true) {
      const std::size_t item = next_.fetch_add(1);
      const WorkToken token(item, first_failed_, cancelled_, options_.stop);
      if (item >= items_ || !token.is_wanted()) {
        break;
      }
      try {
        work_(item, token);
      } catch (...) {
        keep_failure(item, std::current_exception());
      }
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    all_finished_.notify_one();
  }

  void keep_failure(std::size_t item, const std::exception_ptr& failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (item < first_failed_.load()) {
      first_failed_.store(item);
      failure_ = failure;
    }
  }

  void wait_and_poll() {
    std::unique_lock lock(mutex_);
    while (!all_finished_.wait_for(lock, options_.poll_interval,
                                   [this] { return finished_ == started_; })) {
      if (options_.poll) {
        lock.unlock();
        options_.poll();
        lock.lock();
      }
    }
  }

  std::size_t items_;
  const ParallelOptions& options_;
  const std::function<void(std::size_t, const WorkToken&)>& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> first_failed_{std::numeric_limits<std::size_t>::max()};
  std::atomic<bool> cancelled_{false};
  std::size_t started_ = 0;  // by the calling thread only
  std::mutex mutex_;
  std::condition_variable all_finished_;
  std::size_t finished_ = 0;      // under the mutex
  std::exception_ptr failure_{};  // under the mutex
};

}  // namespace

bool WorkToken::is_wanted() const noexcept {
  return !cancelled_.load(std::memory_order_relaxed) &&
         item_ < first_failed_.load(std::memory_order_relaxed) &&
         (stop_ == nullptr || !stop_->load(std::memory_order_relaxed));
}

unsigned thread_count(unsigned wanted, std::size_t items) {
  const unsigned threads = wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::size_t>(items, 1, threads));
}

void for_each_item(std::size_t items, const ParallelOptions& options,
                   const std::function<void(std::size_t, const WorkToken&)>& work) {
  Crew(items, options, work).run();
}

}  // namespace foothold::simulation
