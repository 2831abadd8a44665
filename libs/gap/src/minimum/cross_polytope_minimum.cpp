#include "minimum/cross_polytope_minimum.hpp"

namespace foothold::gap {
namespace {

// Entries of a vertex below this are zeros. They must be exact: the linear program takes the
// start's distance from a side for the extent of the set in that coordinate.
constexpr double kZero = 1e-13;

// Rows R(x⁺ − x⁻) ≤ s, x ≥ 0, Σx ≤ 1, with `extra` columns to the right for phase one.
Eigen::MatrixXd split_rows(const Eigen::Ref<const Eigen::MatrixXd>& R, Eigen::Index extra) {
  const Eigen::Index n = R.rows();
  const Eigen::Index d = R.cols();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n + 2 * d + 1 + extra, 2 * d + extra);
  G.block(0, 0, n, d) = R;
  G.block(0, d, n, d) = -R;
  G.block(n, 0, 2 * d, 2 * d) = -Eigen::MatrixXd::Identity(2 * d, 2 * d);
  G.block(n + 2 * d, 0, 1, 2 * d).setOnes();
  return G;
}

Eigen::VectorXd split_offsets(const Eigen::VectorXd& s, Eigen::Index d, Eigen::Index extra) {
  Eigen::VectorXd h = Eigen::VectorXd::Zero(s.size() + 2 * d + 1 + extra);
  h.head(s.size()) = s;
  h(s.size() + 2 * d) = 1.0;
  return h;
}

}  // namespace

CutMinimum CrossPolytopeMinimum::solve(const Eigen::VectorXd& p,
                                       const Eigen::Ref<const Eigen::MatrixXd>& R,
                                       const Eigen::Ref<const Eigen::VectorXd>& s) {
  const Eigen::Index n = R.rows();
  const Eigen::Index d = R.cols();
  CutMinimum result;
  result.multipliers.setZero(n);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(2 * d);
  if (s.minCoeff() < 0.0) {
    // One more variable, the violation z ≥ 0, allowed in every row.
    Eigen::MatrixXd G = split_rows(R, 1);
    G.col(2 * d).head(n).setConstant(-1.0);
    G(n + 2 * d + 1, 2 * d) = -1.0;
    Eigen::VectorXd from = Eigen::VectorXd::Zero(2 * d + 1);
    from(2 * d) = -s.minCoeff();
    const Eigen::VectorXd objective = Eigen::VectorXd::Unit(2 * d + 1, 2 * d);
    const geometry::LpResult& lp = first_phase_.solve(G, split_offsets(s, d, 1), objective, from);
    if (lp.status != geometry::LpStatus::Optimal) {
      return result;
    }
    const Eigen::VectorXd ray = first_phase_.multipliers().head(n);
    if (-(R.transpose() * ray).cwiseAbs().maxCoeff() - s.dot(ray) > 0.0) {
      return {.multipliers = ray, .is_empty = true};
    }
    start = first_phase_.point().head(2 * d);
    start = (start.array() > kZero).select(start, 0.0);
  }
  // Rows that the start misses by rounding are moved to it; the bound is proved with s itself.
  const Eigen::VectorXd moved = s.cwiseMax(R * (start.head(d) - start.tail(d)));
  Eigen::VectorXd objective(2 * d);
  objective << p, -p;
  const geometry::LpResult& lp =
      second_phase_.solve(split_rows(R, 0), split_offsets(moved, d, 0), objective, start);
  if (lp.status == geometry::LpStatus::Optimal) {
    result.multipliers = second_phase_.multipliers().head(n);
  }
  return result;
}

}  // namespace foothold::gap
