#pragma once

#include <optional>

#include "foothold/base/byte_stream.hpp"

namespace foothold::simulation {

/// How the processes that share an experiment talk. An interface, so that nothing but the program
/// that is started by `mpirun` knows MPI. Called from one thread of each process only.
class Ranks {
 public:
  /// A message with the process that sent it.
  struct Received {
    int from = 0;
    Bytes bytes{};
  };

  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  Ranks(Ranks&&) = delete;
  Ranks& operator=(Ranks&&) = delete;
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;  ///< From 0, which leads.
  [[nodiscard]] virtual int size() const = 0;
  /// Messages from one process to another arrive in the order they were sent. May wait until the
  /// other receives.
  virtual void send(int to, const Bytes& bytes) = 0;
  /// A message that has arrived, or none; does not wait.
  [[nodiscard]] virtual std::optional<Received> receive() = 0;
};

}  // namespace foothold::simulation
