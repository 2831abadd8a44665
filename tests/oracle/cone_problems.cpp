// Draws random cone programs, solves them with ConeSolver and writes both to a file, for
// check_cone_problems.py to compare with independent solvers:
//
//     cone_problems --out FILE [--count N] [--seed S] [--first I]
//
// Problem i belongs to family i modulo their number and has its own random stream, so that it is
// the same whatever the other arguments are. Every second round through the families is solved
// warm: a slightly different problem is solved in the same slot first.

#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "foothold/base/random_stream.hpp"
#include "foothold/cone/cone_solver.hpp"

#include "case_program.hpp"
#include "linear_oracle.hpp"
#include "problem_families.hpp"
#include "problem_file.hpp"

namespace foothold::oracle {
namespace {

SolvedProblem solve(std::uint64_t seed, std::int64_t id) {
  const auto family_count = static_cast<std::int64_t>(families().size());
  SolvedProblem record{.id = id, .family = id % family_count};
  record.is_warm = id / family_count % 2 == 1;
  RandomStream random(seed, static_cast<std::uint64_t>(id));
  record.problem = draw_problem(random, families()[static_cast<std::size_t>(record.family)]);
  cone::ConeSolver solver(/*slots=*/1);
  const RandomProblem earlier = perturbed(random, record.problem);
  if (record.is_warm) {
    solver.load(earlier.program);
    solver.solve(earlier.v, 0);
  }
  solver.load(record.problem.program);
  record.solution = solver.solve(record.problem.v, 0);
  record.clp_value = value_by_clp(record.problem.program, record.problem.v);
  return record;
}

void write(const CaseRange& range) {
  std::ofstream out(range.out, std::ios::binary);
  write_header(out, range.count);
  for (std::int64_t id = range.first; id < range.first + range.count; ++id) {
    write_record(out, solve(range.seed, id));
  }
  if (!out.flush()) {
    throw std::runtime_error("--out: must be a file that can be written");
  }
}

}  // namespace
}  // namespace foothold::oracle

int main(int argc, char** argv) {
  return foothold::oracle::run_case_program("cone_problems", argc, argv, /*default_count=*/12000,
                                            foothold::oracle::write);
}
