#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/distributed/communicator.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>

#include "files/corpus.hpp"

namespace gradus::tools {

/// The dev pairs, on which a training run scores its model.
struct DevPairs {
  const Sides& sides;
  std::span<const data::SentencePair> text;
  std::span<const data::Pair> ids;  ///< the same pairs as ids
};

struct DevScores {
  double loss;         ///< cross-entropy in nats per token
  double bleu, exact;  ///< scores of greedy outputs; NaN if not measured
};

/// Scores a model, and leaves it in eval mode. Pair i belongs to part i mod `shards`. Process r of P scores
/// the parts r, r + P, …, and the parts are summed in order, so that the scores do not depend on the number
/// of processes. All processes must call this function; all get the same scores.
/// @param translates whether to measure BLEU and exact matches, too
DevScores score(models::Seq2Seq& model, const DevPairs& dev, bool translates, std::int64_t shards,
                distributed::Communicator& processes);

}  // namespace gradus::tools
