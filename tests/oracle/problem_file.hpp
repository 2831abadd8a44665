#pragma once

#include <cstdint>
#include <ostream>

#include "foothold/cone/cone_program.hpp"

#include "problem_families.hpp"

namespace foothold::oracle {

// What becomes of one problem.
struct SolvedProblem {
  std::int64_t id = 0;
  std::int64_t family = 0;
  bool is_warm = false;
  RandomProblem problem{};
  cone::ConeSolution solution{};
  double clp_value = 0.0;  // NaN unless the problem is linear
};

// The file that check_cone_problems.py reads: 64-bit words of this machine's byte order, integers
// and doubles, matrices column by column.
//
//     file      "FHCONE01", number of families, { length, name padded to 8 bytes }, number of
//               records, records
//     record    id, family, d, rows, cones, box_is_constraint, is_warm, status, path, iterations,
//               lower, upper, v, G, h, { a, M, e, rho, c } per cone,
//               u, value, dual_bound, eta, tau, w, clp_value
//
// M is d × d and w is d × cones.
void write_header(std::ostream& out, std::int64_t records);
void write_record(std::ostream& out, const SolvedProblem& record);

}  // namespace foothold::oracle
