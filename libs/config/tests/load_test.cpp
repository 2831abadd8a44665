#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "foothold/config/experiment.hpp"

#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;
using testing::with_line;

// A folder of its own for each test.
class Load : public ::testing::Test {
 protected:
  Load() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("foothold_config_" + std::string(info->name()) + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Load() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

const std::string kWithFile = with_line(
    testing::kExperiment, 7, "decision_set = { type = 'arms', features_file = 'arms.csv' }");

TEST_F(Load, TakesTheFormatFromTheExtension) {
  const ExperimentConfig toml = load_experiment(write("a.toml", testing::kExperiment));
  const ExperimentConfig json = load_experiment(write("a.json", to_json(toml)));
  EXPECT_EQ(toml.config_hash, json.config_hash);
  EXPECT_EQ(json.seed, 2019U);
}

TEST_F(Load, ReadsFeaturesBesideTheFile) {
  write("arms.csv", "1.0,0.5\n-1.0,0.25\n");
  const ExperimentConfig config = load_experiment(write("a.toml", kWithFile));
  EXPECT_EQ(std::get<geometry::Arms>(config.problem->decision_set).features(),
            (Eigen::MatrixXd{{1.0, 0.5}, {-1.0, 0.25}}));
}

TEST_F(Load, FeaturesFromAFileOrInlineMeanTheSame) {
  write("arms.csv", "1.0,0.5\n-1.0,0.25\n");
  const ExperimentConfig config = load_experiment(write("a.toml", kWithFile));
  const std::string inline_text =
      with_line(testing::kExperiment, 7,
                "decision_set = { type = 'arms', features = [[1, 0.5], [-1, 0.25]] }");
  EXPECT_EQ(config.config_hash, parse_experiment_toml(inline_text, "x").config_hash);
}

TEST_F(Load, AStudyIsReadToo) {
  EXPECT_EQ(load_study(write("s.toml", testing::kStudy)).name, "prices");
}

TEST_F(Load, AnAbsentFileOrAFolderIsNotFound) {
  EXPECT_EQ(error_of([&] { return load_experiment(path("none.toml")); }).code(),
            ErrorCode::NotFound);
  std::filesystem::create_directories(path("folder.toml"));
  EXPECT_EQ(error_of([&] { return load_experiment(path("folder.toml")); }).code(),
            ErrorCode::NotFound);
}

TEST_F(Load, AnotherExtensionIsRefused) {
  const Error error = error_of([&] { return load_experiment(write("a.yaml", "")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), "path");
  EXPECT_TRUE(mentions(error, "must end in .toml or .json"));
}

TEST_F(Load, ErrorsInAFileNameItsPath) {
  const std::string file = write("a.toml", with_line(testing::kExperiment, 2, "horizon = 0"));
  EXPECT_TRUE(mentions(error_of([&] { return load_experiment(file); }), "(" + file + ":2)"));
}

TEST_F(Load, ErrorsInFeaturesNameTheirFileAndLine) {
  write("arms.csv", "1.0,0.5\n-1.0,x\n");
  const std::string file = write("a.toml", kWithFile);
  const Error error = error_of([&] { return load_experiment(file); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), "problem.decision_set.features_file");
  EXPECT_TRUE(mentions(error, "got \"x\" (" + path("arms.csv") + ":2)"));
}

TEST_F(Load, AbsentFeaturesAreAnErrorOfTheExperiment) {
  const std::string file = write("a.toml", kWithFile);
  const Error error = error_of([&] { return load_experiment(file); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), "problem.decision_set.features_file");
  EXPECT_TRUE(mentions(error, "got \"arms.csv\" (" + file + ":7)"));
}

}  // namespace
}  // namespace foothold::config
