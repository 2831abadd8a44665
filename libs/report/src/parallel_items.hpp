#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace foothold::report {

struct ItemOptions {
  unsigned threads = 0;                     ///< 0: as many as the machine runs at once.
  const std::atomic<bool>* stop = nullptr;  ///< No further item is begun once it is true.
  std::function<void()> poll{};  ///< Called from the calling thread, about ten times a second.
};

/// Calls work(0), …, work(items − 1) on some threads, each once, and returns when all are done.
/// Each item should write to a place of its own, so that the result does not depend on the number
/// of threads. What the first failing item throws is thrown again here. Returns false if `stop`
/// became true before all items were done; those that were begun may have been cut short by it.
bool for_each_item(std::size_t items, const ItemOptions& options,
                   const std::function<void(std::size_t)>& work);

}  // namespace foothold::report
