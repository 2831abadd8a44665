#include <cstdlib>

#include "foothold/base/error.hpp"

#include "mpi_ranks.hpp"

namespace foothold::cli {

std::unique_ptr<simulation::Ranks> make_mpi_ranks() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) {
    throw Error(
        ErrorCode::Unavailable, "mpirun",
        "must start a foothold that was built with MPI (FOOTHOLD_WITH_MPI=ON), but this one "
        "was not: every process would do all of the work");
  }
  return nullptr;
}

}  // namespace foothold::cli
