#pragma once

#include <Eigen/Core>

#include "ranking/arm_ranking.hpp"
#include "shortlist/tracked_arms.hpp"

namespace foothold::arms {

// A state, as far as arms depend on it.
struct ArmState {
  Eigen::VectorXd mu_hat{};
  Eigen::MatrixXd factor{};      // F
  Eigen::MatrixXd forms{};       // F⁻ᵀ: column r holds row r of F⁻¹
  Eigen::MatrixXd inverse{};     // A⁻¹ = F⁻ᵀF⁻¹ …
  InverseError inverse_error{};  // … up to this
  Eigen::MatrixXd gram{};        // A
  double radius = 0.0;           // β
  double scale = 0.0;            // a typical ‖x‖_{A⁻¹}/‖x‖
  bool can_refuse = false;       // ArmScreen

  // The state without data, as far as a change from it depends on it.
  static ArmState without_data(const safety::Problem& problem);
  void take(const ArmQuestion& question);
};

// How one state became another, judged from the two alone.
class ArmStateChange {
 public:
  explicit ArmStateChange(Eigen::Index dim)
      : rest_(dim, dim), vectors_(dim, dim), shift_(dim), weights_(dim) {}

  // The change between two states, valid until the next call and while the second state lasts.
  ArmChange between(const ArmState& from, const ArmState& to);

 private:
  bool factor(const ArmState& from, const ArmState& to);

  Eigen::MatrixXd rest_;
  Eigen::MatrixXd vectors_;
  Eigen::VectorXd shift_;
  Eigen::VectorXd weights_;
  Eigen::Index rank_ = 0;
  double remainder_ = 0.0;
};

}  // namespace foothold::arms
