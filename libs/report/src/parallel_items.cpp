#include "parallel_items.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace foothold::report {
namespace {

constexpr std::chrono::milliseconds kPollInterval{100};

}  // namespace

bool for_each_item(std::size_t items, const ItemOptions& options,
                   const std::function<void(std::size_t)>& work) {
  const std::size_t wanted =
      options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = std::min(wanted, items);
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(items);  // each written by one thread
  std::mutex mutex;
  std::condition_variable all_finished;
  std::size_t finished = 0;  // under the mutex
  const auto is_stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto take_items = [&] {
    for (std::size_t item = next.fetch_add(1); item < items && !is_stopped();
         item = next.fetch_add(1)) {
      try {
        work(item);
      } catch (...) {
        failures[item] = std::current_exception();
      }
    }
    const std::lock_guard lock(mutex);
    ++finished;
    all_finished.notify_one();
  };
  std::vector<std::jthread> crew;
  for (std::size_t i = 0; i < count; ++i) {
    crew.emplace_back(take_items);
  }
  {
    std::unique_lock lock(mutex);
    while (!all_finished.wait_for(lock, kPollInterval, [&] { return finished == count; })) {
      if (options.poll) {
        lock.unlock();
        options.poll();
        lock.lock();
      }
    }
  }
  crew.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
  return !is_stopped();
}

}  // namespace foothold::report
