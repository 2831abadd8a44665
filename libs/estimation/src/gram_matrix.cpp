#include "foothold/estimation/gram_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>

#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/compensated.hpp"
#include "foothold/base/simd/register_vector.hpp"
#include "foothold/base/simd/small_product.hpp"

#include "plain_share.hpp"

namespace foothold::estimation {

namespace {

using Eigen::Index;

// Rotations are found from F⁻¹x while F⁻¹ is trusted that far: up to this tr(A)·tr(A⁻¹), F⁻¹x errs
// by less than 1e-8 of itself, what inexact rotations leave of x by as much, and F Fᵀ by its
// square. Beyond, and where squares could leave the range, each rotation is found from what is left
// of x.
constexpr double kLargestCondition = 1e10;
constexpr double kLargestGrowth = 0x1p900;

// A ← A + x xᵀ, each entry in doubled precision. Cheaper than the sum of two pairs by one
// renormalisation: with t = err + p.low and l = low + t rounded, the error is at most
// u²(2|s| + 2|p| + |high|) ≤ 5u² of the largest diagonal entry, which bounds every entry.
template <int Fixed>
void add_outer_product(Index dim, const double* __restrict x, double* __restrict high,
                       double* __restrict low) {
  const Index d = Fixed > 0 ? Fixed : dim;
  for (Index j = 0; j < d; ++j) {
    const double factor = x[j];
    double* __restrict high_col = high + j * d;
    double* __restrict low_col = low + j * d;
#pragma GCC unroll 1
    for (Index i = 0; i < d; ++i) {
      const DoubleDouble product = two_product(x[i], factor);
      const DoubleDouble sum = two_sum(high_col[i], product.high);
      // After cancellation `sum.high` is a multiple of the last place of what is added, so that
      // the short form is exact in this case, too.
      const DoubleDouble entry = fast_two_sum(sum.high, low_col[i] + (sum.low + product.low));
      high_col[i] = entry.high;
      low_col[i] = entry.low;
    }
  }
}

struct Rotation {
  double cosine;
  double sine;
};

// The rotation that takes (a, b) to (√(a² + b²), 0).
Rotation rotation_of(double a, double b) {
  const double norm_sq = a * a + b * b;
  const double norm =
      norm_sq > 0x1p-900 && norm_sq < 0x1p900 ? std::sqrt(norm_sq) : std::hypot(a, b);
  return {a / norm, b / norm};
}

// The rotations that make [F x] triangular, column by column, are those that make [I p] so with
// p = F⁻¹x: with t_k = 1 + p_1² + … + p_k² they have the cosines √(t_{k−1}/t_k) and the sines
// p_k/√t_k. No root waits for the rotation before. Returns t_d.
double find_rotations(Index d, const double* __restrict p, double* __restrict cosines,
                      double* __restrict sines) {
  double sum = 1.0;
  double root = 1.0;
  for (Index k = 0; k < d; ++k) {
    sum += p[k] * p[k];
    const double next = std::sqrt(sum);
    cosines[k] = root / next;
    sines[k] = p[k] / next;
    root = next;
  }
  return sum;
}

// A vector of few dimensions as one value.
template <int Fixed>
using Lanes [[gnu::vector_size(Fixed * sizeof(double))]] = double;

// Results are written to references: how a wide vector is returned depends on the CPU.
// moved ← the entries of v moved up by `Step` places, behind as many of `first`.
template <int Step, int... I>
[[gnu::always_inline]] inline void move_up(const Lanes<sizeof...(I)>& first,
                                           const Lanes<sizeof...(I)>& v, Lanes<sizeof...(I)>& moved,
                                           std::integer_sequence<int, I...> /*places*/) {
  constexpr int kSize = sizeof...(I);
  moved = __builtin_shufflevector(first, v, (I < Step ? I : kSize + I - Step)...);
}

// v_i ← Σ_{j ≤ i} v_j: every step adds twice as many as the one before.
template <int Fixed, int Step = 1>
[[gnu::always_inline]] inline void sum_up(Lanes<Fixed>& v) {
  if constexpr (Step < Fixed) {
    Lanes<Fixed> moved;
    move_up<Step>(Lanes<Fixed>{}, v, moved, std::make_integer_sequence<int, Fixed>{});
    v += moved;
    sum_up<Fixed, 2 * Step>(v);
  }
}

// The same as `find_rotations`, for all places at once.
template <int Fixed>
double find_small_rotations(const double* p_data, double* cosines, double* sines) {
  Lanes<Fixed> p;
  std::memcpy(&p, p_data, sizeof(p));
  Lanes<Fixed> sums = p * p;
  sum_up<Fixed>(sums);
  sums += 1.0;
  Lanes<Fixed> roots;
  for (int k = 0; k < Fixed; ++k) {
    roots[k] = std::sqrt(sums[k]);
  }
  Lanes<Fixed> before;
  move_up<1>(Lanes<Fixed>{} + 1.0, roots, before, std::make_integer_sequence<int, Fixed>{});
  const Lanes<Fixed> inverse = 1.0 / roots;
  const Lanes<Fixed> cosine = before * inverse;
  const Lanes<Fixed> sine = p * inverse;
  std::memcpy(cosines, &cosine, sizeof(cosine));
  std::memcpy(sines, &sine, sizeof(sine));
  return sums[Fixed - 1];
}

// F Fᵀ + x xᵀ = [F x][F x]ᵀ, made triangular by one Givens rotation per column: backward stable,
// since only orthogonal transformations touch the data [GVL13, §6.5.4]. If [F x]Q = [F' 0],
// Qᵀ[F⁻¹; 0] = [F'⁻¹; v] for some row v, since F'F'⁻¹ = [F x]QQᵀ[F⁻¹; 0] = FF⁻¹: the same rotations
// keep the inverse. With F⁻ᵀ in columns, step k changes the entries of F below the diagonal
// together with what is left of x, and those of F⁻ᵀ above it together with v: one loop, in
// which `rest` holds v up to k and x after it. What inexact rotations leave of x is dropped: F
// loses it, F⁻¹ and v do not.
template <int Fixed, typename Rotations>
void rotate_factors(Index dim, const Rotations& rotations, double* __restrict factor,
                    double* __restrict root_inverse, double* __restrict rest) {
  const Index d = fixed_or<Fixed>(dim);
  for (Index k = 0; k < d; ++k) {
    double* __restrict f = factor + k * d;
    double* __restrict g = root_inverse + k * d;
    const auto [cosine, sine] = rotations(k, f[k], rest[k]);
    const double diagonal = cosine * f[k] + sine * rest[k];
    rest[k] = 0.0;
#pragma GCC unroll 1
    for (Index i = 0; i < d; ++i) {
      const double below = f[i];
      const double above = g[i];
      const double entry = i > k ? below : above;
      const double turned = cosine * entry + sine * rest[i];
      rest[i] = cosine * rest[i] - sine * entry;
      f[i] = i > k ? turned : 0.0;
      g[i] = i > k ? 0.0 : turned;
    }
    f[k] = diagonal;
  }
}

// The same with columns and `rest` in registers.
template <int Fixed>
void rotate_small_factors(const double* cosines, const double* sines, double* factor,
                          double* root_inverse, double* rest_data) {
  Places<Fixed> places{};
  for (int i = 0; i < Fixed; ++i) {
    places[i] = i;
  }
  const Lanes<Fixed> zero{};
  Lanes<Fixed> rest;
  std::memcpy(&rest, rest_data, sizeof(rest));
#pragma GCC unroll 8
  for (Index k = 0; k < Fixed; ++k) {
    Lanes<Fixed> f;
    Lanes<Fixed> g;
    std::memcpy(&f, factor + k * Fixed, sizeof(f));
    std::memcpy(&g, root_inverse + k * Fixed, sizeof(g));
    const double cosine = cosines[k];
    const double sine = sines[k];
    const Lanes<Fixed> diagonal = cosine * f + sine * rest;
    const Lanes<Fixed> left = places == k ? zero : rest;
    const Lanes<Fixed> entry = places > k ? f : g;
    const Lanes<Fixed> turned = cosine * entry + sine * left;
    rest = cosine * left - sine * entry;
    f = places > k ? turned : (places == k ? diagonal : zero);
    g = places > k ? zero : turned;
    std::memcpy(factor + k * Fixed, &f, sizeof(f));
    std::memcpy(root_inverse + k * Fixed, &g, sizeof(g));
  }
  std::memcpy(rest_data, &rest, sizeof(rest));
}

}  // namespace

GramMatrix::GramMatrix(Eigen::Index dim, double ridge)
    : ridge_(ridge),
      high_(ridge * Eigen::MatrixXd::Identity(dim, dim)),
      low_(Eigen::MatrixXd::Zero(dim, dim)),
      factor_(std::sqrt(ridge) * Eigen::MatrixXd::Identity(dim, dim)),
      root_inverse_(Eigen::MatrixXd::Identity(dim, dim)),
      factor_inverse_(Eigen::MatrixXd::Identity(dim, dim)),
      fresh_(Eigen::MatrixXd::Zero(dim, dim)),
      added_(Eigen::VectorXd::Zero(dim)),
      rotated_(Eigen::VectorXd::Zero(dim)),
      whitened_(Eigen::VectorXd::Zero(dim)),
      cosines_(Eigen::VectorXd::Zero(dim)),
      sines_(Eigen::VectorXd::Zero(dim)) {
  summarise();
  invert_factor();
}

void GramMatrix::update(const Eigen::Ref<const Eigen::VectorXd>& x) {
  added_ = x;
  multiply(factor_inverse_, added_, whitened_);
  update(x, whitened_);
}

void GramMatrix::update(const Eigen::Ref<const Eigen::VectorXd>& x,
                        const Eigen::VectorXd& whitened) {
  with_fixed_dim(dim(), [&](auto fixed) { update_sized<fixed.value>(x.data(), whitened.data()); });
  if (static_cast<std::int64_t>(updates_) % kRefreshEvery == 0) {
    invert_factor();
  }
}

template <int Fixed>
void GramMatrix::update_sized(const double* x, const double* whitened) {
  const Index d = fixed_or<Fixed>(dim());
  std::copy(x, x + d, added_.data());
  std::copy(x, x + d, rotated_.data());
  add_outer_product<Fixed>(d, x, high_.data(), low_.data());
  if constexpr (kFitsRegister<Fixed>) {
    growth_ = find_small_rotations<Fixed>(whitened, cosines_.data(), sines_.data());
  } else {
    growth_ = find_rotations(d, whitened, cosines_.data(), sines_.data());
  }
  const bool is_trusted =
      trace_ * inverse_trace_ <= kLargestCondition && growth_ < kLargestGrowth;  // not for NaN
  has_rotated_ = is_trusted && has_past_;
  has_past_ = true;
  if (is_trusted) {
    if constexpr (kFitsRegister<Fixed>) {
      rotate_small_factors<Fixed>(cosines_.data(), sines_.data(), factor_.data(),
                                  root_inverse_.data(), rotated_.data());
    } else {
      const auto rotations = [this](Index k, double /*a*/, double /*b*/) {
        return Rotation{cosines_.data()[k], sines_.data()[k]};
      };
      rotate_factors<Fixed>(d, rotations, factor_.data(), root_inverse_.data(), rotated_.data());
    }
  } else {
    const auto rotations = [](Index /*k*/, double a, double b) { return rotation_of(a, b); };
    rotate_factors<Fixed>(d, rotations, factor_.data(), root_inverse_.data(), rotated_.data());
  }
  fixed_view<Fixed>(factor_inverse_) = fixed_view<Fixed>(root_inverse_).transpose();
  updates_ += 1.0;
  summarise_sized<Fixed>();
  // No entry of A exceeds its diagonal, and what is not finite in F reaches its diagonal.
  bool is_positive = std::isfinite(trace_);
  for (Index i = 0; i < d; ++i) {
    const double end = factor_.data()[i * (d + 1)];
    is_positive = is_positive && end > 0.0 && end <= std::numeric_limits<double>::max();
  }
  is_usable_ = is_usable_ && is_positive;
}

void GramMatrix::summarise() {
  with_fixed_dim(dim(), [&](auto fixed) { summarise_sized<fixed.value>(); });
}

// By the same sums wherever it is called, so that a restored state goes on bit for bit.
template <int Fixed>
void GramMatrix::summarise_sized() {
  const Index d = fixed_or<Fixed>(dim());
  const auto diagonal = fixed_view<Fixed>(high_).diagonal();
  trace_ = diagonal.sum();
  largest_ = diagonal.maxCoeff();
  // With m = |A||y|, ‖m‖ ≤ tr(A)‖y‖: d products and sums lose γ_{d+1}m, the low part that is left
  // out u of it; and each entry of A errs.
  const auto size = static_cast<double>(d);
  product_error_ =
      rounding::inflate(plain_share(d) * trace_ + size * representation_error(), size + 8.0);
  if constexpr (Fixed > 0) {  // by columns, as they were just written
    Eigen::Array<double, Fixed, 1> squares =
        fixed_view<Fixed>(root_inverse_).col(0).array().square();
    for (Index k = 1; k < d; ++k) {
      squares += fixed_view<Fixed>(root_inverse_).col(k).array().square();
    }
    inverse_trace_ = squares.sum();
  } else {
    inverse_trace_ = root_inverse_.squaredNorm();
  }
}

void GramMatrix::invert_factor() {
  root_inverse_.setIdentity();
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(root_inverse_);
  factor_inverse_ = root_inverse_.transpose();
  summarise();
  has_rotated_ = false;
}

bool GramMatrix::refactor() {
  // In place, row by row; Eigen's LLT would do the same with an allocation.
  const Eigen::Index d = dim();
  fresh_.setZero();
  for (Eigen::Index j = 0; j < d; ++j) {
    for (Eigen::Index i = j; i < d; ++i) {
      double sum = high_(i, j);
      for (Eigen::Index k = 0; k < j; ++k) {
        sum -= fresh_(i, k) * fresh_(j, k);
      }
      fresh_(i, j) = i == j ? std::sqrt(sum) : sum / fresh_(j, j);
    }
  }
  if (!fresh_.allFinite() || !high_.allFinite() || !(fresh_.diagonal().minCoeff() > 0.0)) {
    return false;  // an updated factor of the same A can outlive this: it keeps its diagonal
  }
  factor_.swap(fresh_);
  invert_factor();
  is_usable_ = true;
  return true;
}

double GramMatrix::rotation_share() const {
  const auto d = static_cast<double>(dim());
  return 28.0 * rounding::kUnit * (std::sqrt(d) + d * std::sqrt(std::log(growth_)));
}

double GramMatrix::representation_error() const {
  // Each update errs by ≤ 5u² of the sum's parts, which are bounded by the largest diagonal
  // entry at the end, and by one underflow of the product's error term.
  return updates_ * (8.0 * rounding::kUnit * rounding::kUnit * largest_ + rounding::kTiny);
}

void GramMatrix::save(ByteWriter& out) const {
  out.write(updates_);
  out.write(static_cast<std::uint64_t>(is_usable_ ? 1 : 0));
  out.write(high_);
  out.write(low_);
  out.write(factor_);
  out.write(root_inverse_);
}

void GramMatrix::load(ByteReader& in) {
  updates_ = in.read_double();
  is_usable_ = in.read_word() != 0;
  high_ = in.read_matrix(dim(), dim());
  low_ = in.read_matrix(dim(), dim());
  factor_ = in.read_matrix(dim(), dim());
  root_inverse_ = in.read_matrix(dim(), dim());
  factor_inverse_ = root_inverse_.transpose();
  has_rotated_ = false;
  has_past_ = false;
  summarise();
}

}  // namespace foothold::estimation
