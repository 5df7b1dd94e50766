#include "files/output_file.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <iostream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "files/run_folder.hpp"
#include "settings/printable.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code not_there;
  return fs::is_regular_file(a, not_there) && fs::equivalent(a, b, not_there);
}

// The absolute path of the file that a write to this name would change. Links are followed, even if their
// target does not exist yet. Empty for standard output, an empty name, and anything that exists and is not a
// regular file.
fs::path written_place(const fs::path& file) {
  std::error_code not_there;
  const fs::file_type type = fs::status(file, not_there).type();
  if (file.empty() || is_standard_output(file)) return {};
  if (type != fs::file_type::regular && type != fs::file_type::not_found) return {};
  // absolute() first, because weakly_canonical() leaves a missing relative path relative.
  fs::path place = fs::absolute(file);
  constexpr int most_links = 40;  // as in Linux
  for (int links = 0; links < most_links && fs::is_symlink(place, not_there); ++links) {
    place = place.parent_path() / fs::read_symlink(place, not_there);
  }
  return fs::weakly_canonical(place, not_there);
}

void check_not_of_a_run(std::string_view who, const fs::path& file) {
  const fs::path place = written_place(file);
  if (!is_run_file(place.filename().string())) return;
  if (!holds_run(place.parent_path())) return;
  fail(who, "'", file.string(), "' belongs to the run in its folder; choose another name or folder");
}

bool are_same(const fs::path& a, const fs::path& b) {
  // is_same_file() finds hard links, whose paths differ.
  return written_place(a) == written_place(b) || is_same_file(a, b);
}

bool is_terminal(const fs::path& file) {
  if (is_standard_output(file)) return ::isatty(STDOUT_FILENO) != 0;
  std::error_code not_there;
  if (!fs::is_character_file(file, not_there)) return false;
  const int opened = ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const bool is_tty = opened >= 0 && ::isatty(opened) != 0;
  if (opened >= 0) ::close(opened);
  return is_tty;
}

}  // namespace

bool is_standard_output(const fs::path& file) { return file == "-"; }

std::function<std::string(const std::string&)> no_standard_output(std::string why) {
  return [why = std::move(why)](const std::string& file) {
    return is_standard_output(file) ? "'-' is standard output, " + why + "; name a file" : "";
  };
}

void check_output(std::string_view who, const fs::path& file, std::span<const fs::path> read) {
  if (file.empty() || is_standard_output(file)) return;
  std::error_code not_there;
  if (fs::is_directory(file, not_there)) fail(who, "'", file.string(), "' is a folder; give a file name");
  for (const fs::path& other : read) {
    if (!is_same_file(file, other)) continue;
    fail(who, "'", file.string(),
         "' is an input of this command and would be overwritten; choose another name");
  }
  check_not_of_a_run(who, file);
  files::check_target(who, file);
  files::sweep(file.has_parent_path() ? file.parent_path() : ".");
}

void check_distinct(std::span<const Output> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (written_place(outputs[i].file).empty()) continue;
    for (const Output& other : outputs.subspan(i + 1)) {
      if (!are_same(outputs[i].file, other.file)) continue;
      throw UsageError(message(outputs[i].option, " and ", other.option, " both name the file '",
                               other.file.string(), "'; give two names"));
    }
  }
}

std::string for_output(std::string_view text, const fs::path& file) {
  return is_terminal(file) ? printable(text, "\n\t") : std::string(text);
}

void write_output(std::string_view who, const fs::path& file, std::string_view content) {
  if (file.empty()) return;
  const std::string text = for_output(content, file);
  if (is_standard_output(file)) std::cout << text;
  flush_standard_output();  // in case `file` is standard output under another name
  if (!is_standard_output(file)) files::write_atomically(who, file, text);
}

void flush_standard_output() {
  if (!std::cout.flush()) fail("output", "cannot write to standard output; is the disk full?");
}

}  // namespace gradus::tools
