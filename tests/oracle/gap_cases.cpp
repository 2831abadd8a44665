// Draws random problems with a state of the estimate, computes the lower confidence bound on
// the safety gap, and writes both as one JSON object per line, for check_gap_cases.py:
//
//     gap_cases --out FILE [--count N] [--seed S] [--first I]
//
// Case i belongs to family i modulo their number and has its own random stream, so that it is the
// same whatever the other arguments are.

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>

#include <fmt/core.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/gap/gap_bound.hpp"

#include "case_program.hpp"
#include "gap_families.hpp"

namespace foothold::oracle {
namespace {

// A list of rows; a vector is a single column and becomes a plain list.
std::string json(const Eigen::MatrixXd& matrix) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    text += i > 0 ? ",[" : "[";
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      text += fmt::format("{}{:.17g}", j > 0 ? "," : "", matrix(i, j));
    }
    text += "]";
  }
  return text + "]";
}

std::string json(const Eigen::VectorXd& vector) {
  const std::string rows = json(Eigen::MatrixXd(vector.transpose()));
  return rows.substr(1, rows.size() - 2);
}

std::string json(const geometry::DecisionSet& set) {
  if (const auto* arms = std::get_if<geometry::Arms>(&set)) {
    return fmt::format(R"({{"kind":"arms","arms":{}}})", json(arms->features()));
  }
  if (const auto* box = std::get_if<geometry::Box>(&set)) {
    return fmt::format(R"({{"kind":"box","lower":{},"upper":{}}})", json(box->lower()),
                       json(box->upper()));
  }
  if (const auto* ball = std::get_if<geometry::Ball>(&set)) {
    return fmt::format(R"({{"kind":"ball","radius":{:.17g}}})", ball->radius());
  }
  const auto& polytope = std::get<geometry::Polytope>(set);
  return fmt::format(R"({{"kind":"polytope","normals":{},"offsets":{}}})", json(polytope.normals()),
                     json(polytope.offsets()));
}

std::string line(std::uint64_t seed, std::int64_t id) {
  const auto number = static_cast<std::size_t>(id) % gap_families().size();
  const GapFamily& family = gap_families()[number];
  RandomStream random(seed, static_cast<std::uint64_t>(id));
  const GapCase drawn = draw_gap_case(random, family);
  estimation::ConfidenceRegion region(drawn.problem.dim());
  region.update(drawn.estimate, estimation::RadiusForm::Mixture, family.root);
  gap::GapBound bound(drawn.problem, family.region);
  const gap::GapEstimate gap = bound.bound(region);

  std::string constraints;
  for (std::size_t k = 0; k < drawn.problem.constraints.size(); ++k) {
    constraints += fmt::format(R"({}{{"matrix":{},"room":{:.17g}}})", k > 0 ? "," : "",
                               json(drawn.problem.constraints[k].matrix), drawn.problem.room(k));
  }
  return fmt::format(R"({{"id":{},"family":"{}","region":"{}","root":"{}","set":{},"centre":{},)"
                     R"("constraints":[{}],"gram":{},"mu_hat":{},"radius":{:.17g},)"
                     R"("value":{:.17g},"is_complete":{},"vertices":{},"solves":{}}})",
                     id, family.name, family.region == gap::GapRegion::L1 ? "l1" : "ellipsoid",
                     family.root == estimation::RootForm::Symmetric ? "symmetric" : "cholesky",
                     json(drawn.problem.decision_set), json(drawn.problem.centre()), constraints,
                     json(drawn.estimate.gram().matrix()), json(region.mu_hat()), region.radius(),
                     gap.value, gap.is_complete, gap.vertices, gap.solves);
}

void write(const CaseRange& range) {
  std::ofstream out(range.out);
  for (std::int64_t id = range.first; id < range.first + range.count; ++id) {
    out << line(range.seed, id) << '\n';
  }
  if (!out.flush()) {
    throw std::runtime_error("--out: must be a file that can be written");
  }
}

}  // namespace
}  // namespace foothold::oracle

int main(int argc, char** argv) {
  return foothold::oracle::run_case_program("gap_cases", argc, argv, /*default_count=*/4500,
                                            foothold::oracle::write);
}
