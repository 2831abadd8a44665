#include "table.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace foothold::cli {
namespace {

TEST(Table, AlignsTheFirstColumnLeftAndTheOthersRight) {
  Table table({"policy", "runs", "regret"});
  table.add_row({"a", "20", "1 ± 2"});
  table.add_row({"longer name", "3", "10"});
  std::ostringstream out;
  table.write(out);
  EXPECT_EQ(out.str(),
            "policy       runs  regret\n"
            "a              20   1 ± 2\n"
            "longer name     3      10\n");
}

TEST(Table, CountsCodePointsNotBytes) {
  EXPECT_EQ(display_width("1 ± 2"), 5U);
  EXPECT_EQ(display_width("λ"), 1U);
  EXPECT_EQ(display_width(""), 0U);
}

}  // namespace
}  // namespace foothold::cli
