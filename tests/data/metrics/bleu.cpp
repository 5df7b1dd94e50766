#include <gradus/data/bleu.hpp>
#include <gradus/error.hpp>
#include <gradus/version.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::bleu_counts;
using gradus::data::bleu_score;
using gradus::data::bleu_signature;
using gradus::data::BleuCounts;
using gradus::data::BleuOptions;
using gradus::data::BleuSmoothing;
using gradus::data::BleuTokeniser;
using gradus::data::corpus_bleu;
using gradus::data::sentence_bleu;

using Strings = std::vector<std::string>;

TEST_CASE("n-gram matches are clipped to the largest count in one reference", "[data][bleu]") {
  // The example of Papineni et al. 2002, section 2.1, where p_1 = 2/7.
  const Strings references = {"The cat is on the mat", "There is a cat on the mat"};
  const BleuCounts counts =
      bleu_counts("the the the the the the the", references, {.lowercase = true, .order = 2});
  CHECK(counts.counts == std::vector<std::int64_t>{2, 0});
  CHECK(counts.totals == std::vector<std::int64_t>{7, 6});
}

TEST_CASE("lower-casing works in any script and keeps invalid bytes", "[data][bleu]") {
  const auto matches = [](const std::string& hypothesis, const std::string& reference, bool lowercase) {
    return bleu_counts(hypothesis, std::vector{reference}, {.lowercase = lowercase}).counts[0];
  };
  CHECK(matches("L' ÉTÉ À МОСКВА", "l' été à москва", true) == 4);
  CHECK(matches("L' ÉTÉ À МОСКВА", "l' été à москва", false) == 0);
  CHECK(matches("ΟΔΟΣ ΑΣ, Σ ΑΣΑ Α.Σ", "οδος ας, σ ασα α.ς", true) == 8);  // only the end of a word has ς
  CHECK(matches("İstanbul", "i\u0307stanbul", true) == 1);
  CHECK(matches("A\xC9", "a\xC9", true) == 1);
  CHECK(matches("A\xC9", "a\xE9", true) == 0);  // Latin-1 bytes of É and é are not lower-cased
}

TEST_CASE("the reference length is the nearest one, the shorter of equally near ones", "[data][bleu]") {
  const auto length = [](const Strings& references) {
    return bleu_counts("a b c d", references).reference_length;
  };
  CHECK(length({"a b", "a b c", "a b c d e f"}) == 3);
  CHECK(length({"a b c d e", "a b c"}) == 3);
  CHECK(length({"a b c", "a b c d e"}) == 3);
  CHECK(length({"a b c d e", "a"}) == 5);
  CHECK(length({"", "a b c d e f g"}) == 7);  // empty references are ignored
}

TEST_CASE("statistics add up to those of the corpus, which allows BLEU by length", "[data][bleu]") {
  const Strings hypotheses = {"the cat sat on the mat", "a dog", "the house is quite small"};
  const std::vector<Strings> references = {
      {"the cat sat on a mat"}, {"the dog"}, {"the house is small", "this house is small"}};
  BleuCounts all;
  std::map<std::int64_t, BleuCounts> by_length;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const BleuCounts counts = bleu_counts(hypotheses[i], references[i]);
    all += counts;
    by_length[counts.reference_length / 4] += counts;
  }
  const auto whole = corpus_bleu(hypotheses, references);
  CHECK(bleu_score(all).score == whole.score);
  CHECK(whole.counts == std::vector<std::int64_t>{10, 5, 3, 1});
  CHECK(whole.totals == std::vector<std::int64_t>{13, 10, 7, 5});
  CHECK(whole.score == Catch::Approx(100 * std::pow(10. / 13 * 5 / 10 * 3 / 7 * 1 / 5, 0.25)));

  BleuCounts together;
  for (const auto& [length, counts] : by_length) together += counts;
  CHECK(together == all);
  CHECK(by_length.at(1).hypothesis_length == 11);
}

TEST_CASE("sentence BLEU of fewer than four words uses the effective order", "[data][bleu]") {
  const Strings reference = {"go home"};
  CHECK(sentence_bleu("go home", reference).score == Catch::Approx(100));
  CHECK(sentence_bleu("go away", reference).score == Catch::Approx(100 * std::sqrt(0.5 * 0.5)));
  CHECK(corpus_bleu(Strings{"go home"}, std::vector<Strings>{reference}).score == 0);
  CHECK(sentence_bleu("", reference).score == 0);
  CHECK(sentence_bleu("", reference).brevity_penalty == 0);
}

TEST_CASE("the signature is sacreBLEU's except for the version", "[data][bleu]") {
  const std::string version = std::string("|version:gradus-") + gradus::version();
  CHECK(bleu_signature() == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" + version);
  const BleuOptions floor = {.tokeniser = BleuTokeniser::chinese,
                             .smoothing = BleuSmoothing::floor,
                             .lowercase = true,
                             .effective_order = true};
  CHECK(bleu_signature(floor, 2) == "nrefs:2|case:lc|eff:yes|tok:zh|smooth:floor[0.10]" + version);
  const BleuOptions add_k = {
      .tokeniser = BleuTokeniser::characters, .smoothing = BleuSmoothing::add_k, .smoothing_value = 2};
  CHECK(bleu_signature(add_k, 0) == "nrefs:var|case:mixed|eff:no|tok:char|smooth:add-k[2.00]" + version);
  CHECK(bleu_signature({.tokeniser = BleuTokeniser::none, .smoothing = BleuSmoothing::none}) ==
        "nrefs:1|case:mixed|eff:no|tok:none|smooth:none" + version);
}

TEST_CASE("a score prints in sacreBLEU's format", "[data][bleu]") {
  const Strings hypotheses = {"The dog bit the man.", "It wasn't surprising.",
                              "The man had just bitten him."};
  const std::vector<Strings> references = {{"The dog bit the man.", "The dog had bit the man."},
                                           {"It was not unexpected.", "No one was surprised."},
                                           {"The man bit him first.", "The man had bitten the dog."}};
  CHECK(bleu_line(corpus_bleu(hypotheses, references), "nrefs:2") ==
        "BLEU|nrefs:2 = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
}

TEST_CASE("BLEU refuses invalid input and options", "[data][bleu]") {
  const Strings one = {"a"};
  CHECK_THROWS_MATCHES(bleu_counts("a", Strings{""}), Error,
                       Message("bleu_counts: the hypothesis has no non-empty reference; give at least one"));
  CHECK_THROWS_MATCHES(bleu_counts("a", one, {.order = 0}), Error,
                       Message("bleu_counts: order is 0, but must be 1 to 100; 4 is standard"));
  CHECK_THROWS_MATCHES(bleu_score({}, {.order = 101}), Error,
                       Message("bleu_score: order is 101, but must be 1 to 100; 4 is standard"));
  CHECK_THROWS_MATCHES(bleu_score({}, {.smoothing_value = -1}), Error,
                       Message("bleu_score: smoothing_value is -1, but must be finite and at least 0; omit "
                               "it for sacreBLEU's default"));
  CHECK_THROWS_AS(bleu_score({}, {.smoothing_value = std::numeric_limits<double>::quiet_NaN()}), Error);
  CHECK_THROWS_AS(bleu_score({}, {.smoothing_value = std::numeric_limits<double>::infinity()}), Error);
  CHECK_THROWS_MATCHES(bleu_score({}), Error,
                       Message("bleu_score: found 0 counts and 0 totals, but order is 4; add at least "
                               "one sentence, with the same options"));
  CHECK_THROWS_MATCHES(corpus_bleu({}, {}), Error, Message("corpus_bleu: no hypotheses; give at least one"));
  CHECK_THROWS_MATCHES(
      corpus_bleu(Strings{"a", "b"}, std::vector<Strings>{one}), Error,
      Message("corpus_bleu: found 2 hypotheses and 1 lists of references; give one list per hypothesis"));
  CHECK_THROWS_MATCHES(
      bleu_signature({}, -1), Error,
      Message("bleu_signature: references is -1, but must be at least 0; 0 means that the number varies"));
}
