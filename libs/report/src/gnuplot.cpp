#include "foothold/report/gnuplot.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foothold/base/error.hpp"
#include "foothold/config/text_file.hpp"
#include "foothold/report/markup.hpp"
#include "foothold/simulation/files/staged_files.hpp"

namespace foothold::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPicture = 64U << 20U;
constexpr std::size_t kMaxComplaint = 4096;

[[noreturn]] void gnuplot_error(const std::string& message) {
  throw Error(ErrorCode::Unavailable, "gnuplot", message);
}

// A directory of our own beside the results, so that finished files are moved, not copied; gone
// at the end, whatever happened.
class Workshop {
 public:
  Workshop(const fs::path& directory, const std::string& name)
      : path_(directory / fmt::format(".{}.{}.tmp", name, ::getpid())) {
    std::error_code error;
    fs::create_directory(path_, error);
    if (error) {
      throw Error(ErrorCode::Unavailable, "out",
                  fmt::format("must be a directory that can be written, got {}: {}",
                              directory.string(), error.message()));
    }
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  Workshop(Workshop&&) = delete;
  Workshop& operator=(Workshop&&) = delete;
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

// What posix_spawn does in the child before the program begins.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  FileActions(FileActions&&) = delete;
  FileActions& operator=(FileActions&&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void enter(const fs::path& directory) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  void open(int descriptor, const char* path, int flags) {
    constexpr mode_t kMode = 0600;
    ::posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, kMode);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      gnuplot_error(fmt::format("must be waited for, but: {}", std::strerror(errno)));
    }
  }
  return status;
}

// Runs a program in a directory, its complaints to complaint.txt there. Nothing of the caller's
// environment reaches it but PATH and the place of the fonts' settings.
int run(const fs::path& program, const fs::path& directory) {
  FileActions actions;
  actions.enter(directory);
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  actions.open(STDERR_FILENO, "complaint.txt", O_WRONLY | O_CREAT | O_TRUNC);
  std::string name = program.string();
  std::string defaults = "-d";
  std::string file = "program.gp";
  const std::array<char*, 4> arguments{name.data(), defaults.data(), file.data(), nullptr};
  const auto variable = [](const char* key) {
    const char* value = std::getenv(key);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return fmt::format("{}={}", key, value == nullptr ? "" : value);
  };
  std::string path = variable("PATH");
  std::string home = variable("HOME");
  std::string zone = "TZ=UTC0";
  std::string locale = "LC_ALL=C.UTF-8";
  const std::array<char*, 5> environment{path.data(), home.data(), zone.data(), locale.data(),
                                         nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, name.c_str(), actions.get(), nullptr, arguments.data(),
                                  environment.data());
  if (error != 0) {
    gnuplot_error(fmt::format("must run, but {}: {}", name, std::strerror(error)));
  }
  return wait_for(child);
}

std::string complaint_in(const fs::path& directory) {
  try {
    return printable(config::read_text_file(directory / "complaint.txt", kMaxComplaint));
  } catch (const Error&) {
    return "it said too much or nothing";
  }
}

// The date of making is the one thing in the file that is not the figure's. Same length, so that
// the offsets in the file stay true.
void fix_date(std::string& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:";
  constexpr std::string_view kDate = "20190101000000";
  const std::size_t at = pdf.find(kKey);
  if (at != std::string::npos && at + kKey.size() + kDate.size() <= pdf.size()) {
    pdf.replace(at + kKey.size(), kDate.size(), kDate);
  }
}

}  // namespace

fs::path find_gnuplot() {
  const char* value = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const fs::path candidate = fs::path(folder) / "gnuplot";
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) {
      return fs::absolute(candidate);
    }
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  gnuplot_error(
      "must be installed to draw figures (Debian: apt-get install gnuplot-nox), but no program "
      "of this name is in PATH");
}

std::string draw(const Figure& figure, const fs::path& directory) {
  validate(figure);
  const fs::path program = find_gnuplot();
  const Workshop workshop(directory, figure.name);
  simulation::StagedFiles work(workshop.path());
  work.write("program.gp", gnuplot_program(figure));
  work.commit();
  const int status = run(program, workshop.path());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    gnuplot_error(
        fmt::format("must draw {}, but failed: {}", figure.name, complaint_in(workshop.path())));
  }
  const auto picture = [&](const char* extension) {
    return config::read_text_file(workshop.path() / (figure.name + extension), kMaxPicture);
  };
  std::string svg = picture(".svg");
  const std::string png = picture(".png");
  std::string pdf = picture(".pdf");
  fix_date(pdf);
  simulation::StagedFiles files(directory);
  files.write(figure.name + ".csv", csv(figure));
  files.write(figure.name + ".svg", svg);
  files.write(figure.name + ".png", png);
  files.write(figure.name + ".pdf", pdf);
  files.commit();
  return svg;
}

}  // namespace foothold::report
