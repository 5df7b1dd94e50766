// Cases from the tests of sacreBLEU and of Moses. tests/golden/bleu/README.md names their sources.

#include <gradus/data/bleu.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "json.hpp"

namespace {

using gradus::data::BleuCounts;
using gradus::data::BleuOptions;
using gradus::data::BleuScore;
using gradus::data::BleuSmoothing;

std::vector<Json> cases(const std::string& name) {
  std::ifstream file(std::string(GRADUS_GOLDEN) + "/bleu/" + name);
  REQUIRE(file);
  std::vector<Json> result;
  for (std::string line; std::getline(file, line);) result.push_back(JsonReader(line).read());
  return result;
}

std::vector<std::int64_t> integers(const Json& list) {
  std::vector<std::int64_t> result;
  for (const Json& entry : list.list()) result.push_back(static_cast<std::int64_t>(entry.number()));
  return result;
}

BleuSmoothing smoothing(const std::string& name) {
  if (name == "none") return BleuSmoothing::none;
  if (name == "floor") return BleuSmoothing::floor;
  if (name == "add-k") return BleuSmoothing::add_k;
  REQUIRE(name == "exp");
  return BleuSmoothing::exp;
}

BleuOptions options_of(const Json& given) {
  BleuOptions options;
  for (const auto& [name, value] : given.members()) {
    if (value.is_null()) continue;
    if (name == "tokenize") {
      options.tokeniser = gradus::data::bleu_tokeniser(value.text());
    } else if (name == "smooth_method") {
      options.smoothing = smoothing(value.text());
    } else if (name == "smooth_value") {
      options.smoothing_value = value.number();
    } else if (name == "lowercase") {
      options.lowercase = value.boolean();
    } else if (name == "effective_order") {
      options.effective_order = value.boolean();
    } else {
      REQUIRE(name == "max_ngram_order");
      options.order = static_cast<std::int64_t>(value.number());
    }
  }
  return options;
}

// Transposes references: from one list per set, as in sacreBLEU, to one list per hypothesis, as in gradus.
std::vector<std::vector<std::string>> by_hypothesis(const Json& sets, std::size_t hypotheses) {
  std::vector<std::vector<std::string>> references(hypotheses);
  for (const Json& set : sets.list()) {
    for (std::size_t i = 0; i < hypotheses; ++i) references[i].push_back(set.list().at(i).text());
  }
  return references;
}

BleuScore score_of(const Json& test) {
  const std::vector<std::string> hypotheses = test["hyps"].texts();
  const auto references = by_hypothesis(test["refs"], hypotheses.size());
  const BleuOptions options = options_of(test["options"]);
  if (test["kind"].text() == "sentence") {
    return gradus::data::sentence_bleu(hypotheses.at(0), references.at(0), options);
  }
  return gradus::data::corpus_bleu(hypotheses, references, options);
}

bool asks_for(const Json& options, const std::string& name, const std::string& value) {
  return options.has(name) && options[name].text() == value;
}

}  // namespace

TEST_CASE("BLEU equals sacreBLEU's in sacreBLEU's own tests", "[data][bleu]") {
  int checked = 0;
  for (const Json& test : cases("sacrebleu_cases.jsonl")) {
    INFO(test["name"].text());
    const BleuScore score = score_of(test);
    const Json& recomputed = test["recomputed"];
    CHECK(score.score ==
          Catch::Approx(test["expected"].number()).margin(test["tolerance"].number()).epsilon(0));
    CHECK(score.score == Catch::Approx(recomputed["score"].number()).margin(1e-9).epsilon(0));
    CHECK(score.brevity_penalty == Catch::Approx(recomputed["bp"].number()).margin(1e-12).epsilon(0));
    CHECK(score.hypothesis_length == static_cast<std::int64_t>(recomputed["sys_len"].number()));
    CHECK(score.reference_length == static_cast<std::int64_t>(recomputed["ref_len"].number()));
    REQUIRE(score.precisions.size() == recomputed["precisions"].list().size());
    for (std::size_t n = 0; n < score.precisions.size(); ++n) {
      const double expected = recomputed["precisions"].list()[n].number();
      CHECK(score.precisions[n] == Catch::Approx(expected).margin(1e-9).epsilon(0));
    }
    // With add-k smoothing, sacreBLEU reports counts that include k. Our counts do not include k.
    if (!asks_for(test["options"], "smooth_method", "add-k")) {
      CHECK(score.counts == integers(recomputed["counts"]));
      CHECK(score.totals == integers(recomputed["totals"]));
    }
    ++checked;
  }
  CHECK(checked == 36);
}

TEST_CASE("BLEU equals Moses' where the definitions agree", "[data][bleu]") {
  int checked = 0;
  for (const Json& test : cases("moses_cases.jsonl")) {
    INFO(test["name"].text());
    if (test.has("smooth_bp")) continue;  // we have no smoothed brevity penalty
    BleuOptions options;
    options.tokeniser = gradus::data::BleuTokeniser::none;
    if (test.has("hyp")) {
      const auto counts = gradus::data::bleu_counts(test["hyp"].text(), test["refs"].texts(), options);
      CHECK(counts.counts == integers(test["clipped_matches"]));
      CHECK(counts.totals == integers(test["totals"]));
    } else {
      if (test.has("smoothing")) {
        // Moses also smooths unigrams. Here that makes no difference, because all unigrams match.
        options.smoothing = BleuSmoothing::add_k;
        options.smoothing_value = test["smoothing"].number();
      }
      const std::vector<std::int64_t> totals = integers(test["totals"]);
      const BleuCounts counts{integers(test["matches"]), totals, totals[0],
                              static_cast<std::int64_t>(test["ref_len"].number())};
      const double tolerance = test["relative_tolerance_percent"].number() / 100;
      CHECK(gradus::data::bleu_score(counts, options).score / 100 ==
            Catch::Approx(test["bleu"].number()).epsilon(tolerance));
    }
    ++checked;
  }
  CHECK(checked == 4);
}
