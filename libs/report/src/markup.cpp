#include "markup.hpp"

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

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
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
