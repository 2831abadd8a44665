#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "foothold/report/figure.hpp"

namespace foothold::report {

/// Cells of text under headings.
struct TextTable {
  std::string caption{};
  std::vector<std::string> headings{};
  std::vector<std::vector<std::string>> rows{};
};

struct Section {
  std::string title{};
  std::vector<std::string> paragraphs{};
  std::vector<Figure> figures{};
  std::vector<TextTable> tables{};
};

/// How well a claim did.
enum class Grade : std::uint8_t { Good, Part, Bad, None };

/// One claim, and what was found of it.
struct Finding {
  std::string item{};                ///< What the claim is called.
  std::string claim{};               ///< In a sentence.
  std::vector<std::string> facts{};  ///< One for each of `Scorecard::facts`.
  std::string finding{};             ///< In a sentence, shown in the colour of its grade.
  Grade grade = Grade::None;
};

/// A table of claims, with the number of those of each grade above it. On a phone each claim is a
/// card.
struct Scorecard {
  std::string title{};
  std::array<std::string, 4> grades{};  ///< The word for each grade, in their order.
  std::vector<std::string> facts{};     ///< Headings of the facts.
  std::string finding{};                ///< Heading of the findings.
  std::vector<Finding> findings{};
};

/// A file to be shown as it is, such as the configuration behind the numbers; also written
/// beside the report.
struct Listing {
  std::string file{};  ///< Its name in the report's directory.
  std::string text{};
  std::uint64_t config_hash = 0;  ///< Of an experiment; shown beside its name unless 0.
};

/// A file that is written beside the report and not shown.
struct Attachment {
  std::string file{};  ///< Its name in the report's directory.
  std::string text{};
};

/// The facts that name the program: its version and, where it is known, the commit.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> program_facts();

/// A whole report, as plain text and data; how it looks is decided when it is written.
struct Report {
  std::string title{};
  std::vector<std::string> lead{};
  /// What made it, such as version and seed: pairs of a word and its value.
  std::vector<std::pair<std::string, std::string>> facts{};
  Scorecard scorecard{};  ///< Left out of the report if it has no findings.
  std::vector<Section> sections{};
  std::vector<Listing> listings{};
  std::vector<Attachment> attachments{};
};

/// The report as one HTML page that loads nothing from elsewhere, narrow enough for a phone, light
/// or dark as the reader's system is. All text is escaped; in it x_t and T^(2/3) become index and
/// exponent. `pictures` are the figures' SVG files in
/// the order of sections and figures; as many as there are figures.
[[nodiscard]] std::string html(const Report& report, const std::vector<std::string>& pictures);

/// Writes report.html; each figure as SVG, PNG and PDF with its data as CSV; the listings and the
/// attachments. Makes the directory if it is missing. Throws as `draw` does.
void write_report(const Report& report, const std::filesystem::path& directory);

}  // namespace foothold::report
