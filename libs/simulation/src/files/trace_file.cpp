#include "files/trace_file.hpp"

#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "foothold/simulation/files/csv_text.hpp"

namespace foothold::simulation {

void write_trace_header(std::ostream& out) {
  out << "policy,run,round,regret,violations\n";
}

void write_trace_lines(const std::string& policy, std::size_t number, const RunResult& run,
                       const std::vector<std::int64_t>& rounds, std::ostream& out) {
  const std::string field = csv_field(policy);
  fmt::memory_buffer lines;
  for (std::size_t i = 0; i < run.trace_regret.size(); ++i) {
    fmt::format_to(std::back_inserter(lines), "{},{},{},{},{}\n", field, number, rounds[i],
                   run.trace_regret[i], run.trace_violations[i]);
  }
  out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
}

}  // namespace foothold::simulation
