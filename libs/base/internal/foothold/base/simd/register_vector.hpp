#pragma once

#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include "foothold/base/simd/small_product.hpp"

// Chains of small products and sums: a vector that fills one register stays there, instead of being
// written for the next step to read back. The compiler does not find this by itself.
namespace foothold {

/// As many integers as a vector has entries, side by side.
template <int Fixed>
using Places [[gnu::vector_size(Fixed * sizeof(Eigen::Index))]] = Eigen::Index;

/// A vector of `Fixed` dimensions in one register; see `kFitsRegister`. Its members are named as
/// Eigen's.
template <int Fixed>
class RegisterVector {
 public:
  using Packet = typename Eigen::internal::find_best_packet<double, Fixed>::type;

  explicit RegisterVector(const double* entries)
      : packet_(Eigen::internal::ploadu<Packet>(entries)) {}
  explicit RegisterVector(const Packet& packet) : packet_(packet) {}

  void store(double* entries) const { Eigen::internal::pstoreu(entries, packet_); }

  [[nodiscard]] static constexpr Eigen::Index size() { return Fixed; }
  [[nodiscard]] double dot(const RegisterVector& other) const {
    return Eigen::internal::predux(Eigen::internal::pmul(packet_, other.packet_));
  }
  // NOLINTBEGIN(readability-identifier-naming): Eigen's names, for code that takes either.
  [[nodiscard]] double squaredNorm() const { return dot(*this); }
  template <int P>
  [[nodiscard]] double lpNorm() const {
    static_assert(P == 1);
    return Eigen::internal::predux(Eigen::internal::pabs(packet_));
  }
  // NOLINTEND(readability-identifier-naming)
  friend RegisterVector operator-(const RegisterVector& left, const RegisterVector& right) {
    return RegisterVector(Eigen::internal::psub(left.packet_, right.packet_));
  }

  /// Entry i ← value.
  void set(Eigen::Index i, double value) {
    Places<Fixed> places{};
    for (int k = 0; k < Fixed; ++k) {
      places[k] = k;
    }
    packet_ = places == i ? Eigen::internal::pset1<Packet>(value) : packet_;
  }
  /// += weight·v
  void add(double weight, const double* v) {
    packet_ =
        Eigen::internal::padd(packet_, Eigen::internal::pmul(Eigen::internal::pset1<Packet>(weight),
                                                             Eigen::internal::ploadu<Packet>(v)));
  }

  /// Mx, by columns and in two partial sums, as `small_product`.
  [[nodiscard, gnu::always_inline]] friend RegisterVector operator*(const Eigen::MatrixXd& M,
                                                                    const RegisterVector& x) {
    const double* columns = M.data();
    Packet even = Eigen::internal::pmul(column(columns, 0), x.template spread<0>());
    Packet odd = Eigen::internal::pmul(column(columns, 1), x.template spread<1>());
    x.add_columns(columns, even, odd, std::make_integer_sequence<int, Fixed / 2 - 1>{});
    return RegisterVector(Eigen::internal::padd(even, odd));
  }

 private:
  static Packet column(const double* columns, Eigen::Index j) {
    return Eigen::internal::ploadu<Packet>(columns + j * Fixed);
  }
  // Entry K in all places.
  template <int K>
  [[nodiscard]] Packet spread() const {
    return spread_to<K>(std::make_integer_sequence<int, Fixed>{});
  }
  template <int K, int... I>
  [[nodiscard]] Packet spread_to(std::integer_sequence<int, I...> /*places*/) const {
    return __builtin_shufflevector(packet_, packet_, (static_cast<void>(I), K)...);
  }
  template <int... Pair>
  [[gnu::always_inline]] void add_columns([[maybe_unused]] const double* columns, Packet& even,
                                          Packet& odd,
                                          std::integer_sequence<int, Pair...> /*rest*/) const {
    ((even = Eigen::internal::pmadd(column(columns, 2 * Pair + 2), spread<2 * Pair + 2>(), even),
      odd = Eigen::internal::pmadd(column(columns, 2 * Pair + 3), spread<2 * Pair + 3>(), odd)),
     ...);
  }

  Packet packet_;
};

/// Whether vectors of this dimension fill one register of the CPU that is compiled for.
template <int Fixed>
inline constexpr bool kFitsRegister =
    Fixed > 1 &&
    Eigen::internal::unpacket_traits<
        typename Eigen::internal::find_best_packet<double, Fixed>::type>::size == Fixed;

/// A step of a chain: in a register if it fits, else in a vector of somebody's.
template <int Fixed>
using Link = std::conditional_t<kFitsRegister<Fixed>, RegisterVector<Fixed>,
                                Eigen::Map<const Eigen::Matrix<double, Fixed, 1>>>;

/// The first link.
template <int Fixed>
[[nodiscard, gnu::always_inline]] inline Link<Fixed> link(const Eigen::VectorXd& v) {
  if constexpr (kFitsRegister<Fixed>) {
    return RegisterVector<Fixed>(v.data());
  } else {
    return fixed_view<Fixed>(v);
  }
}

/// out ← Mx; returns the next link. `x_in` holds x.
template <int Fixed>
[[nodiscard, gnu::always_inline]] inline Link<Fixed> multiply_link(
    const Eigen::MatrixXd& M, [[maybe_unused]] const Link<Fixed>& x,
    [[maybe_unused]] const Eigen::VectorXd& x_in, Eigen::VectorXd& out) {
  if constexpr (kFitsRegister<Fixed>) {
    const RegisterVector<Fixed> product = M * x;
    product.store(out.data());
    return product;
  } else {
    multiply<Fixed>(M, x_in, out);
    return fixed_view<Fixed>(std::as_const(out));
  }
}

}  // namespace foothold
