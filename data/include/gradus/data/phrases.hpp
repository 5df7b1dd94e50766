#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A phrase set compiled into the library: "eng-fra" (English and French) or "eng-cmn" (English and Chinese).
/// Each has a few hundred pairs, stored in data/phrases.
/// @throws gradus::Error for another name.
std::vector<SentencePair> phrases(std::string_view name);

/// The names of all sets.
std::vector<std::string> phrase_set_names();

}  // namespace gradus::data
#pragma GCC visibility pop
