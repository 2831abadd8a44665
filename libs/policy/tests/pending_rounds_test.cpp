#include "memory/pending_rounds.hpp"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "foothold/base/error.hpp"

namespace foothold::policy {
namespace {

// Oracle: a map from open ids to actions, under any interleaving of opening and closing.
RC_GTEST_PROP(PendingRounds, BehavesLikeAMapUnderAnyOrder, ()) {
  PendingRounds pending(2);
  std::map<std::uint64_t, double> oracle;
  std::uint64_t next = 0;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  for (const int step : steps) {
    if (step % 2 == 0 || oracle.empty()) {
      const double value = step;
      const DecisionId id = pending.open(Eigen::Vector2d(value, -value), step % 4 == 0);
      RC_ASSERT(static_cast<std::uint64_t>(id) == next);
      oracle[next++] = value;
    } else {
      auto chosen = oracle.begin();
      std::advance(chosen, step % static_cast<int>(oracle.size()));
      const std::size_t position = pending.find(DecisionId{chosen->first});
      RC_ASSERT(pending.action(position)(0) == chosen->second);
      RC_ASSERT(pending.is_warmup(position) == (static_cast<int>(chosen->second) % 4 == 0));
      pending.close(position);
      const std::uint64_t closed = chosen->first;
      oracle.erase(chosen);
      try {
        static_cast<void>(pending.find(DecisionId{closed}));
        RC_FAIL("a closed round was found");
      } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::Conflict);
      }
    }
    RC_ASSERT(pending.open_count() == oracle.size());
  }
}

}  // namespace
}  // namespace foothold::policy
