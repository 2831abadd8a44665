#include "foothold/report/figure.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/config/text_file.hpp"
#include "foothold/report/gnuplot.hpp"
#include "foothold/report/regret_figures.hpp"

namespace foothold::report {
namespace {

namespace fs = std::filesystem;

// A name that would leave its quotes, start a command, run a shell and open an element.
constexpr const char* kHostile = "it's\nsystem 'touch owned' `touch owned` <script> & {/x} \xFF";

Figure sample_figure() {
  return {.name = "a-sample",
          .title = kHostile,
          .x = {.label = kHostile, .is_log = true},
          .y = {.label = "y"},
          .series = {{.name = kHostile,
                      .mark = Mark::Band,
                      .colour = colours::kBlue,
                      .x = {1.0, 10.0, 0.0},
                      .y = {1.0, 2.0, std::numeric_limits<double>::quiet_NaN()},
                      .lower = {0.5, 1.5, 1.0},
                      .upper = {1.5, 2.5, 2.0}},
                     {.name = "points", .mark = Mark::Points, .x = {2.0}, .y = {1.0}}}};
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(fs::temp_directory_path() / ("foothold-figure-" + name())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  static std::string name() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  fs::path path_;
};

TEST(GnuplotProgram, TextStaysWithinItsQuotes) {
  const std::string program = gnuplot_program(sample_figure());
  EXPECT_EQ(program.find("\nsystem"), std::string::npos);
  EXPECT_NE(program.find("title 'it''s system ''touch owned'' `touch owned` <script> & {/x} "
                         "\xEF\xBF\xBD' noenhanced"),
            std::string::npos);
}

TEST(GnuplotProgram, LeavesOutWhatCannotBeDrawn) {
  const std::string program = gnuplot_program(sample_figure());
  EXPECT_NE(program.find("$data0 << EOD\n1 1 0.5 1.5\n10 2 1.5 2.5\nNaN NaN 1 2\nEOD\n"),
            std::string::npos);
}

TEST(GnuplotProgram, DrawsLinesInTheirWidthWithTheirDots) {
  Figure figure = sample_figure();
  figure.series[1] = {.name = "line", .width = 6.5, .has_points = true, .x = {2.0}, .y = {1.0}};
  EXPECT_NE(gnuplot_program(figure).find("with linespoints pt 7 ps 0.6 lw 6.5 lc"),
            std::string::npos);
}

TEST(GnuplotProgram, WritesLongNumbersShort) {
  Figure figure = sample_figure();
  figure.x.tics = {300.0, 3000.0, 1500.0, 1e6};
  EXPECT_NE(
      gnuplot_program(figure).find("set xtics ('300' 300, '3k' 3000, '1500' 1500, '1M' 1e+06)\n"),
      std::string::npos);
}

TEST(FitLogAxis, EndsAtADecadeBelowAndAboveAllBands) {
  const auto ends = [](std::vector<double> y, std::vector<double> upper) {
    Axis axis{.is_log = true};
    fit_log_axis(axis, {{.mark = Mark::Band, .y = std::move(y), .upper = std::move(upper)}});
    return std::pair(*axis.lower, *axis.upper);
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ends({0.02, 0.5}, {0.03, 1.1}), std::pair(0.01, 2.0));
  EXPECT_EQ(ends({0.0, 0.4, none}, {none, 0.45, 0.1}), std::pair(0.1, 0.5));
  EXPECT_EQ(ends({1.0}, {1.0}), std::pair(1.0, 2.0));  // not from 1 to 1
  EXPECT_EQ(ends({0.0}, {none}), std::pair(1e-6, 1.0));
}

TEST(Csv, HoldsTheDataOfEverySeries) {
  Figure figure = sample_figure();
  figure.series[0].name = "a, \"b\"";
  EXPECT_EQ(csv(figure),
            "series,x,y,lower,upper\n"
            "\"a, \"\"b\"\"\",1,1,0.5,1.5\n\"a, \"\"b\"\"\",10,2,1.5,2.5\n"
            "\"a, \"\"b\"\"\",0,,1,2\npoints,2,1,,\n");
}

TEST(Figure, RefusesNamesColoursAndSizesThatAreNone) {
  const auto refuses = [](Figure figure, const std::string& field) {
    try {
      validate(figure);
      ADD_FAILURE() << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.field(), field);
    }
  };
  Figure figure = sample_figure();
  figure.name = "../sample";
  refuses(figure, "figure.name");
  figure = sample_figure();
  figure.series[0].colour = "red'";
  refuses(figure, "figure.series[0].colour");
  figure = sample_figure();
  figure.series[0].width = 0.0;
  refuses(figure, "figure.series[0].width");
  figure = sample_figure();
  figure.series[1].y.clear();
  refuses(figure, "figure.series[1]");
  figure.series.clear();
  refuses(figure, "figure.series");
}

TEST(Draw, MakesAllFormatsAndTheSameBytesAgain) {
  const TemporaryDirectory directory;
  const std::string svg = draw(sample_figure(), directory.path());
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  const auto content = [&](const char* file) {
    return config::read_text_file(directory.path() / file, 1U << 20U);
  };
  const std::string png = content("a-sample.png");
  const std::string pdf = content("a-sample.pdf");
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_NE(pdf.find("(D:20190101000000"), std::string::npos);
  EXPECT_EQ(content("a-sample.csv"), csv(sample_figure()));
  EXPECT_EQ(draw(sample_figure(), directory.path()), svg);
  EXPECT_EQ(content("a-sample.png"), png);
  EXPECT_EQ(content("a-sample.pdf"), pdf);
  // Nothing else: no workshop left, no command run.
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 4);
}

TEST(Draw, SaysWhatToInstall) {
  const TemporaryDirectory directory;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", directory.path().c_str(), 1);
  try {
    static_cast<void>(find_gnuplot());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    EXPECT_NE(std::string(error.what()).find("gnuplot-nox"), std::string::npos);
  }
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace foothold::report
