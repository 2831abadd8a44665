#pragma once

#include <Eigen/Core>

namespace foothold::selection {

// Calls f.operator()<D>() with D = dim for small dimensions, whose loops the compiler then unrolls
// into registers, and with D = 0 for all others. Loops take their length from `fixed_or(dim)`.
template <typename F>
void with_fixed_dim(Eigen::Index dim, F&& f) {
  switch (dim) {
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    default:
      return f.template operator()<0>();
  }
}

template <int D>
constexpr Eigen::Index fixed_or(Eigen::Index dim) {
  return D > 0 ? D : dim;
}

}  // namespace foothold::selection
