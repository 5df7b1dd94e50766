#pragma once

#include <string>
#include <string_view>

namespace gradus::tools {

/// True if the line contains a carriage return, as in a text with the line ends of old Macs.
inline bool has_carriage_return(std::string_view line) { return line.find('\r') != line.npos; }

/// Prints a note to standard error that a file may have the line ends of old Macs. @param name the file's
/// name
void note_carriage_returns(const std::string& name);

}  // namespace gradus::tools
