#include "parallel_items.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace foothold::report {

bool for_each_item(std::size_t items, unsigned threads, const std::atomic<bool>* stop,
                   const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_stopped{false};
  std::vector<std::exception_ptr> failures(items);  // each written by one thread
  const auto take_items = [&] {
    for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) {
      if (stop != nullptr && stop->load()) {
        is_stopped.store(true);
        return;
      }
      try {
        work(item);
      } catch (...) {
        failures[item] = std::current_exception();
      }
    }
  };
  const std::size_t wanted =
      threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> crew;
  for (std::size_t i = 0; i < std::min(wanted, items); ++i) {
    crew.emplace_back(take_items);
  }
  crew.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
  return !is_stopped.load();
}

}  // namespace foothold::report
