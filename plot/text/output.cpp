#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/plot/output.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

namespace fs = std::filesystem;

constexpr const char* who = "OutputFolder";

}  // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) {
  if (path_.empty())
    throw Error("OutputFolder: the path is empty; name a folder, or '.' for the current one");
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) files::refuse(who, "create folder", path_, error.value());
  files::check_writable(who, path_);
}

fs::path OutputFolder::write(const std::string& name, std::string_view content) const {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\0", 2)) != name.npos) {
    throw Error("OutputFolder: '" + one_line(name) + "' is not a plain file name for folder '" +
                path_.string() + "'; give one without '/'");
  }
  fs::path target = path_ / name;
  files::write_atomically(who, target, content);
  return target;
}

}  // namespace gradus::plot
