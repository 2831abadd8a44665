#include "document/csv_matrix.hpp"

#include <string>

#include <gtest/gtest.h>

#include "expect_error.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;

Eigen::MatrixXd matrix_of(const std::string& text) {
  return parse_csv_matrix(text, "a.csv", "field");
}

void expect_wrong(const std::string& text, const std::string& line, const std::string& got) {
  const Error error = error_of([&] { return matrix_of(text); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.field(), "field");
  EXPECT_TRUE(mentions(error, "(a.csv:" + line + ")"));
  EXPECT_TRUE(mentions(error, "got " + got));
}

TEST(CsvMatrix, HasOneRowPerLine) {
  const Eigen::MatrixXd expected{{1.0, 2.5, -3e-5}, {4.0, 0.0, 6.0}};
  EXPECT_EQ(matrix_of("1,2.5,-3e-5\n4,0,6\n"), expected);
  EXPECT_EQ(matrix_of("1, 2.5 ,-3e-5\r\n4,\t0,6\r\n"), expected);
  EXPECT_EQ(matrix_of("1,2.5,-3e-5\n4,0,6"), expected);
  EXPECT_EQ(matrix_of("7"), Eigen::MatrixXd::Constant(1, 1, 7.0));
}

TEST(CsvMatrix, RefusesWhatIsNoMatrixOfFiniteNumbers) {
  expect_wrong("", "1", "none");
  expect_wrong("\n", "1", "none");
  expect_wrong("1,2\n3\n", "2", "1");
  expect_wrong("1,2\n3,4,5\n", "2", "3");
  expect_wrong("x1,x2\n3,4\n", "1", "\"x1\"");
  expect_wrong("1,2\n3,\n", "2", "\"\"");
  expect_wrong("1,2\n\n3,4\n", "2", "\"\"");
  expect_wrong("1,nan\n", "1", "\"nan\"");
  expect_wrong("1,inf\n", "1", "\"inf\"");
  expect_wrong("1,1e400\n", "1", "\"1e400\"");
  expect_wrong("1;2\n", "1", "\"1;2\"");
  expect_wrong("1,2x\n", "1", "\"2x\"");
  expect_wrong(std::string("1,\0002\n", 5), "1", "\"\\x002\"");
  expect_wrong("1,\xff\n", "1", "\"\\xff\"");
}

TEST(CsvMatrix, MayHaveAMillionRowsOrColumns) {
  constexpr int kMany = 1'000'000;
  std::string rows;
  std::string row = "1";
  std::string digits;
  for (int k = 0; k < kMany; ++k) {
    rows += "1,2\n";
    row += ",1";
    digits += '9';
  }
  EXPECT_EQ(matrix_of(rows).rows(), kMany);
  EXPECT_EQ(matrix_of(row).cols(), kMany + 1);
  expect_wrong(rows + "1\n", std::to_string(kMany + 1), "1");
  expect_wrong(row + ",\n", "1", "\"\"");
  digits += 'x';
  expect_wrong(digits, "1", "\"" + std::string(60, '9') + "\"");
}

}  // namespace
}  // namespace foothold::config
