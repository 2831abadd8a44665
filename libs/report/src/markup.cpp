#include "foothold/report/markup.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace foothold::report {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool is_continuation(unsigned byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Whether the bytes at i begin a valid character of three or four bytes: what may follow the first
// byte depends on it, so that overlong forms, surrogates and what lies beyond U+10FFFF are out.
bool is_three_bytes(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  const unsigned second = byte_at(text, i + 1);
  const unsigned least = first == 0xE0U ? 0xA0U : 0x80U;
  const unsigned most = first == 0xEDU ? 0x9FU : 0xBFU;
  return first >= 0xE0U && first <= 0xEFU && second >= least && second <= most &&
         is_continuation(byte_at(text, i + 2));
}

bool is_four_bytes(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  const unsigned second = byte_at(text, i + 1);
  const unsigned least = first == 0xF0U ? 0x90U : 0x80U;
  const unsigned most = first == 0xF4U ? 0x8FU : 0xBFU;
  return first >= 0xF0U && first <= 0xF4U && second >= least && second <= most &&
         is_continuation(byte_at(text, i + 2)) && is_continuation(byte_at(text, i + 3));
}

// The length of the valid UTF-8 character at i; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80U) {
    return 1;
  }
  if (first >= 0xC2U && first <= 0xDFU && is_continuation(byte_at(text, i + 1))) {
    return 2;
  }
  if (is_three_bytes(text, i)) {
    return 3;
  }
  return is_four_bytes(text, i) ? 4 : 0;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

void erase_between(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  const std::size_t end = begin == std::string::npos ? begin : text.find(to, begin);
  if (end != std::string::npos) {
    text.erase(begin, end + to.size() - begin);
  }
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether what ends the text can bear an index: a sign beyond ASCII, or a letter that is no part
// of a longer word.
bool is_base(std::string_view before) {
  if (before.empty()) {
    return false;
  }
  const char last = before.back();
  const bool is_letter = is_word(last) && last != '_' && !(last >= '0' && last <= '9');
  const bool is_alone = before.size() == 1 || !is_word(before[before.size() - 2]);
  return static_cast<unsigned char>(last) >= 0x80U || (is_letter && is_alone);
}

// The index or exponent that begins at i, and where it ends; nothing if there is none.
struct Raised {
  std::string_view text{};
  std::size_t end = 0;
};

Raised raised_at(std::string_view text, std::size_t i) {
  if (i >= text.size() || text[i] == ' ') {
    return {};
  }
  if (text[i] == '{' || text[i] == '(') {
    const std::size_t close = text.find(text[i] == '{' ? '}' : ')', i);
    return close == std::string_view::npos
               ? Raised{}
               : Raised{.text = text.substr(i + 1, close - i - 1), .end = close + 1};
  }
  std::size_t end = i;
  if (text.substr(i, 3) == "min") {
    end = i + 3;
  } else if (text[i] >= '0' && text[i] <= '9') {
    // A full stop or comma after the number ends the sentence, not the number.
    end = std::min(text.find_first_not_of("0123456789.", i), text.size());
    end -= text[end - 1] == '.' ? 1 : 0;
  } else {
    end = i + std::max<std::size_t>(character_length(text, i), 1);
  }
  // A word of several letters is a name.
  const bool is_name =
      is_word(text[i]) && end < text.size() && is_word(text[end]) && text[end] != '_';
  return is_name ? Raised{} : Raised{.text = text.substr(i, end - i), .end = end};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    const bool is_c1 = length == 2 && byte_at(text, i) == 0xC2U && byte_at(text, i + 1) < 0xA0U;
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (is_c1 || (length == 1 && (byte_at(text, i) < 0x20U || byte_at(text, i) == 0x7FU))) {
      result += ' ';
    } else {
      result += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return result;
}

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_formulas(std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  bool is_after_raised = false;  // D_t^s: an exponent after an index
  std::size_t i = 0;
  while (i < text.size()) {
    const bool is_mark = text[i] == '_' || text[i] == '^';
    const Raised raised =
        is_mark && (is_base(text.substr(0, i)) || (is_after_raised && copied == i))
            ? raised_at(text, i + 1)
            : Raised{};
    if (raised.text.empty()) {
      ++i;
      continue;
    }
    const char* element = text[i] == '_' ? "sub" : "sup";
    const std::string content = raised.text == "-" ? "−" : html_text(raised.text);
    result += html_text(text.substr(copied, i - copied));
    result += fmt::format("<{0}>{1}</{0}>", element, content);
    copied = raised.end;
    i = raised.end;
    is_after_raised = true;
  }
  return result + html_text(text.substr(copied));
}

std::string markdown_cell(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view(R"(|\`*_<>[])").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string inline_svg(std::string_view svg, std::string_view prefix) {
  std::string text(svg);
  const std::size_t begin = text.find("<svg");
  text.erase(0, begin == std::string::npos ? text.size() : begin);
  erase_between(text, "<desc>", "</desc>");
  erase_between(text, R"(<rect x="0" y="0")", "/>");  // the background
  const std::string id = fmt::format("{}-", prefix);
  const std::array<std::pair<std::string, std::string>, 9> changes{{
      {" xmlns=\"http://www.w3.org/2000/svg\"", ""},
      {" xmlns:xlink=\"http://www.w3.org/1999/xlink\"", ""},
      {"id=\"", "id=\"" + id},
      {"id='", "id='" + id},
      {"xlink:href='#", "href='#" + id},
      // gnuplot writes the ink in both ways, and sets a colour of its own around it.
      {"rgb(  1,   2,   3)", "currentColor"},
      {"rgb(1,2,3)", "currentColor"},
      {" color=\"black\"", ""},
      {"stroke=\"black\"", "stroke=\"currentColor\""},
  }};
  for (const auto& [from, to] : changes) {
    replace_all(text, from, to);
  }
  return text;
}

}  // namespace foothold::report
