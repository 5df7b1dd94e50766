#pragma once

#include <string>
#include <string_view>

namespace gradus::tools {

/// True if a line has a carriage return within, as all lines of a text with the line ends of old Macs.
inline bool has_carriage_return(std::string_view line) { return line.find('\r') != line.npos; }

/// Writes a note about such a text to standard error. @param name of the file
void note_carriage_returns(const std::string& name);

}  // namespace gradus::tools
