#include <gradus/data/hash.hpp>
#include <gradus/data/split.hpp>

#include <utility>

#include "check.hpp"

namespace gradus::data {
namespace {

void check_shares(std::string_view operation, std::int64_t dev_percent, std::int64_t test_percent) {
  if (dev_percent >= 0 && test_percent >= 0 && dev_percent <= 100 && test_percent <= 100 - dev_percent)
    return;
  fail(operation, ": dev_percent is ", dev_percent, " and test_percent ", test_percent,
       ", but must be at least 0 and together at most 100; the rest is for training");
}

}  // namespace

Part part_of(std::string_view source, std::int64_t dev_percent, std::int64_t test_percent) {
  check_shares("part_of", dev_percent, test_percent);
  const auto percentile = static_cast<std::int64_t>(stable_hash(source) % 100);
  if (percentile < test_percent) return Part::test;
  return percentile < test_percent + dev_percent ? Part::dev : Part::train;
}

Split split_by_source(std::vector<SentencePair> pairs, std::int64_t dev_percent, std::int64_t test_percent) {
  check_shares("split_by_source", dev_percent, test_percent);
  Split split;
  for (SentencePair& pair : pairs) {
    switch (part_of(pair.source, dev_percent, test_percent)) {
      case Part::train:
        split.train.push_back(std::move(pair));
        break;
      case Part::dev:
        split.dev.push_back(std::move(pair));
        break;
      case Part::test:
        split.test.push_back(std::move(pair));
        break;
    }
  }
  return split;
}

}  // namespace gradus::data
