#pragma once

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/error.hpp>
#include <gradus/models/ensemble.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace gradus::models {

// Number of parts into which a batch of B sequences is split. Each thread runs the whole model on its part,
// without barriers. The number is 1 if the decoder is not thread-safe, if parts would be too small for
// efficient products, or if the weights, which every thread reads at every step, do not fit a core's cache.
std::int64_t parts_of_batch(const Ensemble& model, std::int64_t B);

// The number of parts for a search. A search need not sum gradients over the threads, so splitting pays even
// if the weights do not fit the cache, provided that the parts are large.
std::int64_t parts_of_search(const Ensemble& model, std::int64_t B);

// The bounds of consecutive parts of a batch: part p holds the sequences [bounds[p], bounds[p + 1]). The work
// for a sequence of length T is taken as 2T + 10, the default maximum output length. All parts have about
// equal work. A part may be empty.
std::vector<std::int64_t> bounds_of_parts(std::span<const std::int64_t> lengths, std::int64_t parts);

// Returns by_parts(). If by_parts() throws an Error, calls whole(), which computes the batch in one part. If
// whole() throws, too, the caller gets the Error of whole(), whose message has positions in the whole batch.
// Otherwise the caller gets the Error of by_parts().
template <class Parts, class Whole>
auto with_message_of_all(const Parts& by_parts, const Whole& whole) {
  try {
    return by_parts();
  } catch (const Error&) {
    whole();
    throw;
  }
}

// Splits a batch, `source` (T, B, …) and `lengths` (B), into parts. Calls f(sources, lengths, index of the
// first source) for each part; f returns one result per source. Returns all results in batch order. In
// training mode, does not split the batch, because the number of random draws in a part depends on its
// sequences.
template <class Result, class F>
std::vector<Result> by_parts(const Ensemble& model, const Tensor& source, const Tensor& lengths, const F& f) {
  const auto whole = [&] { return f(source, lengths, std::int64_t{0}); };
  const bool fit = lengths.rank() == 1 && lengths.dtype() == Dtype::i64 && source.rank() >= 2 &&
                   source.size(1) == lengths.size(0);
  if (!fit) return whole();  // reports the error
  const std::int64_t B = lengths.size(0), parts = model.is_training() ? 1 : parts_of_search(model, B);
  if (parts == 1) return whole();
  const std::vector<std::int64_t> bounds = bounds_of_parts(lengths.values<std::int64_t>(), parts);
  std::vector<std::vector<Result>> some(static_cast<std::size_t>(parts));
  const auto compute = [&](std::int64_t part) {
    const auto p = static_cast<std::size_t>(part);
    const std::int64_t first = bounds[p], last = bounds[p + 1];
    if (first < last) some[p] = f(source.slice(first, last, 1), lengths.slice(first, last), first);
  };
  with_message_of_all([&] { parallel_operations(parts, compute); }, whole);
  std::vector<Result> all;
  for (std::vector<Result>& results : some) std::ranges::move(results, std::back_inserter(all));
  return all;
}

// A part of a batch, with the indices of its rows in the batch.
struct Cut {
  data::Batch batch;
  std::vector<std::int64_t> rows;
};
// Splits a batch into at most `parts` parts of about equal work.
std::vector<Cut> cut(const data::Batch& batch, std::int64_t parts);
// The generator for some rows of a batch of B sequences. `draws` is the generator of the batch, which may
// itself be a part of a larger batch.
Generator of_rows(const Generator& draws, std::int64_t B, std::vector<std::int64_t> rows);

}  // namespace gradus::models
