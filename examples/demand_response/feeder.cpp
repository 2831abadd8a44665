#include "feeder.hpp"

#include <algorithm>
#include <cmath>

namespace demand_response {
namespace {

using Complex = std::complex<double>;

Complex impedance(const Bus& bus) {
  return {bus.resistance, bus.reactance};
}

Complex demand_at(const Bus& bus, double active) {
  return {active, active * reactive_ratio(bus)};
}

// Oracle of the sweeps: the balance at every bus from voltages and admittances alone.
double nodal_mismatch(const Feeder& feeder, const std::vector<Complex>& voltage,
                      const Eigen::VectorXd& demand) {
  const std::size_t n = feeder.buses.size();
  std::vector<Complex> current(n, 0.0);  // out of each bus into the network
  for (std::size_t i = 0; i < n; ++i) {
    const int parent = feeder.buses[i].parent;
    const Complex source = parent < 0 ? Complex(feeder.voltage) : voltage[std::size_t(parent)];
    const Complex flow = (voltage[i] - source) / impedance(feeder.buses[i]);
    current[i] += flow;
    if (parent >= 0) {
      current[std::size_t(parent)] -= flow;
    }
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Complex injected = voltage[i] * std::conj(current[i]);
    worst =
        std::max(worst, std::abs(injected + demand_at(feeder.buses[i], demand(Eigen::Index(i)))));
  }
  return worst;
}

}  // namespace

double reactive_ratio(const Bus& bus) {
  return std::tan(std::acos(bus.power_factor));
}

bool is_downstream(const Feeder& feeder, int line, int bus) {
  while (bus >= 0 && bus != line) {
    bus = feeder.buses[std::size_t(bus)].parent;
  }
  return bus == line;
}

LineModel linearise(const Feeder& feeder, int line) {
  const auto n = int(feeder.buses.size());
  Complex flow = 0.0;
  for (int i = 0; i < n; ++i) {
    if (is_downstream(feeder, line, i)) {
      flow += demand_at(feeder.buses[std::size_t(i)], feeder.buses[std::size_t(i)].base_load);
    }
  }
  LineModel model{.base = std::abs(flow), .usage = Eigen::VectorXd::Zero(n)};
  for (int i = 0; i < n; ++i) {
    if (is_downstream(feeder, line, i)) {
      model.usage(i) =
          (flow.real() + reactive_ratio(feeder.buses[std::size_t(i)]) * flow.imag()) / model.base;
    }
  }
  return model;
}

PowerFlow solve(const Feeder& feeder, const Eigen::VectorXd& demand) {
  constexpr int kSweeps = 50;  // Each gains two digits or more at voltage drops of a few per cent.
  const std::size_t n = feeder.buses.size();
  PowerFlow flow{.voltage = std::vector<Complex>(n, feeder.voltage),
                 .line_load = std::vector<double>(n, 0.0)};
  std::vector<Complex> current(n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      current[i] = std::conj(demand_at(feeder.buses[i], demand(Eigen::Index(i))) / flow.voltage[i]);
    }
    for (std::size_t i = n; i-- > 0;) {  // backward: a line carries what is behind it
      if (feeder.buses[i].parent >= 0) {
        current[std::size_t(feeder.buses[i].parent)] += current[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {  // forward: voltages fall along the lines
      const int parent = feeder.buses[i].parent;
      const Complex source =
          parent < 0 ? Complex(feeder.voltage) : flow.voltage[std::size_t(parent)];
      flow.voltage[i] = source - impedance(feeder.buses[i]) * current[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    flow.line_load[i] = std::abs(current[i]) * feeder.voltage;
    flow.losses += feeder.buses[i].resistance * std::norm(current[i]);
  }
  flow.mismatch = nodal_mismatch(feeder, flow.voltage, demand);
  return flow;
}

}  // namespace demand_response
