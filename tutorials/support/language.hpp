#pragma once

#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/vocabulary.hpp>

#include <string>
#include <vector>

#include "table.hpp"

namespace tutorial {

using Words = std::vector<std::string>;

/// How the text of a language is cut into tokens, and which of them have an id.
struct Language {
  gradus::data::Tokeniser tokeniser;
  gradus::data::Vocabulary vocabulary;

  std::string text(const Words& words) const { return tokeniser.join(words); }

  /// Of the text that is written, with `<unk>` as the one word that BLEU's own tokeniser would cut in three.
  double bleu(std::vector<Words> written, const std::vector<Words>& references) const;
};

/// "unknown": how many tokens in a hundred have no id, in the text that is trained on and in that held out.
Table unknown_words(const Language& source, const Language& target,
                    const gradus::data::TokenisedPairs& training,
                    const gradus::data::TokenisedPairs& held_out);

}  // namespace tutorial
