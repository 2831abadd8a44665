#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/core.h>

namespace foothold::bench {

CommandLine parse(int argc, char** argv, TakesStream takes) {
  static_cast<void>(
      std::setvbuf(stdout, nullptr, _IOLBF, 0));  // tables grow line by line, also in a pipe
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      line.is_quick = true;
    } else if (word == "--json" && i + 1 < argc) {
      line.json = argv[++i];
    } else if (word == "--stream" && takes == TakesStream::Yes && i + 1 < argc) {
      line.stream = argv[++i];
    } else {
      fmt::print(stderr, "usage: {}{} [--quick] [--json FILE]; got {}\n", argv[0],
                 takes == TakesStream::Yes ? " --stream NAME" : "", word);
      std::exit(2);
    }
  }
  return line;
}

void write(const CommandLine& line, const nlohmann::json& result) {
  if (line.json.empty()) {
    return;
  }
  std::ofstream out(line.json);
  out << result.dump(1) << '\n';
  if (!out) {
    fmt::print(stderr, "json: must be a file that can be written, got {}\n", line.json);
    std::exit(1);
  }
}

}  // namespace foothold::bench
