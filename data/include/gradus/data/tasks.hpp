#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/data/uniform.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Tasks: generators of examples, as pairs of text.

#pragma GCC visibility push(default)
namespace gradus::data {

/// A generator of random sources with their targets.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::string name() const = 0;

  /// True if every character is a token. Otherwise, spaces separate the tokens.
  virtual bool by_character() const = 0;

  /// A random pair.
  virtual SentencePair sample(const UniformIndex& uniform) const = 0;
};

struct TaskOptions {
  /// For reverse, copy and sort: the number of symbols, 2 to 1000000, and the smallest and the largest source
  /// length, 1 to 1000000.
  std::int64_t symbols = 10, min_length = 3, max_length = 12;
  /// For dates: the first and the last year, 1000 to 9999.
  std::int64_t min_year = 1950, max_year = 2049;
};

/// The task with this name:
///
/// - `reverse`, `copy`, `sort`: the source is a sequence of numbers from 0 to `symbols - 1`, separated by
///   spaces. Its length is uniform in [min_length, max_length], and its numbers are uniform (as in JoeyNMT's
///   reverse task). The target is the source reversed, unchanged or sorted in ascending order.
/// - `dates`: the source is an English date such as `3rd of march 1998`, `mar 3, 1998`,
///   `tuesday 3 march 1998` or `03/03/98`. Year, month, day and format are uniform. The target is ISO
///   8601: `1998-03-03`. Dates are unambiguous: with slashes, the month comes first (`12/31/1998`); with full
///   stops, the day comes first (`31.12.1998`). A two-digit year is one of 1969 to 2068, as in POSIX.
/// @throws gradus::Error for any other name, or if an option is out of range.
std::unique_ptr<Task> make_task(std::string_view name, const TaskOptions& options = {});

/// The names of all tasks.
std::vector<std::string> task_names();

/// Generates `count` pairs. Uses only sources for which `wanted` returns true, for example those in one part
/// of a split. A pair can occur more than once.
/// @throws gradus::Error if 1000 draws in a row are rejected, or the count is not 0 to 1000000.
std::vector<SentencePair> generate(const Task& task, std::int64_t count, const UniformIndex& uniform,
                                   const std::function<bool(std::string_view source)>& wanted);

}  // namespace gradus::data
#pragma GCC visibility pop
