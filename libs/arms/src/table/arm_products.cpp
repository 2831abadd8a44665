#include "table/arm_products.hpp"

namespace foothold::arms {

ArmProducts::ArmProducts(Eigen::Index dim, Eigen::Index most) : dim_(dim) {
  const Eigen::Index padded = (most + kTogether - 1) / kTogether * kTogether;
  coefficients_.assign(static_cast<std::size_t>(padded * dim), 0.0F);
  offsets_.assign(static_cast<std::size_t>(padded), 0.0F);
  values_.assign(static_cast<std::size_t>(padded * kTile), 0.0F);
}

void ArmProducts::set(Eigen::Index form, const Eigen::VectorXd& a, double offset) {
  float* entries = coefficients_.data() + form / kTogether * kTogether * dim_ + form % kTogether;
  for (Eigen::Index j = 0; j < dim_; ++j) {
    entries[j * kTogether] = static_cast<float>(a(j));
  }
  offsets_[static_cast<std::size_t>(form)] = static_cast<float>(offset);
}

void ArmProducts::evaluate(const float* tile, Eigen::Index count) {
  using Packet = Eigen::internal::packet_traits<float>::type;
  using Eigen::internal::pmadd;
  using Eigen::internal::pset1;
  constexpr Eigen::Index kWidth = lanes::kWidth<float>;
  constexpr int kSide = lanes::kSide;
  for (Eigen::Index first = 0; first < count; first += kTogether) {
    const float* entries = coefficients_.data() + first * dim_;
    Packet sums[kTogether][kSide];  // NOLINT(modernize-avoid-c-arrays): registers
    for (int f = 0; f < kTogether; ++f) {
      for (int u = 0; u < kSide; ++u) {
        sums[f][u] = pset1<Packet>(-offsets_[static_cast<std::size_t>(first + f)]);
      }
    }
    for (Eigen::Index j = 0; j < dim_; ++j) {
      for (int u = 0; u < kSide; ++u) {
        Packet x = Eigen::internal::ploadu<Packet>(tile + j * kTile + u * kWidth);
        // Else the compiler loads it again for every form, and loads are what this waits for.
        EIGEN_OPTIMIZATION_BARRIER(x)
        for (int f = 0; f < kTogether; ++f) {
          sums[f][u] = pmadd(pset1<Packet>(entries[j * kTogether + f]), x, sums[f][u]);
        }
      }
    }
    for (int f = 0; f < kTogether; ++f) {
      for (int u = 0; u < kSide; ++u) {
        Eigen::internal::pstoreu(values_.data() + (first + f) * kTile + u * kWidth, sums[f][u]);
      }
    }
  }
}

}  // namespace foothold::arms
