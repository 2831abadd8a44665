#pragma once

#include <limits>

#include <Eigen/Core>

#include "table/arm_products.hpp"

namespace foothold::arms {

inline constexpr double kSingleUnit = 0x1p-24;  // u of binary32
inline constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

// γ for a form of d terms in single precision, with the roundings of coefficients and arms.
[[nodiscard]] inline double form_share(Eigen::Index dim) {
  return 1.01 * (static_cast<double>(dim) + 6.0) * kSingleUnit;
}

// What is known of an arm without data, in this order.
namespace arm_prior {
inline constexpr float kProved = -2.0F;     // certified before, for good
inline constexpr float kCertified = -1.0F;  // S‖z‖ ≤ m
inline constexpr float kUndecided = 0.0F;   // too close to call
inline constexpr float kOpen = 1.0F;        // S‖z‖ > m
}  // namespace arm_prior

// What is tracked of x itself, or of z = B(x − x₀) for one constraint, for every arm.
struct ArmGroup {
  const Eigen::MatrixXd* matrix = nullptr;  // B; null: x itself
  Eigen::VectorXd centre{};                 // Bx₀
  double length = 0.0;                      // ≥ the norm of every x or z
  double room = 0.0;
  AlignedFloats linear{};  // μ̂ᵀx
  AlignedFloats square{};  // ‖x‖²_{A⁻¹}
  AlignedFloats prior{};   // arm_prior; none for x itself
};

// A change that a group follows: μ̂ moves by Σc_jv_j, A⁻¹ loses Σv_jv_jᵀ.
struct GroupChange {
  double form_squares = 0.0;      // Σ s_j² with s_j ≥ |v_jᵀx| for every arm
  double weights_norm = 0.0;      // ‖c‖
  double terms = 0.0;             // how many
  double square_remainder = 0.0;  // what else the squares change by, …
  double linear_remainder = 0.0;  // … and the estimates
  double largest_linear = 0.0;    // ≥ |μ̂ᵀx|
};

// How exact the values of some arms are, for one group in d dimensions.
struct ArmPrecision {
  double largest = 0.0;       // ≥ every square when they were last computed anew, …
  double form_squares = 0.0;  // … Σ s² of all forms since, …
  double sums = 0.0;          // … and what was lost in other ways.
  double linear = 0.0;        // ≥ the error of μ̂ᵀx

  // Squares computed in double precision, the largest as given, and no estimates.
  static ArmPrecision of_rounded(double largest);
  // Squares of forms with Σ s² as given, the largest as computed, and the form μ̂ with s as given.
  static ArmPrecision of_forms(double largest, double form_squares, double linear,
                               Eigen::Index dim);

  [[nodiscard]] double square_error(Eigen::Index dim) const;
  void follow(const GroupChange& change, Eigen::Index dim);
  void raise_to(const ArmPrecision& other);  // Holds for the arms of both, then.
};

}  // namespace foothold::arms
