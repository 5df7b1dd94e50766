#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/distributed/communicator.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>

#include "files/corpus.hpp"

namespace gradus::tools {

/// The pairs that a training run is scored on.
struct DevPairs {
  const Sides& sides;
  std::span<const data::SentencePair> text;
  std::span<const data::Pair> ids;  ///< of the same pairs
};

struct DevScores {
  double loss;         ///< cross-entropy in nats per token
  double bleu, exact;  ///< of greedy outputs; NaN if not measured
};

/// Scores a model, which is in eval mode afterwards. The pairs are cut into `shards` parts, i mod shards is
/// the part of pair i. Process r of P scores parts r, r + P, …, and the parts are added up in order, so the
/// scores do not depend on the number of processes. All processes call this function and get the scores.
/// @param translates whether to measure BLEU and exact matches
DevScores score(models::Seq2Seq& model, const DevPairs& dev, bool translates, std::int64_t shards,
                distributed::Communicator& processes);

}  // namespace gradus::tools
