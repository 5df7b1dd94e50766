#include <gradus/data/d2l_bleu.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::d2l_bleu;

namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

double bleu(const std::string& prediction, const std::string& label, std::int64_t k) {
  return d2l_bleu(words(prediction), words(label), k);
}

}  // namespace

TEST_CASE("d2l's BLEU follows the book", "[data][bleu]") {
  CHECK(bleu("il est calme .", "il est calme .", 2) == 1);
  // The book's example: label A B C D E F, prediction A B B C D.
  const double expected =
      std::exp(1 - 6. / 5) * std::pow(4. / 5, 1. / 2) * std::pow(3. / 4, 1. / 4) * std::pow(1. / 3, 1. / 8);
  CHECK(bleu("A B B C D", "A B C D E F", 3) == Catch::Approx(expected));
  CHECK(bleu("A B B C D", "A B C D E F", 4) == 0);  // no 4-gram matches, and there is no smoothing
  CHECK(bleu("A B C D E F", "A B", 1) ==
        Catch::Approx(std::sqrt(1. / 3)));  // too long a prediction: low precision, no brevity penalty
  CHECK(bleu("va !", "va !", 4) == 1);      // n is limited to the prediction's length
  CHECK(bleu("", "va !", 2) == 0);
}

TEST_CASE("d2l's BLEU refuses an empty label", "[data][bleu]") {
  CHECK_THROWS_MATCHES(bleu("a", "", 2), Error,
                       Message("d2l_bleu: the label is empty; give it at least one token"));
  CHECK_THROWS_MATCHES(
      bleu("a", "a", 0), Error,
      Message("d2l_bleu: k is 0, but must be 1 to 1000000; give the length of the longest n-grams"));
}
