#include "check.hpp"
#include "text/content.hpp"

namespace gradus::data {

std::string decompressed(std::string_view operation, std::string_view shown, std::string_view /*bytes*/) {
  fail(operation, ": ", shown,
       " is compressed by gzip, but gradus was built without zlib; decompress it first");
}

}  // namespace gradus::data
