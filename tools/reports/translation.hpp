#pragma once

#include <gradus/models/decode.hpp>

#include <span>
#include <string>
#include <vector>

#include "files/corpus.hpp"
#include "settings/search_options.hpp"

namespace gradus::tools {

/// A translation as tokens and text.
struct Translation {
  std::vector<std::string> source;  ///< tokens
  std::vector<std::string> target;  ///< tokens, without EOS
  std::string text;                 ///< the target, detokenised
  models::Decoded decoded;
};

/// Converts a decoded output to a translation.
/// @param source tokens of the source; @param side the target's side
Translation to_text(models::Decoded decoded, std::vector<std::string> source, const Side& side,
                    bool replace_unknown);

/// Translates each sentence. Returns all translations that the search finds, best first; none for a sentence
/// without tokens.
/// @param model in eval mode
/// @throws Error if a sentence is not UTF-8, or if Frames::read() or models::decode() throws.
std::vector<std::vector<Translation>> translate_sentences(const models::Ensemble& model, const Sides& sides,
                                                          std::span<const std::string> sentences,
                                                          const models::Search& search,
                                                          const TranslationOptions& options = {});
/// The same, with a search for each batch. The indices passed to `search` count only sentences with tokens.
std::vector<std::vector<Translation>> translate_sentences(const models::Ensemble& model, const Sides& sides,
                                                          std::span<const std::string> sentences,
                                                          const models::SearchOfBatch& search,
                                                          const TranslationOptions& options = {});

}  // namespace gradus::tools
