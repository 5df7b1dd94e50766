#include "serving/server.hpp"

namespace gradus::tools {

bool equal_in_constant_time(const std::string& given, const std::string& expected) {
  unsigned different = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    different |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

}  // namespace gradus::tools
