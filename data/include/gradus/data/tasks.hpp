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
/// Tasks whose examples are generated, as pairs of text like any other data.

#pragma GCC visibility push(default)
namespace gradus::data {

/// A rule that makes a target of a source, and a way to draw sources.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::string name() const = 0;

  /// Whether tokens are characters; otherwise they are what stands between spaces.
  virtual bool by_character() const = 0;

  /// One pair, drawn at random.
  virtual SentencePair sample(const UniformIndex& uniform) const = 0;
};

/// How large a task is.
struct TaskOptions {
  /// Of reverse, copy and sort: how many different symbols, 2 to 1000000, and how many of them a source has,
  /// 1 to 1000000.
  std::int64_t symbols = 10, min_length = 3, max_length = 12;
  /// Of dates, 1000 to 9999.
  std::int64_t min_year = 1950, max_year = 2049;
};

/// The task of that name:
///
/// - `reverse`, `copy`, `sort`: a source of numbers `0` … `symbols - 1` with a space between them, its length
///   uniform in [min_length, max_length], each number uniform (as JoeyNMT's reverse task); the target is the
///   same backwards, as it is, or from the smallest number to the largest.
/// - `dates`: a date as people write it in English, uniform in year, month, day and form, among them
///   `3rd of march 1998`, `mar 3, 1998`, `tuesday 3 march 1998` and `03/03/98`; the target is `1998-03-03`,
///   as ISO 8601 has it. There is one reading of each: between slashes the month comes first (`12/31/1998`),
///   between points the day (`31.12.1998`), and a year of two digits is 1969 to 2068, as in POSIX.
/// \throws gradus::Error for any other name, or if an option is out of range.
std::unique_ptr<Task> make_task(std::string_view name, const TaskOptions& options = {});

/// So many pairs of the task, repeats among them, all with a source that is wanted: one part of a split, say.
/// \throws gradus::Error if 1000 draws in a row are not wanted, or the count is not 0 to 1000000.
std::vector<SentencePair> generate(const Task& task, std::int64_t count, const UniformIndex& uniform,
                                   const std::function<bool(std::string_view source)>& wanted);

}  // namespace gradus::data
#pragma GCC visibility pop
