#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/error.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <vector>

namespace gradus::models {

// Into how many parts a batch of B sequences is cut for threads that take a part each through the whole model
// and never wait for each other. One where the decoder does not allow it, where a part would be too few rows
// for products, and where the weights, which each thread then reads at every step, do not stay in its cache.
std::int64_t shares_of_batch(const Seq2Seq& model, std::int64_t B);

// What `by_parts` gives. When it fails, `whole` is called first, whose message names places in the whole
// batch and not in a part.
template <class Parts, class Whole>
auto with_message_of_all(const Parts& by_parts, const Whole& whole) {
  try {
    return by_parts();
  } catch (const Error&) {
    whole();
    throw;
  }
}

// Parts of a batch that are about as much work.
std::vector<data::Batch> cut(const data::Batch& batch, std::int64_t parts);

}  // namespace gradus::models
