#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>

#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// `write_trace` for traces that are not in the result: `trace_of(policy, run)` yields a run with
/// its trace, of which one is held at a time.
template <typename TraceOf>
void write_trace_by(const ExperimentResult& result, const TraceOf& trace_of, std::ostream& out);

void write_trace_header(std::ostream& out);

/// The lines of one run; `policy` is its name.
void write_trace_lines(const std::string& policy, std::size_t number, const RunResult& run,
                       const std::vector<std::int64_t>& rounds, std::ostream& out);

/// `write_result_files` with a trace from elsewhere, to a directory that is there.
void write_files_with_trace(const ExperimentResult& result, const std::filesystem::path& directory,
                            const std::function<void(std::ostream&)>& trace);

template <typename TraceOf>
void write_trace_by(const ExperimentResult& result, const TraceOf& trace_of, std::ostream& out) {
  write_trace_header(out);
  for (std::size_t policy = 0; policy < result.policies.size(); ++policy) {
    const PolicyResult& runs = result.policies[policy];
    for (std::size_t run = 0; run < runs.runs.size(); ++run) {
      write_trace_lines(runs.name, run, trace_of(policy, run), result.trace_rounds, out);
    }
  }
}

}  // namespace foothold::simulation
