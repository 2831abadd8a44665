#include "foothold/simulation/files/version.hpp"

namespace foothold::simulation {

std::string_view version() {
  return FOOTHOLD_VERSION;  // The project's version; CMakeLists.txt defines it for this file.
}

std::string_view commit() {
  return FOOTHOLD_COMMIT;
}

}  // namespace foothold::simulation
