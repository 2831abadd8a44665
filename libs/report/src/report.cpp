#include "foothold/report/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "foothold/base/invariant.hpp"
#include "foothold/report/gnuplot.hpp"
#include "foothold/report/markup.hpp"
#include "foothold/simulation/files/result_files.hpp"
#include "foothold/simulation/files/staged_files.hpp"
#include "foothold/simulation/files/version.hpp"

namespace foothold::report {
namespace {

// Wide tables scroll within their own frame, so that the page does not; below 40 em a finding is a
// card of lines with the heading in front of each.
constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1c1e21;--paper:#fff;--soft:#f3f4f6;--line:#d5d8dd;--dim:#5a6068;
--good:#0b7a4b;--part:#9a6400;--bad:#c0322b;--none:#5a6068}
@media(prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#15171a;--soft:#1e2125;--line:#3a3f46;
--dim:#a0a7b0;--good:#4cc38a;--part:#e0a63c;--bad:#ff7b72;--none:#a0a7b0}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:68rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.2rem;margin:2.2rem 0 .5rem}
p{max-width:46rem;margin:.5rem 0}
nav{margin:1rem 0}nav a{color:inherit;display:inline-block;margin:.1rem .9rem .1rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.8rem 0}
dt{color:var(--dim)}dd{margin:0;min-width:0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));gap:1rem;
margin:1rem 0}
figure{margin:0;min-width:0;max-width:32rem;border:1px solid var(--line);border-radius:6px;padding:.5rem}
figure svg{display:block;width:100%;height:auto;color:var(--ink)}
figcaption{font-size:.88rem;color:var(--dim);padding:.4rem .2rem 0}
figcaption a{color:inherit}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.88rem}p.caption{font-size:.88rem;color:var(--dim);margin:1.2rem 0 -.7rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:600;white-space:nowrap}td.words{min-width:13rem}
td.number{font-variant-numeric:tabular-nums;white-space:nowrap}
.good{color:var(--good)}.part{color:var(--part)}.bad{color:var(--bad)}.none{color:var(--none)}
td.finding{font-weight:600}.scorecard td:first-child{white-space:nowrap}
pre{overflow-x:auto;background:var(--soft);border-radius:6px;padding:.7rem;font-size:.8rem;line-height:1.4}
summary{cursor:pointer}sub,sup{line-height:0;font-size:.75em}
@media(max-width:40em){.scorecard thead{display:none}
.scorecard,.scorecard tbody,.scorecard tr,.scorecard td{display:block}
.scorecard tr{border:1px solid var(--line);border-radius:6px;margin:.6rem 0;padding:.4rem .6rem}
.scorecard td{border:0;padding:.1rem 0}.scorecard td[data-name]::before{content:attr(data-name) " ";
color:var(--dim);font-weight:400}.scorecard td:first-child{font-weight:700}}
@media print{:root{color-scheme:light}figure{break-inside:avoid}}
)";

// The longest cell of a table that is taken for a name or a number.
constexpr std::size_t kNumberLength = 36;

std::string anchor(std::size_t section) {
  return fmt::format("part-{}", section + 1);
}

void add_paragraphs(std::string& page, const std::vector<std::string>& paragraphs) {
  for (const std::string& paragraph : paragraphs) {
    page += fmt::format("<p>{}</p>\n", html_formulas(paragraph));
  }
}

void add_facts(std::string& page, const Report& report) {
  page += "<dl>\n";
  for (const auto& [word, value] : report.facts) {
    page += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(word), html_text(value));
  }
  page += "</dl>\n";
}

void add_contents(std::string& page, const Report& report) {
  page += "<nav>";
  if (!report.scorecard.findings.empty()) {
    page += fmt::format("<a href=\"#scorecard\">{}</a> ", html_text(report.scorecard.title));
  }
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    page += fmt::format("<a href=\"#{}\">{}</a> ", anchor(i), html_text(report.sections[i].title));
  }
  if (!report.listings.empty()) {
    page += "<a href=\"#files\">Configuration</a>";
  }
  page += "</nav>\n";
}

constexpr std::array kGrades{Grade::Good, Grade::Part, Grade::Bad, Grade::None};

const char* style_of(Grade grade) {
  switch (grade) {
    case Grade::Good:
      return "good";
    case Grade::Part:
      return "part";
    case Grade::Bad:
      return "bad";
    case Grade::None:
      return "none";
  }
  return "none";
}

void add_counts(std::string& page, const Scorecard& scorecard) {
  page += "<dl>\n";
  for (std::size_t i = 0; i < kGrades.size(); ++i) {
    const auto count = std::ranges::count(scorecard.findings, kGrades.at(i), &Finding::grade);
    page += fmt::format("<dt class=\"{}\">{}</dt><dd>{}</dd>\n", style_of(kGrades.at(i)),
                        html_text(scorecard.grades.at(i)), count);
  }
  page += "</dl>\n";
}

void add_finding(std::string& page, const Finding& finding, const Scorecard& scorecard) {
  FOOTHOLD_INVARIANT(finding.facts.size() == scorecard.facts.size());
  page += fmt::format("<tr><td>{}</td><td>{}</td>", html_text(finding.item),
                      html_formulas(finding.claim));
  for (std::size_t i = 0; i < finding.facts.size(); ++i) {
    page += fmt::format("<td data-name=\"{}:\">{}</td>", html_text(scorecard.facts[i]),
                        html_formulas(finding.facts[i]));
  }
  page += fmt::format("<td class=\"finding {}\">{}</td></tr>\n", style_of(finding.grade),
                      html_formulas(finding.finding));
}

void add_scorecard(std::string& page, const Scorecard& scorecard) {
  page += fmt::format("<h2 id=\"scorecard\">{}</h2>\n", html_text(scorecard.title));
  add_counts(page, scorecard);
  page += R"(<div class="scroll"><table class="scorecard"><thead><tr><th>item</th><th>claim</th>)";
  for (const std::string& heading : scorecard.facts) {
    page += fmt::format("<th>{}</th>", html_text(heading));
  }
  page += fmt::format("<th>{}</th></tr></thead>\n<tbody>\n", html_text(scorecard.finding));
  for (const Finding& finding : scorecard.findings) {
    add_finding(page, finding, scorecard);
  }
  page += "</tbody></table></div>\n";
}

void add_figure(std::string& page, const Figure& figure, const std::string& picture) {
  page += fmt::format(
      "<figure id=\"{0}\">{1}<figcaption>{2} <span>[<a href=\"{0}.csv\">data</a> "
      "<a href=\"{0}.png\">PNG</a> <a href=\"{0}.pdf\">PDF</a>]</span></figcaption></figure>\n",
      figure.name, inline_svg(picture, figure.name), html_formulas(figure.caption));
}

void add_table(std::string& page, const TextTable& table) {
  // Outside of the frame, so that it does not scroll away.
  page += fmt::format(
      "<p class=\"caption\">{0}</p><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table><thead><tr>",
      html_text(table.caption));
  for (const std::string& heading : table.headings) {
    page += fmt::format("<th>{}</th>", html_text(heading));
  }
  page += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    page += "<tr>";
    for (const std::string& cell : row) {
      // Numbers stay on one line; sentences may not.
      page += fmt::format("<td class=\"{}\">{}</td>",
                          cell.size() <= kNumberLength ? "number" : "words", html_formulas(cell));
    }
    page += "</tr>\n";
  }
  page += "</tbody></table></div>\n";
}

void add_listings(std::string& page, const std::vector<Listing>& listings) {
  page += "<h2 id=\"files\">Configuration</h2>\n";
  for (const Listing& listing : listings) {
    std::string text;  // Line by line, since line breaks are control characters, too.
    std::size_t begin = 0;
    while (begin < listing.text.size()) {
      const std::size_t end = std::min(listing.text.find('\n', begin), listing.text.size());
      text += html_text(std::string_view(listing.text).substr(begin, end - begin)) + '\n';
      begin = end + 1;
    }
    const std::string hash =
        listing.config_hash == 0 ? "" : fmt::format(", configuration {:016x}", listing.config_hash);
    page += fmt::format("<details><summary>{}{}</summary><pre>{}</pre></details>\n",
                        html_text(listing.file), hash, text);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> program_facts() {
  std::vector<std::pair<std::string, std::string>> facts{
      {"version", std::string(simulation::version())}};
  if (!simulation::commit().empty()) {
    facts.emplace_back("commit", std::string(simulation::commit()));
  }
  return facts;
}

std::string html(const Report& report, const std::vector<std::string>& pictures) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      html_text(report.title), kStyle);
  add_paragraphs(page, report.lead);
  add_facts(page, report);
  add_contents(page, report);
  if (!report.scorecard.findings.empty()) {
    add_scorecard(page, report.scorecard);
  }
  std::size_t picture = 0;
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const Section& section = report.sections[i];
    page += fmt::format("<h2 id=\"{}\">{}</h2>\n", anchor(i), html_text(section.title));
    add_paragraphs(page, section.paragraphs);
    page += "<div class=\"figures\">\n";
    for (const Figure& figure : section.figures) {
      FOOTHOLD_INVARIANT(picture < pictures.size());
      add_figure(page, figure, pictures[picture]);
      ++picture;
    }
    page += "</div>\n";
    for (const TextTable& table : section.tables) {
      add_table(page, table);
    }
  }
  if (!report.listings.empty()) {
    add_listings(page, report.listings);
  }
  return page + "</body></html>\n";
}

void write_report(const Report& report, const std::filesystem::path& directory) {
  simulation::prepare_directory(directory);
  std::vector<std::string> pictures;
  for (const Section& section : report.sections) {
    for (const Figure& figure : section.figures) {
      pictures.push_back(draw(figure, directory));
    }
  }
  simulation::StagedFiles files(directory);
  for (const Listing& listing : report.listings) {
    files.write(listing.file, listing.text);
  }
  for (const Attachment& attachment : report.attachments) {
    files.write(attachment.file, attachment.text);
  }
  // Last, so that a report that is there is complete.
  files.write("report.html", html(report, pictures));
  files.commit();
}

}  // namespace foothold::report
