#include "foothold/safety/certificate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace foothold::safety {
namespace {

ConstraintCertificate entry_with(double excess, double room) {
  ConstraintCertificate entry;
  entry.excess = excess;
  entry.room = room;
  return entry;
}

TEST(Certificate, WithoutABoundIsNotSafe) {
  EXPECT_FALSE(Certificate{}.is_safe());
  EXPECT_FALSE(ConstraintCertificate{}.is_safe());
  Certificate certificate;
  certificate.is_in_decision_set = true;
  EXPECT_FALSE(certificate.is_safe());
}

TEST(Certificate, IsSafeUpToTheLimitItself) {
  Certificate certificate{.constraints = {entry_with(1.0, 1.0)}, .is_in_decision_set = true};
  EXPECT_TRUE(certificate.is_safe());
  EXPECT_EQ(certificate.margin(), 0.0);
  certificate.constraints[0].excess = std::nextafter(1.0, 2.0);
  EXPECT_FALSE(certificate.is_safe());
}

TEST(Certificate, MarginIsTheSmallestAndUnknownIfOneIs) {
  Certificate certificate{.constraints = {entry_with(1.0, 3.0), entry_with(1.0, 1.5)},
                          .is_in_decision_set = true};
  EXPECT_EQ(certificate.margin(), 0.5);
  certificate.constraints.insert(certificate.constraints.begin(), ConstraintCertificate{});
  EXPECT_TRUE(std::isnan(certificate.margin()));
  EXPECT_FALSE(certificate.is_safe());
}

TEST(BoundKind, HasAWord) {
  EXPECT_EQ(name(BoundKind::APriori), "a-priori");
  EXPECT_EQ(name(BoundKind::Ellipsoid), "ellipsoid");
  EXPECT_EQ(name(BoundKind::L1Exact), "l1-exact");
  EXPECT_EQ(name(BoundKind::L1Paper), "l1-paper");
}

}  // namespace
}  // namespace foothold::safety
