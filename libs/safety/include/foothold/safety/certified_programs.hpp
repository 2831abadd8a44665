#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/cone/cone_program.hpp"
#include "foothold/cone/cone_solver.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::safety {

/// D₀ − x₀ of a convex problem, without safety. The last `spare_rows` rows of G are left for the
/// caller, who must fill them before a solve. The ball is a cone, and stays the last.
[[nodiscard]] cone::ConeProgram domain_program(const safety::Problem& problem,
                                               Eigen::Index spare_rows);

/// The certified set of a convex problem as cone programs in coordinates u = x − x₀ around its
/// centre: the data-driven set D_t^s, and with `CertifiedSet::Union` the foothold D^w beside it.
/// Whoever minimises something over certified actions takes its programs from here. No
/// allocation after construction, beyond what the solvers need once. Not thread-safe.
class CertifiedPrograms {
 public:
  static constexpr std::size_t kRegion = 0;    ///< The program of D_t^s …
  static constexpr std::size_t kFoothold = 1;  ///< … and that of D^w.

  /// Requires a resolved problem with a convex decision set; keeps a reference to it. `slots`
  /// is the number of objectives whose solutions each solver remembers.
  CertifiedPrograms(const safety::Problem& problem, const safety::SafetyRule& rule,
                    std::size_t slots);

  /// Takes over the bounds of a state.
  void update(const estimation::ConfidenceRegion& region);

  [[nodiscard]] std::size_t count() const noexcept { return programs_.size(); }  ///< 1 or 2
  [[nodiscard]] const cone::ConeProgram& program(std::size_t index) const {
    return programs_[index];
  }
  [[nodiscard]] cone::ConeSolver& solver(std::size_t index) { return solvers_[index]; }
  [[nodiscard]] const Eigen::VectorXd& centre() const noexcept { return centre_; }  ///< x₀
  /// The vertices of C₁ of the state, one per column.
  [[nodiscard]] const Eigen::MatrixXd& vertices() const noexcept { return vertices_; }

  /// What the solvers remember, for snapshots.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void update_caution_cones();
  void update_caution_rows();

  const safety::Problem* problem_;
  SafeSet safe_set_;
  Eigen::VectorXd centre_;
  std::vector<cone::ConeProgram> programs_;
  std::vector<cone::ConeSolver> solvers_;
  Eigen::MatrixXd vertices_;
};

}  // namespace foothold::safety
