#include <atomic>
#include <cstdint>
#include <iostream>
#include <memory>
#include <ostream>
#include <string_view>

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no sigaction
#include <time.h>    // NOLINT(modernize-deprecated-headers): <ctime> has no clock_gettime
#include <unistd.h>

#include "foothold/base/error.hpp"

#include "application.hpp"
#include "mpi_ranks.hpp"

namespace {

// A signal handler has no other way to reach the command.
std::atomic<bool> interrupted{false};  // NOLINT(readability-identifier-naming)
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

// When the first signal came, in nanoseconds; 0 before.
std::atomic<std::int64_t> interrupted_at{0};  // NOLINT(readability-identifier-naming)
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler writes it");

// `timeout`, and what else signals a process and then its group, sends one signal twice at once. No
// hand is that fast.
constexpr std::int64_t kSameSignal = 200'000'000;

// The first signal asks the command to stop; another one, unless it is the same, ends the process.
extern "C" void handle_interrupt(int number) {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  std::int64_t first = 0;
  if (interrupted_at.compare_exchange_strong(first, now)) {
    interrupted.store(true);
  } else if (now - first > kSameSignal) {
    ::signal(number, SIG_DFL);
    ::raise(number);  // Delivered when this function returns.
  }
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = handle_interrupt;
  action.sa_flags = SA_RESTART;
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
