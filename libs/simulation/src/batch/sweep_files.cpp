#include "foothold/simulation/batch/sweep_files.hpp"

#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "foothold/simulation/files/csv_text.hpp"
#include "foothold/simulation/files/version.hpp"
#include "foothold/simulation/play/summary.hpp"

#include "files/json_writer.hpp"
#include "files/policy_csv.hpp"

namespace foothold::simulation {
namespace {

void write_settings(JsonWriter& json, const std::vector<config::SweepSetting>& settings) {
  json.key("settings").begin_object();
  for (const config::SweepSetting& setting : settings) {
    json.key(setting.path);
    std::visit(
        [&json](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
            json.value(std::string_view(value));
          } else {
            json.value(value);
          }
        },
        setting.value);
  }
  json.end_object();
}

void write_point_policy(JsonWriter& json, const PolicyResult& policy, std::int64_t horizon) {
  const PolicySummary summary = summarize(policy, horizon);
  json.begin_object();
  json.key("name").value(std::string_view(summary.name));
  json.key("runs").value(summary.runs);
  json.key("mean_regret").value(summary.mean_regret);
  json.key("regret_half_width").value(summary.regret_half_width);
  json.key("std_regret").value(summary.std_regret);
  json.key("median_regret").value(summary.median_regret);
  json.key("per_step_regret").value(summary.per_step_regret);
  json.key("violations").value(summary.violations);
  json.key("violating_runs").value(summary.violating_runs);
  json.key("violating_runs_limit").value(summary.violating_limit);
  json.key("min_margin").value(summary.min_margin);
  json.key("median_warmup").value(summary.median_warmup);
  json.key("coverage_failures").value(summary.coverage_failures);
  json.key("failed_runs").value(summary.failed_runs);
  json.end_object();
}

void write_sweep_point(JsonWriter& json, const BatchPoint& point) {
  json.begin_object();
  json.key("folder").value(std::string_view(point.folder));
  write_settings(json, point.settings);
  json.key("seed").value(point.result.seed);
  json.key("horizon").value(point.result.horizon);
  json.key("config_hash").value(std::string_view(fmt::format("{:016x}", point.result.config_hash)));
  json.key("policies").begin_array(/*is_block=*/true);
  for (const PolicyResult& policy : point.result.policies) {
    write_point_policy(json, policy, point.result.horizon);
  }
  json.end_array();
  json.end_object();
}

struct CsvValue {
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return csv_number(number); }
  std::string operator()(const std::string& text) const { return csv_field(text); }
};

}  // namespace

void write_sweep_json(const BatchResult& batch, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.key("name").value(std::string_view(batch.points.front().result.name));
  json.key("version").value(version());
  json.key("axes").begin_array();
  for (const std::string& axis : batch.axes) {
    json.value(std::string_view(axis));
  }
  json.end_array();
  json.key("points").begin_array(/*is_block=*/true);
  for (const BatchPoint& point : batch.points) {
    write_sweep_point(json, point);
  }
  json.end_array();
  json.end_object();
  out << '\n';
}

void write_sweep_csv(const BatchResult& batch, std::ostream& out) {
  out << "folder,";
  for (const std::string& axis : batch.axes) {
    out << csv_field(axis) << ',';
  }
  out << kPolicyColumns << '\n';
  for (const BatchPoint& point : batch.points) {
    for (const PolicyResult& policy : point.result.policies) {
      out << csv_field(point.folder) << ',';
      for (const config::SweepSetting& setting : point.settings) {
        out << std::visit(CsvValue{}, setting.value) << ',';
      }
      out << policy_csv(policy, point.result.horizon) << '\n';
    }
  }
}

}  // namespace foothold::simulation
