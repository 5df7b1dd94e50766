#pragma once

#include <gradus/models/search.hpp>

#include <span>
#include <string>
#include <vector>

#include "corpus.hpp"

namespace gradus::tools {

/// What a model made of a sentence, as text.
struct Translation {
  std::vector<std::string> source;  ///< tokens
  std::vector<std::string> target;  ///< tokens, without EOS
  std::string text;                 ///< of the target
  models::Decoded decoded;
};

/// How sentences are translated, beside the search.
struct TranslationOptions {
  models::MaxSteps max_steps = {};
  /// Where the model attends, an unknown token becomes the source's that it looked at most.
  bool replace_unknown = true;
};

/// The translations of each sentence, best first, as many as the search finds; none of a sentence without a
/// token.
/// @param model in eval mode
/// @throws Error when a sentence is not UTF-8, and as models::decode.
std::vector<std::vector<Translation>> translate_sentences(const models::Seq2Seq& model, const Sides& sides,
                                                          std::span<const std::string> sentences,
                                                          const models::Search& search,
                                                          const TranslationOptions& options = {});

}  // namespace gradus::tools
