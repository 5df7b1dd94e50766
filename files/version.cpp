#include <gradus/version.hpp>

namespace gradus {

const char* version() { return GRADUS_VERSION; }

}  // namespace gradus
