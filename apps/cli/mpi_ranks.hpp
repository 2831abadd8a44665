#pragma once

#include <memory>

#include "foothold/simulation/ranks/ranks.hpp"

namespace foothold::cli {

/// The processes that `mpirun` started this one with, or nullptr if it was started by itself: MPI
/// is not touched then. MPI ends with the object, on all of them together. Throws
/// `Error{Unavailable}` under `mpirun` if the program was built without MPI.
[[nodiscard]] std::unique_ptr<simulation::Ranks> make_mpi_ranks();

}  // namespace foothold::cli
