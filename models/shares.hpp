#pragma once

#include <gradus/autograd/parallel.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/error.hpp>
#include <gradus/models/seq2seq.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
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

// f(sources, lengths, number of the first) for the parts of a batch gives a result for each source; all of
// them, in the order of the batch. `source` (T, B, …), `lengths` (B). In training there is one part: how
// often a search draws depends on its sequences.
template <class Result, class F>
std::vector<Result> by_shares(const Seq2Seq& model, const Tensor& source, const Tensor& lengths, const F& f) {
  const auto whole = [&] { return f(source, lengths, std::int64_t{0}); };
  const bool fit = lengths.rank() == 1 && source.rank() >= 2 && source.size(1) == lengths.size(0);
  if (!fit) return whole();  // which says what is wrong
  const std::int64_t B = lengths.size(0), parts = model.is_training() ? 1 : shares_of_batch(model, B);
  if (parts == 1) return whole();
  std::vector<std::vector<Result>> some(static_cast<std::size_t>(parts));
  const auto compute = [&](std::int64_t part) {
    const std::int64_t first = B * part / parts, last = B * (part + 1) / parts;
    some[static_cast<std::size_t>(part)] = f(source.slice(first, last, 1), lengths.slice(first, last), first);
  };
  with_message_of_all([&] { parallel_operations(parts, compute); }, whole);
  std::vector<Result> all;
  for (std::vector<Result>& results : some) std::ranges::move(results, std::back_inserter(all));
  return all;
}

// A part of a batch, and which of its sequences.
struct Cut {
  data::Batch batch;
  std::vector<std::int64_t> rows;
};
// Parts of a batch that are about as much work.
std::vector<Cut> cut(const data::Batch& batch, std::int64_t parts);

}  // namespace gradus::models
