#include "memory/seen_pairs.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "foothold/base/error.hpp"

namespace foothold::policy {
namespace {

Digest128 digest_of(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  return chained({}, action.data(), action.size(), loss);
}

}  // namespace

void SeenPairs::require_new(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) const {
  if (pairs_.contains(digest_of(action, loss))) {
    throw Error(
        ErrorCode::Conflict, "loss",
        fmt::format("must not repeat a pair that was seen before, got the loss {} of the same "
                    "action again",
                    loss));
  }
}

void SeenPairs::add(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  pairs_.insert(digest_of(action, loss));
}

// In order, so that equal states have equal bytes.
void SeenPairs::save(ByteWriter& out) const {
  std::vector<Digest128> sorted(pairs_.begin(), pairs_.end());
  std::sort(sorted.begin(), sorted.end(), [](const Digest128& left, const Digest128& right) {
    return left.high != right.high ? left.high < right.high : left.low < right.low;
  });
  out.write(static_cast<std::uint64_t>(sorted.size()));
  for (const Digest128& digest : sorted) {
    out.write(digest);
  }
}

void SeenPairs::load(ByteReader& in) {
  const std::uint64_t count = in.read_word();
  pairs_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    pairs_.insert(in.read_digest());
  }
}

}  // namespace foothold::policy
