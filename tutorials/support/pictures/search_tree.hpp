#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/plot/search_tree.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tutorial {

/// A partial output that beam search has considered.
struct Considered {
  std::vector<std::int64_t> y;
  double number;  ///< the number to show beside the token
  bool is_kept;   ///< false if the search dropped the partial output immediately
};

/// Draws a beam search as a tree. Marks the paths to `best` and to `greedy`.
/// @param course the partial outputs in the order in which the search considered them. Each comes after the
/// partial output that it extends.
gradus::plot::SearchTree search_tree(const std::string& title, const std::vector<Considered>& course,
                                     const std::vector<std::int64_t>& best,
                                     const std::vector<std::int64_t>& greedy,
                                     const gradus::data::Reversal& task);

}  // namespace tutorial
