#include <atomic>
#include <iostream>

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <unistd.h>

#include "application.hpp"

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
  install_handlers();
  const foothold::cli::Console console{.out = std::cout,
                                       .err = std::cerr,
                                       .is_err_terminal = ::isatty(STDERR_FILENO) == 1,
                                       .stop = &interrupted};
  return static_cast<int>(foothold::cli::run_application(argc, argv, console));
}
