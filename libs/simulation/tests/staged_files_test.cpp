#include "foothold/simulation/files/staged_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;

class StagedFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream in(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] auto count() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

  fs::path directory_ =
      fs::temp_directory_path() / (std::string("foothold-staged-files-") +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(StagedFilesTest, FilesGetTheirNamesTogether) {
  StagedFiles files(directory_);
  files.write("a", "first");
  files.write("b", [](std::ostream& out) { out << "second"; });
  EXPECT_FALSE(fs::exists(directory_ / "a"));
  files.commit();
  EXPECT_EQ(content("a"), "first");
  EXPECT_EQ(content("b"), "second");
  EXPECT_EQ(count(), 2);
}

TEST_F(StagedFilesTest, TheLaterContentOfANameStays) {
  StagedFiles files(directory_);
  files.write("a", "a longer first");
  files.write("a", "second");
  files.commit();
  EXPECT_EQ(content("a"), "second");
  EXPECT_EQ(count(), 1);
}

TEST_F(StagedFilesTest, WhatIsNotCommittedLeavesNothing) {
  { StagedFiles(directory_).write("a", "first"); }
  EXPECT_EQ(count(), 0);
}

TEST_F(StagedFilesTest, ADirectoryThatIsNotThereIsUnavailable) {
  StagedFiles files(directory_ / "missing");
  try {
    files.write("a", "first");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    EXPECT_EQ(error.field(), "out");
  }
}

}  // namespace
}  // namespace foothold::simulation
