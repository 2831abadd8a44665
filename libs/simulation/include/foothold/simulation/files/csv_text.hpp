#pragma once

#include <string>
#include <string_view>

namespace foothold::simulation {

/// Text as a field of CSV, after RFC 4180.
[[nodiscard]] std::string csv_field(std::string_view text);

/// The shortest text that reads back as the number; empty if it is not finite.
[[nodiscard]] std::string csv_number(double number);

}  // namespace foothold::simulation
