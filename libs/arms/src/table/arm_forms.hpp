#pragma once

#include <cstring>

#include <Eigen/Core>

#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::arms {

// Linear forms on many arms at once, with the lanes of a vector register running over arms. Sums
// are taken in the same order for every arm, and without fused operations, so what is computed for
// an arm depends on nothing but the arm: equal arms get equal values wherever they stand.

// Arms beside one another: entry j of arm i is data[j·stride + i].
template <typename Scalar>
struct ArmBlock {
  const Scalar* data = nullptr;
  Eigen::Index stride = 0;
  Eigen::Index count = 0;
};

// How the values of several forms are gathered into one.
enum class Gather { SumOfSquares, LargestMagnitude };

// ℓᵀx − o and Σ_r (a_rᵀx − o_r)², or max_r |a_rᵀx − o_r|, in d dimensions. What is pointed to must
// outlive this.
template <typename Scalar>
struct ArmForms {
  Eigen::Index dim = 0;             // d
  const Scalar* linear = nullptr;   // ℓ
  Scalar linear_offset = 0;         // o
  const Scalar* forms = nullptr;    // a_r, d of them, one after another
  const Scalar* offsets = nullptr;  // o_r; null: none
  bool is_triangular = false;       // a_r has zeros behind entry r
  Gather gather = Gather::SumOfSquares;
};

namespace lanes {

template <typename Scalar>
inline constexpr int kWidth = Eigen::internal::packet_traits<Scalar>::size;

template <typename Scalar>
using Lane [[gnu::vector_size(kWidth<Scalar> * sizeof(Scalar))]] = Scalar;

// Registers that work side by side hide the latency of the additions.
inline constexpr int kSide = 4;
template <typename Scalar>
inline constexpr int kTile = kSide* kWidth<Scalar>;

template <typename Scalar, int U>
struct Registers {
  // std::array would drop the attribute of its argument that makes a lane.
  Lane<Scalar> lanes[U] = {};  // NOLINT(modernize-avoid-c-arrays)

  Lane<Scalar>& operator[](int u) { return lanes[u]; }
};

// value[u] = Σ_{j < length} form[j]·x_j − offset
template <typename Scalar, int U>
[[gnu::always_inline]] inline void apply(const Scalar* arms, Eigen::Index stride,
                                         const Scalar* form, Eigen::Index length, Scalar offset,
                                         Registers<Scalar, U>& value) {
  for (int u = 0; u < U; ++u) {
    value[u] = Lane<Scalar>{} - offset;
  }
  for (Eigen::Index j = 0; j < length; ++j) {
    for (int u = 0; u < U; ++u) {
      Lane<Scalar> x;
      std::memcpy(&x, arms + j * stride + u * kWidth<Scalar>, sizeof(x));
      value[u] += form[j] * x;
    }
  }
}

template <typename Scalar>
[[gnu::always_inline]] inline void gather(Gather how, const Lane<Scalar>& value,
                                          Lane<Scalar>& sum) {
  if (how == Gather::SumOfSquares) {
    sum += value * value;
  } else {
    const Lane<Scalar> magnitude = value < 0 ? -value : value;
    sum = magnitude > sum ? magnitude : sum;
  }
}

template <typename Scalar, int U, int Fixed>
inline void evaluate_tile(const Scalar* arms, Eigen::Index stride, const ArmForms<Scalar>& forms,
                          Scalar* linear, Scalar* gathered) {
  const Eigen::Index d = fixed_or<Fixed>(forms.dim);
  Registers<Scalar, U> value;
  Registers<Scalar, U> linear_value;
  apply<Scalar, U>(arms, stride, forms.linear, d, forms.linear_offset, linear_value);
  Registers<Scalar, U> sum;
  for (Eigen::Index r = 0; r < d; ++r) {
    apply<Scalar, U>(arms, stride, forms.forms + r * d, forms.is_triangular ? r + 1 : d,
                     forms.offsets == nullptr ? Scalar{0} : forms.offsets[r], value);
    for (int u = 0; u < U; ++u) {
      gather<Scalar>(forms.gather, value[u], sum[u]);
    }
  }
  std::memcpy(linear, &linear_value, sizeof(linear_value));
  std::memcpy(gathered, &sum, sizeof(sum));
}

}  // namespace lanes

// The room that results for `count` arms need: whole lanes are written.
template <typename Scalar>
[[nodiscard]] constexpr Eigen::Index padded(Eigen::Index count) {
  constexpr Eigen::Index kWidth = lanes::kWidth<Scalar>;
  return (count + kWidth - 1) / kWidth * kWidth;
}

// A workspace for the last arms of a block that is not padded.
template <typename Scalar>
using ArmTail = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// Evaluates the forms on every arm of the block. `linear` and `gathered` have room for
// `padded(count)` values. `tail` is not touched if the block itself is padded, that is if its
// memory goes on to a multiple of the lanes' width.
template <typename Scalar, int Fixed>
void evaluate_sized(const ArmBlock<Scalar>& arms, bool is_padded, const ArmForms<Scalar>& forms,
                    ArmTail<Scalar>& tail, Scalar* linear, Scalar* gathered) {
  using lanes::evaluate_tile;
  constexpr Eigen::Index kWidth = lanes::kWidth<Scalar>;
  constexpr Eigen::Index kTile = lanes::kTile<Scalar>;
  const Eigen::Index whole = is_padded ? padded<Scalar>(arms.count) : arms.count;
  Eigen::Index i = 0;
  for (; i + kTile <= whole; i += kTile) {
    evaluate_tile<Scalar, lanes::kSide, Fixed>(arms.data + i, arms.stride, forms, linear + i,
                                               gathered + i);
  }
  for (; i + 2 * kWidth <= whole; i += 2 * kWidth) {
    evaluate_tile<Scalar, 2, Fixed>(arms.data + i, arms.stride, forms, linear + i, gathered + i);
  }
  for (; i + kWidth <= whole; i += kWidth) {
    evaluate_tile<Scalar, 1, Fixed>(arms.data + i, arms.stride, forms, linear + i, gathered + i);
  }
  if (i < whole) {
    tail.setZero(kWidth, forms.dim);
    for (Eigen::Index j = 0; j < forms.dim; ++j) {
      std::memcpy(tail.data() + j * kWidth, arms.data + j * arms.stride + i,
                  static_cast<std::size_t>(whole - i) * sizeof(Scalar));
    }
    evaluate_tile<Scalar, 1, Fixed>(tail.data(), kWidth, forms, linear + i, gathered + i);
  }
}

template <typename Scalar>
void evaluate(const ArmBlock<Scalar>& arms, bool is_padded, const ArmForms<Scalar>& forms,
              ArmTail<Scalar>& tail, Scalar* linear, Scalar* gathered) {
  with_fixed_dim(forms.dim, [&](auto fixed) {
    evaluate_sized<Scalar, fixed.value>(arms, is_padded, forms, tail, linear, gathered);
  });
}

}  // namespace foothold::arms
