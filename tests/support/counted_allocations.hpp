#pragma once

#include <atomic>
#include <cstddef>

// Counts the allocations of a test program: include it in exactly one of its sources. Eigen and
// operator new both end in malloc, and glibc's own entry does the work. Sanitizers bring a malloc
// of their own; nothing is counted then, and such tests skip themselves.
#if defined(FOOTHOLD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOOTHOLD_COUNTS_ALLOCATIONS 0
#else
#define FOOTHOLD_COUNTS_ALLOCATIONS 1
#endif

namespace foothold::testing {

constexpr bool kCountsAllocations = FOOTHOLD_COUNTS_ALLOCATIONS != 0;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): malloc has no other place.
inline std::atomic<long> allocations{0};

}  // namespace foothold::testing

#if FOOTHOLD_COUNTS_ALLOCATIONS
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  foothold::testing::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif
