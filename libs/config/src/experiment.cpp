#include "foothold/config/experiment.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/base/hash.hpp"
#include "foothold/config/sweep.hpp"
#include "foothold/config/text_file.hpp"
#include "foothold/policy/make.hpp"

#include "document/document.hpp"
#include "document/document_writer.hpp"
#include "experiment_writer.hpp"
#include "feature_files.hpp"
#include "names.hpp"
#include "readers.hpp"
#include "sweep_reader.hpp"

namespace foothold::config {
namespace {

// The canonical text has all that the file means and nothing of how it was written.
std::uint64_t hash_of(ExperimentConfig config) {
  config.seed = 0;
  Hasher hasher;
  hasher.add(std::string_view(print_json(write_experiment(config))));
  return hasher.value().high;
}

ExperimentConfig experiment_from(const Node& root, const Origin& origin) {
  ExperimentConfig config = read_experiment(root, origin);
  config.config_hash = hash_of(config);
  return config;
}

Sweep sweep_from(const Node& root, const Origin& origin) {
  Sweep sweep = read_sweep(root, origin);
  for (SweepPoint& point : sweep.points) {
    point.experiment.config_hash = hash_of(point.experiment);
  }
  return sweep;
}

// A document on disk, and where the files that it names are.
struct LoadedDocument {
  Node root{};
  Origin origin{};
};

LoadedDocument load_document(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  if (extension != ".toml" && extension != ".json") {
    throw Error(ErrorCode::InvalidArgument, "path",
                fmt::format("must end in .toml or .json, got {}", quote(path, 4096)));
  }
  const std::string text = read_text_file(file, kMaxTextSize);
  return {.root = extension == ".toml" ? parse_toml(text, path) : parse_json(text, path),
          .origin = {.source = path,
                     .directory = file.parent_path(),
                     .files = std::make_shared<FeatureFiles>()}};
}

}  // namespace

ExperimentConfig parse_experiment_toml(std::string_view text, const std::string& source) {
  return experiment_from(parse_toml(text, source), {.source = source});
}

ExperimentConfig parse_experiment_json(std::string_view text, const std::string& source) {
  return experiment_from(parse_json(text, source), {.source = source});
}

ExperimentConfig load_experiment(const std::string& path) {
  const LoadedDocument document = load_document(path);
  return experiment_from(document.root, document.origin);
}

Sweep parse_sweep_toml(std::string_view text, const std::string& source) {
  return sweep_from(parse_toml(text, source), {.source = source});
}

Sweep parse_sweep_json(std::string_view text, const std::string& source) {
  return sweep_from(parse_json(text, source), {.source = source});
}

Sweep load_sweep(const std::string& path) {
  const LoadedDocument document = load_document(path);
  return sweep_from(document.root, document.origin);
}

StudyConfig parse_study_toml(std::string_view text, const std::string& source) {
  return read_study(parse_toml(text, source), {.source = source});
}

StudyConfig parse_study_json(std::string_view text, const std::string& source) {
  return read_study(parse_json(text, source), {.source = source});
}

StudyConfig load_study(const std::string& path) {
  const LoadedDocument document = load_document(path);
  return read_study(document.root, document.origin);
}

std::string to_toml(const ExperimentConfig& config) {
  return print_toml(write_experiment(config));
}

std::string to_json(const ExperimentConfig& config) {
  return print_json(write_experiment(config));
}

std::string_view algorithm_name(const PolicyConfig& config) {
  return config.is_unsafe ? kUnsafeLucb : policy::name(config.algorithm);
}

std::unique_ptr<policy::Learner> make_policy(const StudyConfig& study) {
  if (!study.problem) {
    throw Error(ErrorCode::InvalidArgument, "problem", "must be given in a study, got nothing");
  }
  policy::PolicyOptions options = study.policy.options;
  options.horizon = study.horizon;
  options.seed = study.seed;
  return policy::make(study.policy.algorithm, *study.problem, options);
}

}  // namespace foothold::config
