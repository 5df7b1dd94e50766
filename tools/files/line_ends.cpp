#include "files/line_ends.hpp"

#include <iostream>

#include "files/input_name.hpp"
#include "settings/printable.hpp"

namespace gradus::tools {

void note_carriage_returns(const std::string& name) {
  std::cerr
      << "note: " << printable(input_name(name))
      << " has a carriage return within a line, perhaps the line ends of an old Mac, which are not read "
         "as such; convert them with tr '\\r' '\\n'\n";
}

}  // namespace gradus::tools
