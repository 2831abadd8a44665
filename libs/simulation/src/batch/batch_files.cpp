#include "batch/batch_files.hpp"

#include <ostream>

#include "foothold/simulation/batch/sweep_files.hpp"
#include "foothold/simulation/files/result_files.hpp"
#include "foothold/simulation/files/staged_files.hpp"

#include "files/trace_file.hpp"

namespace foothold::simulation {

void write_batch_files(const BatchResult& batch, const WorkItems& items,
                       const FinishedRuns& finished, const std::vector<const Journal*>& journals,
                       const std::filesystem::path& directory) {
  for (std::size_t point = 0; point < batch.points.size(); ++point) {
    const ExperimentResult& result = batch.points[point].result;
    const auto trace_of = [&](std::size_t policy, std::size_t run) {
      const std::uint64_t item =
          items.index({.point = point, .run = static_cast<std::int64_t>(run), .policy = policy});
      const FinishedRuns::Address& address = finished.address(item);
      return journals[address.journal]->run_at(address.offset);
    };
    const std::filesystem::path folder = directory / batch.points[point].folder;
    prepare_directory(folder);
    write_files_with_trace(result, folder,
                           [&](std::ostream& out) { write_trace_by(result, trace_of, out); });
  }
  if (!batch.axes.empty()) {
    StagedFiles files(directory);
    files.write("sweep.json", [&](std::ostream& out) { write_sweep_json(batch, out); });
    files.write("sweep.csv", [&](std::ostream& out) { write_sweep_csv(batch, out); });
    files.commit();
  }
}

}  // namespace foothold::simulation
