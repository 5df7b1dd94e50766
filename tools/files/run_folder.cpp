#include "files/run_folder.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/nn/safetensors.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "files/file_type.hpp"

namespace gradus::tools {

namespace fs = std::filesystem;

namespace run_file {
namespace {

constexpr std::string_view before = "step-", after = ".safetensors";

}  // namespace

std::string of_step(std::int64_t step) {
  return std::string(before).append(std::to_string(step)).append(after);
}

std::optional<std::int64_t> step_of(std::string_view name) {
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  std::int64_t step = 0;
  const char* const first = name.data() + before.size();
  if (std::from_chars(first, name.data() + name.size(), step).ec != std::errc() || of_step(step) != name) {
    return std::nullopt;
  }
  return step;
}

}  // namespace run_file

bool holds_run(const fs::path& folder) {
  return is_there(folder / run_file::last) || is_there(folder / run_file::next);
}

std::string content_if_there(const fs::path& file) {
  std::ostringstream text;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return "";  // a device may have no end
  std::ifstream in(file, std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  return std::move(text).str();
}

namespace {

bool is_tiny(const fs::path& path) {
  std::string start(tiny_magic.size(), '\0');
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;  // what is read from a pipe is lost
  std::ifstream(path, std::ios::binary).read(start.data(), std::ssize(start));
  return start == tiny_magic;
}

}  // namespace

fs::path checkpoint_of(const fs::path& path) {
  if (!is_folder(path)) {
    if (is_tiny(path)) {
      fail("checkpoint", "'", path.string(),
           "' is a file for gradus_tiny; give the model from which gradus export wrote it");
    }
    return path;
  }
  for (const char* name : {run_file::next, run_file::best, run_file::last}) {
    if (is_there(path / name)) return path / name;
  }
  fail("checkpoint", "the folder '", path.string(),
       "' has neither best.safetensors nor last.safetensors; give the folder of a run of gradus train");
}

fs::path last_checkpoint_of(const fs::path& folder) {
  const fs::path next = folder / run_file::next;
  return is_there(next) ? next : folder / run_file::last;
}

bool is_run_file(const std::string& name) {
  return std::ranges::count(run_file::all, name) > 0 || run_file::step_of(name);
}

std::vector<fs::path> run_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code not_there;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, not_there)) {
    if (is_run_file(entry.path().filename().string())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> foreign_files(const fs::path& folder) {
  std::vector<fs::path> files = run_files(folder);
  const auto is_checkpoint = [](const fs::path& path) {
    try {
      const nn::Metadata metadata = nn::load_safetensors(path).metadata;
      return models::is_checkpoint(metadata) && metadata.contains("settings");
    } catch (const Error&) {  // not a file of weights
      return false;
    }
  };
  std::vector<fs::path> foreign_weights;
  bool has_checkpoint = false;
  for (const fs::path& path : files) {
    if (path.extension() != ".safetensors") continue;
    const bool own = is_checkpoint(path);
    has_checkpoint = has_checkpoint || own;
    if (!own) foreign_weights.push_back(path);
  }
  return has_checkpoint ? foreign_weights : files;
}

std::vector<std::pair<std::int64_t, fs::path>> step_files(const fs::path& folder) {
  std::vector<std::pair<std::int64_t, fs::path>> files;
  for (const fs::path& path : run_files(folder)) {
    if (const auto step = run_file::step_of(path.filename().string())) files.emplace_back(*step, path);
  }
  std::ranges::sort(files);
  return files;
}

void remove_run_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) files::refuse("train", "remove", path, error.value());
}

void finish_replacement(const fs::path& folder) {
  const fs::path next = folder / run_file::next;
  if (!is_there(next)) return;
  for (const fs::path& path : run_files(folder)) {
    if (path != next) remove_run_file(path);
  }
  std::error_code error;
  fs::rename(next, folder / run_file::last, error);
  if (error) files::refuse("train", "rename", next, error.value());
}

}  // namespace gradus::tools
