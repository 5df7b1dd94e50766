#include <gradus/data/sentence_piece.hpp>

#include "text/content.hpp"

namespace gradus::data {

SentencePiece SentencePiece::read(const std::filesystem::path& path) {
  constexpr std::size_t most = 256 << 20;  // a pipe may be endless; published models have a few megabytes
  return from_bytes(content_of("SentencePiece", path, most), path.string());
}

}  // namespace gradus::data
