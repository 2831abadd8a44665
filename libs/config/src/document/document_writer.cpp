#include "document/document_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "foothold/base/invariant.hpp"

namespace foothold::config {
namespace {

// Escapes that both formats understand.
std::string string_text(std::string_view text) {
  std::string escaped = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20U || byte == 0x7FU) {
      escaped += fmt::format("\\u{:04x}", byte);
    } else {
      escaped += letter == '"' || letter == '\\' ? "\\" : "";
      escaped += letter;
    }
  }
  return escaped + "\"";
}

std::string scalar_text(const Node& node) {
  if (const auto* flag = std::get_if<bool>(&node.value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    return fmt::format("{}", *integer);
  }
  if (const auto* number = std::get_if<double>(&node.value)) {
    return float_text(*number);
  }
  FOOTHOLD_INVARIANT(std::holds_alternative<std::string>(node.value));
  return string_text(std::get<std::string>(node.value));
}

bool is_table(const Node& node) {
  return std::holds_alternative<Table>(node.value);
}

bool is_array_of_tables(const Node& node) {
  const auto* items = std::get_if<Array>(&node.value);
  return items != nullptr && !items->empty() && std::all_of(items->begin(), items->end(), is_table);
}

// A value in one line of TOML.
std::string inline_toml(const Node& node) {
  std::string text;
  if (const auto* items = std::get_if<Array>(&node.value)) {
    for (const Node& item : *items) {
      text += (text.empty() ? "" : ", ") + inline_toml(item);
    }
    return "[" + text + "]";
  }
  if (const auto* table = std::get_if<Table>(&node.value)) {
    for (const Member& member : *table) {
      text +=
          fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.key, inline_toml(member.node));
    }
    return "{ " + text + " }";
  }
  return scalar_text(node);
}

// The members of a table below its header: first those of one line, then, for the upper
// levels, those with a header of their own.
void print_toml_members(const Table& table, const std::string& path, std::string& out) {
  const bool is_root = path.empty();
  const auto has_header = [is_root](const Node& node) {
    return is_array_of_tables(node) || (is_root && is_table(node));
  };
  for (const Member& member : table) {
    if (!has_header(member.node)) {
      out += fmt::format("{} = {}\n", member.key, inline_toml(member.node));
    }
  }
  for (const Member& member : table) {
    const std::string full = is_root ? member.key : path + "." + member.key;
    if (has_header(member.node) && is_table(member.node)) {
      out += fmt::format("\n[{}]\n", full);
      print_toml_members(std::get<Table>(member.node.value), full, out);
    } else if (has_header(member.node)) {
      for (const Node& item : std::get<Array>(member.node.value)) {
        out += fmt::format("\n[[{}]]\n", full);
        print_toml_members(std::get<Table>(item.value), full, out);
      }
    }
  }
}

// Tables and arrays of containers go over several lines, arrays of numbers stay in one.
void print_json_value(const Node& node, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  std::string_view separator;
  if (const auto* items = std::get_if<Array>(&node.value)) {
    const bool is_nested = is_array_of_tables(node);
    out += "[";
    for (const Node& item : *items) {
      out += fmt::format("{}{}", separator, is_nested ? "\n" + inner : "");
      print_json_value(item, inner, out);
      separator = is_nested ? "," : ", ";
    }
    out += is_nested ? "\n" + indent + "]" : "]";
  } else if (const auto* table = std::get_if<Table>(&node.value)) {
    out += "{";
    for (const Member& member : *table) {
      out += fmt::format("{}\n{}{}: ", separator, inner, string_text(member.key));
      print_json_value(member.node, inner, out);
      separator = ",";
    }
    out += "\n" + indent + "}";
  } else {
    out += scalar_text(node);
  }
}

}  // namespace

std::string print_toml(const Node& root) {
  std::string out;
  print_toml_members(std::get<Table>(root.value), "", out);
  return out;
}

std::string print_json(const Node& root) {
  std::string out;
  print_json_value(root, "", out);
  return out + "\n";
}

}  // namespace foothold::config
