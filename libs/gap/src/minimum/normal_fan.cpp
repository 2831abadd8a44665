#include "minimum/normal_fan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <Eigen/LU>

#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/dense_lp.hpp"

namespace foothold::gap {
namespace {

// Rows have norm 1. A rate along a unit edge below this is a row parallel to it.
constexpr double kSmallestEdgeRate = 1e-11;
// Steps along an edge that differ by less than this share of the polytope's size are the same:
// far above rounding, and vertices so close to each other differ as little in the gap.
constexpr double kTie = 1e-11;
constexpr double kSmallestPivot = 1e-13;

constexpr std::uint64_t kSeed = 0x9a95;

}  // namespace

NormalFan::NormalFan(const Eigen::MatrixXd& normals, const Eigen::VectorXd& offsets,
                     Eigen::VectorXd interior)
    : normals_(normals.rowwise().normalized()),
      offsets_(offsets.cwiseQuotient(normals.rowwise().norm())),
      interior_(std::move(interior)) {
  extent_ = (offsets_ - normals_ * interior_).cwiseAbs().maxCoeff();
}

std::optional<NormalFan::Basis> NormalFan::locate(const Eigen::VectorXd& v) {
  geometry::DenseLp lp;
  const geometry::LpResult& result = lp.solve(normals_, offsets_, v, interior_);
  if (result.status != geometry::LpStatus::Optimal ||
      static_cast<Eigen::Index>(lp.working_set().size()) != normals_.cols()) {
    return std::nullopt;
  }
  Basis basis = lp.working_set();
  std::sort(basis.begin(), basis.end());
  // e is 0 on the first basis and positive elsewhere: that basis stays feasible. Fixing d entries
  // costs no generality, because a translation of the polytope changes nothing.
  RandomStream random(kSeed, /*stream=*/0);
  perturbation_ =
      Eigen::VectorXd::NullaryExpr(normals_.rows(), [&random] { return 1.0 + random.uniform(); });
  for (const Eigen::Index row : basis) {
    perturbation_(row) = 0.0;
  }
  return basis;
}

bool NormalFan::visit(const Basis& basis) {
  basis_ = basis;
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(Eigen::MatrixXd(normals_(basis, Eigen::all)));
  if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > kSmallestPivot)) {
    return false;
  }
  inverse_ = lu.inverse();
  vertex_ = lu.solve(Eigen::VectorXd(offsets_(basis)));
  return inverse_.allFinite() && vertex_.allFinite();
}

std::optional<NormalFan::Basis> NormalFan::neighbour(Eigen::Index position) const {
  const Eigen::VectorXd edge = -inverse_.col(position).normalized();
  const Eigen::VectorXd rate = normals_ * edge;
  const Eigen::VectorXd slack = offsets_ - normals_ * vertex_;
  const Eigen::VectorXd shift = inverse_ * perturbation_(basis_);
  Eigen::Index entering = -1;
  double shortest = kInfinity;
  double tie_break = shortest;
  for (Eigen::Index i = 0; i < rate.size(); ++i) {
    if (!(rate(i) > kSmallestEdgeRate) || std::binary_search(basis_.begin(), basis_.end(), i)) {
      continue;
    }
    // The step is (slack + ε·second)/rate, compared in the order of powers of ε.
    const double step = std::max(slack(i), 0.0) / rate(i);
    const double second = (perturbation_(i) - normals_.row(i).dot(shift)) / rate(i);
    const bool is_tie = std::abs(step - shortest) <= kTie * extent_;
    if (is_tie ? second < tie_break : step < shortest) {
      entering = i;
      shortest = is_tie ? std::min(step, shortest) : step;
      tie_break = second;
    }
  }
  if (entering < 0) {
    return std::nullopt;
  }
  Basis basis = basis_;
  basis[static_cast<std::size_t>(position)] = entering;
  std::sort(basis.begin(), basis.end());
  return basis;
}

}  // namespace foothold::gap
