#include "foothold/base/compensated.hpp"

#include <array>
#include <cmath>

namespace foothold {
namespace {

using Eigen::Index;

// Adds `Width` columns, which keeps the sums in registers meanwhile.
template <int Width, bool kHasLow>
inline void add_columns(Index d, const double* __restrict matrix, const double* __restrict low_part,
                        const double* __restrict x, double* __restrict high,
                        double* __restrict low) {
  for (Index i = 0; i < d; ++i) {
    double sum = high[i];
    double errors = low[i];
    for (int c = 0; c < Width; ++c) {
      const DoubleDouble product = two_product(matrix[i + c * d], x[c]);
      const DoubleDouble next = two_sum(sum, product.high);
      sum = next.high;
      errors += next.low + product.low;
      if constexpr (kHasLow) {
        errors = std::fma(low_part[i + c * d], x[c], errors);
      }
    }
    high[i] = sum;
    low[i] = errors;
  }
}

template <int Fixed, bool kHasLow>
void add_all_columns(Index dim, const double* matrix, const double* low_part, const double* x,
                     double* high, double* low) {
  const Index d = Fixed > 0 ? Fixed : dim;
  constexpr int kWidth = Fixed == 2 ? 2 : 4;
  const Index whole = d - d % kWidth;
  for (Index j = 0; j < whole; j += kWidth) {
    add_columns<kWidth, kHasLow>(d, matrix + j * d, kHasLow ? low_part + j * d : nullptr, x + j,
                                 high, low);
  }
  if constexpr (Fixed == 0) {
    for (Index j = whole; j < d; ++j) {
      add_columns<1, kHasLow>(d, matrix + j * d, kHasLow ? low_part + j * d : nullptr, x + j, high,
                              low);
    }
  }
}

}  // namespace

void add_product(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x, Eigen::VectorXd& high,
                 Eigen::VectorXd& low) {
  with_fixed_dim(x.size(), [&](auto fixed) {
    add_all_columns<fixed.value, false>(x.size(), matrix.data(), nullptr, x.data(), high.data(),
                                        low.data());
  });
}

void add_product(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& matrix_low,
                 const Eigen::VectorXd& x, Eigen::VectorXd& high, Eigen::VectorXd& low) {
  with_fixed_dim(x.size(), [&](auto fixed) {
    add_all_columns<fixed.value, true>(x.size(), matrix.data(), matrix_low.data(), x.data(),
                                       high.data(), low.data());
  });
}

DoubleDouble compensated_dot(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  // Independent lanes, since one chain of sums would wait for each of them.
  constexpr Index kLanes = 4;
  const Index d = x.size();
  const Index whole = d - d % kLanes;
  std::array<double, kLanes> sums{};
  std::array<double, kLanes> errors{};
  const auto add = [&](std::size_t lane, Index i) {
    const DoubleDouble product = two_product(x(i), y(i));
    const DoubleDouble next = two_sum(sums[lane], product.high);
    sums[lane] = next.high;
    errors[lane] += next.low + product.low;
  };
  for (Index i = 0; i < whole; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      add(static_cast<std::size_t>(lane), i + lane);
    }
  }
  for (Index i = whole; i < d; ++i) {
    add(static_cast<std::size_t>(i - whole), i);
  }
  const DoubleDouble first = two_sum(sums[0], sums[1]);
  const DoubleDouble second = two_sum(sums[2], sums[3]);
  const DoubleDouble total = two_sum(first.high, second.high);
  return {total.high, ((errors[0] + errors[1]) + (errors[2] + errors[3])) +
                          ((first.low + second.low) + total.low)};
}

}  // namespace foothold
