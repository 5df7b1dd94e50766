#pragma once

#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/vocabulary.hpp>

#include <string>
#include <vector>

#include "support/page/table.hpp"

namespace tutorial {

using Words = std::vector<std::string>;

/// The tokeniser and the vocabulary of a language.
struct Language {
  gradus::data::Tokeniser tokeniser;
  gradus::data::Vocabulary vocabulary;

  std::string text(const Words& words) const { return tokeniser.join(words); }

  /// BLEU of the joined text. `<unk>` counts as one word; BLEU's own tokeniser would split it into three.
  double bleu(std::vector<Words> written, const std::vector<Words>& references) const;
};

/// Table "unknown": the percentage of tokens without an id, in the training text and in the held-out text.
Table unknown_words(const Language& source, const Language& target,
                    const gradus::data::TokenisedPairs& training,
                    const gradus::data::TokenisedPairs& held_out);

}  // namespace tutorial
