#pragma once

#include <gradus/plot/progress.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradus::tools {

/// Shows the progress of a long command on standard error. On a terminal, shows a plot::ProgressBar.
/// Otherwise, or if the total is unknown, prints one line per minute, such as
///
///     translating: 2000 of 10000 sentences, 310.5 sentences/s
///
/// Without a bar, a command that takes less than a minute prints nothing. Not thread-safe.
class Progress {
 public:
  /// `unit` names the counted things, in the plural. A `total` of 0 means unknown. `clock` is for tests.
  Progress(std::string label, std::int64_t total, std::string unit,
           const plot::ProgressBar::Clock& clock = std::chrono::steady_clock::now);

  /// Reports that `done` of `total` are complete. `fields` are extra texts, most important first.
  void update(std::int64_t done, const std::vector<std::string>& fields = {});
  /// Ends the bar.
  void finish();

 private:
  std::string label_, unit_;
  std::int64_t total_;
  plot::ProgressBar::Clock clock_;
  std::chrono::steady_clock::time_point printed_;
  std::optional<plot::ProgressBar> bar_;  // set on a terminal, if the total is known
};

}  // namespace gradus::tools
