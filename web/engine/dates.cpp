#include "dates.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <vector>

namespace gradus::web {
namespace {

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};

// The runs of digits and the runs of letters, in order. All other characters separate runs.
std::vector<std::string> runs(std::string_view text) {
  std::vector<std::string> runs;
  int before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const int kind = std::isdigit(byte) != 0 ? 1 : std::isalpha(byte) != 0 ? 2 : 0;
    if (kind != 0 && kind != before) runs.emplace_back();
    if (kind != 0) runs.back() += static_cast<char>(std::tolower(byte));
    before = kind;
  }
  return runs;
}

bool is_number(const std::string& run) { return std::isdigit(static_cast<unsigned char>(run[0])) != 0; }

// The number of a month, 1 to 12, if `word` is the month's name or its first three letters; otherwise 0.
unsigned month_of(const std::string& word) {
  for (unsigned i = 0; i < months.size(); ++i) {
    if (word == months[i] || word == months[i].substr(0, 3)) return i + 1;
  }
  return 0;
}

std::optional<int> year_of(const std::string& digits) {
  if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
  const int year = std::stoi(digits);
  return digits.size() == 4 ? year : year < 69 ? 2000 + year : 1900 + year;
}

}  // namespace

std::optional<std::string> iso_date(std::string_view text) {
  std::vector<std::string> numbers;
  unsigned month = 0;
  for (const std::string& run : runs(text)) {
    if (is_number(run)) {
      numbers.push_back(run);
    } else if (const unsigned named = month_of(run); named != 0) {
      if (month != 0) return std::nullopt;
      month = named;
    }
  }
  const bool named = month != 0;
  if (numbers.size() != (named ? 2U : 3U)) return std::nullopt;
  if (std::ranges::any_of(numbers, [](const std::string& digits) { return digits.size() > 4; }))
    return std::nullopt;
  if (!named) {
    const bool month_first = text.find('/') != text.npos;
    if (!month_first && text.find('.') == text.npos) return std::nullopt;
    if (!month_first) std::swap(numbers[0], numbers[1]);
    month = static_cast<unsigned>(std::stoi(numbers[0]));
    numbers.erase(numbers.begin());
  }
  const std::optional<int> year = year_of(numbers[1]);
  if (!year) return std::nullopt;
  const auto day = static_cast<unsigned>(std::stoi(numbers[0]));
  if (!(std::chrono::year(*year) / std::chrono::month(month) / std::chrono::day(day)).ok())
    return std::nullopt;
  char iso[40];
  std::snprintf(iso, sizeof iso, "%04d-%02u-%02u", *year, month, day);
  return iso;
}

}  // namespace gradus::web
