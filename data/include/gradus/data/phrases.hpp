#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The embedded phrase sets of data/phrases: "eng-fra" (English and French) and "eng-cmn" (English and
/// Chinese), a few hundred pairs each.
/// \throws gradus::Error for another name.
std::vector<SentencePair> phrases(std::string_view name);

}  // namespace gradus::data
#pragma GCC visibility pop
