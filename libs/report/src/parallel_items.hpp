#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace foothold::report {

/// Calls work(0), …, work(items − 1) on some threads (0: as many as the machine runs at once), each
/// once, and returns when all are done. Each item should write to a place of its own, so that the
/// result does not depend on the number of threads. What the first failing item throws is thrown
/// again here. Returns false if `stop` became true before all items were begun.
bool for_each_item(std::size_t items, unsigned threads, const std::atomic<bool>* stop,
                   const std::function<void(std::size_t)>& work);

}  // namespace foothold::report
