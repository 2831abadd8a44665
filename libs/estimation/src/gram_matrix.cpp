#include "foothold/estimation/gram_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "foothold/base/compensated.hpp"
#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::estimation {

namespace {

using Eigen::Index;

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
  double norm;
  double cosine;
  double sine;
};

// The rotation that takes (a, b) to (norm, 0).
inline Rotation rotation_of(double a, double b) {
  const double norm_sq = a * a + b * b;
  if (norm_sq > 0x1p-900 && norm_sq < 0x1p900) {
    const double norm = std::sqrt(norm_sq);
    const double inverse = norm * (1.0 / norm_sq);  // the division need not wait for the root
    return {norm, a * inverse, b * inverse};
  }
  const double norm = std::hypot(a, b);
  return {norm, a / norm, b / norm};
}

// F Fᵀ + x xᵀ = [F x][F x]ᵀ, made triangular by one Givens rotation per column: backward stable,
// since only orthogonal transformations touch the data [GVL13, §6.5.4]. If [F x]Q = [F' 0], then
// Qᵀ[F⁻¹; 0] = [F'⁻¹; v] for some row v, since F'F'⁻¹ = [F x]QQᵀ[F⁻¹; 0] = FF⁻¹: the same rotations
// keep the inverse. With F⁻ᵀ in columns, step k changes the entries of F below the diagonal
// together with what is left of x, and those of F⁻ᵀ above it together with v: one loop, in
// which `rest` holds v up to k and x after it.
template <int Fixed>
void rotate_factors(Index dim, double* __restrict factor, double* __restrict root_inverse,
                    double* __restrict rest) {
  const Index d = Fixed > 0 ? Fixed : dim;
  for (Index k = 0; k < d; ++k) {
    double* __restrict f = factor + k * d;
    double* __restrict g = root_inverse + k * d;
    const auto [norm, cosine, sine] = rotation_of(f[k], rest[k]);
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
    f[k] = norm;
  }
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
      rotated_(Eigen::VectorXd::Zero(dim)) {
  summarise<Eigen::Dynamic>();
  invert_factor();
}

void GramMatrix::update(const Eigen::Ref<const Eigen::VectorXd>& x) {
  with_fixed_dim(dim(), [&](auto fixed) { update_sized<fixed.value>(x.data()); });
  if (static_cast<std::int64_t>(updates_) % kRefreshEvery == 0) {
    invert_factor();
  }
}

template <int Fixed>
void GramMatrix::update_sized(const double* x) {
  const Index d = fixed_or<Fixed>(dim());
  std::copy(x, x + d, rotated_.data());
  add_outer_product<Fixed>(d, x, high_.data(), low_.data());
  rotate_factors<Fixed>(d, factor_.data(), root_inverse_.data(), rotated_.data());
  fixed_view<Fixed>(factor_inverse_) = fixed_view<Fixed>(root_inverse_).transpose();
  updates_ += 1.0;
  summarise<Fixed>();
  // No entry of A exceeds its diagonal, and what is not finite in F reaches its diagonal.
  bool is_positive = std::isfinite(trace_);
  for (Index i = 0; i < d; ++i) {
    const double end = factor_.data()[i * (d + 1)];
    is_positive = is_positive && end > 0.0 && end <= std::numeric_limits<double>::max();
  }
  is_usable_ = is_usable_ && is_positive;
}

template <int Fixed>
void GramMatrix::summarise() {
  const Index d = fixed_or<Fixed>(dim());
  trace_ = 0.0;
  largest_ = 0.0;
  for (Index i = 0; i < d; ++i) {
    const double entry = high_.data()[i * (d + 1)];
    trace_ += entry;
    largest_ = entry > largest_ ? entry : largest_;
  }
  // With m = |A||y|, ‖m‖ ≤ tr(A)‖y‖: d products and sums lose γ_{d+1}m, the low part that is left
  // out u of it; and each entry of A errs.
  const auto size = static_cast<double>(d);
  product_error_ =
      rounding::inflate(plain_share(d) * trace_ + size * representation_error(), size + 8.0);
}

void GramMatrix::invert_factor() {
  root_inverse_.setIdentity();
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(root_inverse_);
  factor_inverse_ = root_inverse_.transpose();
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
  summarise<Eigen::Dynamic>();
}

}  // namespace foothold::estimation
