#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"

#include "certificate_cases.hpp"
#include "certificate_judge.hpp"
#include "mpfi_oracle.hpp"

// The claim of a certificate, judged by interval arithmetic from the raw observations: whatever
// rounding did, "safe" means that the exact bound is at most the limit. Limits are laid on the
// exact bounds, give or take a few units in the last place, where every error shows.
namespace foothold::safety::testing {
namespace {

void report(const std::string& name, const Tally& tally) {
  std::printf(
      "%s: %ld certificates of %ld bounds, %ld safe; proved unsafe %ld, falsely safe %ld (naive "
      "%ld); too small: bounds %ld, totals %ld, radii %ld, widths %ld, allowances %ld, log det "
      "%ld; "
      "moved %ld, too far %ld; accepted %ld of %ld; of what rounding can cost: l1 %.2g, width "
      "%.2g, "
      "allowance %.4g\n",
      name.c_str(), tally.cases, tally.constraints, tally.safe, tally.unsafe_by_proof,
      tally.false_safe, tally.naive_false_safe, tally.broken_bound, tally.broken_total,
      tally.broken_radius, tally.broken_width, tally.broken_estimate, tally.broken_log_det,
      tally.moved, tally.moved_too_far, tally.accepted, tally.eligible, tally.worst_l1_error,
      tally.worst_width, tally.worst_allowance);
  ::testing::Test::RecordProperty("false_safe", std::to_string(tally.false_safe));
  ::testing::Test::RecordProperty("naive_false_safe", std::to_string(tally.naive_false_safe));
  ::testing::Test::RecordProperty("accepted", std::to_string(tally.accepted));
  ::testing::Test::RecordProperty("eligible", std::to_string(tally.eligible));
}

void expect_no_false_claim(const Tally& tally) {
  EXPECT_EQ(tally.false_safe, 0);
  EXPECT_EQ(tally.broken_bound, 0);
  EXPECT_EQ(tally.broken_total, 0);
  EXPECT_EQ(tally.broken_radius, 0);
  EXPECT_EQ(tally.broken_width, 0);
  EXPECT_EQ(tally.broken_estimate, 0);
  EXPECT_EQ(tally.broken_log_det, 0);
  EXPECT_EQ(tally.not_a_number, 0);
  // Also actions that were moved off their limits are judged, as policies release them.
  EXPECT_GT(tally.moved, tally.cases / 10);
}

TEST(Certificate, IsNeverFalselySafeOnRandomStates) {
  constexpr int kStates = 2'000;
  constexpr int kQueries = 50;
  Interval::set_precision(400);
  Tally tally;
  for (int s = 0; s < kStates; ++s) {
    RandomStream random(/*seed=*/20'240'611, static_cast<std::uint64_t>(s));
    Judge judge(ordinary_case(random), random, tally);
    judge.ask(kQueries);
  }
  report("random", tally);
  expect_no_false_claim(tally);
  EXPECT_EQ(tally.cases, kStates * kQueries);
  // The limits are adversarial: many are exceeded, and a certificate without allowances, judged
  // by the same oracle on the same cases, is caught.
  EXPECT_GT(tally.unsafe_by_proof, tally.constraints / 10);
  EXPECT_GT(tally.naive_false_safe, 0);
  // Safe by a relative 1e-9 at condition ≤ 1e8: at least 99 % are accepted.
  EXPECT_GT(tally.eligible, 10'000);
  EXPECT_GE(static_cast<double>(tally.accepted), 0.99 * static_cast<double>(tally.eligible));
  EXPECT_EQ(tally.moved_too_far, 0);
  // Nothing is lost needlessly: no more than rounding can cost, to first order. What is left out is
  // below d²u‖A‖/λ of it.
  constexpr double kShare = 1.0 + 1e-4;
  EXPECT_LE(tally.worst_l1_error, kShare);
  EXPECT_LE(tally.worst_width, kShare);
  EXPECT_LE(tally.worst_allowance, kShare);
}

class PathologicalCertificate : public ::testing::TestWithParam<int> {};

TEST_P(PathologicalCertificate, IsNeverFalselySafe) {
  const auto pathology = static_cast<Pathology>(GetParam());
  const int states = pathology == Pathology::ManyUpdates ? 10 : 60;
  constexpr int kQueries = 10;
  Interval::set_precision(6'000);  // condition numbers up to 1e900
  Tally tally;
  for (int s = 0; s < states; ++s) {
    RandomStream random(/*seed=*/77 + static_cast<std::uint64_t>(GetParam()),
                        static_cast<std::uint64_t>(s));
    Judge judge(pathological_case(random, pathology), random, tally);
    judge.ask(kQueries);
  }
  report("pathology " + std::to_string(GetParam()), tally);
  expect_no_false_claim(tally);
  EXPECT_GT(tally.unsafe_by_proof, 0);
}

INSTANTIATE_TEST_SUITE_P(Pathologies, PathologicalCertificate,
                         ::testing::Range(0, static_cast<int>(Pathology::Count)));

}  // namespace
}  // namespace foothold::safety::testing
