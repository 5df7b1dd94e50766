#include <gradus/data/sentence_piece.hpp>

#include "text/content.hpp"

namespace gradus::data {

SentencePiece SentencePiece::read(const std::filesystem::path& path) {
  return from_bytes(content_of("SentencePiece", path), path.string());
}

}  // namespace gradus::data
