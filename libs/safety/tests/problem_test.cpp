#include "foothold/safety/problem.hpp"

#include <cmath>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <Eigen/QR>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"

#include "paper_matrix.hpp"

namespace foothold::safety {
namespace {

Problem on(geometry::DecisionSet set) {
  return {.decision_set = std::move(set),
          .constraints = {{.matrix = paper_matrix(), .limit = 0.9},
                          {.matrix = Eigen::Matrix2d::Identity(), .limit = 2.0}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .action_bound = 2.0}};
}

Problem on_box() {
  return on(geometry::Box::symmetric(2, 1.0));
}

Problem on_ball() {
  return on(geometry::Ball(2, 1.0));
}

Eigen::MatrixXd triangle_rows() {
  return Eigen::Matrix<double, 3, 2>{{1.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
}

Problem on_polytope() {
  return on(geometry::Polytope(triangle_rows(), Eigen::Vector3d(1.0, 0.5, 0.5)));
}

Problem on_arms() {
  return on(geometry::Arms(Eigen::Matrix<double, 3, 2>{{0.1, 0.0}, {0.0, 1.5}, {1.0, 1.0}}));
}

Problem with_baseline() {
  Problem problem = on_box();
  problem.baseline = Baseline{.action = Eigen::Vector2d(0.25, 0.5), .margin = 0.3};
  return problem;
}

// A valid problem made wrong in one place; building the set itself may already throw.
struct WrongProblem {
  std::string name;
  std::function<Problem()> make;
  std::string field;
  std::string message;
};

void PrintTo(const WrongProblem& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongProblems : public ::testing::TestWithParam<WrongProblem> {};

TEST_P(WrongProblems, AreRefusedNamingFieldRequirementAndValue) {
  const auto expect_error = [](const std::function<void()>& act) {
    try {
      act();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
      EXPECT_EQ(error.field(), GetParam().field);
      const std::string expected = GetParam().field + ": " + GetParam().message;
      EXPECT_EQ(std::string(error.what()).substr(0, expected.size()), expected) << error.what();
    }
  };
  expect_error([] { validate(GetParam().make()); });
  expect_error([] { static_cast<void>(resolved(GetParam().make())); });
}

// `base` after `spoil`.
WrongProblem spoilt(std::string name, Problem (*base)(), std::function<void(Problem&)> spoil,
                    std::string field, std::string message) {
  return {.name = std::move(name),
          .make =
              [base, spoil = std::move(spoil)] {
                Problem problem = base();
                spoil(problem);
                return problem;
              },
          .field = std::move(field),
          .message = std::move(message)};
}

std::vector<WrongProblem> wrong_assumptions() {
  std::vector<WrongProblem> list;
  const auto add = [&](const std::string& field, const std::string& requirement, auto setter,
                       const std::vector<std::pair<std::string, double>>& values) {
    for (const auto& [word, value] : values) {
      list.push_back(spoilt(
          field + "_" + word, on_box,
          [setter, value = value](Problem& p) { setter(p.assumptions, value); }, field,
          requirement + ", got " + fmt::format("{}", value)));
    }
  };
  using A = estimation::Assumptions;
  const std::vector<std::pair<std::string, double>> not_positive = {{"Zero", 0.0},
                                                                    {"Negative", -0.5},
                                                                    {"NaN", kNaN},
                                                                    {"Infinite", kInfinity},
                                                                    {"MinusInfinite", -kInfinity}};
  add("noise_scale", "must be non-negative and finite", [](A& a, double v) { a.noise_scale = v; },
      {{"Negative", -0.5}, {"NaN", kNaN}, {"Infinite", kInfinity}});
  add(
      "norm_bound", "must be positive and finite", [](A& a, double v) { a.norm_bound = v; },
      not_positive);
  add(
      "action_bound", "must be positive and finite", [](A& a, double v) { a.action_bound = v; },
      not_positive);
  add(
      "ridge", "must be positive and finite", [](A& a, double v) { a.ridge = v; }, not_positive);
  add("failure_prob", "must lie in (0, 1)", [](A& a, double v) { a.failure_prob = v; },
      {{"Zero", 0.0}, {"One", 1.0}, {"Negative", -0.1}, {"Two", 2.0}, {"NaN", kNaN}});
  return list;
}

std::vector<WrongProblem> wrong_constraints() {
  const auto entry = [](std::size_t k, Eigen::Index row, Eigen::Index col, double value) {
    return [=](Problem& p) { p.constraints[k].matrix(row, col) = value; };
  };
  const auto limit = [](std::size_t k, double value) {
    return [=](Problem& p) { p.constraints[k].limit = value; };
  };
  const auto matrix = [](std::size_t k, Eigen::MatrixXd value) {
    return [=](Problem& p) { p.constraints[k].matrix = value; };
  };
  return {
      spoilt(
          "NoConstraint", on_box, [](Problem& p) { p.constraints.clear(); }, "constraints",
          "must have at least one entry, got none"),
      spoilt("MatrixTooLarge", on_box, matrix(0, Eigen::Matrix3d::Identity()),
             "constraints[0].matrix", "must have size 2, got 3"),
      spoilt("MatrixNotSquare", on_box, matrix(1, Eigen::MatrixXd::Zero(2, 5)),
             "constraints[1].matrix", "must have size 2, got 5"),
      spoilt("MatrixEmpty", on_box, matrix(1, Eigen::MatrixXd()), "constraints[1].matrix",
             "must have size 2, got 0"),
      spoilt("MatrixNaN", on_box, entry(0, 1, 0, kNaN), "constraints[0].matrix",
             "must have only finite entries, got nan at (1, 0)"),
      spoilt("MatrixInfinite", on_arms, entry(1, 0, 1, -kInfinity), "constraints[1].matrix",
             "must have only finite entries, got -inf at (0, 1)"),
      spoilt("LimitZero", on_box, limit(0, 0.0), "constraints[0].limit",
             "must be positive and finite, got 0"),
      spoilt("LimitNegative", on_ball, limit(1, -1.5), "constraints[1].limit",
             "must be positive and finite, got -1.5"),
      spoilt("LimitNaN", on_polytope, limit(0, kNaN), "constraints[0].limit",
             "must be positive and finite, got nan"),
      spoilt("LimitInfinite", on_arms, limit(0, kInfinity), "constraints[0].limit",
             "must be positive and finite, got inf"),
      spoilt("LimitNaNWithBaseline", with_baseline, limit(1, kNaN), "constraints[1].limit",
             "must be finite, got nan"),
      spoilt("LimitInfiniteWithBaseline", with_baseline, limit(0, -kInfinity),
             "constraints[0].limit", "must be finite, got -inf"),
  };
}

std::vector<WrongProblem> wrong_centres() {
  const auto action = [](Eigen::VectorXd value) {
    return [=](Problem& p) { p.baseline->action = value; };
  };
  const auto margin = [](double value) { return [=](Problem& p) { p.baseline->margin = value; }; };
  const auto set = [](geometry::DecisionSet value) {
    return [=](Problem& p) { p.decision_set = value; };
  };
  const std::string origin = "must have the origin in its interior, or a baseline there";
  const std::string interior = "must lie in the interior of the decision set, got ";
  return {
      spoilt("OriginOutsideTheBox", on_box,
             set(geometry::Box(Eigen::Vector2d(0.5, -1.0), Eigen::Vector2d(1.0, 1.0))),
             "decision_set", origin),
      spoilt("OriginOnTheBorderOfTheBox", on_box,
             set(geometry::Box(Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(1.0, 1.0))),
             "decision_set", origin),
      spoilt("OriginOutsideThePolytope", on_polytope,
             set(geometry::Polytope(triangle_rows(), Eigen::Vector3d(3.0, -0.5, -0.5))),
             "decision_set", origin),
      spoilt("OriginOnTheBorderOfThePolytope", on_polytope,
             set(geometry::Polytope(triangle_rows(), Eigen::Vector3d(1.0, 0.0, 0.5))),
             "decision_set", origin),
      spoilt("BaselineTooLong", with_baseline, action(Eigen::Vector3d::Zero()), "baseline.action",
             "must have size 2, got 3"),
      spoilt("BaselineEmpty", with_baseline, action(Eigen::VectorXd()), "baseline.action",
             "must have size 2, got 0"),
      spoilt("BaselineNaN", with_baseline, action(Eigen::Vector2d(0.0, kNaN)), "baseline.action",
             "must have only finite entries, got nan at [1]"),
      spoilt("BaselineInfinite", with_baseline, action(Eigen::Vector2d(kInfinity, 0.0)),
             "baseline.action", "must have only finite entries, got inf at [0]"),
      spoilt("BaselineOutside", with_baseline, action(Eigen::Vector2d(0.5, 1.25)),
             "baseline.action", interior + "(0.5, 1.25)"),
      spoilt("BaselineOnTheBorder", with_baseline, action(Eigen::Vector2d(-1.0, 0.0)),
             "baseline.action", interior + "(-1, 0)"),
      spoilt("MarginZero", with_baseline, margin(0.0), "baseline.margin",
             "must be positive and finite, got 0"),
      spoilt("MarginNegative", with_baseline, margin(-0.1), "baseline.margin",
             "must be positive and finite, got -0.1"),
      spoilt("MarginNaN", with_baseline, margin(kNaN), "baseline.margin",
             "must be positive and finite, got nan"),
      spoilt("MarginInfinite", with_baseline, margin(kInfinity), "baseline.margin",
             "must be positive and finite, got inf"),
  };
}

std::vector<WrongProblem> wrong_action_bounds() {
  const auto bound = [](double value) {
    return [=](Problem& p) { p.assumptions.action_bound = value; };
  };
  return {
      spoilt("BoundBelowTheCornerOfTheBox", on_box, bound(1.4), "action_bound",
             "must be at least 1.41421356237309"),
      spoilt("BoundBelowTheRadiusOfTheBall", on_ball, bound(0.5), "action_bound",
             "must be at least 1, the largest norm in the decision set, got 0.5"),
      // The vertex (1.5, −0.5) has norm 1.5811.
      spoilt("BoundBelowTheFarthestVertexOfThePolytope", on_polytope, bound(1.58), "action_bound",
             "must be at least 1.581138830084"),
      spoilt("BoundFarBelowTheFarthestVertexOfThePolytope", on_polytope, bound(0.1), "action_bound",
             "must be at least 1.581138830084"),
      spoilt("BoundBelowTheLongestArm", on_arms, bound(1.25), "action_bound",
             "must be at least 1.5"),
      {.name = "NoBoundForContextualArms",
       .make =
           [] {
             Problem problem = on(geometry::ContextualArms(2));
             problem.assumptions.action_bound.reset();
             return problem;
           },
       .field = "action_bound",
       .message = "must be given for contextual arms"},
  };
}

std::vector<WrongProblem> catalogue() {
  std::vector<WrongProblem> all;
  for (const auto& part :
       {wrong_assumptions(), wrong_constraints(), wrong_centres(), wrong_action_bounds()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, WrongProblems, ::testing::ValuesIn(catalogue()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Problem, TheCatalogueIsLong) {
  EXPECT_GE(catalogue().size(), 40U);
}

TEST(Problem, ValidOnesOfAllKindsAreAccepted) {
  for (const Problem& problem : {on_box(), on_ball(), on_polytope(), on_arms(),
                                 on(geometry::ContextualArms(2)), with_baseline()}) {
    EXPECT_NO_THROW(validate(problem));
  }
}

TEST(Problem, WithABaselineALimitMayBeNegative) {
  Problem problem = with_baseline();
  problem.constraints[0].limit = -3.0;
  EXPECT_NO_THROW(validate(problem));
}

TEST(Problem, ArmsNeedNoOrigin) {
  const Eigen::MatrixXd far = Eigen::MatrixXd::Constant(1, 2, 1.0);
  EXPECT_NO_THROW(validate(on(geometry::Arms(far))));
}

TEST(Problem, MeasuresFromTheOriginOrTheBaseline) {
  const Problem plain = on_box();
  EXPECT_EQ(plain.centre(), Eigen::Vector2d::Zero());
  EXPECT_EQ(plain.room(1), 2.0);
  EXPECT_EQ(plain.used(1), 0.0);
  const Problem based = with_baseline();
  EXPECT_EQ(based.centre(), Eigen::Vector2d(0.25, 0.5));
  EXPECT_EQ(based.room(1), 0.3);
  EXPECT_DOUBLE_EQ(based.used(1), 1.7);
}

TEST(Resolved, FillsInTheDefaults) {
  Problem problem = on_box();
  problem.assumptions.action_bound.reset();
  problem.assumptions.norm_bound = 2.0;
  const Problem full = resolved(problem);
  // λ = R²/S² = 0.01/4; L = √2, the norm of the corner.
  EXPECT_DOUBLE_EQ(full.assumptions.ridge.value(), 0.0025);
  EXPECT_NEAR(full.assumptions.action_bound.value(), std::sqrt(2.0), 1e-14);
  EXPECT_GE(full.assumptions.action_bound.value(), std::sqrt(2.0));
}

TEST(Resolved, KeepsWhatIsGiven) {
  Problem problem = on_polytope();
  problem.assumptions.ridge = 7.0;
  problem.assumptions.action_bound = 1.6;  // between the farthest vertex and the corner of the box
  const Problem full = resolved(problem);
  EXPECT_EQ(full.assumptions.ridge.value(), 7.0);
  EXPECT_EQ(full.assumptions.action_bound.value(), 1.6);
}

TEST(Resolved, ABoundCutShortByItsDecimalsBecomesTheProvedOne) {
  // 1.414213562 < √2 is meant as √2; the corner of the box must stay playable.
  Problem problem = on_box();
  problem.assumptions.action_bound = 1.414213562;
  EXPECT_GE(resolved(problem).assumptions.action_bound.value(), std::sqrt(2.0));
}

TEST(Resolved, APolytopesBoundCutShortByItsDecimalsBecomesAProvedOne) {
  Problem problem = on_polytope();
  problem.assumptions.action_bound = 1.581138830;  // of √2.5 = 1.58113883008…
  const double bound = resolved(problem).assumptions.action_bound.value();
  EXPECT_GE(bound, std::sqrt(2.5));
  EXPECT_LE(bound, std::sqrt(2.5) * (1.0 + 1e-9));
}

// A turned cube in 20 dimensions has extent √20, but no search of bounded effort proves that.
TEST(Problem, ABoundThatCannotBeProvedIsRefused) {
  const Eigen::Index d = 20;
  RandomStream random(3, 0);
  const Eigen::MatrixXd Q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd::NullaryExpr(d, d, [&] {
        return random.normal();
      })).householderQ();
  Eigen::MatrixXd normals(2 * d, d);
  normals << Q, -Q;
  Problem problem{.decision_set = geometry::Polytope(normals, Eigen::VectorXd::Ones(2 * d)),
                  .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 1.0}},
                  .assumptions = {.action_bound = std::sqrt(20.0)}};
  try {
    validate(problem);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.field(), "action_bound");
    EXPECT_EQ(std::string(error.what()).find("action_bound: must be proved to bound"), 0U)
        << error.what();
  }
  problem.assumptions.action_bound = geometry::norm_bound(problem.decision_set);
  EXPECT_NO_THROW(validate(problem));
}

TEST(Digest, IsTheSameForTheSameProblem) {
  EXPECT_EQ(digest(resolved(on_box())), digest(resolved(on_box())));
  EXPECT_EQ(digest(resolved(with_baseline())), digest(resolved(with_baseline())));
}

TEST(Digest, DiffersWheneverAnythingDiffers) {
  const std::vector<std::function<void(Problem&)>> changes = {
      [](Problem&) {},
      [](Problem& p) { p.decision_set = geometry::Box::symmetric(2, 0.5); },
      [](Problem& p) { p.decision_set = geometry::Ball(2, 1.0); },
      [](Problem& p) { p.decision_set = geometry::Ball(2, 1.5); },
      [](Problem& p) { p = on_polytope(); },
      [](Problem& p) { p = on_arms(); },
      [](Problem& p) { p = on(geometry::ContextualArms(2)); },
      [](Problem& p) {
        p.decision_set = geometry::Polytope(triangle_rows(), Eigen::Vector3d(1.0, 0.5, 0.25));
      },
      [](Problem& p) { p.constraints[0].matrix(0, 1) = std::nextafter(1.8, 2.0); },
      [](Problem& p) { p.constraints[1].limit = std::nextafter(2.0, 3.0); },
      [](Problem& p) { std::swap(p.constraints[0], p.constraints[1]); },
      [](Problem& p) { p.constraints.pop_back(); },
      [](Problem& p) { p.constraints.push_back(p.constraints[0]); },
      [](Problem& p) { p.assumptions.noise_scale = 0.2; },
      [](Problem& p) { p.assumptions.norm_bound = 1.5; },
      [](Problem& p) { p.assumptions.action_bound = 3.0; },
      [](Problem& p) { p.assumptions.ridge = 3.0; },
      [](Problem& p) { p.assumptions.failure_prob = 0.02; },
      [](Problem& p) { p.baseline = with_baseline().baseline; },
      [](Problem& p) {
        p.baseline = with_baseline().baseline;
        p.baseline->margin = 0.31;
      },
      [](Problem& p) { p.baseline = Baseline{.action = Eigen::Vector2d::Zero(), .margin = 0.3}; }};
  std::set<std::string> digests;
  for (const auto& change : changes) {
    Problem problem = on_box();
    change(problem);
    digests.insert(digest(resolved(problem)).hex());
  }
  EXPECT_EQ(digests.size(), changes.size());
}

}  // namespace
}  // namespace foothold::safety
