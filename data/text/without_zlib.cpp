#include "check.hpp"
#include "text/inflater.hpp"

namespace gradus::data {

struct Inflater::Stream {};

Inflater::Inflater(std::string_view operation, std::string_view shown) {
  fail(operation, ": ", shown,
       " is compressed by gzip, but gradus was built without zlib; decompress it first");
}

Inflater::~Inflater() = default;

std::size_t Inflater::read(std::string_view& /*bytes*/, std::span<char> /*out*/) { return 0; }

bool Inflater::has_ended() const { return true; }

void Inflater::restart() {}

}  // namespace gradus::data
