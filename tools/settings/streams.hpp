#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "settings/settings.hpp"

/// Inputs that can be read only once: pipes, and standard input.
namespace gradus::tools {

/// An input, and the name of its option.
struct Input {
  std::string option;
  std::filesystem::path file;  ///< empty: not given; "-": standard input
};

/// These files as inputs. @param prefix of the option names: "--", "--dev-" or "--test-"
std::vector<Input> inputs_of(const std::string& prefix, const PairFiles& files);
/// The files of training, dev and test pairs as inputs.
std::vector<Input> inputs_of(const DataSettings& settings);

/// True for "-", for a pipe, and for a name that is valid in one process only, such as /dev/fd/63 of <(…).
bool is_stream(const std::filesystem::path& file);

/// @throws UsageError if several inputs are the same stream. The message names their options.
void check_streams(std::span<const Input> inputs);

}  // namespace gradus::tools
