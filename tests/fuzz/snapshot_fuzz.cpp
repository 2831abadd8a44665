#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "fuzz_support.hpp"

// Input: which policy, how many rounds it has played, and edits of its snapshot. The edited words
// are sealed again, so that they get past the checksum, and the policy restores them. A random
// string of bytes would never get past the fingerprint of problem and options, and a stored
// snapshot would be worthless with the next version of the format.
namespace foothold::fuzz {
namespace {

constexpr std::size_t kWordSize = 8;
constexpr int kLaterRounds = 6;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

safety::Problem problem_on(geometry::DecisionSet set) {
  return {.decision_set = std::move(set),
          .constraints = {{.matrix = Eigen::MatrixXd{{0.6, 1.8}, {1.8, 0.4}}, .limit = 0.5}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.01}};
}

Eigen::MatrixXd some_arms() {
  return Eigen::MatrixXd{{0.1, 0.0}, {0.0, 0.1}, {-0.1, 0.05}, {0.6, -0.6}, {-0.5, -0.5}};
}

safety::Problem box_problem() {
  return problem_on(geometry::Box::symmetric(2, 1.0));
}

safety::Problem arms_problem() {
  return problem_on(geometry::Arms(some_arms()));
}

safety::Problem polytope_problem() {
  const Eigen::MatrixXd normals{{1.0, 0.2}, {-1.0, 0.1}, {0.0, 1.0}, {0.3, -1.0}};
  return problem_on(geometry::Polytope(normals, Eigen::VectorXd::Ones(4)));
}

safety::Problem contextual_problem() {
  safety::Problem problem = problem_on(geometry::ContextualArms(2));
  problem.assumptions.action_bound = 1.0;
  return problem;
}

policy::PolicyOptions with_warmup(std::int64_t rounds) {
  policy::PolicyOptions options;
  options.warmup = {.schedule = policy::Schedule::Rounds, .rounds = rounds};
  return options;
}

std::unique_ptr<policy::Policy> make_policy(std::uint8_t choice) {
  policy::PolicyOptions options;
  switch (choice % 8) {
    case 0:
      return std::make_unique<policy::SafeLucb>(box_problem(), with_warmup(3));
    case 1:
      options = with_warmup(2);
      options.nested = true;
      return std::make_unique<policy::SafeLucb>(polytope_problem(), options);
    case 2:
      options = with_warmup(2);
      options.rarely_switching = 0.5;
      return std::make_unique<policy::SafeLucb>(arms_problem(), options);
    case 3:
      options.horizon = 100;
      return std::make_unique<policy::Gslucb>(arms_problem(), options);
    case 4:
      return std::make_unique<policy::Targeted>(box_problem());
    case 5:
      options.ridge_family = true;
      options.exploit = policy::Exploit::Thompson;
      return std::make_unique<policy::Targeted>(arms_problem(), options);
    case 6:
      return std::make_unique<policy::Targeted>(contextual_problem());
    default:
      options.optimism = policy::Optimism::Ellipsoid;
      options.search.nodes = 100;  // sanitizers make each one slow
      return std::make_unique<policy::Targeted>(polytope_problem(), options);
  }
}

void play_round(policy::Policy& policy) {
  const bool is_contextual =
      std::holds_alternative<geometry::ContextualArms>(policy.problem().decision_set);
  const policy::Decision& decision = is_contextual ? policy.ask(some_arms()) : policy.ask();
  const double loss = 0.8 * decision.action(0) - 0.4 * decision.action(1);
  if (policy.rounds() % 3 != 0) {  // every third round stays open
    policy.tell(decision.id, loss);
  }
}

std::vector<std::uint64_t> words_of(const Bytes& snapshot) {
  const std::size_t seal = ByteWriter().sealed().size();
  std::vector<std::uint64_t> words((snapshot.size() - seal) / kWordSize);
  for (std::size_t k = 0; k < words.size() * kWordSize; ++k) {
    words[k / kWordSize] |= std::to_integer<std::uint64_t>(snapshot[k]) << (8U * (k % kWordSize));
  }
  return words;
}

Bytes sealed(const std::vector<std::uint64_t>& words) {
  ByteWriter writer;
  for (const std::uint64_t word : words) {
    writer.write(word);
  }
  return writer.sealed();
}

// Values that code forgets about.
constexpr std::array kNumbers = {
    0.0,   -0.0,   1.0,    -1.0, 1e-300, 1e300, 5e-324,
    1e154, 1e-154, -1e308, kNaN, 1e16,   0.5,   std::numeric_limits<double>::infinity()};
constexpr std::array<std::uint64_t, 8> kIntegers = {
    0x7FFF'FFFF'FFFF'FFFFU, 0x8000'0000'0000'0000U, 0xFFFF'FFFF'FFFF'FFFFU, 0x1'0000'0000U,
    0x2000'0000'0000'0000U, 0x7FFF'FFFFU,           0x4000'0000'0000'0001U, 1000};

// One edit of four bytes: what, at which word (two bytes), and an argument.
void edit(std::vector<std::uint64_t>& words, std::span<const std::uint8_t> code) {
  if (words.empty()) {
    return;
  }
  const std::size_t place = (code[1] + 256U * code[2]) % words.size();
  const std::uint8_t argument = code[3];
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(place);
  switch (code[0] % 8) {
    case 0:
      *at = argument;
      break;
    case 1:
      *at = std::bit_cast<std::uint64_t>(kNumbers.at(argument % kNumbers.size()));
      break;
    case 2:
      *at = kIntegers.at(argument % kIntegers.size());
      break;
    case 3:
      *at ^= std::uint64_t{1} << (argument % 64U);
      break;
    case 4:
      *at = words[argument % words.size()];
      break;
    case 5:
      *at += argument % 2 == 0 ? argument : 0U - std::uint64_t{argument};
      break;
    case 6:
      words.insert(at, argument);
      break;
    default:
      words.erase(at);
      break;
  }
}

void restore_edited(std::span<const std::uint8_t> input) {
  if (input.size() < 2) {
    return;
  }
  const std::unique_ptr<policy::Policy> source = make_policy(input[0]);
  for (int round = 0; round < input[1] % 16; ++round) {
    play_round(*source);
  }
  std::vector<std::uint64_t> words = words_of(source->snapshot());
  for (input = input.subspan(2); input.size() >= 4; input = input.subspan(4)) {
    edit(words, input.first(4));
  }
  const Bytes snapshot = sealed(words);

  const Bytes before = source->snapshot();
  if (!survives([&] { source->restore(snapshot, 1); })) {
    if (source->snapshot() != before) {
      fail("a refused snapshot changed the policy");
    }
    return;
  }
  for (int round = 0; round < kLaterRounds; ++round) {
    survives([&] { play_round(*source); });
  }
  survives([&] { static_cast<void>(source->snapshot()); });
}

}  // namespace
}  // namespace foothold::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  foothold::fuzz::restore_edited({data, size});
  return 0;
}
