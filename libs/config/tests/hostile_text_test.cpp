#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "foothold/config/experiment.hpp"
#include "foothold/config/sweep.hpp"

#include "document/document.hpp"
#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t k = 0; k < count; ++k) {
    result += text;
  }
  return result;
}

// Text that is no document at all, so no field is to blame.
struct Hostile {
  std::string name;
  std::string begin;
  std::string line;
  std::string message;
  // Follow `begin`; large texts exist only while their test runs.
  std::string unit{};
  std::size_t count = 0;
  std::string end{};

  [[nodiscard]] std::string text() const { return begin + repeated(unit, count) + end; }
};

std::string name_of_case(const ::testing::TestParamInfo<Hostile>& info) {
  return info.param.name;
}

void PrintTo(const Hostile& hostile, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << hostile.name;
}

void expect_refused(const Error& error, const Hostile& hostile) {
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), "");
  EXPECT_TRUE(mentions(error, "(hostile:" + hostile.line + ")"));
  EXPECT_TRUE(mentions(error, hostile.message));
  EXPECT_LT(std::string_view(error.what()).size(), 1000U);
}

class HostileToml : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileToml, IsRefusedWithItsLine) {
  const Hostile& hostile = GetParam();
  const std::string text = hostile.text();
  expect_refused(error_of([&] { return parse_experiment_toml(text, "hostile"); }), hostile);
  expect_refused(error_of([&] { return parse_study_toml(text, "hostile"); }), hostile);
}

constexpr std::size_t kMany = 1'000'000;

const std::vector<Hostile> kHostileToml = {
    {"Garbage", "", "1", "must be TOML", "\x01\x7f\xfe(garbage)", kMany},
    {"Letters", "", "1", "must be TOML", "a", 10 * kMany},
    {"Brackets", "a = 1\nb = ", "2", "must be TOML", "[", 10 * kMany},
    {"NestedTables", "a = ", "1", "must be TOML", "{a=", kMany},
    {"NestedArrays", "\na = ", "2", "must nest at most 32 deep", "[", 100, std::string(100, ']')},
    {"LongKey", "a = 1\n", "2", "at most 32 parts", "b.", kMany, "b = 1"},
    {"LongHeader", "[", "1", "at most 32 parts", "b.", kMany, "b]"},
    {"LongQuotedKey", "\n\n", "3", "at most 32 parts", "'b' . ", kMany, "b = 1"},
    {"LongInlineKey", "a = {", "1", "at most 32 parts", "b.", kMany, "b = 1}"},
    {"NulByte", std::string("a = 1\nb = \"\0\"", 13), "2", "got a NUL byte"},
    {"ByteOrderMark", "\xEF\xBB\xBF" + testing::kExperiment, "1", "byte order mark"},
    {"Utf16",
     std::string("\xFF\xFE"
                 "a\0=\0"
                 "1\0",
                 8),
     "1", "NUL byte"},
    {"InvalidUtf8InAString", "a = 1\nb = \"\xC3\x28\"", "2", "must be TOML"},
    {"InvalidUtf8InAComment", "# \xFF\n", "1", "must be TOML"},
    {"OverlongUtf8", "a = \"\xC0\xAF\"", "1", "must be TOML"},
    {"HugeInteger", "seed = 99999999999999999999999999", "1", "99999999999999999999999999"},
    {"HugeFloat", "\nnorm_bound = 1e400", "2", "1e400"},
    {"RepeatedKey", "seed = 1\nseed = 2", "2", "seed"},
    {"RepeatedTable", "[problem]\n[problem]", "2", "problem"},
    {"UnclosedString", "name = \"abc\n", "1", "must be TOML"},
    {"UnclosedMultilineString", "name = '''abc\n", "1", "got \"name = '''abc\""},
    {"NoValue", "horizon =\n", "1", "horizon ="},
    {"Json", "{\"horizon\": 1}", "1", "must be TOML"},
};
INSTANTIATE_TEST_SUITE_P(Texts, HostileToml, ::testing::ValuesIn(kHostileToml), name_of_case);

class HostileJson : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileJson, IsRefusedWithItsLine) {
  const Hostile& hostile = GetParam();
  const std::string text = hostile.text();
  expect_refused(error_of([&] { return parse_experiment_json(text, "hostile"); }), hostile);
  expect_refused(error_of([&] { return parse_study_json(text, "hostile"); }), hostile);
}

const std::vector<Hostile> kHostileJson = {
    {"Empty", "", "1", "must be JSON"},
    {"Blank", "\n\n", "3", "must be JSON"},
    {"Garbage", "", "1", "\\x01", "\x01\x7f\xfe(garbage)", kMany},
    {"Digits", "", "1", "number overflow", "7", 10 * kMany},
    {"Brackets", "{\"a\":\n", "2", "must nest at most 32 deep", "[", 10 * kMany},
    {"Objects", "", "1", "must nest at most 32 deep", "{\"a\":", kMany},
    {"NulAfterTheEnd", std::string("{}\0garbage", 10), "1", "got a NUL byte"},
    {"NulInAString", std::string("{\"a\":\n\"\0\"}", 10), "2", "got a NUL byte"},
    {"ByteOrderMark", "\xEF\xBB\xBF{}", "1", "byte order mark"},
    {"InvalidUtf8", "{\n\"name\": \"\xC3\x28\"}", "2", "must be JSON"},
    {"LoneSurrogate", "{\"name\": \"\\ud800\"}", "1", "must be JSON"},
    {"HugeInteger", "{\n\"seed\": 99999999999999999999999999\n}", "2",
     "got 99999999999999999999999999"},
    {"UnsignedInteger", "{\"seed\":\n\n18446744073709551615\n}", "3", "got 18446744073709551615"},
    {"HugeNegativeInteger", "{\"seed\": -9223372036854775809}", "1", "got -9223372036854775809"},
    {"HugeFloat", "{\n\"norm_bound\": 1e400}", "2", "1e400"},
    {"Nan", "{\"norm_bound\": NaN}", "1", "NaN"},
    {"Infinity", "{\"norm_bound\": -Infinity}", "1", "Infinity"},
    {"RepeatedKey", "{\"seed\": 1,\n\"seed\": 2}", "2", "got \"seed\" twice"},
    {"RepeatedInnerKey", "{\"problem\": {\"ridge\": 1,\n\n\"ridge\": 1}}", "3",
     "got \"ridge\" twice"},
    {"TrailingGarbage", "{}\n{}", "2", "must be JSON"},
    {"TrailingComma", "{\"seed\": 1,\n}", "2", "must be JSON"},
    {"Comment", "{\n// seed\n\"seed\": 1}", "2", "must be JSON"},
    {"SingleQuotes", "{'seed': 1}", "1", "must be JSON"},
    {"LeadingZero", "{\"seed\": 01}", "1", "must be JSON"},
    {"Unclosed", "{\"seed\": 1", "1", "must be JSON"},
    {"Toml", "horizon = 1", "1", "must be JSON"},
};
INSTANTIATE_TEST_SUITE_P(Texts, HostileJson, ::testing::ValuesIn(kHostileJson), name_of_case);

TEST(HostileText, ARootThatIsNoTableIsRefused) {
  for (const char* text : {"[]", "1", "null", "\"x\"", "true"}) {
    const Error error = error_of([&] { return parse_experiment_json(text, "root"); });
    EXPECT_EQ(error.field(), "");
    EXPECT_TRUE(mentions(error, "must be a table"));
    EXPECT_TRUE(mentions(error, "(root:1)"));
  }
}

TEST(HostileText, NullIsNoLeftOutValue) {
  const Error error = error_of([&] { return parse_experiment_json("{\n\"horizon\": null}", "x"); });
  EXPECT_EQ(error.field(), "horizon");
  EXPECT_TRUE(mentions(error, "got null (x:2)"));
}

TEST(HostileText, AFileBeyondTheLimitIsRefused) {
  const std::string text(kMaxTextSize + 1, ' ');
  EXPECT_TRUE(mentions(error_of([&] { return parse_json(text, "x"); }), "must have at most"));
  EXPECT_TRUE(mentions(error_of([&] { return parse_toml(text, "x"); }), "must have at most"));
}

TEST(HostileText, ManyKeysAreReadInReasonableTime) {
  std::string text = "{\"horizon\": 1";
  for (int k = 0; k < 100000; ++k) {
    text += ",\n\"key" + std::to_string(k) + "\": 0";
  }
  const Error error = error_of([&] { return parse_experiment_json(text + "}", "x"); });
  EXPECT_EQ(error.field(), "key0");
  EXPECT_TRUE(mentions(error, "(x:2)"));
}

// The simulator numbers the runs of all policies of all points in 64 bits and has a place for each.
TEST(HostileText, MoreRunsThanFitAreRefused) {
  const std::string box = "[family]\ntype = 'box'\n";
  const std::string two = "[[policies]]\nname = 'a'\n[[policies]]\nname = 'b'\n";
  const auto experiment = [&](const std::string& runs, const std::string& policies) {
    return "horizon = 1\nruns = " + runs + "\n" + box + policies;
  };
  EXPECT_NO_THROW(static_cast<void>(parse_experiment_toml(experiment("10000000", ""), "x")));
  EXPECT_NO_THROW(static_cast<void>(parse_experiment_toml(experiment("5000000", two), "x")));
  for (const auto& [runs, policies] : std::vector<std::pair<std::string, std::string>>{
           {"10000001", ""}, {"5000001", two}, {"1000000000000", two}}) {
    const Error error = error_of([&, runs = runs, policies = policies] {
      return parse_experiment_toml(experiment(runs, policies), "x");
    });
    EXPECT_EQ(error.field(), "runs");
    EXPECT_TRUE(mentions(error, "must be at most 10000000 over the number of policies"));
    EXPECT_TRUE(mentions(error, "got " + runs + " (x:2)"));
  }
  const Error error = error_of([&] {
    return parse_sweep_toml(experiment("5000000", "") + "[sweep]\nseed = [1, 2, 3]\n", "x");
  });
  EXPECT_TRUE(mentions(
      error, "sweep: must have at most 10000000 runs of all policies in all points, got 15000000"));
}

TEST(HostileText, AFamilyThatMemoryCannotHoldIsRefused) {
  const auto family = [](const std::string& keys) { return "horizon = 1\n[family]\n" + keys; };
  const Error arms = error_of([&] {
    return parse_experiment_toml(family("type = 'k-armed'\ndim = 1000\narms = 1000000\n"), "x");
  });
  EXPECT_TRUE(mentions(
      arms,
      "family.arms: must be at most 134217, 134217728 numbers in 1000 dimensions, got 1000000"));
  const Error rows = error_of([&] {
    return parse_experiment_toml(family("type = 'polytope'\ndim = 1000\nrows = 1000000\n"), "x");
  });
  EXPECT_TRUE(mentions(rows, "family.rows: must be at most 134217"));
}

TEST(HostileText, TenThousandsOfPoliciesAreReadInReasonableTime) {
  std::string text = "horizon = 1\n[family]\ntype = 'box'\n";
  for (int k = 0; k < 30'000; ++k) {
    text += "[[policies]]\nname = '" + std::to_string(k) + "'\n";
  }
  EXPECT_EQ(parse_experiment_toml(text, "x").policies.size(), 30'000U);
}

// Whatever single damage a file suffers, it is read or refused with an `Error`, never worse.
TEST(HostileText, DamagedFilesAreReadOrRefused) {
  const bool has_passed = rc::check([](std::uint8_t byte, bool is_cut) {
    std::string text = testing::kExperiment;
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
    if (is_cut) {
      text.resize(place);
    } else {
      text[place] = static_cast<char>(byte);
    }
    try {
      static_cast<void>(parse_experiment_toml(text, "x"));
    } catch (const Error& error) {
      RC_ASSERT(error.code() == ErrorCode::InvalidArgument);
      RC_ASSERT(std::string_view(error.what()).find("(x:") != std::string_view::npos);
    }
  });
  EXPECT_TRUE(has_passed);
}

}  // namespace
}  // namespace foothold::config
