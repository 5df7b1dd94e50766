// chrF against values of sacreBLEU.

#include <gradus/data/chrf.hpp>
#include <gradus/version.hpp>

#include "catch.hpp"

using gradus::data::chrf_counts;
using gradus::data::chrf_score;
using gradus::data::ChrfCounts;

namespace {

double chrf(const std::string& hypothesis, const std::string& reference) {
  return chrf_score(chrf_counts(hypothesis, reference));
}

}  // namespace

// Scores from sacreBLEU's test/test_chrf.py, without epsilon smoothing. In these cases P = R, so β has no
// effect.
TEST_CASE("chrF has the values of sacreBLEU's own tests", "[data][chrf]") {
  CHECK(chrf("a", "a") == Catch::Approx(100));
  CHECK(chrf("", "reference") == 0);
  CHECK(chrf("a b c", "a b c") == Catch::Approx(100));
  CHECK(chrf("a b c", "abc") == Catch::Approx(100));
  CHECK(chrf("", "c") == 0);
  CHECK(chrf("aa", "ab") == Catch::Approx(25));
  ChrfCounts two = chrf_counts("a", "a");
  two += chrf_counts("b", "c");
  CHECK(chrf_score(two) == Catch::Approx(50));
  CHECK(chrf_score({}) == 0);
}

TEST_CASE("chrF weighs recall twice as much as precision", "[data][chrf]") {
  // "ab" and "abcd" share two 1-grams: 2 of the 2 in "ab", and 2 of the 4 in "abcd". They share one 2-gram:
  // the only one in "ab", and 1 of the 3 in "abcd". "ab" has no 3-grams, so n-grams from 3 on do not count.
  const double precision = 1, recall = (2.0 / 4 + 1.0 / 3) / 2;
  CHECK(chrf("ab", "abcd") == Catch::Approx(100 * 5 * precision * recall / (4 * precision + recall)));
  CHECK(chrf("abcd", "ab") == Catch::Approx(100 * 5 * recall * precision / (4 * recall + precision)));
}

TEST_CASE("chrF counts characters, not bytes, and clips repeated n-grams", "[data][chrf]") {
  const ChrfCounts counts = chrf_counts("éé é中", "é 中中");
  CHECK(counts.hypothesis == std::array<std::int64_t, 6>{4, 3, 2, 0, 0, 0});
  CHECK(counts.reference == std::array<std::int64_t, 6>{3, 2, 1, 0, 0, 0});
  CHECK(counts.matches == std::array<std::int64_t, 6>{2, 1, 0, 0, 0, 0});
  CHECK(chrf_counts("a\u3000\u00a0b\t", "ab").matches[1] == 1);  // removes all Unicode white space
}

TEST_CASE("chrF ignores case if asked, and its signature says so", "[data][chrf]") {
  CHECK(chrf_score(chrf_counts("ΟΔΟΣ", "οδος", true)) == Catch::Approx(100));
  CHECK(chrf_score(chrf_counts("ΟΔΟΣ", "οδος")) == 0);
  const std::string end = "|eff:yes|nc:6|nw:0|space:no|version:gradus-" + std::string(gradus::version());
  CHECK(gradus::data::chrf_signature() == "chrF2|nrefs:1|case:mixed" + end);
  CHECK(gradus::data::chrf_signature(true) == "chrF2|nrefs:1|case:lc" + end);
}
