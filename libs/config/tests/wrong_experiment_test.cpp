#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "foothold/config/experiment.hpp"

#include "document/document.hpp"
#include "document/document_writer.hpp"
#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;
using testing::with_line;

// One line of a good file replaced by a wrong one.
struct Wrong {
  std::string name;
  std::size_t replaced;  // line of the good file
  std::string line;
  std::string field;
  std::size_t at;  // line of the message
  std::string requirement;
  std::string got;
  bool is_toml_only = false;  // JSON cannot say it
};

void PrintTo(const Wrong& wrong, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << wrong.line;
}

class WrongToml : public ::testing::TestWithParam<Wrong> {};
class WrongJson : public ::testing::TestWithParam<Wrong> {};

void expect_wrong(const Error& error, const Wrong& wrong) {
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), wrong.field);
  EXPECT_TRUE(mentions(error, wrong.field + ": "));
  EXPECT_TRUE(mentions(error, wrong.requirement));
  EXPECT_TRUE(mentions(error, "got " + wrong.got));
}

TEST_P(WrongToml, NamesFieldRequirementValueAndLine) {
  const Wrong& wrong = GetParam();
  const std::string text = with_line(testing::kExperiment, wrong.replaced, wrong.line);

  const Error error = error_of([&] { return parse_experiment_toml(text, "wrong.toml"); });

  expect_wrong(error, wrong);
  EXPECT_TRUE(mentions(error, fmt::format("(wrong.toml:{})", wrong.at)));
}

// The tree of the TOML text, printed as JSON: the same mistake in the other format.
TEST_P(WrongJson, GivesTheSameMessage) {
  const Wrong& wrong = GetParam();
  const std::string text = print_json(
      parse_toml(with_line(testing::kExperiment, wrong.replaced, wrong.line), "wrong.toml"));

  const Error error = error_of([&] { return parse_experiment_json(text, "wrong.json"); });

  expect_wrong(error, wrong);
  EXPECT_TRUE(mentions(error, "(wrong.json:"));
}

// clang-format off
const std::vector<Wrong> kTopLevel = {
    {"NameIsANumber", 1, "name = 3", "name", 1, "must be a string", "3"},
    {"NameIsEmpty", 1, "name = ''", "name", 1, "must not be empty", "\"\""},
    {"HorizonIsMissing", 2, "", "horizon", 1, "must be given", "nothing"},
    {"HorizonIsZero", 2, "horizon = 0", "horizon", 2, "from 1 to 1000000000000", "0"},
    {"HorizonIsNegative", 2, "horizon = -5", "horizon", 2, "must be an integer", "-5"},
    {"HorizonIsAFloat", 2, "horizon = 1e5", "horizon", 2, "must be an integer", "100000"},
    {"HorizonIsText", 2, "horizon = 'long'", "horizon", 2, "must be an integer", "\"long\""},
    {"HorizonIsTooLong", 2, "horizon = 1000000000001", "horizon", 2, "must be an integer", "1000000000001"},
    {"HorizonIsABoolean", 2, "horizon = true", "horizon", 2, "must be an integer", "true"},
    {"HorizonIsADate", 2, "horizon = 2019-05-27", "horizon", 2, "must be an integer", "a date", true},
    {"RunsIsZero", 3, "runs = 0", "runs", 3, "must be an integer", "0"},
    {"RunsIsAnArray", 3, "runs = [20]", "runs", 3, "must be an integer", "[20]"},
    {"SeedIsNegative", 4, "seed = -1", "seed", 4, "from 0 to", "-1"},
    {"SeedIsAFraction", 4, "seed = 1.5", "seed", 4, "must be an integer", "1.5"},
    {"UnknownKeyIsNearAKnownOne", 2, "horizn = 100000", "horizn", 2, "did you mean \"horizon\"", "100000"},
    {"UnknownKeyIsNearNothing", 5, "temperature = 21.5", "temperature", 5, "\"problem\", \"environment\", \"family\" or \"policies\"", "21.5"},
    {"UnknownKeyIsNotPlain", 5, "\"a b\" = 1", "\"a b\"", 5, "is not a known key", "1"},
    {"SweepIsForSeveral", 5, "sweep = { seed = [1, 2] }", "sweep", 5, "where one experiment is wanted", "a table of 1"},
    {"FamilyTogetherWithProblem", 5, "family = { type = 'k-armed' }", "problem", 6, "must not be given together with [family]", "a table"},
    {"PoliciesIsATable", 20, "[other]", "other", 20, "is not a known key", "a table"},
};

const std::vector<Wrong> kProblem = {
    {"ProblemIsMissing", 6, "[prob]", "prob", 6, "must be", "a table"},
    {"DecisionSetIsMissing", 7, "", "problem.decision_set", 6, "must be given", "nothing"},
    {"DecisionSetIsAString", 7, "decision_set = 'box'", "problem.decision_set", 7, "must be a table", "\"box\""},
    {"TypeIsMissing", 7, "decision_set = { lower = [-1.0, -1.0], upper = [1.0, 1.0] }", "problem.decision_set.type", 7, "must be given", "nothing"},
    {"TypeHasASlip", 7, "decision_set = { typ = 'box' }", "problem.decision_set.typ", 7, "did you mean \"type\"", "\"box\""},
    {"TypeIsUnknown", 7, "decision_set = { type = 'cube' }", "problem.decision_set.type", 7, "\"box\", \"ball\", \"polytope\", \"arms\" or \"contextual\"", "\"cube\""},
    {"KeyOfAnotherType", 7, "decision_set = { type = 'box', radius = 1 }", "problem.decision_set.radius", 7, "\"type\", \"lower\" or \"upper\"", "1"},
    {"LowerIsMissing", 7, "decision_set = { type = 'box', upper = [1, 1] }", "problem.decision_set.lower", 7, "must be given", "nothing"},
    {"LowerIsANumber", 7, "decision_set = { type = 'box', lower = -1, upper = [1, 1] }", "problem.decision_set.lower", 7, "must be an array", "-1"},
    {"LowerIsEmpty", 7, "decision_set = { type = 'box', lower = [], upper = [] }", "problem.decision_set.lower", 7, "at least one number", "[]"},
    {"LowerHoldsABoolean", 7, "decision_set = { type = 'box', lower = [-1, true], upper = [1, 1] }", "problem.decision_set.lower[1]", 7, "must be a number", "true"},
    {"LowerHoldsInfinity", 7, "decision_set = { type = 'box', lower = [-1, -inf], upper = [1, 1] }", "problem.decision_set.lower[1]", 7, "must be finite", "-inf", true},
    {"LowerHoldsNan", 7, "decision_set = { type = 'box', lower = [-1, nan], upper = [1, 1] }", "problem.decision_set.lower[1]", 7, "must be finite", "nan", true},
    {"LowerExceedsUpper", 7, "decision_set = { type = 'box', lower = [2, -1], upper = [1, 1] }", "problem.decision_set.upper", 7, "must exceed lower", "1"},
    {"BoxSizesDiffer", 7, "decision_set = { type = 'box', lower = [-1], upper = [1, 1] }", "problem.decision_set.upper", 7, "must have size 1", "2"},
    {"BallWithoutDimension", 7, "decision_set = { type = 'ball', dim = 0, radius = 1.0 }", "problem.decision_set.dim", 7, "from 1 to 1000000", "0"},
    {"BallOfHugeDimension", 7, "decision_set = { type = 'ball', dim = 1000000000000, radius = 1.0 }", "problem.decision_set.dim", 7, "from 1 to 1000000", "1000000000000"},
    {"BallOfAnotherDimension", 7, "decision_set = { type = 'ball', dim = 1000000, radius = 1.0 }", "problem.constraints[0].matrix", 13, "must have size 1000000", "2"},
    {"BallOfNegativeRadius", 7, "decision_set = { type = 'ball', dim = 2, radius = -1.0 }", "problem.decision_set.radius", 7, "must be positive", "-1"},
    {"BallOfTextRadius", 7, "decision_set = { type = 'ball', dim = 2, radius = '1' }", "problem.decision_set.radius", 7, "must be a number", "\"1\""},
    {"PolytopeIsRagged", 7, "decision_set = { type = 'polytope', normals = [[1, 0], [1]], offsets = [1, 1] }", "problem.decision_set.normals[1]", 7, "must have 2 numbers", "[1]"},
    {"PolytopeHasNoRows", 7, "decision_set = { type = 'polytope', normals = [], offsets = [] }", "problem.decision_set.normals", 7, "at least one row", "[]"},
    {"PolytopeRowIsEmpty", 7, "decision_set = { type = 'polytope', normals = [[]], offsets = [1] }", "problem.decision_set.normals[0]", 7, "at least one number", "[]"},
    {"PolytopeIsUnbounded", 7, "decision_set = { type = 'polytope', normals = [[1, 0]], offsets = [1] }", "problem.decision_set.normals", 7, "must", "[[1, 0]]"},
    {"ArmsWithoutFeatures", 7, "decision_set = { type = 'arms' }", "problem.decision_set.features", 7, "must be given", "nothing"},
    {"ArmsWithBothFeatures", 7, "decision_set = { type = 'arms', features = [[1, 0]], features_file = 'a.csv' }", "problem.decision_set.features_file", 7, "must not be given together with features", "\"a.csv\""},
    {"ArmsFromAFileInAText", 7, "decision_set = { type = 'arms', features_file = '/etc/passwd' }", "problem.decision_set.features_file", 7, "must be written as inline features", "\"/etc/passwd\""},
    {"ArmsAreFlat", 7, "decision_set = { type = 'arms', features = [1, 0] }", "problem.decision_set.features[0]", 7, "must be an array", "1"},
    {"ContextualWithoutBound", 7, "decision_set = { type = 'contextual', dim = 2 }", "problem.action_bound", 6, "must be given for contextual arms", "nothing"},
    {"OriginIsOutside", 7, "decision_set = { type = 'box', lower = [0.5, 0.5], upper = [1.0, 1.0] }", "problem.decision_set", 7, "must have the origin in its interior", "a table"},
    {"NoiseScaleIsMissing", 8, "", "problem.noise_scale", 6, "must be given", "nothing"},
    {"NoiseScaleHasASlip", 8, "noise_scal = 0.1", "problem.noise_scal", 8, "did you mean \"noise_scale\"", "0.1"},
    {"NoiseScaleIsNegative", 8, "noise_scale = -0.1", "problem.noise_scale", 8, "must be non-negative", "-0.1"},
    {"NoiseScaleIsNan", 8, "noise_scale = nan", "problem.noise_scale", 8, "must be finite", "nan", true},
    {"NormBoundIsZero", 9, "norm_bound = 0", "problem.norm_bound", 9, "must be positive", "0"},
    {"NormBoundIsATable", 9, "norm_bound = { value = 1 }", "problem.norm_bound", 9, "must be a number", "a table of 1"},
    {"NormBoundIsAHugeInteger", 9, "norm_bound = 9007199254740993", "problem.norm_bound", 9, "at most 53 bits", "9007199254740993"},
    {"RidgeIsZero", 10, "ridge = 0.0", "problem.ridge", 10, "must be positive", "0"},
    {"RidgeIsText", 10, "ridge = 'auto'", "problem.ridge", 10, "must be a number", "\"auto\""},
    {"FailureProbIsTwo", 11, "failure_prob = 2", "problem.failure_prob", 11, "must lie in (0, 1)", "2"},
    {"ActionBoundIsTooSmall", 11, "action_bound = 0.5", "problem.action_bound", 11, "must be at least", "0.5"},
    {"BaselineIsEmpty", 11, "baseline = {}", "problem.baseline.action", 11, "must be given", "nothing"},
    {"BaselineIsTooShort", 11, "baseline = { action = [0.1], margin = 0.1 }", "problem.baseline.action", 11, "must have size 2", "1"},
    {"BaselineWithoutMargin", 11, "baseline = { action = [0.1, 0.1], margin = 0 }", "problem.baseline.margin", 11, "must be positive", "0"},
    {"BaselineIsOutside", 11, "baseline = { action = [3, 0.1], margin = 0.1 }", "problem.baseline.action", 11, "3, 0.1", ""},
    {"NoConstraints", 12, "[problem.other]", "problem.other", 12, "is not a known key", "a table of 2"},
    {"ConstraintIsATable", 12, "[problem.constraints]", "problem.constraints", 12, "must be an array", "a table of 2"},
    {"MatrixIsRagged", 13, "matrix = [[0.6, 1.8], [1.8]]", "problem.constraints[0].matrix[1]", 13, "must have 2 numbers", "[1.8]"},
    {"MatrixIsTooLarge", 13, "matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "problem.constraints[0].matrix", 13, "must have size 2", "3"},
    {"MatrixIsMissing", 13, "", "problem.constraints[0].matrix", 12, "must be given", "nothing"},
    {"MatrixHoldsText", 13, "matrix = [[0.6, 'x'], [1.8, 0.4]]", "problem.constraints[0].matrix[0][1]", 13, "must be a number", "\"x\""},
    {"LimitIsNegative", 14, "limit = -0.9", "problem.constraints[0].limit", 14, "must be positive", "-0.9"},
    {"LimitHasASlip", 14, "limits = 0.9", "problem.constraints[0].limits", 14, "did you mean \"limit\"", "0.9"},
};

const std::vector<Wrong> kEnvironment = {
    {"EnvironmentIsMissing", 16, "[environmnt]", "environmnt", 16, "did you mean \"environment\"", "a table of 3"},
    {"ParameterIsMissing", 17, "", "environment.parameter", 16, "must be given", "nothing"},
    {"ParameterIsTooShort", 17, "parameter = [0.9]", "environment.parameter", 17, "must have 2 entries", "[0.9]"},
    {"ParameterIsTooLong", 17, "parameter = [0.9, 0.9]", "environment.parameter", 17, "must have norm at most 1", "[0.9, 0.9]"},
    {"NoiseIsAString", 18, "noise = 'gaussian'", "environment.noise", 18, "must be a table", "\"gaussian\""},
    {"NoiseTypeIsUnknown", 18, "noise = { type = 'cauchy' }", "environment.noise.type", 18, "\"gaussian\", \"uniform\" or \"rademacher\"", "\"cauchy\""},
    {"NoiseTypeIsANumber", 18, "noise = { type = 1 }", "environment.noise.type", 18, "\"gaussian\"", "1"},
    {"NoiseScaleOfTheTruthIsNegative", 18, "noise = { scale = -1 }", "environment.noise.scale", 18, "must be non-negative", "-1"},
    {"DelayIsNegative", 19, "feedback = { delay_mean = -1 }", "environment.feedback.delay_mean", 19, "must be non-negative", "-1"},
    {"EverythingIsMissing", 19, "feedback = { missing = 1 }", "environment.feedback.missing", 19, "must lie in [0, 1)", "1"},
    {"FeedbackHasASlip", 19, "feedback = { delaymean = 1 }", "environment.feedback.delaymean", 19, "did you mean \"delay_mean\"", "1"},
};

const std::vector<Wrong> kPolicies = {
    {"PolicyNameIsEmpty", 22, "name = ''", "policies[0].name", 22, "must not be empty", "\"\""},
    {"PolicyNamesRepeat", 32, "name = 'with warm-up'", "policies[1].name", 32, "must be unique, but policies[0] has it too", "\"with warm-up\""},
    {"AlgorithmIsUnknown", 23, "algorithm = 'lucb'", "policies[0].algorithm", 23, "\"safe-lucb\", \"gslucb\", \"targeted\" or \"unsafe-lucb\"", "\"lucb\""},
    {"GslucbWithASchedule", 23, "algorithm = 'gslucb'", "policies[0].warmup", 29, "must have no schedule for \"gslucb\"", "a table of 1"},
    {"TargetedWithASchedule", 23, "algorithm = 'targeted'", "policies[0].warmup", 29, "must have no schedule for \"targeted\"", "a table of 1"},
    {"UnsafeWithoutConsent", 23, "algorithm = 'unsafe-lucb'", "policies[0].algorithm", 23, "must be confirmed by unsafe = true", "\"unsafe-lucb\""},
    {"UnsafeSaidNo", 23, "algorithm = 'unsafe-lucb'\nunsafe = false", "policies[0].algorithm", 23, "must be confirmed by unsafe = true", "\"unsafe-lucb\""},
    {"UnsafeWithCaution", 23, "algorithm = 'unsafe-lucb'\nunsafe = true", "policies[0].caution", 26, "has no safety options", "\"l1-paper\""},
    {"UnsafeForASafeAlgorithm", 23, "unsafe = true", "policies[0].unsafe", 23, "must be left out", "true"},
    {"UnsafeIsText", 23, "unsafe = 'yes'", "policies[0].unsafe", 23, "must be true or false", "\"yes\""},
    {"OptimismIsUnknown", 24, "optimism = 'l2'", "policies[0].optimism", 24, "\"l1\", \"l1-cholesky\" or \"ellipsoid\"", "\"l2\""},
    {"OptimismDoesNotSuitUnsafeLucb", 33, "algorithm = 'unsafe-lucb'\nunsafe = true\noptimism = 'ellipsoid'", "policies[1].optimism", 35, "must be \"l1\" or \"l1-cholesky\" on a convex set", "\"ellipsoid\""},
    {"CautionIsUnknown", 25, "caution = 'l1'", "policies[0].caution", 25, "\"ellipsoid\", \"l1-exact\" or \"l1-paper\"", "\"l1\""},
    {"CertifiedIsUnknown", 26, "certified = 'both'", "policies[0].certified", 26, "\"region\" or \"union\"", "\"both\""},
    {"RadiusIsUnknown", 27, "radius = 2.5", "policies[0].radius", 27, "\"paper\", \"log-det\" or \"mixture\"", "2.5"},
    {"NestedIsANumber", 28, "nested = 1", "policies[0].nested", 28, "must be true or false", "1"},
    {"WarmupIsANumber", 29, "warmup = 1054", "policies[0].warmup", 29, "must be a table", "1054"},
    {"WarmupRoundsAreNegative", 29, "warmup = { rounds = -1 }", "policies[0].warmup.rounds", 29, "must be an integer from 0", "-1"},
    {"WarmupRoundsAreAFraction", 29, "warmup = { rounds = 10.5 }", "policies[0].warmup.rounds", 29, "must be an integer", "10.5"},
    {"WarmupRoundsWithASchedule", 29, "warmup = { rounds = 10, schedule = 'gap' }", "policies[0].warmup.rounds", 29, "must not be given together with a schedule", "10"},
    {"WarmupScheduleIsUnknown", 29, "warmup = { schedule = 'rounds' }", "policies[0].warmup.schedule", 29, "\"none\", \"gap\", \"worst-case\" or \"nested\"", "\"rounds\""},
    {"GapWithRounds", 29, "warmup = { rounds = 10, safety_gap = 1 }", "policies[0].warmup.safety_gap", 29, "\"gap\" or \"nested\" only", "1"},
    {"GapWithNone", 29, "warmup = { schedule = 'none', safety_gap = 1 }", "policies[0].warmup.safety_gap", 29, "\"gap\" or \"nested\" only", "1"},
    {"GapWithWorstCase", 29, "warmup = { schedule = 'worst-case', safety_gap = 1 }", "policies[0].warmup.safety_gap", 29, "\"gap\" or \"nested\" only", "1"},
    {"GapIsZero", 29, "warmup = { schedule = 'gap', safety_gap = 0 }", "policies[0].warmup.safety_gap", 29, "must be positive", "0"},
    {"SamplerIsUnknown", 33, "warmup = { sampler = 'gaussian' }", "policies[1].warmup.sampler", 33, "\"uniform\" or \"shell\"", "\"gaussian\""},
    {"WarmupHasASlip", 33, "warmup = { round = 5 }", "policies[1].warmup.round", 33, "did you mean \"rounds\"", "5"},
    {"PolicyRidgeWithAProblem", 33, "ridge = 1.0", "policies[1].ridge", 33, "must be given in [problem]", "1"},
    {"RarelySwitchingIsZero", 33, "rarely_switching = 0.0", "policies[1].rarely_switching", 33, "must be positive", "0"},
    {"SearchGapIsNegative", 33, "search = { gap = -1e-6 }", "policies[1].search.gap", 33, "must", "-1e-06"},
    {"SearchNodesAreZero", 33, "search = { nodes = 0 }", "policies[1].search.nodes", 33, "must", "0"},
    {"ExplorationOfSafeLucb", 28, "exploration = 1.0", "policies[0].exploration", 28, "must be left out unless the algorithm is \"targeted\"", "1"},
    {"ExplorationIsNegative", 33, "exploration = -1.0", "policies[1].exploration", 33, "must be positive", "-1"},
    {"GapGrowthOfTargeted", 33, "gap_growth = 1.5", "policies[1].gap_growth", 33, "must be left out unless the algorithm is \"gslucb\"", "1.5"},
    {"ExploitIsUnknown", 33, "exploit = 'greed'", "policies[1].exploit", 33, "\"optimism\" or \"thompson\"", "\"greed\""},
    {"PolicyHasAnUnknownKey", 33, "temperature = 3", "policies[1].temperature", 33, "\"exploit\" or \"ridge_family\"", "3"},
};
// clang-format on

std::string name_of_wrong(const ::testing::TestParamInfo<Wrong>& info) {
  return info.param.name;
}

std::vector<Wrong> of_json(std::vector<Wrong> catalogue) {
  std::erase_if(catalogue, [](const Wrong& wrong) { return wrong.is_toml_only; });
  return catalogue;
}

INSTANTIATE_TEST_SUITE_P(TopLevel, WrongToml, ::testing::ValuesIn(kTopLevel), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Problem, WrongToml, ::testing::ValuesIn(kProblem), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Environment, WrongToml, ::testing::ValuesIn(kEnvironment), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Policies, WrongToml, ::testing::ValuesIn(kPolicies), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(TopLevel, WrongJson, ::testing::ValuesIn(of_json(kTopLevel)),
                         name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Problem, WrongJson, ::testing::ValuesIn(of_json(kProblem)), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Environment, WrongJson, ::testing::ValuesIn(of_json(kEnvironment)),
                         name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Policies, WrongJson, ::testing::ValuesIn(of_json(kPolicies)),
                         name_of_wrong);

}  // namespace
}  // namespace foothold::config
