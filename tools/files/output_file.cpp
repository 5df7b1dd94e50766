#include "files/output_file.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <system_error>
#include <utility>

#include "files/run_folder.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code not_there;
  return fs::is_regular_file(a, not_there) && fs::equivalent(a, b, not_there);
}

void check_not_of_a_run(std::string_view who, const fs::path& file) {
  std::error_code not_there;
  const fs::path place = fs::weakly_canonical(file, not_there);  // links followed
  if (not_there || !is_run_file(place.filename().string())) return;
  if (!holds_run(place.parent_path())) return;
  fail(who, "'", file.string(), "' belongs to the run in its folder; choose another name or folder");
}

// The absolute path with links resolved, for comparison. Empty for standard output and an empty name, and
// for a path that exists and is not a regular file.
fs::path replaced_file(const fs::path& file) {
  std::error_code not_there;
  const fs::file_type type = fs::status(file, not_there).type();
  if (file.empty() || is_standard_output(file)) return {};
  if (type != fs::file_type::regular && type != fs::file_type::not_found) return {};
  // Without absolute(), a relative path that does not exist would stay relative.
  return fs::weakly_canonical(fs::absolute(file), not_there);
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
    const fs::path file = replaced_file(outputs[i].file);
    for (const Output& other : outputs.subspan(i + 1)) {
      if (file.empty() || replaced_file(other.file) != file) continue;
      throw UsageError(message(outputs[i].option, " and ", other.option, " both name the file '",
                               other.file.string(), "'; give two names"));
    }
  }
}

void write_output(std::string_view who, const fs::path& file, std::string_view content) {
  if (file.empty()) return;
  if (is_standard_output(file)) std::cout << content;
  flush_standard_output();  // `file` may be standard output under another name
  if (!is_standard_output(file)) files::write_atomically(who, file, content);
}

void flush_standard_output() {
  if (!std::cout.flush()) fail("output", "cannot write to standard output; is the disk full?");
}

}  // namespace gradus::tools
