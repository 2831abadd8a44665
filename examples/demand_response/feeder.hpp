#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

// A radial medium-voltage feeder, its linear model and its full power flow. Powers are in MW, Mvar
// and MVA, voltages in kV between phases, impedances in ohms; then every product below fits.
namespace demand_response {

// A group of customers behind one bus, with the line that leads to it.
struct Bus {
  std::string name;
  int parent = 0;             // the bus that the line comes from; −1 is the substation
  double resistance = 0.0;    // of that line
  double reactance = 0.0;     // of that line
  double base_load = 0.0;     // demand at the base tariff: the highest that is expected at noon
  double power_factor = 1.0;  // lagging, and the same for whatever demand prices add
};

struct Feeder {
  double voltage = 10.0;   // at the substation
  std::vector<Bus> buses;  // parents first
};

// Q/P of a bus.
double reactive_ratio(const Bus& bus);

// Whether the line to bus `line` supplies bus `bus`.
bool is_downstream(const Feeder& feeder, int line, int bus);

// The linearised model of one line: load ≈ base + usageᵀ(change of demand at each bus).
//
// In linearised DistFlow [BW89] losses are dropped, so the line carries P + jQ, the sum of the
// demands behind it. Its load √(P² + Q²) is replaced by its tangent at the base load, where P + jQ
// has angle θ: one more MW at bus i, which brings tan φ_i Mvar with it, adds cos θ + tan φ_i sin θ.
struct LineModel {
  double base = 0.0;
  Eigen::VectorXd usage;
};
LineModel linearise(const Feeder& feeder, int line);

// The full, nonlinear power flow with constant powers.
struct PowerFlow {
  std::vector<std::complex<double>> voltage;  // of each bus
  std::vector<double> line_load;  // |current| · nominal voltage of the line to each bus
  double losses = 0.0;
  double mismatch = 0.0;  // the largest violation of the nodal power balance: says how good this is
};

// By backward and forward sweeps from the nominal voltage. `demand` is P at each bus.
PowerFlow solve(const Feeder& feeder, const Eigen::VectorXd& demand);

}  // namespace demand_response
