#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/plot/search_tree.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tutorial {

/// A beginning of an output that beam search has considered.
struct Considered {
  std::vector<std::int64_t> y;
  double number;  ///< the number to show beside the token
  bool is_kept;   ///< false if the search dropped the beginning immediately
};

/// Draws a beam search as a tree. Marks the paths to `best` and to `greedy`.
/// @param course the beginnings in the order of the search; each comes after the beginning that it continues
gradus::plot::SearchTree search_tree(const std::string& title, const std::vector<Considered>& course,
                                     const std::vector<std::int64_t>& best,
                                     const std::vector<std::int64_t>& greedy,
                                     const gradus::data::Reversal& task);

}  // namespace tutorial
