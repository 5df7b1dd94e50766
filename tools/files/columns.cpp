#include "files/columns.hpp"

#include <gradus/message.hpp>

#include <iostream>

#include "files/input_name.hpp"
#include "settings/printable.hpp"

namespace gradus::tools {

std::string note_of_columns(const std::string& name, std::int64_t lines) {
  return message(input_name(name), " has more than two columns in ", lines, lines == 1 ? " line" : " lines",
                 "; only the first two, source and target, are read");
}

void note_columns(const std::string& name, std::int64_t lines) {
  if (lines > 0) std::cerr << "note: " << printable(note_of_columns(name, lines)) << '\n';
}

}  // namespace gradus::tools
