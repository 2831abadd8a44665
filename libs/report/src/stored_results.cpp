#include "foothold/report/stored_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foothold/base/error.hpp"
#include "foothold/config/text_file.hpp"
#include "foothold/report/markup.hpp"

namespace foothold::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using simulation::ExperimentResult;
using simulation::PolicyResult;

constexpr std::size_t kMaxSummary = std::size_t{64} << 20U;
constexpr std::size_t kMaxTrace = std::size_t{1} << 30U;

[[noreturn]] void reading_error(const std::string& place, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, place, message);
}

const json& member(const json& object, const char* key, const std::string& place) {
  if (!object.is_object() || !object.contains(key)) {
    reading_error(place, fmt::format("must have \"{}\"", key));
  }
  return object.at(key);
}

std::string text_of(const json& object, const char* key, const std::string& place) {
  const json& value = member(object, key, place);
  if (!value.is_string()) {
    reading_error(fmt::format("{}.{}", place, key), "must be a string");
  }
  return value.get<std::string>();
}

template <typename Number>
Number whole_of(const json& object, const char* key, const std::string& place) {
  const json& value = member(object, key, place);
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) {
    reading_error(fmt::format("{}.{}", place, key), "must be a whole number that is not negative");
  }
  return value.get<Number>();
}

// One number a run; null, which JSON has for what is not finite, is NaN.
std::vector<double> numbers_of(const json& object, const char* key, std::size_t size,
                               const std::string& place) {
  const json& values = member(object, key, place);
  if (!values.is_array() || values.size() != size) {
    reading_error(fmt::format("{}.{}", place, key),
                  fmt::format("must be an array of {} numbers", size));
  }
  std::vector<double> numbers;
  for (const json& value : values) {
    if (!value.is_number() && !value.is_null()) {
      reading_error(fmt::format("{}.{}", place, key), "must have numbers only");
    }
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

PolicyResult read_policy(const json& object, std::size_t runs, const std::string& place) {
  PolicyResult policy{.name = text_of(object, "name", place)};
  const std::vector<double> finals = numbers_of(object, "final_regrets", runs, place);
  const std::vector<double> violations = numbers_of(object, "run_violations", runs, place);
  const std::vector<double> warmups = numbers_of(object, "warmup_rounds", runs, place);
  constexpr double kLargest = 9e15;  // whole numbers are exact below
  for (std::size_t run = 0; run < runs; ++run) {
    if (!(std::abs(violations[run]) <= kLargest && std::abs(warmups[run]) <= kLargest)) {
      reading_error(place, fmt::format("must count rounds of run {}", run));
    }
    policy.runs.push_back({.final_regret = finals[run],
                           .violations = static_cast<std::int64_t>(violations[run]),
                           .warmup_rounds = static_cast<std::int64_t>(warmups[run])});
  }
  return policy;
}

ExperimentResult read_summary(const fs::path& path) {
  const std::string place = path.string();
  const json root = json::parse(config::read_text_file(path, kMaxSummary), nullptr, false);
  if (root.is_discarded()) {
    reading_error(place, "must be JSON");
  }
  ExperimentResult result{.name = text_of(root, "name", place),
                          .seed = whole_of<std::uint64_t>(root, "seed", place),
                          .horizon = whole_of<std::int64_t>(root, "horizon", place)};
  const json& policies = member(root, "policies", place);
  if (!policies.is_array() || policies.empty()) {
    reading_error(place + ".policies", "must be an array with at least one entry");
  }
  result.runs = whole_of<std::int64_t>(policies.front(), "runs", place + ".policies[0]");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string policy_place = fmt::format("{}.policies[{}]", place, i);
    if (whole_of<std::int64_t>(policies[i], "runs", policy_place) != result.runs ||
        result.runs < 1) {
      reading_error(policy_place + ".runs", "must be the same for all policies and at least 1");
    }
    const json& finals = member(policies[i], "final_regrets", policy_place);
    if (!finals.is_array() || finals.size() != static_cast<std::size_t>(result.runs)) {
      reading_error(policy_place + ".final_regrets",
                    fmt::format("must have {} entries", result.runs));
    }
    result.policies.push_back(
        read_policy(policies[i], static_cast<std::size_t>(result.runs), policy_place));
  }
  return result;
}

// One line of CSV as fields, after RFC 4180 but for line breaks within quotes, which
// `write_trace` writes for a name that has one: such a name is read as the line's end.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_double = is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (is_double) {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <typename Number>
Number parse_number(const std::string& text, const std::string& place) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    reading_error(place, fmt::format("must be a number, got {}", printable(text.substr(0, 40))));
  }
  return number;
}

// The lines of trace.csv come run by run, round by round.
class TraceReader {
 public:
  TraceReader(ExperimentResult& result, std::string place)
      : result_(result), place_(std::move(place)) {
    for (std::size_t i = 0; i < result.policies.size(); ++i) {
      policies_.emplace(result.policies[i].name, i);
    }
  }

  void read(std::string_view line, std::int64_t number) {
    const std::string place = fmt::format("{}:{}", place_, number);
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != 5) {
      reading_error(place, fmt::format("must have 5 fields, got {}", fields.size()));
    }
    const auto policy = policies_.find(fields[0]);
    if (policy == policies_.end()) {
      reading_error(
          place, "must name a policy of summary.json, got " + printable(fields[0].substr(0, 80)));
    }
    const auto run = parse_number<std::int64_t>(fields[1], place);
    if (run < 0 || run >= result_.runs) {
      reading_error(place,
                    fmt::format("must be of a run from 0 to {}, got {}", result_.runs - 1, run));
    }
    const auto round = parse_number<std::int64_t>(fields[2], place);
    std::vector<double>& regret =
        result_.policies[policy->second].runs[static_cast<std::size_t>(run)].trace_regret;
    if (regret.size() == result_.trace_rounds.size()) {
      result_.trace_rounds.push_back(round);
    }
    if (round < 1 || round != result_.trace_rounds[regret.size()]) {
      reading_error(place, fmt::format("must have the same rounds for all runs, got {}", round));
    }
    regret.push_back(parse_number<double>(fields[3], place));
  }

  void finish() const {
    for (const PolicyResult& policy : result_.policies) {
      for (const simulation::RunResult& run : policy.runs) {
        // A run that found no safe action has no final regret, and its trace ends early.
        const bool is_whole = run.trace_regret.size() == result_.trace_rounds.size();
        if (result_.trace_rounds.empty() || (!is_whole && std::isfinite(run.final_regret))) {
          reading_error(place_, "must hold all rounds of all runs of " + printable(policy.name));
        }
      }
    }
  }

 private:
  ExperimentResult& result_;
  std::string place_;
  std::map<std::string, std::size_t> policies_;
};

// Says what the directory is instead, where it is something that we know.
void require_results(const fs::path& directory) {
  std::error_code ignored;
  const auto has = [&](const char* file) { return fs::exists(directory / file, ignored); };
  if (has("summary.json")) {
    return;
  }
  std::string instead = "it does not exist";
  if (has("sweep.json")) {
    instead = "it holds a sweep: give the folder of one of its points";
  } else if (has("runs.journal")) {
    instead = "its runs are not finished: start their command again, or merge the shards";
  } else if (fs::exists(directory, ignored)) {
    instead = "it has no summary.json";
  }
  throw Error(ErrorCode::NotFound, "DIR",
              fmt::format("must be a directory that `foothold run --out` wrote, got {}; {}",
                          directory.string(), instead));
}

}  // namespace

ExperimentResult read_results(const fs::path& directory) {
  require_results(directory);
  ExperimentResult result = read_summary(directory / "summary.json");
  const fs::path path = directory / "trace.csv";
  const std::string text = config::read_text_file(path, kMaxTrace);
  TraceReader reader(result, path.string());
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    if (number > 1) {
      reader.read(std::string_view(text).substr(begin, end - begin), number);
    }
    begin = end + 1;
  }
  reader.finish();
  return result;
}

}  // namespace foothold::report
