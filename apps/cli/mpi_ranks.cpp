#include "mpi_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>

#include <mpi.h>

#include "foothold/base/invariant.hpp"

namespace foothold::cli {
namespace {

// By Open MPI's mpirun, by a launcher with PMIx such as Slurm's srun, or by MPICH's.
bool was_started_by_mpi() {
  constexpr std::array<const char*, 3> kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                                     "PMI_RANK"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* variable) { return std::getenv(variable) != nullptr; });
}

// MPI ends the process itself when a call of it fails: nothing here needs its codes.
class MpiRanks final : public simulation::Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    FOOTHOLD_INVARIANT(provided >= MPI_THREAD_FUNNELED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  MpiRanks(MpiRanks&&) = delete;
  MpiRanks& operator=(MpiRanks&&) = delete;
  ~MpiRanks() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, const Bytes& bytes) override {
    FOOTHOLD_INVARIANT(bytes.size() <= std::numeric_limits<int>::max());
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }

  [[nodiscard]] std::optional<Received> receive() override {
    int has_arrived = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has_arrived, &status);
    if (has_arrived == 0) {
      return std::nullopt;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Received message{.from = status.MPI_SOURCE, .bytes = Bytes(static_cast<std::size_t>(size))};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::unique_ptr<simulation::Ranks> make_mpi_ranks() {
  return was_started_by_mpi() ? std::make_unique<MpiRanks>() : nullptr;
}

}  // namespace foothold::cli
