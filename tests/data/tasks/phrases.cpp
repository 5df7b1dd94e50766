// The phrase sets embedded in the library.

#include <gradus/data/phrases.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/error.hpp>

#include <map>
#include <set>

#include "catch.hpp"

namespace data = gradus::data;

TEST_CASE("phrase sets have hundreds of distinct sentences in two languages", "[data][phrases]") {
  for (const char* name : {"eng-fra", "eng-cmn"}) {
    INFO(name);
    const auto pairs = data::phrases(name);
    CHECK(pairs.size() >= 400);
    std::set<std::string> sources;
    for (const auto& [source, target] : pairs) sources.insert(source);
    CHECK(sources.size() == pairs.size());
  }
  CHECK(data::phrases("eng-fra").front().source == "I am reading a red book.");
  CHECK(data::phrases("eng-fra").front().target == "Je lis un livre rouge.");
}

TEST_CASE("every English word of the phrases is in at least two sentences, so that one can be held out",
          "[data][phrases]") {
  for (const char* name : {"eng-fra", "eng-cmn"}) {
    std::map<std::string, int> sentences;
    for (const auto& pair : data::phrases(name)) {
      const auto tokens = data::Tokeniser().split(pair.source);
      for (const std::string& word : std::set<std::string>(tokens.begin(), tokens.end())) ++sentences[word];
    }
    for (const auto& [word, count] : sentences) {
      INFO(word);
      CHECK(count >= 2);
    }
  }
}

TEST_CASE("an unknown phrase set is refused", "[data][phrases]") {
  CHECK_THROWS_MATCHES(
      data::phrases("eng-deu"), gradus::Error,
      Catch::Matchers::Message("phrases: unknown set 'eng-deu'; available: eng-fra, eng-cmn"));
}
