#pragma once

#include <type_traits>

#include <Eigen/Core>

// Loops of known length for small dimensions: unrolled and kept in registers by the compiler.
namespace foothold {

/// Calls `kernel` with the dimension as a constant where it is one of the small ones that are worth
/// it, so that the loops over it disappear; otherwise with `Eigen::Dynamic`. Returns what it does.
template <typename Kernel>
decltype(auto) with_fixed_dim(Eigen::Index dim, Kernel&& kernel) {
  switch (dim) {
    case 2:
      return kernel(std::integral_constant<int, 2>{});
    case 4:
      return kernel(std::integral_constant<int, 4>{});
    case 8:
      return kernel(std::integral_constant<int, 8>{});
    case 16:
      return kernel(std::integral_constant<int, 16>{});
    default:
      return kernel(std::integral_constant<int, Eigen::Dynamic>{});
  }
}

/// A vector or a square matrix seen as one of `Fixed` dimensions.
template <int Fixed>
[[nodiscard]] auto fixed_view(const Eigen::VectorXd& v) {
  return Eigen::Map<const Eigen::Matrix<double, Fixed, 1>>(v.data(), v.size());
}
template <int Fixed>
[[nodiscard]] auto fixed_view(const Eigen::Ref<const Eigen::VectorXd>& v) {
  return Eigen::Map<const Eigen::Matrix<double, Fixed, 1>>(v.data(), v.size());
}
template <int Fixed>
[[nodiscard]] auto fixed_view(Eigen::VectorXd& v) {
  return Eigen::Map<Eigen::Matrix<double, Fixed, 1>>(v.data(), v.size());
}
template <int Fixed>
[[nodiscard]] auto fixed_view(const Eigen::MatrixXd& m) {
  return Eigen::Map<const Eigen::Matrix<double, Fixed, Fixed>>(m.data(), m.rows(), m.cols());
}
template <int Fixed>
[[nodiscard]] auto fixed_view(Eigen::MatrixXd& m) {
  return Eigen::Map<Eigen::Matrix<double, Fixed, Fixed>>(m.data(), m.rows(), m.cols());
}

/// to ← from, in one piece where a vector is small: entries that are written one by one delay
/// whoever reads several of them at once.
inline void copy_vector(const Eigen::Ref<const Eigen::VectorXd>& from,
                        Eigen::Ref<Eigen::VectorXd> to) {
  with_fixed_dim(from.size(), [&](auto fixed) {
    using Vector = Eigen::Matrix<double, fixed.value, 1>;
    Eigen::Map<Vector>(to.data(), from.size()) = Eigen::Map<const Vector>(from.data(), from.size());
  });
}

/// The dimension as a constant where it is one, for plain loops.
template <int Fixed>
[[nodiscard]] constexpr Eigen::Index fixed_or(Eigen::Index dim) {
  return Fixed > 0 ? Fixed : dim;
}

}  // namespace foothold
