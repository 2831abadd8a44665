// Demand-response prices on a radial feeder whose line limit must hold from the first quarter-hour
// on, although nobody knows how customers react to prices. README.md explains the model.
//
//     example_demand_response DIRECTORY [ROUNDS]
//
// writes prices.csv, safe_set.csv and a table on standard output. Ends with an error if the safe
// learner ever overloads the line.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <foothold/base/random_stream.hpp>
#include <foothold/policy/targeted.hpp>
#include <foothold/simulation/play/unsafe_lucb.hpp>
#include <foothold/simulation/world/best_safe_action.hpp>

#include "feeder.hpp"

namespace {

using namespace foothold;
using namespace demand_response;

constexpr int kGroups = 4;
constexpr int kCars = 2;  // the two groups behind …
constexpr int kHeatPumps = 3;
constexpr int kLine = kCars;     // … the line to the first of them, the one with the tight limit
constexpr double kRating = 2.5;  // of that line, MVA
constexpr double kReserve = 0.03;     // of the rating, for what the linear model leaves out
constexpr double kNoiseScale = 0.08;  // MW: how far the metered demand strays from its forecast
constexpr double kNormBound = 1.5;    // MW: no set of customers reacts more strongly than this
constexpr std::uint64_t kSeed = 2019;

Feeder make_feeder() {
  return {.voltage = 10.0,
          .buses = {{"households", -1, 0.12, 0.10, 1.20, 0.97},
                    {"cold stores", 0, 0.12, 0.10, 0.80, 0.95},
                    {"charging stations", 1, 0.25, 0.18, 0.90, 0.99},
                    {"heat pumps", 2, 0.25, 0.18, 0.95, 0.85}}};
}

// What nobody knows: MW that each group adds if its price falls by the full step of 10 ct/kWh.
Eigen::VectorXd true_response() {
  return Eigen::Vector4d(0.30, 0.20, 0.60, 0.45);
}

// What the learner is told. Prices x are in steps of 10 ct/kWh, demand changes by −μ_i x_i at bus
// i, and the meter at the substation shows the sum: the loss is μᵀx, demand that did not come. The
// line carries base + usageᵀ(−μ∘x) ≤ (1 − reserve)·rating, that is μᵀBx ≤ c with B = −diag(usage).
safety::Problem make_problem(const LineModel& line) {
  return {.decision_set = geometry::Box::symmetric(kGroups, 1.0),
          .constraints = {{.matrix = -Eigen::MatrixXd(line.usage.asDiagonal()),
                           .limit = (1.0 - kReserve) * kRating - line.base}},
          .assumptions = {.noise_scale = kNoiseScale, .norm_bound = kNormBound}};
}

// One way of setting prices, met by the same customers and the same noise as the others.
struct Player {
  std::string name;
  std::function<Eigen::VectorXd()> choose;
  std::function<void(double loss)> learn;

  // What came of it.
  double extra_demand = 0.0;  // MW, mean over the rounds
  double highest_load = 0.0;  // MVA, by the full power flow
  int overloaded = 0;         // rounds above the rating
  int violations = 0;         // rounds above the limit of the linear model
};

// Rounds are reported in bins of growing length: mean prices and the highest loads.
struct Bin {
  int first = 0;
  int last = 0;
};

std::vector<Bin> log_bins(int rounds) {
  std::vector<Bin> bins;
  for (int first = 1; first <= rounds;) {
    const int last = std::min(rounds, std::max(first, int(std::ceil(first * 1.06)) - 1));
    bins.push_back({first, last});
    first = last + 1;
  }
  return bins;
}

class World {
 public:
  World(Feeder feeder, Eigen::VectorXd response)
      : feeder_(std::move(feeder)),
        line_(linearise(feeder_, kLine)),
        response_(std::move(response)) {}

  const LineModel& line() const { return line_; }
  const Eigen::VectorXd& response() const { return response_; }

  double linear_load(const Eigen::VectorXd& x) const {
    return line_.base - line_.usage.dot(response_.cwiseProduct(x));
  }

  double true_load(const Eigen::VectorXd& x) const {
    Eigen::VectorXd demand(kGroups);
    for (int i = 0; i < kGroups; ++i) {
      demand(i) = feeder_.buses[std::size_t(i)].base_load - response_(i) * x(i);
    }
    const PowerFlow flow = solve(feeder_, demand);
    if (!(flow.mismatch <= 1e-9)) {
      throw std::runtime_error("power flow: must balance at every bus");
    }
    return flow.line_load[kLine];
  }

 private:
  Feeder feeder_;
  LineModel line_;
  Eigen::VectorXd response_;
};

void write_header(std::ofstream& out) {
  out << "player,first,last";
  for (int i = 0; i < kGroups; ++i) {
    out << ",price_" << i;
  }
  out << ",linear_load,true_load\n";
}

void play(Player& player, const World& world, int rounds,
          const std::function<void(int round)>& before_round, std::ofstream& out) {
  RandomStream noise(kSeed, /*stream=*/0);
  const double limit = (1.0 - kReserve) * kRating;
  for (const Bin& bin : log_bins(rounds)) {
    Eigen::VectorXd mean_price = Eigen::VectorXd::Zero(kGroups);
    double linear = 0.0;
    double full = 0.0;
    for (int round = bin.first; round <= bin.last; ++round) {
      before_round(round);
      const Eigen::VectorXd x = player.choose();
      const double loss = world.response().dot(x);
      player.learn(loss + kNoiseScale * noise.normal());

      const double load = world.true_load(x);
      player.extra_demand -= loss / rounds;
      player.highest_load = std::max(player.highest_load, load);
      player.overloaded += load > kRating ? 1 : 0;
      player.violations += world.linear_load(x) > limit * (1.0 + 1e-12) ? 1 : 0;
      mean_price += x / (bin.last - bin.first + 1);
      linear = std::max(linear, world.linear_load(x));
      full = std::max(full, load);
    }
    out << player.name << ',' << bin.first << ',' << bin.last;
    for (const double price : mean_price) {
      out << ',' << price;
    }
    out << ',' << linear << ',' << full << '\n';
  }
}

// The border of a star-shaped set around the base tariff in the plane of the two prices that the
// line feels, by bisection along rays.
void write_border(std::ofstream& out, const std::string& name,
                  const std::function<bool(const Eigen::VectorXd&)>& contains) {
  constexpr int kRays = 360;
  for (int ray = 0; ray <= kRays; ++ray) {
    const double angle = 2.0 * std::numbers::pi * ray / kRays;
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(kGroups);
    direction(kCars) = std::cos(angle);
    direction(kHeatPumps) = std::sin(angle);
    double inside = 0.0;
    double outside = 1.0 / direction.cwiseAbs().maxCoeff();  // where the box ends
    if (contains(outside * (1.0 - 1e-9) * direction)) {
      inside = outside;
    }
    for (int step = 0; step < 30; ++step) {
      const double middle = 0.5 * (inside + outside);
      (contains(middle * direction) ? inside : outside) = middle;
    }
    out << name << ',' << inside * direction(kCars) << ',' << inside * direction(kHeatPumps)
        << '\n';
  }
}

// The best that caution without learning can do: full discounts where the line does not care, and
// one discount for the two groups behind it that is safe however they react.
Eigen::VectorXd static_prices(const safety::Problem& problem) {
  Eigen::VectorXd x = -Eigen::VectorXd::Ones(kGroups);
  const safety::SafetyConstraint& constraint = problem.constraints.front();
  const double worst = kNormBound * (constraint.matrix * x).norm();
  x(kCars) *= constraint.limit / worst;
  x(kHeatPumps) *= constraint.limit / worst;
  return x;
}

// The safe learner as a program of one's own would use it: ask for prices, let customers react,
// tell what the meter showed.
class SafeOperator {
 public:
  SafeOperator(const safety::Problem& problem, int rounds, double exploration)
      : policy_(problem, {.exploration = exploration, .horizon = rounds, .seed = kSeed}) {}

  Player player(const std::string& name) {
    return {.name = name,
            .choose =
                [this] {
                  const policy::Decision& decision = policy_.ask();
                  id_ = decision.id;
                  return decision.action;
                },
            .learn = [this](double loss) { policy_.tell(id_, loss); }};
  }
  const policy::Targeted& policy() const { return policy_; }

 private:
  policy::Targeted policy_;
  policy::DecisionId id_{};
};

void print_row(const char* name, double extra, double highest, const std::string& overloaded) {
  std::printf("%-22s %10.3f MW %12.3f MVA %14s\n", name, extra, highest, overloaded.c_str());
}

int run(const std::string& directory, int rounds) {
  const World world(make_feeder(), true_response());
  const safety::Problem problem = make_problem(world.line());
  std::ofstream prices(directory + "/prices.csv");
  std::ofstream safe_set(directory + "/safe_set.csv");
  write_header(prices);
  safe_set << "set,cars,heat_pumps\n";

  SafeOperator cautious_learner(problem, rounds, /*exploration=*/0.3);
  Player safe = cautious_learner.player("safe");
  const auto draw_at = [&](int round) {
    if (round == 1 || round == 100 || round == rounds) {
      write_border(
          safe_set, round == rounds ? "last" : "round " + std::to_string(round),
          [&](const Eigen::VectorXd& x) { return cautious_learner.policy().certify(x).is_safe(); });
    }
  };
  const auto draw_nothing = [](int /*round*/) {};
  play(safe, world, rounds, draw_at, prices);

  SafeOperator eager_learner(problem, rounds, /*exploration=*/1.0);
  Player eager = eager_learner.player("default");
  play(eager, world, rounds, draw_nothing, prices);

  const double limit = (1.0 - kReserve) * kRating;
  write_border(safe_set, "truth",
               [&](const Eigen::VectorXd& x) { return world.linear_load(x) <= limit; });

  const Eigen::VectorXd fixed = static_prices(problem);
  Player cautious{.name = "static", .choose = [&] { return fixed; }, .learn = [](double) {}};
  play(cautious, world, rounds, draw_nothing, prices);

  simulation::UnsafeLucb classical(safety::resolved(problem));
  Eigen::VectorXd last;
  Player unsafe{.name = "unsafe",
                .choose = [&] { return last = classical.choose(); },
                .learn = [&](double loss) { classical.observe(last, loss); }};
  play(unsafe, world, rounds, draw_nothing, prices);

  const simulation::BestSafeAction best = simulation::best_safe_action(problem, world.response());
  safe_set << "best," << best.action(kCars) << ',' << best.action(kHeatPumps) << '\n';
  safe_set << "static," << fixed(kCars) << ',' << fixed(kHeatPumps) << '\n';

  std::printf("%d rounds; limit %.3f MVA of %.1f MVA, base load %.3f MVA, usage %.3f and %.3f\n\n",
              rounds, limit, kRating, world.line().base, world.line().usage(kCars),
              world.line().usage(kHeatPumps));
  std::printf("%-22s %13s %16s %14s\n", "prices", "extra demand", "highest load", "overloaded");
  for (const Player* player : {&cautious, &safe, &eager, &unsafe}) {
    print_row(player->name.c_str(), player->extra_demand, player->highest_load,
              std::to_string(player->overloaded));
  }
  print_row("best safe", -best.loss, world.true_load(best.action), "0");
  if (!prices.flush() || !safe_set.flush()) {
    std::fprintf(stderr, "%s: must be a directory that can be written\n", directory.c_str());
    return EXIT_FAILURE;
  }
  const int failures = safe.violations + safe.overloaded + eager.violations + eager.overloaded;
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int parse_rounds(const std::string& text) {
  int rounds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rounds);
  if (error != std::errc() || stop != end || rounds < 1) {
    throw std::runtime_error("ROUNDS: must be a number of rounds, at least 1, got " + text);
  }
  return rounds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s DIRECTORY [ROUNDS]\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    return run(argv[1], argc == 3 ? parse_rounds(argv[2]) : 4000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
