#include "document/document.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "document/value.hpp"

namespace foothold::config {
namespace {

constexpr std::string_view kToml = R"(a = 1
b = [
  1.5,
  "x"
]

[t]
c = true
)";

constexpr std::string_view kJson = R"({"a":
1,
  "b": [1.5
  , "x"],
  "t": {
    "c": true, "d": 7
  }
})";

const Node& at(const Node& root, std::string_view path) {
  return locate(root, path).node;
}

TEST(ParseToml, EveryValueKnowsItsLine) {
  const Node root = parse_toml(kToml, "x");
  EXPECT_EQ(at(root, "a").line, 1U);
  EXPECT_EQ(at(root, "b[0]").line, 3U);
  EXPECT_EQ(at(root, "b[1]").line, 4U);
  EXPECT_EQ(at(root, "t").line, 7U);
  EXPECT_EQ(at(root, "t.c").line, 8U);
}

TEST(ParseJson, EveryValueKnowsItsLine) {
  const Node root = parse_json(kJson, "x");
  EXPECT_EQ(root.line, 1U);
  EXPECT_EQ(at(root, "a").line, 2U);
  EXPECT_EQ(at(root, "b").line, 3U);
  EXPECT_EQ(at(root, "b[0]").line, 3U);  // a number that ends its line
  EXPECT_EQ(at(root, "b[1]").line, 4U);
  EXPECT_EQ(at(root, "t").line, 5U);
  EXPECT_EQ(at(root, "t.d").line, 6U);
}

TEST(ParseJson, KeysKnowTheirLine) {
  const Node root = parse_json("{\n\"a\"\n:\n1}", "x");
  EXPECT_EQ(std::get<Table>(root.value).front().line, 2U);
  EXPECT_EQ(at(root, "a").line, 4U);
}

TEST(ParseJson, KeepsIntegersAndFloatsApart) {
  const Node root = parse_json("[1, 1.0, -9223372036854775808, 1e2]", "x");
  EXPECT_EQ(std::get<std::int64_t>(at(root, "[0]").value), 1);
  EXPECT_EQ(std::get<double>(at(root, "[1]").value), 1.0);
  EXPECT_EQ(std::get<std::int64_t>(at(root, "[2]").value),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(std::get<double>(at(root, "[3]").value), 100.0);
}

TEST(ParseToml, DotsInCommentsAndStringsAreNoKeys) {
  const std::string dots(1000, '.');
  const Node root = parse_toml("# " + dots + "\na = \"" + dots + "\\\"" + dots + "\"\nb = '''\n" +
                                   dots + "\n'''\nc = 1 # it's\n",
                               "x");
  EXPECT_EQ(std::get<std::string>(at(root, "a").value), dots + "\"" + dots);
  EXPECT_EQ(at(root, "c").line, 6U);
}

TEST(Locate, StopsAtTheLastNodeThatIsThere) {
  const Node root = parse_toml(kToml, "x");
  EXPECT_FALSE(locate(root, "t.none.deeper").is_there);
  EXPECT_EQ(locate(root, "t.none.deeper").node.line, 7U);
  EXPECT_FALSE(locate(root, "b[2]").is_there);
  EXPECT_FALSE(locate(root, "a[0]").is_there);
  EXPECT_FALSE(locate(root, "b[").is_there);
  EXPECT_FALSE(locate(root, "b.c").is_there);
  EXPECT_TRUE(locate(root, "").is_there);
}

TEST(Describe, ShowsScalarsInFullAndContainersAbridged) {
  const Node root =
      parse_json(R"({"n": null, "s": "x\ny", "a": [1, [2.5, true]], "t": {"k": 1}, "e": []})", "x");
  EXPECT_EQ(describe(at(root, "n")), "null");
  EXPECT_EQ(describe(at(root, "s")), "\"x\\x0ay\"");
  EXPECT_EQ(describe(at(root, "a")), "[1, [2.5, true]]");
  EXPECT_EQ(describe(at(root, "t")), "a table of 1");
  EXPECT_EQ(describe(at(root, "e")), "[]");
  EXPECT_EQ(describe(Node(Array(1000, Node(0.5)))), "an array of 1000");
}

TEST(Quote, NeverCutsACharacterInHalf) {
  EXPECT_EQ(quote("äöü", 3), "\"ä…\"");
  EXPECT_EQ(quote("äöü", 4), "\"äö…\"");
  EXPECT_EQ(quote("äöü", 6), "\"äöü\"");
}

TEST(FloatText, LooksLikeAFloatAndKeepsEveryBit) {
  EXPECT_EQ(float_text(1.0), "1.0");
  EXPECT_EQ(float_text(-0.0), "-0.0");
  EXPECT_EQ(float_text(0.1), "0.1");
  EXPECT_EQ(float_text(1e300), "1e+300");
  const bool has_passed = rc::check([](double number) {
    RC_PRE(number - number == 0.0);
    const Node toml = parse_toml("x = " + float_text(number), "x");
    const Node json = parse_json("{\"x\": " + float_text(number) + "}", "x");
    RC_ASSERT(std::get<double>(locate(toml, "x").node.value) == number);
    RC_ASSERT(std::get<double>(locate(json, "x").node.value) == number);
  });
  EXPECT_TRUE(has_passed);
}

TEST(Nearest, FindsASlipButNotAnotherWord) {
  constexpr std::array<std::string_view, 3> kNames = {"noise_scale", "norm_bound", "dim"};
  EXPECT_EQ(nearest("noise_scal", kNames), "noise_scale");
  EXPECT_EQ(nearest("nosie_scale", kNames), "noise_scale");
  EXPECT_EQ(nearest("norm_bond", kNames), "norm_bound");
  EXPECT_EQ(nearest("dims", kNames), "dim");
  EXPECT_EQ(nearest("radius", kNames), std::nullopt);
  EXPECT_EQ(nearest("x", kNames), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'n'), kNames), std::nullopt);
}

}  // namespace
}  // namespace foothold::config
