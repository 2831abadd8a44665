#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/problem.hpp"

// Random problems with their raw observations, from ordinary to hopeless.
namespace foothold::safety::testing {

struct Observation {
  Eigen::VectorXd action{};
  double loss = 0.0;
  int times = 1;
};

struct CertificateCase {
  Problem problem;
  std::vector<Observation> data{};
  // The typical length of an action to be judged, measured from the centre.
  double reach = 1.0;
  // Whether the factor and the computed estimate are spoilt, as no amount of rounding would.
  bool breaks_factor = false;
};

// 10^exponent for an exponent uniform on [low, high].
[[nodiscard]] double power_of_ten(RandomStream& random, double low, double high);
[[nodiscard]] Eigen::VectorXd normal_vector(RandomStream& random, Eigen::Index dim);
[[nodiscard]] bool coin(RandomStream& random, double prob);

// d from 1 to 8, n from 0 to 60, condition numbers of A up to about 1e12, one to three
// constraints, with and without a baseline.
[[nodiscard]] CertificateCase ordinary_case(RandomStream& random);

enum class Pathology {
  HighCondition,      // 1e12 to 1e40
  ExtremeActions,     // scales from 1e-150 to 1e150
  ExtremeConstraint,  // the same of B
  ManyUpdates,        // 1e5 of one direction
  NearlyDependent,    // actions that differ by rounding, and duplicates
  SingularMatrix,     // B = 0 or of low rank
  ExtremeRidge,       // from 1e-300 to 1e300
  ExtremeLosses,
  TinyScales,        // squares of lengths below the normal range, at high condition
  Cancellation,      // x − x₀ far below x, and Bx far below |B||x|
  BrokenFactor,      // F and μ̂ off by up to 100 % and more
  BrokenTinyFactor,  // the same at tiny scales
  Everything,        // all scales at once
  Count
};

[[nodiscard]] CertificateCase pathological_case(RandomStream& random, Pathology pathology);

}  // namespace foothold::safety::testing
