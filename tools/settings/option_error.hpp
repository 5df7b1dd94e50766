#pragma once

#include <CLI/Error.hpp>
#include <string>

namespace gradus::tools {

/// The text without line ends, printable().
std::string one_line(std::string text);

/// The message of CLI11's error, rewritten where it is not in our words: "--lower: expected true or false,
/// found maybe".
std::string clear_message(const CLI::Error& error);

}  // namespace gradus::tools
