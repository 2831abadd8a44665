#include "clp_gap.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include <ClpSimplex.hpp>

namespace foothold::bench {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Ties are decided for membership, as our bound decides them where the images of two arms are the
// same.
constexpr double kTie = 1e-9;

// A linear function of v, centre + slopeᵀ(p − q).
struct Form {
  double centre = 0.0;
  Eigen::VectorXd slope{};

  [[nodiscard]] double highest() const { return centre + slope.cwiseAbs().maxCoeff(); }
};

// One model for all programs with the same rows; objectives change.
class Model {
 public:
  // Rows form ≤ right, each scaled to slope of norm 1.
  Model(const std::vector<Form>& forms, const std::vector<double>& rights, Simplex simplex)
      : simplex_(simplex) {
    const auto d = static_cast<int>(forms.front().slope.size());
    const auto rows = static_cast<int>(forms.size()) + 1;
    std::vector<CoinBigIndex> starts;
    std::vector<int> indices;
    std::vector<double> elements;
    std::vector<double> upper{1.0};
    std::vector<double> norms;
    for (std::size_t k = 0; k < forms.size(); ++k) {
      norms.push_back(std::max(forms[k].slope.norm(), 1e-300));
      upper.push_back((rights[k] - forms[k].centre) / norms[k]);
    }
    for (int j = 0; j < 2 * d; ++j) {
      starts.push_back(j * rows);
      indices.push_back(0);
      elements.push_back(1.0);
      for (std::size_t k = 0; k < forms.size(); ++k) {
        indices.push_back(static_cast<int>(k) + 1);
        elements.push_back((j < d ? 1.0 : -1.0) * forms[k].slope(j % d) / norms[k]);
      }
    }
    starts.push_back(2 * d * rows);
    const std::vector<double> zeros(static_cast<std::size_t>(2 * d), 0.0);
    const std::vector<double> free(static_cast<std::size_t>(2 * d), COIN_DBL_MAX);
    const std::vector<double> lower(static_cast<std::size_t>(rows), -COIN_DBL_MAX);
    model_.setLogLevel(0);
    model_.setPrimalTolerance(1e-9);
    model_.setDualTolerance(1e-9);
    model_.loadProblem(2 * d, rows, starts.data(), indices.data(), elements.data(), zeros.data(),
                       free.data(), zeros.data(), lower.data(), upper.data());
  }

  // min of the form; +∞ if there is no point. From the second call on the last basis is the start,
  // and its factorisation is kept.
  double minimum(const Form& form, double& nanoseconds) {
    using Clock = std::chrono::steady_clock;
    const double scale = std::max(form.slope.norm(), 1e-300);
    for (Eigen::Index j = 0; j < form.slope.size(); ++j) {
      const auto column = static_cast<int>(j);
      model_.setObjectiveCoefficient(column, form.slope(j) / scale);
      model_.setObjectiveCoefficient(column + static_cast<int>(form.slope.size()),
                                     -form.slope(j) / scale);
    }
    constexpr int kKeepFactorisation = 3;
    const Clock::time_point start = Clock::now();
    if (simplex_ == Simplex::Dual && is_first_) {
      model_.dual(0, 1);
    } else {
      model_.primal(0, is_first_ ? 1 : kKeepFactorisation);
    }
    nanoseconds += std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    is_first_ = false;
    return model_.status() == 0 ? form.centre + scale * model_.objectiveValue() : kInfinite;
  }

 private:
  ClpSimplex model_;
  Simplex simplex_;
  bool is_first_ = true;
};

}  // namespace

ClpGap gap_by_clp(const estimation::ConfidenceRegion& region, const Eigen::MatrixXd& arms,
                  const Eigen::MatrixXd& B, double limit, Simplex simplex) {
  const auto form = [&](const Eigen::VectorXd& z) -> Form {
    return {.centre = region.mu_hat().dot(z),
            .slope = region.l1_radius() * (region.root_inverse().transpose() * z)};
  };
  std::vector<Form> needs;
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    needs.push_back(form(B * arms.row(i).transpose()));
  }
  ClpGap gap;
  double smallest = kInfinite;
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const Form& need = needs[static_cast<std::size_t>(i)];
    Model members({need}, {limit}, simplex);
    std::vector<Form> rows{need};
    std::vector<double> rights{limit};
    for (Eigen::Index j = 0; j < arms.rows(); ++j) {
      const Form& other = needs[static_cast<std::size_t>(j)];
      bool is_member = other.highest() <= limit;
      if (!is_member && j != i) {
        const double highest = -members.minimum({-other.centre, -other.slope}, gap.member_ns);
        ++gap.member_solves;
        is_member = highest <= limit * (1.0 + kTie);
      }
      if (is_member && j != i) {
        rows.push_back(form((arms.row(i) - arms.row(j)).transpose()));
        rights.push_back(0.0);
      }
    }
    Model final_model(rows, rights, simplex);
    smallest =
        std::min(smallest, limit + final_model.minimum({-need.centre, -need.slope}, gap.final_ns));
    ++gap.final_solves;
  }
  gap.value = smallest < kInfinite ? std::max(0.0, smallest) : 0.0;
  return gap;
}

}  // namespace foothold::bench
