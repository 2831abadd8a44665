#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/make.hpp"

// Every allocation of every call of a policy is made to fail in turn. A sanitizer brings a malloc
// of its own; then nothing can be made to fail.
#if defined(FOOTHOLD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOOTHOLD_OWNS_MALLOC 0
#else
#define FOOTHOLD_OWNS_MALLOC 1
#endif

namespace {

// The allocation that fails, counted from now on; none if 0 or below.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): malloc has no other place.
std::atomic<long> allocations_left{0};

}  // namespace

#if FOOTHOLD_OWNS_MALLOC
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  if (allocations_left.load(std::memory_order_relaxed) > 0 && --allocations_left == 0) {
    return nullptr;
  }
  return __libc_malloc(size);
}
#endif

namespace foothold::policy {
namespace {

struct MemoryCase {
  std::string name;
  Algorithm algorithm{};
  PolicyOptions options{};
  safety::Problem problem;
};

void PrintTo(const MemoryCase& test_case, std::ostream* out) {
  *out << test_case.name;
}

class MemoryFailure : public ::testing::TestWithParam<MemoryCase> {
 protected:
  void SetUp() override {
    if (FOOTHOLD_OWNS_MALLOC == 0) {
      GTEST_SKIP() << "a sanitizer owns malloc";
    }
  }

  // Repeats the call with its first, second, … allocation failing until it succeeds; each time it
  // throws, the policy must be what it was, warm starts of solvers aside. Returns the failures.
  static int until_it_succeeds(const Policy& policy, const std::function<void()>& call) {
    const Bytes before = policy.snapshot(WarmStarts::Drop);
    for (int failing = 1; failing < 100'000; ++failing) {
      bool has_thrown = false;
      allocations_left = failing;
      try {
        call();
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      allocations_left = 0;
      if (!has_thrown) {
        return failing - 1;
      }
      EXPECT_TRUE(policy.snapshot(WarmStarts::Drop) == before) << "allocation " << failing;
      if (::testing::Test::HasFailure()) {
        return failing;
      }
    }
    ADD_FAILURE() << "the call never succeeds";
    return 0;
  }

  [[nodiscard]] Eigen::MatrixXd next_arms() {
    const Eigen::Index d = GetParam().problem.dim();
    Eigen::MatrixXd arms = Eigen::MatrixXd::NullaryExpr(8, d, [&] { return random_.normal(); });
    arms.rowwise().normalize();
    arms.topRows(4) *= 0.05;
    return arms;
  }

  RandomStream random_{/*seed=*/17, /*stream=*/2};
};

TEST_P(MemoryFailure, LeavesAPolicyAsItWas) {
  const auto policy = make(GetParam().algorithm, GetParam().problem, GetParam().options);
  const auto untroubled = make(GetParam().algorithm, GetParam().problem, GetParam().options);
  const bool is_contextual = geometry::is_contextual(GetParam().problem.decision_set);
  int failures = 0;
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    Decision decision;
    const Eigen::MatrixXd arms = next_arms();
    failures += until_it_succeeds(*policy, [&] {
      const Decision& made = is_contextual ? policy->ask(arms) : policy->ask();
      allocations_left = 0;  // what follows belongs to the test
      decision = made;
    });
    ASSERT_TRUE(decision.certificate.is_safe());
    const double loss = 0.3 * decision.action(0) + 0.1 * random_.normal();
    failures += until_it_succeeds(*policy, [&] { policy->tell(decision.id, loss); });
    // A policy whose memory never ran out chooses the same, up to what warm starts change.
    const Decision& other = is_contextual ? untroubled->ask(arms) : untroubled->ask();
    ASSERT_EQ(other.purpose, decision.purpose);
    ASSERT_LE((other.action - decision.action).norm(), 1e-6);
    untroubled->tell(other.id, loss);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(failures, 0);
  const Eigen::VectorXd x = 0.01 * Eigen::VectorXd::Ones(GetParam().problem.dim());
  if (!geometry::fixed_arms(GetParam().problem.decision_set)) {
    until_it_succeeds(*policy, [&] { policy->observe(x, 0.1); });
  }
  const Bytes bytes = policy->snapshot();
  // The epoch is part of the state, hence the snapshot changes with the restore that succeeds.
  EXPECT_GT(until_it_succeeds(*policy, [&] { policy->restore(bytes, 1); }), 0);
  EXPECT_EQ(policy->estimate().digest(), policy->estimate().digest());
  static_cast<void>(is_contextual ? policy->ask(next_arms()) : policy->ask());
}

std::vector<MemoryCase> memory_cases() {
  RandomStream random(/*seed=*/5, /*stream=*/7);
  const auto normal = [&] { return random.normal(); };
  const auto problem_on = [&](geometry::DecisionSet set, int constraints) {
    safety::Problem problem{.decision_set = std::move(set),
                            .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.1}};
    for (int k = 0; k < constraints; ++k) {
      problem.constraints.push_back(
          {.matrix = Eigen::MatrixXd::NullaryExpr(3, 3, normal), .limit = 0.4});
    }
    return problem;
  };
  Eigen::MatrixXd features = Eigen::MatrixXd::NullaryExpr(12, 3, normal);
  features.topRows(6) *= 0.05;
  safety::Problem contextual = problem_on(geometry::ContextualArms(3), 1);
  contextual.assumptions.action_bound = 2.0;
  const std::vector<std::pair<std::string, safety::Problem>> problems = {
      {"Box", problem_on(geometry::Box::symmetric(3, 1.0), 1)},
      {"TwoConstraints", problem_on(geometry::Box::symmetric(3, 1.0), 2)},
      {"Ball", problem_on(geometry::Ball(3, 1.0), 1)},
      {"Arms", problem_on(geometry::Arms(features), 1)},
      {"Contextual", contextual}};
  std::vector<MemoryCase> cases;
  for (const auto& [name, problem] : problems) {
    const bool is_contextual = geometry::is_contextual(problem.decision_set);
    cases.push_back({"SafeLucb" + name, Algorithm::SafeLucb, {}, problem});
    cases.push_back({"Targeted" + name, Algorithm::Targeted, {}, problem});
    cases.push_back(
        {"Thompson" + name, Algorithm::Targeted, {.exploit = Exploit::Thompson}, problem});
    cases.push_back({"Family" + name,
                     Algorithm::SafeLucb,
                     {.ridge_family = true, .refuse_duplicates = true},
                     problem});
    PolicyOptions gslucb{.horizon = 60};
    if (is_contextual) {
      gslucb.warmup.min_eigenvalue = 0.001;
    } else {
      cases.push_back({"Nested" + name, Algorithm::SafeLucb, {.nested = true}, problem});
      cases.push_back({"Rarely" + name, Algorithm::SafeLucb, {.rarely_switching = 0.5}, problem});
    }
    cases.push_back({"Gslucb" + name, Algorithm::Gslucb, gslucb, problem});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Policies, MemoryFailure, ::testing::ValuesIn(memory_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace foothold::policy
