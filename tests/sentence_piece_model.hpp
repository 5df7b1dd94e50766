#pragma once

#if GRADUS_TESTS_SENTENCE_PIECE
#include <sentencepiece_trainer.h>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"

/// Trains a SentencePiece model with `pieces` pieces on these lines. `more` are further options of the
/// trainer. Returns the content of the model's file.
inline std::string trained_pieces(std::span<const std::string> lines, int pieces,
                                  const std::string& more = "") {
  struct Lines : sentencepiece::SentenceIterator {
    std::span<const std::string> left;
    explicit Lines(std::span<const std::string> all) : left(all) {}
    bool done() const override { return left.empty(); }
    void Next() override { left = left.subspan(1); }
    const std::string& value() const override { return left.front(); }
    sentencepiece::util::Status status() const override { return {}; }
  } iterator(lines);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      "--model_type=bpe --minloglevel=2 --num_threads=1 --vocab_size=" + std::to_string(pieces) + ' ' + more,
      &iterator, &model);
  CAPTURE(status.ToString());
  REQUIRE(status.ok());
  return model;
}
#endif
