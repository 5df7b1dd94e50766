#include "reports/progress.hpp"

#include <iostream>
#include <unistd.h>
#include <utility>

namespace gradus::tools {
namespace {

constexpr std::chrono::minutes pause{1};

}  // namespace

Progress::Progress(std::string label, std::int64_t total, std::string unit,
                   const plot::ProgressBar::Clock& clock)
    : label_(std::move(label)), unit_(std::move(unit)), total_(total), clock_(clock), printed_(clock()) {
  if (total > 0 && ::isatty(STDERR_FILENO) != 0) bar_.emplace(label_, total, STDERR_FILENO, clock);
}

void Progress::update(std::int64_t done, const std::vector<std::string>& fields) {
  if (bar_) return bar_->update(done, fields);
  const auto now = clock_();
  if (now - printed_ < pause) return;
  printed_ = now;
  std::cerr << label_ << ": " << done;
  if (total_ > 0) std::cerr << " of " << total_;
  std::cerr << ' ' << unit_;
  for (const std::string& field : fields) std::cerr << ", " << field;
  std::cerr << '\n' << std::flush;
}

void Progress::finish() {
  if (bar_) bar_->finish();
}

}  // namespace gradus::tools
