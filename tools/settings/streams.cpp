#include "settings/streams.hpp"

#include <gradus/message.hpp>

#include <array>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

bool is_pipe(const fs::path& file) {
  std::error_code ignored;
  return fs::is_fifo(file, ignored) || fs::is_socket(file, ignored);
}

// Compares pipes, which std::filesystem::equivalent() refuses.
bool are_same_pipe(const fs::path& a, const fs::path& b) {
  struct stat of_a{};
  struct stat of_b{};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

bool are_same_stream(const fs::path& a, const fs::path& b) {
  const auto named = [](const fs::path& file) { return file == "-" ? fs::path("/dev/stdin") : file; };
  return (a == "-" && b == "-") || (is_pipe(named(a)) && are_same_pipe(named(a), named(b)));
}

}  // namespace

std::vector<Input> inputs_of(const std::string& prefix, const PairFiles& files) {
  return {
      {prefix + "pairs", files.pairs}, {prefix + "source", files.source}, {prefix + "target", files.target}};
}

std::vector<Input> inputs_of(const DataSettings& settings) {
  std::vector<Input> inputs;
  for (const auto& [prefix, files] :
       {std::pair{"--", &settings.train}, {"--dev-", &settings.dev}, {"--test-", &settings.test}}) {
    for (Input& input : inputs_of(prefix, *files)) inputs.push_back(std::move(input));
  }
  return inputs;
}

bool is_stream(const fs::path& file) {
  constexpr std::array<std::string_view, 3> of_process{"/dev/fd/", "/dev/stdin", "/proc/"};
  const std::string name = file.string();
  for (const std::string_view begin : of_process) {
    if (name.starts_with(begin)) return true;
  }
  return file == "-" || is_pipe(file);
}

void check_streams(std::span<const Input> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].file.empty()) continue;
    std::string options = inputs[i].option;
    for (const Input& other : inputs.subspan(i + 1)) {
      if (!other.file.empty() && are_same_stream(inputs[i].file, other.file))
        options.append(" and ").append(other.option);
    }
    if (options == inputs[i].option) continue;
    if (inputs[i].file == "-") {
      throw UsageError(
          message("only one of ", options, " can be -, standard input; name files for the others"));
    }
    throw UsageError(message("only one of ", options, " can read the pipe '", inputs[i].file.string(),
                             "'; name files for the others"));
  }
}

}  // namespace gradus::tools
