#include "foothold/config/sweep.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expect_error.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;

// Ten lines; what is added begins at line 11.
const std::string kFamily = R"(name = "grid"
horizon = 100
seed = 7
[family]
type = "k-armed"
dim = 4
[[policies]]
name = "a.b"
[[policies]]
name = "greedy"
)";

Sweep sweep_of(const std::string& table) {
  return parse_sweep_toml(kFamily + table, "s.toml");
}

TEST(Sweep, ExpandsListsToTheGridWithTheLastOneFastest) {
  const Sweep sweep =
      sweep_of("[sweep]\n\"family.dim\" = [2, 3]\n\"family.noise_scale\" = [0.5, 1]\n");
  EXPECT_EQ(sweep.axes, (std::vector<std::string>{"family.dim", "family.noise_scale"}));
  ASSERT_EQ(sweep.points.size(), 4U);
  const std::vector<std::string> folders = {"dim=2,noise_scale=0.5", "dim=2,noise_scale=1",
                                            "dim=3,noise_scale=0.5", "dim=3,noise_scale=1"};
  for (std::size_t k = 0; k < 4; ++k) {
    const SweepPoint& point = sweep.points[k];
    EXPECT_EQ(point.folder, folders[k]);
    EXPECT_EQ(point.experiment.family->dim, k < 2 ? 2 : 3);
    EXPECT_EQ(point.experiment.family->noise_scale, k % 2 == 0 ? 0.5 : 1.0);
    EXPECT_EQ(point.experiment.seed, 7U);
    ASSERT_EQ(point.settings.size(), 2U);
    EXPECT_EQ(std::get<std::int64_t>(point.settings[0].value), k < 2 ? 2 : 3);
  }
}

TEST(Sweep, PointsAreTheExperimentsThatAFileWithTheirValuesIs) {
  const SweepPoint point = sweep_of("[sweep]\nfamily.dim = [8]\n").points.at(0);
  std::string text = kFamily;
  text.replace(text.find("dim = 4"), 7, "dim = 8");
  const ExperimentConfig expected = parse_experiment_toml(text, "e.toml");
  EXPECT_EQ(point.experiment.config_hash, expected.config_hash);
  EXPECT_EQ(to_json(point.experiment), to_json(expected));
}

TEST(Sweep, IsOnePointWithoutTheTable) {
  const Sweep sweep = sweep_of("");
  EXPECT_TRUE(sweep.axes.empty());
  ASSERT_EQ(sweep.points.size(), 1U);
  EXPECT_EQ(sweep.points[0].folder, "");
  EXPECT_EQ(sweep.points[0].experiment.config_hash,
            parse_experiment_toml(kFamily, "e.toml").config_hash);
}

TEST(Sweep, FindsPoliciesByNumberByNameAndAllOfThem) {
  const auto ridges = [](const std::string& path) {
    const Sweep sweep = sweep_of("[sweep]\n\"" + path + "\" = [0.5]\n");
    std::vector<std::optional<double>> values;
    for (const PolicyConfig& policy : sweep.points.at(0).experiment.policies) {
      values.push_back(policy.ridge);
    }
    return values;
  };
  using Ridges = std::vector<std::optional<double>>;
  EXPECT_EQ(ridges("policies.0.ridge"), (Ridges{0.5, std::nullopt}));
  EXPECT_EQ(ridges("policies[1].ridge"), (Ridges{std::nullopt, 0.5}));
  EXPECT_EQ(ridges("policies.a.b.ridge"), (Ridges{0.5, std::nullopt}));
  EXPECT_EQ(ridges("policies.greedy.ridge"), (Ridges{std::nullopt, 0.5}));
  EXPECT_EQ(ridges("policies.*.ridge"), (Ridges{0.5, 0.5}));
}

TEST(Sweep, NamesFoldersByWholePathsOrNumbersWhereItMust) {
  const Sweep alike = sweep_of("[sweep]\n\"policies.0.ridge\" = [1]\n\"policies.1.ridge\" = [2]\n");
  EXPECT_EQ(alike.points.at(0).folder, "policies.0.ridge=1,policies.1.ridge=2");
  // Labels that would be the same folder, and values that are no words.
  const Sweep feedback = sweep_of(
      "[sweep]\nfamily.feedback = [{ missing = 0.1 }, { missing = 0.2, delay_mean = 3 }]\n"
      "policies.greedy.name = [\"x/y\", \"x:y\"]\n");
  EXPECT_EQ(feedback.points.at(3).folder, "feedback=-delay_mean---3--missing---0.2-,name=value-1");
  EXPECT_EQ(feedback.points.at(3).experiment.family->feedback->delay_mean, 3.0);
}

TEST(Sweep, IsTheSameInJson) {
  const std::string json = R"({"name": "grid", "horizon": 100, "family": {"type": "box"},
    "sweep": {"family.dim": [2, 3], "horizon": [10, 20]}})";
  const Sweep sweep = parse_sweep_json(json, "s.json");
  EXPECT_EQ(sweep.points.at(1).folder, "dim=2,horizon=20");
  EXPECT_EQ(sweep.points.at(1).experiment.horizon, 20);
}

TEST(Sweep, RefusesMistakesWithFieldAndLine) {
  struct WrongSweep {
    std::string line;
    std::string message;
  };
  std::string long_list = "horizon = [1";
  for (int k = 2; k <= 10001; ++k) {
    long_list += ", " + std::to_string(k);
  }
  std::string deep = "\"a";
  for (int k = 0; k < 100000; ++k) {
    deep += ".a";
  }
  for (const WrongSweep& wrong : std::initializer_list<WrongSweep>{
           {"\"family.dimm\" = [2]",
            "family.dimm: is not a known key (did you mean \"dim\"?), got 2 (s.toml:12)"},
           {"\"famly.dim\" = [2]", "famly: is not a known key (did you mean \"family\"?)"},
           {"\"family.dim\" = [2, 0]", "family.dim: must be an integer from 1"},
           {"\"family.dim\" = 2", "sweep.family.dim: must be a list of values, got 2 (s.toml:12)"},
           {"\"family.dim\" = []", "must have at least one value"},
           {"\"family.dim\" = [2, 2]", "sweep.family.dim[1]: must not be in the list twice, got 2"},
           {"\"family.dim\" = [2]\nfamily.dim = [3]", "leads to the same key"},
           {"\"family.dim.x\" = [2]", "what comes before \"x\" is 4"},
           {"\"policies.gredy.ridge\" = [1]", "(did you mean \"greedy\"?), got \"gredy\""},
           {"\"policies.2.ridge\" = [1]", "must name an entry by its number below 2"},
           {"\"\" = [1]", "must be the dotted path of a key, got \"\""},
           {"\"horizon.\" = [1]", "must be the dotted path of a key"},
           {deep + "\" = [1]", "must be a path of at most 32 steps"},
           {"sweep = [1]", "where one experiment is wanted"},
           {long_list + "]", "sweep: must have at most 10000 points"},
           {"", "sweep: must have at least one list"}}) {
    const Error error = error_of([&] { return sweep_of("[sweep]\n" + wrong.line + "\n"); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_TRUE(mentions(error, wrong.message));
    EXPECT_TRUE(mentions(error, "(s.toml:1")) << wrong.line.substr(0, 80);
  }
}

}  // namespace
}  // namespace foothold::config
