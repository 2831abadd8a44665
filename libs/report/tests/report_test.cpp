#include "foothold/report/report.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "foothold/config/text_file.hpp"
#include "foothold/report/markup.hpp"

namespace foothold::report {
namespace {

constexpr const char* kSvg =
    "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\" xmlns=\"http://www.w3.org/2000/svg\" "
    "xmlns:xlink=\"http://www.w3.org/1999/xlink\"><rect x=\"0\" y=\"0\" width=\"1\" "
    "fill=\"#ffffff\"/><g id=\"canvas\" color=\"black\" stroke=\"rgb(  1,   2,   3)\">"
    "<use xlink:href='#gpPt6' id='gpPt8'/></g></svg>";

Report sample_report() {
  return {.title = "<b>\"&'",
          .facts = {{"seed", "<1>"}},
          .scorecard = {.title = "<s>",
                        .grades = {"well <g>", "partly", "badly", "not at all"},
                        .facts = {"<hf>"},
                        .finding = "<hv>",
                        .findings = {{.item = "<i>",
                                      .claim = "<c>",
                                      .facts = {"<fact>"},
                                      .finding = "<v>",
                                      .grade = Grade::Part}}},
          .sections = {{.title = "<t>",
                        .paragraphs = {"<p>"},
                        .figures = {{.name = "one",
                                     .caption = "<f>",
                                     .series = {{.x = {1.0}, .y = {1.0}}}}},
                        .tables = {{.headings = {"<h>"}, .rows = {{"<r>"}}}}}},
          .listings = {{.file = "a.toml", .text = "x = \"<l>\"\ny = 1\n"}},
          .attachments = {{.file = "a.json", .text = "[]\n"}}};
}

TEST(Html, EscapesAllText) {
  const std::string page = html(sample_report(), {kSvg});
  for (const char* text : {"<b>", "<1>", "<s>", "<g>", "<hf>", "<hv>", "<i>", "<c>", "<fact>",
                           "<v>", "<f>", "<r>", "<l>"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
    EXPECT_NE(page.find(html_text(text)), std::string::npos) << text;
  }
  EXPECT_NE(page.find("&lt;t&gt;"), std::string::npos);
  EXPECT_NE(page.find("y = 1\n"), std::string::npos);
}

TEST(Html, CountsFindingsByGradeAndColoursThem) {
  const std::string page = html(sample_report(), {kSvg});
  EXPECT_NE(page.find("<dt class=\"good\">well &lt;g&gt;</dt><dd>0</dd>"), std::string::npos);
  EXPECT_NE(page.find("<dt class=\"part\">partly</dt><dd>1</dd>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"finding part\">"), std::string::npos);
  Report without = sample_report();
  without.scorecard.findings.clear();
  EXPECT_EQ(html(without, {kSvg}).find("id=\"scorecard\""), std::string::npos);
}

TEST(Html, LoadsNothing) {
  const std::string page = html(sample_report(), {kSvg});
  for (const char* text : {"http", "src=", "@import", "url(", "<link", "<script", "<img"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
}

TEST(InlineSvg, TakesThePagesColourAndItsOwnIds) {
  EXPECT_EQ(inline_svg(kSvg, "one"),
            "<svg viewBox=\"0 0 1 1\"><g id=\"one-canvas\" stroke=\"currentColor\">"
            "<use href='#one-gpPt6' id='one-gpPt8'/></g></svg>");
}

TEST(HtmlFormulas, RaiseAndLowerWhatFollowsASingleLetter) {
  EXPECT_EQ(html_formulas("T_Δ < T^(2/3), grows like T^0.29."),
            "T<sub>Δ</sub> &lt; T<sup>2/3</sup>, grows like T<sup>0.29</sup>.");
  EXPECT_EQ(html_formulas("x* ∈ D_t^s, λ_- and λ_min(A)"),
            "x* ∈ D<sub>t</sub><sup>s</sup>, λ<sub>−</sub> and λ<sub>min</sub>(A)");
  EXPECT_EQ(html_formulas("Σ ‖x_t‖²_{A⁻¹}"), "Σ ‖x<sub>t</sub>‖²<sub>A⁻¹</sub>");
  EXPECT_EQ(html_formulas("λ_-T′/2, D^w, T_"), "λ<sub>−</sub>T′/2, D<sup>w</sup>, T_");
}

TEST(HtmlFormulas, LeaveNamesAlone) {
  for (const char* text : {"my_policy", "a_run", "_x", "x_", "T^(2", "a_ b", "10^4", "T_{"}) {
    EXPECT_EQ(html_formulas(text), text);
  }
  EXPECT_EQ(html_formulas("x_<"), "x<sub>&lt;</sub>");
}

TEST(Html, NamesTheConfigurationByItsHash) {
  Report report = sample_report();
  report.listings.front().config_hash = 0xABCU;
  EXPECT_NE(html(report, {kSvg}).find("a.toml, configuration 0000000000000abc"), std::string::npos);
}

// Oracle: tables 3-6 and 3-7 of the Unicode standard.
TEST(Printable, ReplacesWhatIsNotText) {
  EXPECT_EQ(printable("a\tb\x7F"), "a b ");
  EXPECT_EQ(printable("\xC2\x85"), " ");
  EXPECT_EQ(printable("Δ ≤ 𝟙"), "Δ ≤ 𝟙");
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(printable("\xE2\x89"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
}

TEST(WriteReport, WritesPageFiguresListingsAndAttachments) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / "foothold-write-report";
  std::filesystem::remove_all(directory);
  write_report(sample_report(), directory);
  for (const char* file :
       {"report.html", "one.svg", "one.png", "one.pdf", "one.csv", "a.toml", "a.json"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(directory / file)) << file;
  }
  const std::string page = config::read_text_file(directory / "report.html", 1U << 20U);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("rgb(  1,   2,   3)"), std::string::npos);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace foothold::report
