#include "foothold/simulation/files/csv_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace foothold::simulation {

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

std::string csv_number(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "";
}

}  // namespace foothold::simulation
