#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Cholesky>
#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

// The part of RidgeEstimate that turns its state into bytes and back.
namespace foothold::estimation {
namespace {

// Beyond this a double no longer counts one by one.
constexpr std::int64_t kMostObservations = std::int64_t{1} << 53U;

}  // namespace

void RidgeEstimate::save(ByteWriter& out) const {
  out.write(count_);
  out.write(digest_);
  out.write(log_det_ratio_.high);
  out.write(log_det_ratio_.low);
  out.write(loss_sum_.high);
  out.write(loss_sum_.low);
  out.write(loss_sum_.error);
  out.write(last_change_.y);
  out.write(last_change_.growth);
  out.write(last_change_.from);
  out.write(mu_hat_);
  gram_.save(out);
}

// What no sequence of observations can have led to is forged. Bounds are computed from A and b as
// they were loaded, so a false F or μ̂ harms nobody; a false log det A would make radii too small.
void RidgeEstimate::require_plausible() const {
  constexpr double kTolerance = 1e-6;
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, "snapshot", message);
  };
  if (!(gram_.updates() == static_cast<double>(count_))) {
    fail(fmt::format("must have as many updates as observations, {}, got {}", count_,
                     gram_.updates()));
  }
  if (!(gram_.matrix().allFinite() && gram_.matrix_low().allFinite())) {
    fail("must hold a finite Gram matrix");
  }
  const double L = *assumptions_.action_bound;
  const auto n = static_cast<double>(count_);
  const double largest = static_cast<double>(dim()) * ridge() + n * L * L;
  if (!(gram_.matrix().diagonal().minCoeff() >= ridge() * (1.0 - kTolerance) &&
        gram_.matrix().trace() <= largest * (1.0 + kTolerance))) {
    fail(fmt::format("must hold a Gram matrix of {} actions of norm at most {}", count_, L));
  }
  // Beyond this condition rounding decides on the determinant of what was computed here.
  constexpr double kLargestCondition = 1e8;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram_.matrix());
  if (factor.info() == Eigen::Success && gram_.matrix().trace() <= kLargestCondition * ridge()) {
    const double log_det = 2.0 * factor.matrixLLT().diagonal().array().log().sum() -
                           2.0 * static_cast<double>(dim()) * std::log(root_ridge_);
    if (!(log_det_ratio_.value() >= log_det - kTolerance * (1.0 + std::abs(log_det)))) {
      fail(fmt::format("must hold the log-determinant of its Gram matrix, {}, got {}", log_det,
                       log_det_ratio_.value()));
    }
  }
  if (!(loss_sum_.error >= 0.0 && loss_sum_.high.allFinite() && loss_sum_.low.allFinite() &&
        mu_hat_.allFinite() && last_change_.y.allFinite() && last_change_.growth >= 1.0)) {
    fail("must hold finite sums");
  }
}

void RidgeEstimate::load(ByteReader& in) {
  RidgeEstimate loaded = *this;  // bytes that do not fit must leave this one unchanged
  loaded.count_ = in.read_integer();
  // A negative one would pass for the mark of what is not computed yet.
  if (loaded.count_ < 0 || loaded.count_ > kMostObservations) {
    throw Error(ErrorCode::InvalidArgument, "snapshot",
                fmt::format("must have from 0 to {} observations, got {}", kMostObservations,
                            loaded.count_));
  }
  loaded.digest_ = in.read_digest();
  loaded.log_det_ratio_.high = in.read_double();
  loaded.log_det_ratio_.low = in.read_double();
  loaded.loss_sum_.high = in.read_matrix(dim(), 1);
  loaded.loss_sum_.low = in.read_matrix(dim(), 1);
  loaded.loss_sum_.error = in.read_double();
  loaded.last_change_.y = in.read_matrix(dim(), 1);
  loaded.last_change_.growth = in.read_double();
  loaded.last_change_.from = in.read_digest();
  loaded.mu_hat_ = in.read_matrix(dim(), 1);
  loaded.gram_.load(in);
  loaded.radius_memo_ = {};
  loaded.sharp_residual_.count = -1;
  loaded.loss_sum_size_ = loaded.loss_sum_.high.cwiseAbs().maxCoeff();
  loaded.require_plausible();
  loaded.judge();
  *this = std::move(loaded);
}

}  // namespace foothold::estimation
