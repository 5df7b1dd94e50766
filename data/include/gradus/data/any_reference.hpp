#pragma once

#include <gradus/data/match_count.hpp>
#include <gradus/data/sentence_pair.hpp>

#include <map>
#include <set>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// All correct answers for each distinct source.
using References = std::map<std::string, std::set<std::string>>;

/// Collects the targets of each source.
References references_of(std::span<const SentencePair> pairs);

/// Counts the sources in `references`, and how many of them have a right answer. An answer is right if it is
/// one of the references of its source. If sources are words and answers are pronunciations, 1 - fraction()
/// is the word error rate over distinct words.
/// @param answers  the answer to each source. Answers to sources without references are ignored.
/// @throws gradus::Error if a source of `references` has no answer.
MatchCount match_any_reference(const std::map<std::string, std::string>& answers,
                               const References& references);

}  // namespace gradus::data
#pragma GCC visibility pop
