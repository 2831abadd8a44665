#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/cone/active_set/row_basis.hpp"
#include "foothold/cone/cone_program.hpp"
#include "foothold/cone/dual/cut_dual.hpp"
#include "foothold/cone/quadratic_cone.hpp"

namespace foothold::optimism {

// What the last solve of each vertex v of the region leaves behind for one program: the point x,
// the multipliers τ of the cone and η of the rows. As multipliers they prove, for the cone and the
// vertices of any later round,
//
//     f(v) ≥ min { gᵀu : lower ≤ u ≤ upper } − hᵀη − τc,   g = v + Gᵀη + τ(a + ρQx/‖x‖_Q),
//
// and Qx is kept up to date with Q, so that a bound costs O(d). Everything has one row a vertex, so
// that loops run over coordinates outside and over vertices, contiguously, inside.
class VertexMemory {
 public:
  // For the 2·dim vertices of a region.
  VertexMemory(Eigen::Index dim, bool has_rows);

  [[nodiscard]] bool is_set(Eigen::Index k) const { return is_set_[index(k)] != 0; }
  [[nodiscard]] double tau(Eigen::Index k) const { return tau_(k); }
  // The guess of the active set: the sides of a box, the rows of a polytope.
  [[nodiscard]] signed char* side(Eigen::Index k) { return &side_[index(k * X_.cols())]; }
  [[nodiscard]] std::vector<Eigen::Index>& rows(Eigen::Index k) { return rows_[index(k)]; }
  // What was computed from the rows of the last guess; a pure function of them.
  [[nodiscard]] cone::RowBasis& basis(Eigen::Index k) { return bases_[index(k)]; }

  // Takes over the solution of a vertex. The guess is written by the solver, in place. `norm` is
  // ‖x‖_Q; `r` is Gᵀη and `h_eta` hᵀη, null and 0 for a box.
  void keep(Eigen::Index k, const Eigen::VectorXd& x, const Eigen::VectorXd& Q_x, double norm,
            double tau, const Eigen::VectorXd* r, double h_eta);

  // Q has become Q − share·wwᵀ, or something else altogether.
  void follow(const Eigen::VectorXd& w, double share);
  void rebuild(const Eigen::MatrixXd& Q);

  // bounds(k) ← the bound above for the vertex in row k of V.
  void bound_all(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
                 const Eigen::MatrixXd& V, Eigen::VectorXd& bounds);
  // The same for one vertex with the best τ for the x and η at hand. If `side` is given, it is set
  // to the active set at that τ.
  [[nodiscard]] double best_bound(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
                                  const Eigen::VectorXd& v, Eigen::Index k,
                                  signed char* side = nullptr);
  // Raises bounds(k) to what the multipliers of vertex `source` prove for the vertex in row k,
  // plus its offset.
  void transfer(const cone::QuadraticCone& cone, const cone::ConeProgram& domain,
                const Eigen::MatrixXd& V, const Eigen::VectorXd& offsets, Eigen::Index source,
                Eigen::VectorXd& bounds);

  void save(ByteWriter& out) const;
  // `row_count`: how many rows the program has.
  void restore(ByteReader& in, Eigen::Index row_count);

 private:
  [[nodiscard]] static std::size_t index(Eigen::Index k) { return static_cast<std::size_t>(k); }

  Eigen::MatrixXd X_;
  Eigen::MatrixXd QX_;
  Eigen::MatrixXd R_;  // Gᵀη; no columns for a box
  Eigen::VectorXd tau_;
  Eigen::VectorXd h_eta_;
  Eigen::VectorXd norm_;  // ‖x‖_Q
  std::vector<char> is_set_;
  std::vector<signed char> side_;
  std::vector<std::vector<Eigen::Index>> rows_;
  std::vector<cone::RowBasis> bases_;
  cone::CutDual dual_;  // a workspace
};

}  // namespace foothold::optimism
