#include <gradus/data/edit_distance.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"

using gradus::data::edit_distance;
using gradus::data::ErrorRate;

namespace {

std::vector<std::string> letters(const std::string& word) {
  std::vector<std::string> result;
  for (const char letter : word) result.emplace_back(1, letter);
  return result;
}

std::int64_t distance(const std::string& a, const std::string& b) {
  return edit_distance(letters(a), letters(b));
}

}  // namespace

TEST_CASE("the edit distance is the fewest edits", "[data][metrics]") {
  CHECK(distance("kitten", "sitting") == 3);
  CHECK(distance("sitting", "kitten") == 3);
  CHECK(distance("intention", "execution") == 5);
  CHECK(distance("abc", "abc") == 0);
  CHECK(distance("abc", "bc") == 1);
  CHECK(distance("ab", "ba") == 2);
  CHECK(distance("", "abc") == 3);
  CHECK(distance("abc", "") == 3);
  CHECK(distance("", "") == 0);
  CHECK(edit_distance(std::vector<std::string>{"AH0", "B"}, std::vector<std::string>{"AH1", "B"}) == 1);
}

TEST_CASE("the error rate is edits divided by reference tokens", "[data][metrics]") {
  ErrorRate errors;
  CHECK(std::isnan(errors.rate()));
  errors.add(letters("kitten"), letters("sitting"));
  CHECK(errors.rate() == Catch::Approx(3. / 7));
  ErrorRate more;
  more.add(letters("abcd"), letters("a"));
  CHECK(more.rate() == 3);
  errors += more;
  CHECK(errors.rate() == 0.75);
}
