#include "progress.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace foothold::cli {
namespace {

simulation::Progress progress_at(std::int64_t rounds) {
  return {.rounds_done = rounds, .rounds_total = 1000, .runs_done = rounds / 100, .runs_total = 10};
}

TEST(ProgressDisplay, WritesALineEveryMinuteToALog) {
  std::ostringstream err;
  ProgressDisplay display(err, /*is_terminal=*/false);
  for (int tenth = 1; tenth <= 1500; ++tenth) {
    display.update(progress_at(tenth / 6), 0.1 * tenth);
  }
  display.finish(progress_at(1000), 160.0);
  // After 54 s, 108 s and at the end, with no control characters.
  EXPECT_EQ(err.str(),
            "  9 %  0/10 runs  1.67 rounds/s  ETA 9:06\n"
            " 18 %  1/10 runs  1.67 rounds/s  ETA 8:12\n"
            "10 of 10 runs, 1000 rounds in 160 s (6.25 rounds/s)\n");
}

TEST(ProgressDisplay, RedrawsABarAtMostTenTimesASecondForAPerson) {
  std::ostringstream err;
  ProgressDisplay display(err, /*is_terminal=*/true);
  for (int millisecond = 1; millisecond <= 1000; ++millisecond) {
    display.update(progress_at(millisecond / 2), 0.001 * millisecond);
  }
  const std::string text = err.str();
  const auto redraws = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(redraws, 8);
  EXPECT_LE(redraws, 11);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  EXPECT_NE(text.find("[##########..............]  45 %  4/10 runs  500 rounds/s  ETA 0:01"),
            std::string::npos)
      << text;
}

TEST(ProgressDisplay, ClearsTheBarBeforeTheLastLine) {
  std::ostringstream err;
  ProgressDisplay display(err, /*is_terminal=*/true);
  display.update(progress_at(500), 1.0);
  err.str("");
  display.finish(progress_at(1000), 4000.0);
  EXPECT_EQ(err.str(), "\r\x1b[K10 of 10 runs, 1000 rounds in 4e+03 s (0.25 rounds/s)\n");
}

TEST(ProgressDisplay, HasNoEstimateBeforeTheFirstRound) {
  std::ostringstream err;
  ProgressDisplay display(err, /*is_terminal=*/false);
  display.update(progress_at(0), 60.0);
  EXPECT_NE(err.str().find("ETA -:--"), std::string::npos);
}

TEST(ProgressDisplay, DoesNotCountWhatEarlierStartsPlayed) {
  std::ostringstream err;
  ProgressDisplay display(err, /*is_terminal=*/false);
  simulation::Progress progress = progress_at(600);
  progress.rounds_kept = 500;
  display.update(progress, 60.0);  // 100 rounds a minute, 400 to go.
  display.finish(progress, 60.0);
  EXPECT_EQ(
      err.str(),
      " 60 %  6/10 runs  1.67 rounds/s  ETA 4:00\n"
      "6 of 10 runs, 100 rounds in 60 s (1.67 rounds/s) after 500 rounds of earlier starts\n");
}

}  // namespace
}  // namespace foothold::cli
