#include <algorithm>
#include <new>
#include <zlib.h>

#include "check.hpp"
#include "text/inflater.hpp"

namespace gradus::data {

struct Inflater::Stream {
  z_stream zlib{};
  bool has_ended = false;
};

Inflater::Inflater(std::string_view operation, std::string_view shown)
    : operation_(operation), shown_(shown), stream_(std::make_unique<Stream>()) {
  constexpr int only_gzip = 16, largest_window = 15;
  if (::inflateInit2(&stream_->zlib, largest_window + only_gzip) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { ::inflateEnd(&stream_->zlib); }

std::size_t Inflater::read(std::string_view& bytes, std::span<char> out) {
  constexpr std::size_t most = 1 << 20;  // zlib counts in 32 bits
  z_stream& zlib = stream_->zlib;
  const std::size_t size = std::min(bytes.size(), most), room = std::min(out.size(), most);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(size);
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(room);
  const int code = ::inflate(&zlib, Z_NO_FLUSH);
  bytes.remove_prefix(size - zlib.avail_in);
  switch (code) {
    case Z_OK:
      break;
    case Z_STREAM_END:
      stream_->has_ended = true;
      break;
    case Z_BUF_ERROR:  // no progress
      fail(operation_, ": ", shown_, " ends within its compressed data; copy it again");
    case Z_MEM_ERROR:
      throw std::bad_alloc();
    default:
      fail(operation_, ": ", shown_, " is damaged (", zlib.msg == nullptr ? "invalid data" : zlib.msg,
           "); copy it again");
  }
  return room - zlib.avail_out;
}

bool Inflater::has_ended() const { return stream_->has_ended; }

void Inflater::restart() {
  ::inflateReset(&stream_->zlib);
  stream_->has_ended = false;
}

}  // namespace gradus::data
