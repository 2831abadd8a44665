#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "foothold/config/sweep.hpp"

#include "counted_allocations.hpp"
#include "expansion_budget.hpp"
#include "expect_error.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;

std::string numbers(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) {
    text += fmt::format("{}{}", k == 0 ? "" : ",", k);
  }
  return text;
}

std::string with_policies(int count) {
  std::string text = "name = 'x'\nhorizon = 10\n[family]\ntype = 'box'\n";
  for (int k = 0; k < count; ++k) {
    text += fmt::format("[[policies]]\nname = '{}'\n", k);
  }
  return text;
}

// Texts of some hundred kilobytes, and what they would expand to.
struct Greedy {
  std::string name;
  std::string text;
  std::string message;
};

void PrintTo(const Greedy& greedy, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << greedy.name;
}

std::vector<Greedy> greedy_texts() {
  const std::string head = with_policies(1);
  std::string many_lists;
  for (int k = 0; k < 10'000; ++k) {
    many_lists += fmt::format("\"policies.0.key{}\" = [1]\n", k);
  }
  std::string overflow;
  for (int k = 0; k < 90; ++k) {
    overflow += fmt::format("\"policies.0.key{}\" = [1, 2]\n", k);
  }
  const std::string long_text(100'000, 'a');
  const std::string points = "\"seed\" = [" + numbers(10'000) + "]\n";
  return {
      // 8,000 policies in each of 10,000 points: 40 GB of options.
      {"ManyPolicies", with_policies(8'000) + "[sweep]\n" + points, "sweep: must leave all points"},
      // 100 KB of numbers in 10,000 points.
      {"LongList", head + "x = [" + numbers(20'000) + "]\n[sweep]\n" + points,
       "sweep: must leave all points"},
      // One value of 100 KB in 10,000 points.
      {"LongText", head + "[sweep]\n" + points + "\"name\" = ['" + long_text + "']\n",
       "sweep.name: must leave all points"},
      // A value of 100 KB for each of 8,000 policies: 800 MB in one point alone.
      {"Star", with_policies(8'000) + "[sweep]\n\"policies.*.name\" = ['" + long_text + "']\n",
       "sweep.policies.*.name: must leave all points"},
      {"Lists", head + "[sweep]\n" + points + many_lists, "one of at most 100 lists"},
      // 2⁹⁰ points.
      {"Overflow", head + "[sweep]\n" + overflow,
       "sweep: must have at most 10000 points, got 16384 or more with the 2 values of "
       "\"policies.0.key13\""},
      {"LongFold", head + "[sweep]\n" + points + "\"horizon\" = [" + numbers(20'000) + "]\n",
       "sweep: must have at most 10000 points, got 200000000 or more"},
  };
}

class GreedySweep : public ::testing::TestWithParam<Greedy> {};

// What is allocated stays in proportion to the text: a few blocks for each of its values.
TEST_P(GreedySweep, IsRefusedBeforeItIsExpanded) {
  const std::string& text = GetParam().text;
  ASSERT_LT(text.size(), 500'000U);
  const long before = foothold::testing::allocations.load();
  const Error error = error_of([&] { return parse_sweep_toml(text, "s.toml"); });
  const long made = foothold::testing::allocations.load() - before;
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(mentions(error, GetParam().message));
  EXPECT_TRUE(mentions(error, "(s.toml:"));
  EXPECT_LE(made, static_cast<long>(text.size()));
}

INSTANTIATE_TEST_SUITE_P(Texts, GreedySweep, ::testing::ValuesIn(greedy_texts()),
                         [](const auto& instance) { return instance.param.name; });

TEST(SweepMemory, TenThousandOrdinaryPointsFit) {
  const Sweep sweep =
      parse_sweep_toml(with_policies(3) + "[sweep]\n\"seed\" = [" + numbers(10'000) + "]\n", "s");
  EXPECT_EQ(sweep.points.size(), 10'000U);
}

TEST(SweepMemory, PointsShareAFileOfArms) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("foothold-arms-{}", ::getpid());
  std::filesystem::create_directories(folder);
  {
    std::ofstream csv(folder / "arms.csv");
    csv << "0.5,0\n0,0.5\n0.25,0.25\n";
    std::ofstream toml(folder / "sweep.toml");
    toml << R"(horizon = 10
[problem]
decision_set = { type = "arms", features_file = "arms.csv" }
noise_scale = 0.1
norm_bound = 1.0
[[problem.constraints]]
matrix = [[1.0, 0.0], [0.0, 1.0]]
limit = 0.9
[environment]
parameter = [0.5, 0.5]
[sweep]
"problem.noise_scale" = [0.1, 0.2, 0.3]
)";
  }
  const Sweep sweep = load_sweep((folder / "sweep.toml").string());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(sweep.points.size(), 3U);
  const auto features = [&](std::size_t k) {
    return std::get<geometry::Arms>(sweep.points[k].experiment.problem->decision_set)
        .features()
        .data();
  };
  EXPECT_EQ(features(0), features(1));
  EXPECT_EQ(features(0), features(2));
}

TEST(Footprint, AddsUpWithoutOverflow) {
  const Origin origin{.source = "x"};
  const Node node(std::int64_t{1});
  const Value key(node, "key", origin);
  const std::size_t huge = ~std::size_t{0};
  for (const auto& [bytes, times] : std::vector<std::pair<std::size_t, std::size_t>>{
           {huge, 2},
           {huge / 2 + 1, 2},
           {std::size_t{1} << 32U, std::size_t{1} << 32U},
           {huge, huge}}) {
    ExpansionBudget budget;
    budget.charge(1, 1, key);
    EXPECT_TRUE(
        mentions(error_of([&, bytes = bytes, times = times] {
                   budget.charge(bytes, times, key);
                   return 0;
                 }),
                 "key: must leave all points of the sweep together at most 536870912 bytes"));
  }
}

}  // namespace
}  // namespace foothold::config
