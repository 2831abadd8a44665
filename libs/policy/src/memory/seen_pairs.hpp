#pragma once

#include <cstdint>
#include <unordered_set>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/base/hash.hpp"

namespace foothold::policy {

// The pairs of action and loss that were told or observed, by their bits, to recognise one that
// comes again.
class SeenPairs {
 public:
  // Throws Error{Conflict} if the pair was seen.
  void require_new(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) const;
  void add(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Hash {
    std::size_t operator()(const Digest128& digest) const noexcept { return digest.low; }
  };
  std::unordered_set<Digest128, Hash> pairs_;
};

}  // namespace foothold::policy
