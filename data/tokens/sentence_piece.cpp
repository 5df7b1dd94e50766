#include <gradus/data/sentence_piece.hpp>

#include <sentencepiece_processor.h>
#include <utility>

#include "check.hpp"

namespace gradus::data {

struct SentencePiece::Model {
  std::string bytes;
  sentencepiece::SentencePieceProcessor processor;
};

SentencePiece SentencePiece::from_bytes(std::string bytes, std::string_view source_name) {
  auto model = std::make_shared<Model>();
  model->bytes = std::move(bytes);
  if (const auto status = model->processor.LoadFromSerializedProto(model->bytes); !status.ok()) {
    fail("SentencePiece: '", source_name,
         "' is not a SentencePiece model; give the file NAME.model that spm_train wrote");
  }
  return SentencePiece(std::move(model));
}

std::vector<std::string> SentencePiece::split(std::string_view line) const {
  return model_->processor.EncodeAsPieces(std::string(line));
}

std::string SentencePiece::join(std::span<const std::string> pieces) const {
  return model_->processor.DecodePieces(std::vector<std::string>(pieces.begin(), pieces.end()));
}

std::int64_t SentencePiece::size() const { return model_->processor.GetPieceSize(); }

const std::string& SentencePiece::bytes() const { return model_->bytes; }

}  // namespace gradus::data
