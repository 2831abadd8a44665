#include <cmath>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "counted_allocations.hpp"

namespace foothold::policy {
namespace {

using foothold::testing::allocations;
using foothold::testing::kCountsAllocations;

struct Case {
  const char* name;
  safety::Problem problem;
  bool is_targeted = false;
  // Rounds in which workspaces may still be made. Targeted exploration makes some when it first
  // aims at an arm.
  int first = 1;
};

void PrintTo(const Case& test_case, std::ostream* out) {
  *out << test_case.name;
}

safety::Problem random_problem(geometry::DecisionSet set) {
  RandomStream random(/*seed=*/13, /*stream=*/9);
  const Eigen::Index d = geometry::dim(set);
  return {.decision_set = std::move(set),
          .constraints = {{.matrix =
                               Eigen::MatrixXd::NullaryExpr(d, d, [&] { return random.normal(); }),
                           .limit = 0.4}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
}

// A square with its corners cut off.
geometry::DecisionSet octagon() {
  Eigen::MatrixXd normals(8, 2);
  for (Eigen::Index i = 0; i < 8; ++i) {
    const double angle = 0.25 * M_PI * static_cast<double>(i);
    normals.row(i) << std::cos(angle), std::sin(angle);
  }
  return geometry::Polytope(normals, Eigen::VectorXd::Ones(8));
}

// Ten arms, of which the first three are safe before any data.
geometry::DecisionSet ten_arms() {
  RandomStream random(/*seed=*/15, /*stream=*/9);
  Eigen::MatrixXd arms = Eigen::MatrixXd::NullaryExpr(10, 2, [&] { return random.normal(); });
  arms.rowwise().normalize();
  arms.topRows(3) *= 0.05;
  return geometry::Arms(arms);
}

// A run that can be played on.
class Learning {
 public:
  explicit Learning(const Case& test_case) : random_(/*seed=*/16, /*stream=*/9) {
    if (test_case.is_targeted) {
      policy_ = std::make_unique<Targeted>(test_case.problem);
    } else {
      policy_ = std::make_unique<SafeLucb>(test_case.problem);
    }
    const Eigen::Index d = test_case.problem.dim();
    mu_ = Eigen::VectorXd::NullaryExpr(d, [&] { return random_.normal(); }).normalized() * 0.9;
  }

  void play(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const Decision& decision = policy_->ask();
      policy_->tell(decision.id, mu_.dot(decision.action) + 0.1 * random_.normal());
    }
  }

  [[nodiscard]] const Policy& policy() const { return *policy_; }

 private:
  std::unique_ptr<Policy> policy_;
  RandomStream random_;
  Eigen::VectorXd mu_;
};

// Bytes of the heap in use, and of the process in memory.
std::size_t heap_bytes() {
  return mallinfo2().uordblks;
}

double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double total = 0.0;
  double resident = 0.0;
  in >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class LongRun : public ::testing::TestWithParam<Case> {};

TEST_P(LongRun, AllocatesNothingInAHundredThousandRoundsAfterTheFirst) {
  if (!kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  Learning run(GetParam());
  run.play(GetParam().first);
  const long before = allocations;
  run.play(100'000);
  EXPECT_EQ(allocations - before, 0);
}

TEST_P(LongRun, TakesNoMoreMemoryAfterAHundredThousandRoundsThanAfterTenThousand) {
  if (!kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  Learning run(GetParam());
  run.play(10'000);
  const double resident = resident_bytes();
  const std::size_t heap = heap_bytes();  // last: reading a file leaves traces in the heap's caches
  run.play(90'000);
  EXPECT_EQ(heap_bytes(), heap);
  // The kernel counts pages in batches of 64 for each thread.
  EXPECT_LE(resident_bytes() - resident, 64.0 * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

TEST_P(LongRun, HasASnapshotOfTheSameSizeAfterAHundredThousandRounds) {
  Learning run(GetParam());
  run.play(10'000);
  const std::size_t size = run.policy().snapshot().size();
  run.play(90'000);
  EXPECT_EQ(run.policy().snapshot().size(), size);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, LongRun,
    ::testing::Values(Case{"Box2", random_problem(geometry::Box::symmetric(2, 1.0))},
                      Case{"Box4", random_problem(geometry::Box::symmetric(4, 1.0))},
                      Case{"Ball2", random_problem(geometry::Ball(2, 1.0))},
                      Case{"Octagon", random_problem(octagon())},
                      Case{"Arms", random_problem(ten_arms())},
                      Case{"TargetedArms", random_problem(ten_arms()), true, 60}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace foothold::policy
