#include <atomic>
#include <iostream>
#include <memory>
#include <ostream>
#include <string_view>

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <unistd.h>

#include "foothold/base/error.hpp"

#include "application.hpp"
#include "mpi_ranks.hpp"

namespace {

// A signal handler has no other way to reach the command.
std::atomic<bool> interrupted{false};  // NOLINT(readability-identifier-naming)
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

extern "C" void handle_interrupt(int /*signal*/) {
  interrupted.store(true);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = handle_interrupt;
  // Once only: a second Ctrl-C ends the process at once.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  using foothold::cli::ExitCode;
  install_handlers();
  std::unique_ptr<foothold::simulation::Ranks> ranks;
  try {
    ranks = foothold::cli::make_mpi_ranks();
  } catch (const foothold::Error& error) {
    std::cerr << "foothold: " << error.what() << std::endl;
    return static_cast<int>(foothold::cli::exit_code_for(error.code()));
  }
  const bool is_leader = ranks == nullptr || ranks->rank() == 0;
  // Of several processes one speaks, and does alone what is not made to be shared.
  if (!is_leader && !(argc > 1 && std::string_view(argv[1]) == "run")) {
    return static_cast<int>(ExitCode::Success);
  }
  std::ostream nowhere(nullptr);
  const foothold::cli::Console console{.out = is_leader ? std::cout : nowhere,
                                       .err = is_leader ? std::cerr : nowhere,
                                       .is_err_terminal = ::isatty(STDERR_FILENO) == 1,
                                       .stop = &interrupted,
                                       .ranks = ranks.get()};
  const ExitCode exit_code = foothold::cli::run_application(argc, argv, console);
  return static_cast<int>(is_leader ? exit_code : ExitCode::Success);
}
