#include "files/json_writer.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace foothold::simulation {
namespace {

template <typename Value>
std::string written(Value value) {
  std::ostringstream out;
  JsonWriter(out).value(value);
  return out.str();
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBack) {
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1017.25), "1017.25");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(1e300), "1e+300");
  for (const double number : {1.0 / 3.0, 2.0 / 3.0, std::nextafter(1.0, 2.0), 5e-324}) {
    EXPECT_EQ(std::strtod(written(number).c_str(), nullptr), number);
  }
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonWriter, WritesNullForWhatJsonDoesNotHave) {
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::optional<std::int64_t>()), "null");
  EXPECT_EQ(written(std::optional<std::int64_t>(7)), "7");
}

TEST(JsonWriter, EscapesStrings) {
  EXPECT_EQ(written("a \"b\" \\ \n \x01 λ"), "\"a \\\"b\\\" \\\\ \\u000a \\u0001 λ\"");
}

TEST(JsonWriter, LaysOutNestedValues) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  json.key("empty").begin_array();
  json.end_array();
  json.key("none").begin_array(/*is_block=*/true);
  json.end_array();
  json.key("numbers").begin_array();
  json.value(std::int64_t{1});
  json.value(2.5);
  json.end_array();
  json.key("objects").begin_array(/*is_block=*/true);
  json.begin_object();
  json.key("flag").value(true);
  json.end_object();
  json.begin_object();
  json.end_object();
  json.end_array();
  json.end_object();
  EXPECT_EQ(out.str(),
            "{\n  \"empty\": [],\n  \"none\": [],\n  \"numbers\": [1, 2.5],\n  \"objects\": [\n"
            "    {\n      \"flag\": true\n    },\n    {}\n  ]\n}");
}

}  // namespace
}  // namespace foothold::simulation
