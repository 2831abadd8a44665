#pragma once

#include <atomic>
#include <iosfwd>

#include "foothold/simulation/ranks/ranks.hpp"

namespace foothold::cli {

/// Where a command reads and writes; tests give it their own. The streams are borrowed.
struct Console {
  std::ostream& out;                        ///< Results.
  std::ostream& err;                        ///< Progress and errors.
  bool is_err_terminal = false;             ///< Whether a person watches `err`.
  const std::atomic<bool>* stop = nullptr;  ///< Set by Ctrl-C.
  simulation::Ranks* ranks = nullptr;       ///< The processes that `mpirun` started, if it did.
};

}  // namespace foothold::cli
