#include <algorithm>
#include <array>
#include <new>
#include <zlib.h>

#include "check.hpp"
#include "text/content.hpp"

namespace gradus::data {
namespace {

class Inflater {
 public:
  Inflater() {
    constexpr int only_gzip = 16, largest_window = 15;
    if (::inflateInit2(&stream_, largest_window + only_gzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses some of the bytes, appends the result to `text`, and removes the input read. Returns zlib's
  // code.
  int some(std::string_view& bytes, std::string& text) {
    std::array<char, 1 << 16> out{};
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 << 20);  // zlib counts in 32 bits
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(size);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    bytes.remove_prefix(size - stream_.avail_in);
    text.append(out.data(), out.size() - stream_.avail_out);
    return code;
  }
  void restart() { ::inflateReset(&stream_); }
  const char* reason() const { return stream_.msg == nullptr ? "invalid data" : stream_.msg; }

 private:
  z_stream stream_{};
};

}  // namespace

std::string decompressed(std::string_view operation, std::string_view shown, std::string_view bytes) {
  Inflater inflater;
  std::string text;
  while (true) {
    switch (inflater.some(bytes, text)) {
      case Z_OK:
        break;
      case Z_STREAM_END:  // a file may have several streams; gzip ignores anything else after them
        if (!bytes.starts_with(gzip_magic)) return text;
        inflater.restart();
        break;
      case Z_BUF_ERROR:  // zlib makes no progress
        fail(operation, ": ", shown, " ends within its compressed data; copy it again");
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        fail(operation, ": ", shown, " is damaged (", inflater.reason(), "); copy it again");
    }
  }
}

}  // namespace gradus::data
