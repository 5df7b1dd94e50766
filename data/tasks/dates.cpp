#include "tasks/dates.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "check.hpp"

namespace gradus::data {
namespace {

using Date = std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> weekdays{"sunday",   "monday", "tuesday", "wednesday",
                                                   "thursday", "friday", "saturday"};

int year_of(const Date& date) { return static_cast<int>(date.year()); }
unsigned month_of(const Date& date) { return static_cast<unsigned>(date.month()); }
unsigned day_of(const Date& date) { return static_cast<unsigned>(date.day()); }

std::string year(const Date& date) { return std::to_string(year_of(date)); }
std::string day(const Date& date) { return std::to_string(day_of(date)); }
std::string month(const Date& date) { return std::string(months[month_of(date) - 1]); }
std::string short_month(const Date& date) { return month(date).substr(0, 3); }

std::string weekday(const Date& date) {
  return std::string(weekdays[std::chrono::weekday(std::chrono::sys_days(date)).c_encoding()]);
}

std::string two_digits(unsigned number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string ordinal(const Date& date) {
  const unsigned last = day_of(date) % 10;
  const bool teen = day_of(date) / 10 == 1;
  return day(date) + (teen || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd");
}

std::string iso(const Date& date) {
  return year(date) + "-" + two_digits(month_of(date)) + "-" + two_digits(day_of(date));
}

std::string month_first(const Date& date) {
  return two_digits(month_of(date)) + "/" + two_digits(day_of(date)) + "/";
}

// The year in two digits, or in four digits if two digits would mean another year.
std::string short_year(const Date& date) {
  if (year_of(date) < 1969 || year_of(date) > 2068) return year(date);
  return two_digits(static_cast<unsigned>(year_of(date)) % 100);
}

using Form = std::string (*)(const Date&);

constexpr std::array<Form, 10> forms{
    [](const Date& date) { return day(date) + " " + month(date) + " " + year(date); },
    [](const Date& date) { return month(date) + " " + day(date) + ", " + year(date); },
    [](const Date& date) { return day(date) + " " + short_month(date) + " " + year(date); },
    [](const Date& date) { return short_month(date) + " " + day(date) + ", " + year(date); },
    [](const Date& date) { return ordinal(date) + " of " + month(date) + " " + year(date); },
    [](const Date& date) { return weekday(date) + " " + day(date) + " " + month(date) + " " + year(date); },
    [](const Date& date) { return weekday(date) + ", " + month(date) + " " + day(date) + ", " + year(date); },
    [](const Date& date) { return month_first(date) + year(date); },
    [](const Date& date) { return month_first(date) + short_year(date); },
    [](const Date& date) {
      return two_digits(day_of(date)) + "." + two_digits(month_of(date)) + "." + year(date);
    },
};

class Dates : public Task {
 public:
  explicit Dates(const TaskOptions& options) : min_year_(options.min_year), max_year_(options.max_year) {
    if (min_year_ < 1000 || max_year_ > 9999) {
      fail("make_task: the years are ", min_year_, " to ", max_year_,
           ", but must be within 1000 to 9999; use years of four digits");
    }
    if (min_year_ > max_year_) {
      fail("make_task: min_year ", min_year_, " exceeds max_year ", max_year_, "; swap them");
    }
  }

  std::string name() const override { return "dates"; }
  bool by_character() const override { return true; }

  SentencePair sample(const UniformIndex& uniform) const override {
    const Date date = draw_date(uniform);
    return {forms[draw_index(uniform, forms.size())](date), iso(date)};
  }

 private:
  Date draw_date(const UniformIndex& uniform) const {
    const std::uint64_t years = max_year_ - min_year_ + 1;
    const std::chrono::year year(static_cast<int>(min_year_ + draw_index(uniform, years)));
    const std::chrono::month month(static_cast<unsigned>(1 + draw_index(uniform, 12)));
    const auto days = static_cast<unsigned>((year / month / std::chrono::last).day());
    return year / month / std::chrono::day(static_cast<unsigned>(1 + draw_index(uniform, days)));
  }

  std::int64_t min_year_, max_year_;
};

}  // namespace

std::unique_ptr<Task> make_dates(const TaskOptions& options) { return std::make_unique<Dates>(options); }

}  // namespace gradus::data
