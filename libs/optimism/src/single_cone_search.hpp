#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/cone/active_set/box_active_set.hpp"
#include "foothold/cone/active_set/row_active_set.hpp"
#include "foothold/cone/quadratic_cone.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/optimism/optimistic_search.hpp"
#include "foothold/safety/certified_programs.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

#include "inset.hpp"
#include "vertex_memory.hpp"

namespace foothold::optimism {

// The search of `OptimisticSearch` where it is usually needed and can be fastest: a box or a
// polytope with one constraint, whose caution is one cone aᵀu + ρ‖u‖_Q ≤ c, Q = BᵀA⁻¹B.
//
// Everything that a round changes follows from the last round in O(d²): one observation takes an
// outer product from Q, and with it from the Qx of every vertex's last solution, whose multipliers
// then bound the vertex anew in O(d) (VertexMemory). The vertex with the lowest bound is solved
// first, from its last active set; what its value does not rule out is bounded better, then
// solved. In the steady state that is one solve of a face with one or two free coordinates.
// Whatever the active set does not settle goes to the general solver.
class SingleConeSearch {
 public:
  // Whether this search is meant for the problem.
  [[nodiscard]] static bool applies(const safety::Problem& problem, const safety::SafetyRule& rule);

  // `general` is asked where the active set fails; all three must outlive this.
  SingleConeSearch(const safety::Problem& problem, const safety::SafetyRule& rule,
                   safety::CertifiedPrograms& general);

  void choose(const estimation::ConfidenceRegion& region, OptimisticChoice& choice);

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  // How far a vertex has come in this round.
  enum class Progress : char { Bounded, BoundedWell, Closed };
  // One of the two sets that are searched: D_t^s, or D^w.
  struct Set {
    cone::QuadraticCone cone{};
    VertexMemory memory;
    Eigen::VectorXd bounds{};  // proved lower bounds on the value of each vertex, with offset
    std::vector<Progress> progress{};  // of each vertex in this round
  };
  struct Candidate {
    std::size_t set = 0;
    Eigen::Index vertex = -1;
  };
  struct Outcome {
    double value = 0.0;
    double dual_bound = 0.0;
    bool is_cut_off = false;  // then there is no value and no point, only the bound
  };

  void follow(const estimation::ConfidenceRegion& region);
  void rebuild(const estimation::ConfidenceRegion& region);
  void place_vertices(const estimation::ConfidenceRegion& region);
  [[nodiscard]] Candidate most_promising() const;
  void set_objective(Eigen::Index vertex);  // v_ ← the vertex
  void raise_bounds(Set& set, Eigen::Index source);
  // Minimises v_ over a set; the point is left in u_. `cutoff` is the value to beat.
  Outcome solve(Candidate candidate, double cutoff, const estimation::ConfidenceRegion& region);
  bool solve_corner(Set& set, Eigen::Index vertex, Outcome& outcome);
  bool solve_box(Set& set, Eigen::Index vertex, double cutoff, Outcome& outcome);
  bool solve_rows(Set& set, Eigen::Index vertex, double cutoff, Outcome& outcome);
  void keep_rows(Set& set, Eigen::Index vertex, const Eigen::VectorXd& Q_u, double width);
  // `width` is ‖u‖_Q.
  bool accept(const Set& set, const Eigen::VectorXd& u, double width, double dual,
              Outcome& outcome);
  template <int Fixed>
  bool accept_sized(const Set& set, const Eigen::VectorXd& point, double width, double dual,
                    Outcome& outcome);
  void solve_generally(Candidate candidate, const estimation::ConfidenceRegion& region,
                       Outcome& outcome);
  void keep_general(Set& set, Eigen::Index vertex, const cone::ConeSolution& solution);
  void guess_sides(signed char* side) const;
  double guess_rows(const Eigen::VectorXd& eta, std::vector<Eigen::Index>& rows);

  safety::SafeSet safe_set_;
  safety::CertifiedPrograms* general_;
  bool general_is_current_ = false;  // whether it has this round's region
  const cone::ConeProgram* domain_;  // the box, or the rows; its cones are not looked at
  Eigen::MatrixXd B_transposed_;
  Eigen::VectorXd centre_;
  bool has_centre_ = false;
  Inset inset_;  // of optima on the cone
  std::vector<Set> sets_;
  cone::BoxActiveSet box_;
  cone::RowActiveSet rows_;

  Digest128 seen_{};  // digest of the state that Q belongs to
  bool has_seen_ = false;
  int age_ = 0;          // observations since Q was computed from the factor, and …
  double growth_ = 1.0;  // … by how much they have made det A grow

  Eigen::MatrixXd V_;        // the vertices of C₁, one a row
  Eigen::VectorXd offsets_;  // vᵀx₀ of each
  Eigen::VectorXd v_;
  Eigen::VectorXd u_;
  Eigen::VectorXd Q_u_;
  Eigen::VectorXd w_;
  Eigen::VectorXd r_;
  Eigen::MatrixXd M_;
};

}  // namespace foothold::optimism
