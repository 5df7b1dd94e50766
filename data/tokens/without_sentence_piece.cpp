#include <gradus/data/sentence_piece.hpp>

#include "check.hpp"

namespace gradus::data {

struct SentencePiece::Model {
  std::string bytes;
};

SentencePiece SentencePiece::from_bytes(std::string, std::string_view source_name) {
  fail("SentencePiece: '", source_name,
       "' cannot be read, because gradus was built without SentencePiece; install libsentencepiece-dev, and "
       "build gradus again");
}

// No object can exist, because from_bytes() throws.
std::vector<std::string> SentencePiece::split(std::string_view) const { return {}; }
std::string SentencePiece::join(std::span<const std::string>) const { return {}; }
std::int64_t SentencePiece::size() const { return 0; }
const std::string& SentencePiece::bytes() const { return model_->bytes; }

}  // namespace gradus::data
