#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A one-line progress bar:
///
///     training  42% ████████░░░░░░░░░░░  loss 0.123  41k tokens/s  1:12 left
///
/// The line is redrawn in place, at most ten times per second. If the terminal is too narrow for the line,
/// the bar is omitted first, then the fields, beginning with the last. The finished line stays on the screen.
/// Writes nothing if `fd` is not a terminal. Not thread-safe.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `fd` is the file descriptor of the stream; `clock` is for tests.
  /// Throws Error unless total > 0.
  ProgressBar(std::string label, std::int64_t total, int fd = 2,
              Clock clock = std::chrono::steady_clock::now);

  /// Reports that `step` of `total` steps are done; `step` is clamped to 0 … total. `fields` are extra texts,
  /// most important first. `step == total` ends the line.
  void update(std::int64_t step, const std::vector<std::string>& fields = {});

  /// Ends the line, for example when a loop stops early. Later updates write nothing.
  void finish();

  /// Ends the line.
  ~ProgressBar();

  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw(std::chrono::steady_clock::time_point now);
  std::string line(double seconds, int columns) const;

  std::string label_;
  std::int64_t total_;
  int fd_;
  Clock clock_;
  std::chrono::steady_clock::time_point start_, drawn_;
  std::int64_t step_ = 0;
  std::vector<std::string> fields_;
  int width_ = 0;         // width of the line on the screen
  bool started_ = false;  // true if the line is on the screen
  bool ended_;            // true if nothing more is written
};

}  // namespace gradus::plot
#pragma GCC visibility pop
