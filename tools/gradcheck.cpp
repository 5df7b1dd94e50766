#include "command.hpp"

namespace gradus::tools {

int gradcheck(int, char**, const models::Registry&) { return 1; }

}  // namespace gradus::tools
