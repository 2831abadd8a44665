#include <atomic>
#include <cstddef>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/known_safe_set.hpp"

// Sanitizers bring their own malloc.
#if defined(FOOTHOLD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOOTHOLD_COUNTS_ALLOCATIONS 0
#else
#define FOOTHOLD_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> allocations{0};
}

#if FOOTHOLD_COUNTS_ALLOCATIONS
// Eigen and operator new both end here. glibc's own entry does the work.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace foothold::safety {
namespace {

class Allocation : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (FOOTHOLD_COUNTS_ALLOCATIONS == 0) {
      GTEST_SKIP() << "a sanitizer owns malloc";
    }
  }
};

TEST_P(Allocation, CertificatesAfterTheFirstDoNot) {
  const Eigen::Index d = GetParam();
  const Problem problem =
      resolved({.decision_set = geometry::Box::symmetric(d, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 0.5},
                                {.matrix = Eigen::MatrixXd::Ones(d, d), .limit = 0.5}}});
  estimation::RidgeEstimate estimate(d, problem.assumptions);
  estimate.observe(Eigen::VectorXd::Constant(d, 0.5), 0.25);
  for (const Caution caution : {Caution::Ellipsoid, Caution::L1Exact, Caution::L1Paper}) {
    estimation::ConfidenceRegion region(d);
    region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
    Certifier certifier(problem, {.caution = caution});
    Certificate certificate;
    Eigen::VectorXd x = Eigen::VectorXd::Constant(d, 0.9);
    const long before_first = allocations.load();
    certifier.certify(estimate, region, x, Evidence::Either, certificate);
    EXPECT_GT(allocations.load(), before_first) << "the count must see them";

    const long before = allocations.load();
    certifier.certify(estimate, region, x, Evidence::Either, certificate);
    const bool is_safe =
        certifier.certify_scaled(estimate, region, x, Evidence::Either, certificate);
    EXPECT_EQ(allocations.load(), before);
    EXPECT_TRUE(is_safe);
  }
}

TEST_P(Allocation, DrawsFromTheFootholdDoNot) {
  const Eigen::Index d = GetParam();
  const Problem problem =
      resolved({.decision_set = geometry::Ball(d, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 0.5}}});
  const KnownSafeSet set(problem, Sampler::Uniform);
  RandomStream random(/*seed=*/1, /*stream=*/1);
  Eigen::VectorXd x(d);
  const long before = allocations.load();
  set.sample(random, x);
  EXPECT_EQ(allocations.load(), before);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Allocation, ::testing::Values(1, 2, 5, 16, 40));

}  // namespace
}  // namespace foothold::safety
