#include "batch/batch_plan.hpp"

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "foothold/base/digest.hpp"
#include "foothold/base/error.hpp"
#include "foothold/simulation/files/version.hpp"

#include "batch/experiment_outline.hpp"
#include "files/text_bytes.hpp"
#include "play/trace_rounds.hpp"

namespace foothold::simulation {
namespace {

constexpr std::string_view kMagic = "foothold journal";
constexpr std::uint64_t kFormat = 1;

// The configuration's canonical text has all that its runs depend on.
std::uint64_t fingerprint_of(config::ExperimentConfig config) {
  config.seed = 0;
  Digest digest;
  digest.add(config::to_json(config));
  return digest.value();
}

void write_texts(ByteWriter& writer, const std::vector<std::string>& texts) {
  writer.write(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) {
    write_text(writer, text);
  }
}

std::vector<std::string> read_texts(ByteReader& reader) {
  std::vector<std::string> texts(read_count(reader));
  for (std::string& text : texts) {
    text = read_text(reader);
  }
  return texts;
}

void write_setting(ByteWriter& writer, const config::SweepSetting& setting) {
  write_text(writer, setting.path);
  writer.write(static_cast<std::uint64_t>(setting.value.index()));
  std::visit(
      [&writer](const auto& value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, std::string>) {
          write_text(writer, value);
        } else if constexpr (std::is_same_v<Type, bool>) {
          writer.write(static_cast<std::uint64_t>(value ? 1 : 0));
        } else {
          writer.write(value);
        }
      },
      setting.value);
}

config::SweepSetting read_setting(ByteReader& reader) {
  config::SweepSetting setting{.path = read_text(reader)};
  switch (reader.read_word()) {
    case 0:
      setting.value = reader.read_word() != 0;
      break;
    case 1:
      setting.value = reader.read_integer();
      break;
    case 2:
      setting.value = reader.read_double();
      break;
    default:
      setting.value = read_text(reader);
  }
  return setting;
}

void write_outline(ByteWriter& writer, const ExperimentResult& outline) {
  write_text(writer, outline.name);
  writer.write(outline.seed);
  writer.write(outline.horizon);
  writer.write(outline.runs);
  writer.write(outline.config_hash);
  write_texts(writer, outline.notes);
  writer.write(static_cast<std::uint64_t>(outline.policies.size()));
  for (const PolicyResult& policy : outline.policies) {
    write_text(writer, policy.name);
    write_text(writer, policy.algorithm);
    writer.write(static_cast<std::uint64_t>(policy.has_oracle_gap ? 1 : 0));
  }
}

ExperimentResult read_outline(ByteReader& reader) {
  ExperimentResult outline{.name = read_text(reader),
                           .seed = reader.read_word(),
                           .horizon = reader.read_integer(),
                           .runs = reader.read_integer(),
                           .config_hash = reader.read_word(),
                           .notes = read_texts(reader)};
  if (!(outline.horizon >= 1 && outline.runs >= 1)) {
    throw Error(ErrorCode::InvalidArgument, "plan", "must have rounds and runs");
  }
  outline.trace_rounds = traced_rounds(outline.horizon);
  const std::uint64_t policies = read_count(reader);
  for (std::uint64_t i = 0; i < policies; ++i) {
    PolicyResult policy{.name = read_text(reader)};
    policy.algorithm = read_text(reader);
    policy.has_oracle_gap = reader.read_word() != 0;
    outline.policies.push_back(std::move(policy));
  }
  return outline;
}

PlanPoint read_point(ByteReader& reader) {
  PlanPoint point{.folder = read_text(reader), .fingerprint = reader.read_word()};
  const std::uint64_t settings = read_count(reader);
  for (std::uint64_t i = 0; i < settings; ++i) {
    point.settings.push_back(read_setting(reader));
  }
  point.outline = read_outline(reader);
  return point;
}

}  // namespace

BatchPlan plan_of(const config::Sweep& sweep, const Shard& shard) {
  BatchPlan plan{.version = std::string(version()), .axes = sweep.axes, .shard = shard};
  for (const config::SweepPoint& point : sweep.points) {
    plan.points.push_back({.folder = point.folder,
                           .settings = point.settings,
                           .fingerprint = fingerprint_of(point.experiment),
                           .outline = outline_of(point.experiment)});
  }
  return plan;
}

Bytes encode_plan(const BatchPlan& plan) {
  ByteWriter writer;
  write_text(writer, kMagic);
  writer.write(kFormat);
  write_text(writer, plan.version);
  writer.write(plan.shard.number);
  writer.write(plan.shard.count);
  write_texts(writer, plan.axes);
  writer.write(static_cast<std::uint64_t>(plan.points.size()));
  for (const PlanPoint& point : plan.points) {
    write_text(writer, point.folder);
    writer.write(point.fingerprint);
    writer.write(static_cast<std::uint64_t>(point.settings.size()));
    for (const config::SweepSetting& setting : point.settings) {
      write_setting(writer, setting);
    }
    write_outline(writer, point.outline);
  }
  return writer.sealed();
}

BatchPlan decode_plan(const Bytes& bytes) {
  ByteReader reader(bytes);
  if (read_text(reader) != kMagic || reader.read_word() != kFormat) {
    throw Error(ErrorCode::InvalidArgument, "plan", "must be of this version's format");
  }
  BatchPlan plan{.version = read_text(reader)};
  plan.shard.number = reader.read_integer();
  plan.shard.count = reader.read_integer();
  plan.axes = read_texts(reader);
  const std::uint64_t points = read_count(reader);
  for (std::uint64_t i = 0; i < points; ++i) {
    plan.points.push_back(read_point(reader));
  }
  reader.finish();
  return plan;
}

std::string difference(const BatchPlan& wanted, const BatchPlan& found) {
  if (found.version != wanted.version) {
    return fmt::format("version {}, not {}", found.version, wanted.version);
  }
  if (found.axes != wanted.axes || found.points.size() != wanted.points.size()) {
    return fmt::format("{} experiments, not {} with the same lists", found.points.size(),
                       wanted.points.size());
  }
  for (std::size_t i = 0; i < wanted.points.size(); ++i) {
    const PlanPoint& here = found.points[i];
    const PlanPoint& there = wanted.points[i];
    if (here.fingerprint != there.fingerprint || here.folder != there.folder) {
      return fmt::format("another configuration, {:016x}, not {:016x}", here.fingerprint,
                         there.fingerprint);
    }
    if (here.outline.seed != there.outline.seed) {
      return fmt::format("seed {}, not {}", here.outline.seed, there.outline.seed);
    }
  }
  return "";
}

WorkItems work_items(const BatchPlan& plan) {
  std::vector<WorkItems::Extent> extents;
  extents.reserve(plan.points.size());
  for (const PlanPoint& point : plan.points) {
    extents.push_back({.runs = point.outline.runs, .policies = point.outline.policies.size()});
  }
  return WorkItems(extents);
}

}  // namespace foothold::simulation
