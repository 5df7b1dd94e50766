#pragma once

#include <CLI/Error.hpp>
#include <string>

namespace gradus::tools {

/// The text on one line, with control characters escaped, see printable().
std::string one_line(std::string text);

/// The message of a CLI11 error, in our own words where CLI11's are unclear, such as "--lower: expected true
/// or false, found maybe".
std::string clear_message(const CLI::Error& error);

}  // namespace gradus::tools
