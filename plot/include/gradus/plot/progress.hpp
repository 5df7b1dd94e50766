#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// One line that shows how far a loop has come:
///
///     training  42% ████████░░░░░░░░░░░  loss 0.123  41k tokens/s  1:12 left
///
/// It is rewritten in place, at most ten times a second, always fits the terminal's width (the bar goes
/// first, then the last fields), and stays behind when the loop ends. Without a terminal nothing at all is
/// written. For one thread.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `fd` is the stream's file descriptor, standard error by default; `clock` is for tests.
  /// Throws Error unless total > 0.
  ProgressBar(std::string label, std::int64_t total, int fd = 2,
              Clock clock = std::chrono::steady_clock::now);

  /// Says that `step` of `total` steps are done (clamped to 0 … total), with the caller's fields, most
  /// important first. The step `total` ends the line.
  void update(std::int64_t step, const std::vector<std::string>& fields = {});

  /// Ends the line where it stands, when a loop stops early. Later updates write nothing.
  void finish();

  /// Ends the line, also when an exception unwinds.
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
  int width_ = 0;         // of the line on the screen
  bool started_ = false;  // something is on the screen
  bool ended_;            // nothing more is written
};

}  // namespace gradus::plot
#pragma GCC visibility pop
