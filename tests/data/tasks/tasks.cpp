#include <gradus/data/tasks.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::generate;
using gradus::data::make_task;
using gradus::data::SentencePair;
using gradus::data::Task;
using gradus::data::TaskOptions;
using gradus::data::UniformIndex;

namespace {

// Uniform indices below n, the same on all platforms: the standard specifies mt19937_64's output. The modulo
// bias is negligible.
UniformIndex uniform(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)](std::uint64_t n) mutable { return engine() % n; };
}

// Returns the given draws in order, and ignores the range.
UniformIndex script(std::vector<std::uint64_t> draws) {
  return [draws = std::move(draws), i = std::size_t{0}](std::uint64_t) mutable { return draws.at(i++); };
}

bool any(std::string_view) { return true; }

std::vector<int> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<int> result;
  for (int number; in >> number;) result.push_back(number);
  return result;
}

// The date written in format number `form`.
std::string written(std::uint64_t year, std::uint64_t month, std::uint64_t day, std::uint64_t form) {
  const TaskOptions options{.min_year = 1000, .max_year = 9999};
  return make_task("dates", options)->sample(script({year - 1000, month - 1, day - 1, form})).source;
}

}  // namespace

TEST_CASE("symbols are numbers, and the rule computes the target", "[data][tasks]") {
  const auto sample = [](std::string_view name) {
    return make_task(name, {.symbols = 50})->sample(script({2, 10, 9, 49, 0, 9}));
  };
  CHECK(sample("reverse") == SentencePair{"10 9 49 0 9", "9 0 49 9 10"});
  CHECK(sample("copy") == SentencePair{"10 9 49 0 9", "10 9 49 0 9"});
  CHECK(sample("sort") == SentencePair{"10 9 49 0 9", "0 9 9 10 49"});
}

TEST_CASE("a task reports its name and token unit", "[data][tasks]") {
  for (const std::string name : {"reverse", "copy", "sort", "dates"}) {
    CHECK(make_task(name)->name() == name);
    CHECK(make_task(name)->by_character() == (name == "dates"));
  }
}

TEST_CASE("lengths and symbols of a source are uniform", "[data][tasks]") {
  const auto task = make_task("reverse", {.symbols = 5, .min_length = 2, .max_length = 4});
  std::map<std::size_t, int> lengths;
  std::map<int, int> symbols;
  const UniformIndex draw = uniform(1);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<int> source = numbers(task->sample(draw).source);
    ++lengths[source.size()];
    for (const int symbol : source) ++symbols[symbol];
  }
  CHECK(lengths.size() == 3);
  for (const auto& [length, count] : lengths) CHECK(count == Catch::Approx(1000).margin(100));
  CHECK(symbols.size() == 5);
  for (const auto& [symbol, count] : symbols) CHECK(count == Catch::Approx(1800).margin(150));
}

TEST_CASE("dates are written in ten formats", "[data][tasks]") {
  const std::vector<std::string> expected = {
      "3 march 1998",         "march 3, 1998",          "3 mar 1998", "mar 3, 1998", "3rd of march 1998",
      "tuesday 3 march 1998", "tuesday, march 3, 1998", "03/03/1998", "03/03/98",    "03.03.1998"};
  for (std::size_t form = 0; form < expected.size(); ++form) {
    CHECK(written(1998, 3, 3, form) == expected[form]);
    CHECK(make_task("dates")->sample(script({48, 2, 2, form})).target == "1998-03-03");
  }
  std::set<std::uint64_t> ranges;
  make_task("dates")->sample([&](std::uint64_t n) { return ranges.insert(n), 0; });
  CHECK(ranges == std::set<std::uint64_t>{10, 12, 31, 100});
}

TEST_CASE("the month comes first with slashes, the day with full stops", "[data][tasks]") {
  CHECK(written(2001, 12, 31, 7) == "12/31/2001");
  CHECK(written(2001, 12, 31, 9) == "31.12.2001");
}

TEST_CASE("two-digit years are 1969 to 2068", "[data][tasks]") {
  CHECK(written(1968, 1, 2, 8) == "01/02/1968");
  CHECK(written(1969, 1, 2, 8) == "01/02/69");
  CHECK(written(2005, 1, 2, 8) == "01/02/05");
  CHECK(written(2068, 1, 2, 8) == "01/02/68");
  CHECK(written(2069, 1, 2, 8) == "01/02/2069");
}

TEST_CASE("days have English ordinals, and months the right number of days", "[data][tasks]") {
  const std::map<std::uint64_t, std::string> ordinals = {
      {1, "1st"},   {2, "2nd"},   {3, "3rd"},   {4, "4th"},   {10, "10th"}, {11, "11th"},
      {12, "12th"}, {13, "13th"}, {21, "21st"}, {22, "22nd"}, {23, "23rd"}, {30, "30th"}};
  for (const auto& [day, ordinal] : ordinals) CHECK(written(2000, 1, day, 4) == ordinal + " of january 2000");

  const auto days_of_february = [](std::int64_t year) {
    std::uint64_t days = 0;
    int draw = 0;
    make_task("dates", {.min_year = year, .max_year = year})->sample([&](std::uint64_t n) -> std::uint64_t {
      if (draw == 2) days = n;
      return draw++ == 1;
    });
    return days;
  };
  CHECK(days_of_february(1900) == 28);
  CHECK(days_of_february(1999) == 28);
  CHECK(days_of_february(2000) == 29);
}

TEST_CASE("a date is unambiguous", "[data][tasks]") {
  std::map<std::string, std::string> reading;
  for (const SentencePair& pair : generate(*make_task("dates"), 20000, uniform(1), any)) {
    const auto [found, added] = reading.emplace(pair.source, pair.target);
    CHECK((found->second == pair.target));
  }
  CHECK(reading.size() > 19000);
}

TEST_CASE("only wanted sources are generated, deterministically", "[data][tasks]") {
  const auto task = make_task("copy", {.symbols = 3, .min_length = 1, .max_length = 2});
  const auto wanted = [](std::string_view source) { return source.front() == '1'; };
  const std::vector<SentencePair> pairs = generate(*task, 200, uniform(1), wanted);
  CHECK(pairs.size() == 200);
  CHECK(std::ranges::all_of(pairs, [&](const SentencePair& pair) { return wanted(pair.source); }));
  std::set<std::string> sources;
  for (const SentencePair& pair : pairs) sources.insert(pair.source);
  CHECK(sources == std::set<std::string>{"1", "1 0", "1 1", "1 2"});

  CHECK((generate(*task, 200, uniform(1), wanted) == pairs));
  CHECK((generate(*task, 200, uniform(2), wanted) != pairs));
  CHECK(generate(*task, 0, uniform(1), any).empty());
}

TEST_CASE("a split that accepts no source of a task is an error", "[data][tasks]") {
  int asked = 0;
  const auto first_three = [&](std::string_view) { return ++asked <= 3; };
  CHECK_THROWS_MATCHES(
      generate(*make_task("sort"), 10, uniform(1), first_three), Error,
      Message("generate: 1000 sources of the task 'sort' in a row were rejected after 3 of 10 pairs; "
              "give the task more sources or the part a larger fraction"));
  CHECK(asked == 1003);
  CHECK_THROWS_MATCHES(
      generate(*make_task("sort"), -1, uniform(1), any), Error,
      Message("generate: count is -1, but must be 0 to 1000000; request fewer pairs at a time"));
}

TEST_CASE("invalid tasks are refused", "[data][tasks]") {
  CHECK_THROWS_MATCHES(make_task("add"), Error,
                       Message("make_task: unknown task 'add'; available: reverse, copy, sort, dates"));
  CHECK_THROWS_MATCHES(
      make_task("copy", {.symbols = 1}), Error,
      Message("make_task: symbols is 1, but must be 2 to 1000000; use at least two symbols"));
  CHECK_THROWS_MATCHES(
      make_task("copy", {.min_length = 0}), Error,
      Message("make_task: min_length is 0, but must be 1 to 1000000; attention needs at least one position"));
  CHECK_THROWS_MATCHES(
      make_task("copy", {.min_length = 5, .max_length = 4}), Error,
      Message("make_task: max_length is 4, but must be 5 to 1000000; raise it or lower min_length"));
  const std::string years = ", but must be within 1000 to 9999; use years of four digits";
  CHECK_THROWS_MATCHES(make_task("dates", {.min_year = 999}), Error,
                       Message("make_task: the years are 999 to 2049" + years));
  CHECK_THROWS_MATCHES(make_task("dates", {.max_year = 10000}), Error,
                       Message("make_task: the years are 1950 to 10000" + years));
  CHECK_THROWS_MATCHES(make_task("dates", {.min_year = 2000, .max_year = 1999}), Error,
                       Message("make_task: min_year 2000 exceeds max_year 1999; swap them"));
}
