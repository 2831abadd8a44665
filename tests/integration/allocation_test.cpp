#include <memory>
#include <ostream>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "counted_allocations.hpp"

namespace foothold::policy {
namespace {

using foothold::testing::allocations;

enum class Kind { SafeLucb, Targeted };

struct Case {
  const char* name;
  safety::Problem problem;
  PolicyOptions options;
  Kind kind = Kind::SafeLucb;
};

std::unique_ptr<Policy> make(const Case& test_case) {
  if (test_case.kind == Kind::Targeted) {
    return std::make_unique<Targeted>(test_case.problem, test_case.options);
  }
  return std::make_unique<SafeLucb>(test_case.problem, test_case.options);
}

void PrintTo(const Case& test_case, std::ostream* out) {
  *out << test_case.name;
}

safety::Problem random_problem(geometry::DecisionSet set, std::size_t constraints = 1) {
  RandomStream random(/*seed=*/3, /*stream=*/9);
  const Eigen::Index d = geometry::dim(set);
  safety::Problem problem{.decision_set = std::move(set),
                          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.1}};
  for (std::size_t k = 0; k < constraints; ++k) {
    problem.constraints.push_back(
        {.matrix = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return random.normal(); }),
         .limit = 0.4});
  }
  return problem;
}

geometry::DecisionSet random_polytope(Eigen::Index d) {
  RandomStream random(/*seed=*/4, /*stream=*/9);
  Eigen::MatrixXd normals(4 * d, d);
  normals.topRows(d).setIdentity();
  normals.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
  normals.bottomRows(2 * d) =
      Eigen::MatrixXd::NullaryExpr(2 * d, d, [&] { return random.normal(); });
  return geometry::Polytope(normals, Eigen::VectorXd::Ones(4 * d));
}

geometry::DecisionSet random_arms(Eigen::Index d, Eigen::Index count = 40) {
  RandomStream random(/*seed=*/5, /*stream=*/9);
  Eigen::MatrixXd arms = Eigen::MatrixXd::NullaryExpr(count, d, [&] { return random.normal(); });
  arms.rowwise().normalize();
  arms.topRows(10) *= 0.05;
  return geometry::Arms(arms);
}

class NoAllocation : public ::testing::TestWithParam<Case> {};

TEST_P(NoAllocation, AfterTheFirstRounds) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  const std::unique_ptr<Policy> policy = make(GetParam());
  RandomStream random(/*seed=*/6, /*stream=*/9);
  const Eigen::Index d = GetParam().problem.dim();
  const Eigen::VectorXd mu =
      Eigen::VectorXd::NullaryExpr(d, [&] { return random.normal(); }).normalized() * 0.9;
  const auto play = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const Decision& decision = policy->ask();
      policy->tell(decision.id, mu.dot(decision.action) + 0.1 * random.normal());
    }
  };
  play(60);  // workspaces of every path are made here
  const long before = allocations;
  play(2000);
  EXPECT_EQ(allocations - before, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, NoAllocation,
    ::testing::Values(
        Case{"Box2",
             random_problem(geometry::Box::symmetric(2, 1.0)),
             {.warmup = {.schedule = Schedule::Rounds, .rounds = 30}}},
        Case{"Box8", random_problem(geometry::Box::symmetric(8, 1.0)), {}},
        Case{"Box8SymmetricRoot",
             random_problem(geometry::Box::symmetric(8, 1.0)),
             {.optimism = Optimism::L1, .caution = safety::Caution::L1Paper}},
        Case{"Box4L1Exact",
             random_problem(geometry::Box::symmetric(4, 1.0)),
             {.caution = safety::Caution::L1Exact}},
        Case{"Box4Several", random_problem(geometry::Box::symmetric(4, 1.0), 3), {}},
        Case{"Ball6", random_problem(geometry::Ball(6, 1.0)), {}},
        Case{"Polytope5", random_problem(random_polytope(5)), {}},
        Case{"Arms", random_problem(random_arms(6)), {}},
        Case{"ManyArms", random_problem(random_arms(6, 3000)), {}},
        Case{"ManyArms32", random_problem(random_arms(32, 1500)), {}},
        Case{"ArmsNested", random_problem(random_arms(6)), {.nested = true}},
        Case{"Rarely", random_problem(geometry::Box::symmetric(3, 1.0)), {.rarely_switching = 0.1}},
        Case{"TargetedBox", random_problem(geometry::Box::symmetric(3, 1.0)), {}, Kind::Targeted},
        Case{"TargetedPolytope", random_problem(random_polytope(4)), {}, Kind::Targeted},
        Case{"TargetedBall", random_problem(geometry::Ball(4, 1.0)), {}, Kind::Targeted},
        Case{"TargetedThompson",
             random_problem(geometry::Box::symmetric(3, 1.0)),
             {.exploit = Exploit::Thompson},
             Kind::Targeted},
        Case{"TargetedArms", random_problem(random_arms(6)), {}, Kind::Targeted}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace foothold::policy
