#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gradus::data {

// The first bytes of gzip's format.
inline constexpr std::string_view gzip_magic = "\x1f\x8b";

// Decompresses one member of gzip's format, piece by piece.
class Inflater {
 public:
  // `shown` names the source in messages. Always throws in a build without zlib.
  Inflater(std::string_view operation, std::string_view shown);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses a part of `bytes`, removes that part, and returns the number of bytes written to `out`.
  // Empty `bytes` stand for the end of the source. Throws if the data is damaged or cut off.
  std::size_t read(std::string_view& bytes, std::span<char> out);
  bool has_ended() const;  // true after the last byte of the member
  void restart();          // begins the next member

 private:
  struct Stream;
  std::string operation_, shown_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace gradus::data
