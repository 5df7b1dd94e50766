#pragma once

#include <gradus/data/match_count.hpp>
#include <gradus/data/sentence_pair.hpp>

#include <map>
#include <set>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// All right answers to each distinct source.
using References = std::map<std::string, std::set<std::string>>;

/// The targets that the pairs give to each source.
References references_of(std::span<const SentencePair> pairs);

/// How many sources have an answer that is one of their references: of words and their pronunciations,
/// 1 - fraction() is the word error rate over distinct words.
/// \param answers  by source; those to other sources are not looked at.
/// \throws gradus::Error if a source has no answer.
MatchCount match_any_reference(const std::map<std::string, std::string>& answers,
                               const References& references);

}  // namespace gradus::data
#pragma GCC visibility pop
