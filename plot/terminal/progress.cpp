#include <gradus/error.hpp>
#include <gradus/plot/progress.hpp>
#include <gradus/plot/terminal.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "text/join.hpp"
#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr int kUsualWidth = 80;  // for a terminal that does not report its width
constexpr int kNarrowestBar = 5, kWidestBar = 30;

// Text such as 0:07, 12:34 or 1:02:03.
std::string duration(double seconds) {
  const auto total = static_cast<long long>(std::min(std::round(seconds), 3.6e9));
  const auto two = [](long long n) { return join(n < 10 ? "0" : "", std::to_string(n)); };
  const long long hours = total / 3600, minutes = total / 60 % 60;
  const std::string head =
      hours > 0 ? join(std::to_string(hours), ":", two(minutes)) : std::to_string(minutes);
  return join(head, ":", two(total % 60));
}

std::string bar(double done, int columns) {
  const int full = static_cast<int>(done * columns);
  std::string text;
  for (int i = 0; i < columns; ++i) text += i < full ? "█" : "░";
  return text;
}

// Writes without reporting errors: a closed terminal must not stop training.
void put(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

ProgressBar::ProgressBar(std::string label, std::int64_t total, int fd, Clock clock)
    : label_(std::move(label)), total_(total), fd_(fd), clock_(std::move(clock)), ended_(!::isatty(fd)) {
  if (total <= 0) {
    throw Error("ProgressBar '" + label_ + "': total is " + std::to_string(total) +
                ", but must be at least 1; give the number of steps");
  }
  start_ = drawn_ = clock_();
}

void ProgressBar::update(std::int64_t step, const std::vector<std::string>& fields) {
  if (ended_) return;
  step_ = std::clamp<std::int64_t>(step, 0, total_);
  fields_ = fields;
  if (step_ == total_) return finish();
  const auto now = clock_();
  if (!started_ || now - drawn_ >= kPause) draw(now);
}

void ProgressBar::finish() {
  if (ended_) return;
  if (started_ || step_ > 0) {
    draw(clock_());
    put(fd_, "\n");
  }
  ended_ = true;
}

ProgressBar::~ProgressBar() {
  try {
    finish();
  } catch (...) {  // the caller's clock threw, or memory ran out; end the line anyway
    put(fd_, "\n");
  }
}

void ProgressBar::draw(std::chrono::steady_clock::time_point now) {
  const int columns = terminal_width(fd_);
  // Leave the last column free: some terminals wrap after a character there.
  const int room = std::max(1, (columns > 0 ? columns : kUsualWidth) - 1);
  const std::string text = line(std::chrono::duration<double>(now - start_).count(), room);
  const int width = columns_of(text);
  // Overwrite the rest of a longer previous line with spaces. Unlike erasing, this needs no escape codes.
  put(fd_,
      "\r" + text + std::string(static_cast<std::size_t>(std::clamp(width_ - width, 0, room - width)), ' '));
  width_ = width;
  started_ = true;
  drawn_ = now;
}

// The line's text. Adds fields while they fit, most important first. If enough columns remain, adds the bar.
std::string ProgressBar::line(double seconds, int columns) const {
  const double done = static_cast<double>(step_) / static_cast<double>(total_);
  const std::string percent = std::to_string(static_cast<int>(100 * done)) + "%";
  std::string head = one_line(label_) + (label_.empty() ? "" : " ");
  head += std::string(4 - percent.size(), ' ') + percent;

  std::string time;
  if (step_ == total_) time = join("  in ", duration(seconds));
  if (step_ > 0 && step_ < total_) time = join("  ", duration(seconds * (1 - done) / done), " left");

  int room = columns - columns_of(head) - columns_of(time);
  if (room < 0) return shorten(head, columns);
  std::string middle;
  for (const std::string& field : fields_) {
    const std::string text = join("  ", one_line(field));
    if (columns_of(text) > room) break;
    room -= columns_of(text);
    middle += text;
  }
  const int bar_columns = std::min(room - 1, kWidestBar);
  if (bar_columns >= kNarrowestBar) head += join(" ", bar(done, bar_columns));
  return head + middle + time;
}

}  // namespace gradus::plot
