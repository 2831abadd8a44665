#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include <fmt/format.h>

namespace foothold::cli {
namespace {

constexpr double kBarInterval = 0.1;
constexpr double kLineInterval = 60.0;
constexpr int kBarWidth = 24;

// Callers time their calls by the same interval, give or take a little.
constexpr double kIntervalTolerance = 0.9;

std::string duration(double seconds) {
  const auto whole = std::llround(std::max(seconds, 0.0));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// What this start has played: what earlier ones did took no time of its own.
double rounds_played(const simulation::Progress& progress) {
  return static_cast<double>(progress.rounds_done - progress.rounds_kept);
}

std::string rate(const simulation::Progress& progress, double seconds) {
  return fmt::format("{:.3g} rounds/s", rounds_played(progress) / std::max(seconds, 1e-9));
}

double fraction_done(const simulation::Progress& progress) {
  const auto total = static_cast<double>(std::max<std::int64_t>(progress.rounds_total, 1));
  return std::min(static_cast<double>(progress.rounds_done) / total, 1.0);
}

std::string status(const simulation::Progress& progress, double seconds) {
  const double done = fraction_done(progress);
  const double played = rounds_played(progress);
  const auto missing = static_cast<double>(progress.rounds_total - progress.rounds_done);
  const std::string left =
      played > 0.0 ? "ETA " + duration(seconds * missing / played) : std::string("ETA -:--");
  return fmt::format("{:3.0f} %  {}/{} runs  {}  {}", 100.0 * done, progress.runs_done,
                     progress.runs_total, rate(progress, seconds), left);
}

}  // namespace

void ProgressDisplay::update(const simulation::Progress& progress, double seconds) {
  const double interval = is_terminal_ ? kBarInterval : kLineInterval;
  if (seconds - last_shown_ < kIntervalTolerance * interval) {
    return;
  }
  last_shown_ = seconds;
  if (is_terminal_) {
    const auto filled = static_cast<int>(kBarWidth * fraction_done(progress));
    // To the line's beginning, the bar, and clear what a longer bar left.
    err_ << fmt::format("\r[{:#<{}}{:.<{}}] {}\x1b[K", "", filled, "", kBarWidth - filled,
                        status(progress, seconds))
         << std::flush;
    has_bar_ = true;
  } else {
    err_ << status(progress, seconds) << std::endl;
  }
}

void ProgressDisplay::finish(const simulation::Progress& progress, double seconds) {
  if (has_bar_) {
    err_ << "\r\x1b[K";
    has_bar_ = false;
  }
  const std::string kept =
      progress.rounds_kept == 0
          ? ""
          : fmt::format(" after {} rounds of earlier starts", progress.rounds_kept);
  err_ << fmt::format("{} of {} runs, {} rounds in {:.3g} s ({}){}", progress.runs_done,
                      progress.runs_total, progress.rounds_done - progress.rounds_kept, seconds,
                      rate(progress, seconds), kept)
       << std::endl;
}

}  // namespace foothold::cli
