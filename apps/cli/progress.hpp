#pragma once

#include <iosfwd>

#include "foothold/simulation/batch/runner.hpp"

namespace foothold::cli {

/// Shows how far an experiment is: a bar that is redrawn at most ten times a second for a
/// person, a line at most every minute for a log. Time is told by the caller, in seconds
/// since the start.
class ProgressDisplay {
 public:
  ProgressDisplay(std::ostream& err, bool is_terminal) : err_(err), is_terminal_(is_terminal) {}

  void update(const simulation::Progress& progress, double seconds);

  /// Removes the bar and writes one last line.
  void finish(const simulation::Progress& progress, double seconds);

 private:
  std::ostream& err_;
  bool is_terminal_;
  double last_shown_ = 0.0;
  bool has_bar_ = false;
};

}  // namespace foothold::cli
