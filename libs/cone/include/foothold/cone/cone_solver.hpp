#pragma once

#include <cstddef>
#include <memory>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/cone/cone_program.hpp"

namespace foothold::cone {

/// Solves `ConeProgram`s that change a little from round to round:
///
/// 1. the minimiser over the decision set alone, if it satisfies the cones;
/// 2. one cone over a box or a polytope: the last active set, corrected, each face in closed form;
/// 3. several cones, or a ball: Newton's method from the last solution;
/// 4. whatever the first three do not settle: an interior-point method, then Newton's as a polish.
///
/// Every solution is verified by its duality gap before it is accepted, so the order above
/// decides the time and never the answer. No allocation after the first solve of a shape and
/// slot. Not thread-safe.
class ConeSolver {
 public:
  /// `slots` is the number of objectives whose last solutions are remembered.
  explicit ConeSolver(std::size_t slots);
  ~ConeSolver();
  ConeSolver(ConeSolver&& other) noexcept;
  ConeSolver& operator=(ConeSolver&& other) noexcept;
  ConeSolver(const ConeSolver&) = delete;
  ConeSolver& operator=(const ConeSolver&) = delete;

  /// Takes over the constraints of a round. Keeps a reference: `program` must outlive the
  /// solves and must not change between `load` and `solve`.
  void load(const ConeProgram& program);

  /// min { vᵀu } over the loaded program, warm-started by what `slot` remembers. The result
  /// is valid until the next solve. v must be finite.
  const ConeSolution& solve(const Eigen::Ref<const Eigen::VectorXd>& v, std::size_t slot);

  /// A proved lower bound on f(v) from the multipliers that `slot` remembers, applied to the
  /// program now loaded; without memory, the minimum over the box. O(d²).
  [[nodiscard]] double remembered_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                                        std::size_t slot) const;

  /// As above with the multipliers of the last solution, which belong to another objective.
  [[nodiscard]] double transferred_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                                         const ConeMultipliers& multipliers) const;

  /// What the slots remember, for snapshots: warm starts decide the last bits of a solution.
  /// `restore` requires a program of the same shape to be loaded.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace foothold::cone
