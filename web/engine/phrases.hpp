#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/models/decoded.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols.hpp"

namespace gradus::web {

struct Phrase {
  std::string text;  ///< of the source
  data::Pair pair;
  bool held_out;  ///< true if training does not use the phrase
};

/// A phrase set of data::phrases(), split and tokenised as `gradus train --phrases NAME` does. Chinese is
/// tokenised as with `--target-unit chinese`.
struct Phrases {
  std::string settings;  ///< the options of `gradus train`, as TOML
  Symbols source, target;
  std::vector<Phrase> all;            ///< in a random order
  std::function<data::Batch()> next;  ///< the batches of `gradus train`
  /// BLEU of translations of the held-out phrases, in the order of `all`.
  std::function<double(std::span<const models::Decoded> translations)> bleu;
};

/// @return std::nullopt if `name` is not a phrase set
using MakePhrases = std::optional<Phrases> (*)(std::string_view name, std::int64_t batch, std::uint64_t seed);

/// Makes phrase sets. Null in a trainer without phrases, which is a smaller download.
inline MakePhrases make_phrases = nullptr;

/// The tokens of both sides of a task or of a phrase set.
struct Sides {
  std::optional<Phrases> phrases;
  Symbols source, target;

  /// @throws Error as data::make_task() does
  Sides(std::string_view task, const data::TaskOptions& options, std::int64_t batch, std::uint64_t seed)
      : phrases(make_phrases == nullptr ? std::nullopt : make_phrases(task, batch, seed)),
        source(phrases ? phrases->source : Symbols(task, options)),
        target(phrases ? phrases->target : source) {}
};

/// Sets `make_phrases`. @return true, so that the call can initialise a constant before the first request
bool offer_phrases();

}  // namespace gradus::web
