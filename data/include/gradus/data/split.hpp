#pragma once

#include <gradus/data/parallel_text.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

enum class Part { train, dev, test };

/// Returns the part to which all pairs with this source belong. With h = `stable_hash(source) % 100`: test if
/// h < test_percent, dev if h < test_percent + dev_percent, otherwise train. A source's part does not depend
/// on the rest of the corpus.
/// @throws gradus::Error unless both percentages are at least 0 and together at most 100.
Part part_of(std::string_view source, std::int64_t dev_percent, std::int64_t test_percent);

/// A corpus in three parts.
struct Split {
  std::vector<SentencePair> train, dev, test;
};

/// Splits a corpus by `part_of`. Keeps the order of the pairs.
Split split_by_source(std::vector<SentencePair> pairs, std::int64_t dev_percent, std::int64_t test_percent);

}  // namespace gradus::data
#pragma GCC visibility pop
