#include <gradus/data/any_reference.hpp>

#include "check.hpp"

namespace gradus::data {

References references_of(std::span<const SentencePair> pairs) {
  References references;
  for (const SentencePair& pair : pairs) references[pair.source].insert(pair.target);
  return references;
}

MatchCount match_any_reference(const std::map<std::string, std::string>& answers,
                               const References& references) {
  MatchCount matches;
  for (const auto& [source, right_answers] : references) {
    const auto answer = answers.find(source);
    if (answer == answers.end()) {
      fail("match_any_reference: no answer for the source '", source, "'; give one for each source");
    }
    matches.add(right_answers.contains(answer->second));
  }
  return matches;
}

}  // namespace gradus::data
