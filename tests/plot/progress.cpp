#include <gradus/error.hpp>
#include <gradus/plot/progress.hpp>

#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "catch.hpp"

using gradus::plot::ProgressBar;
using namespace std::chrono_literals;

namespace {

// A pseudo-terminal. The code under test writes to fd(); the test reads with read().
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(master_ >= 0);
    REQUIRE(::grantpt(master_) == 0);
    REQUIRE(::unlockpt(master_) == 0);
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    REQUIRE(slave_ >= 0);
    resize(columns);
  }
  ~Terminal() {
    ::close(slave_);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_col = columns;
    REQUIRE(::ioctl(slave_, TIOCSWINSZ, &size) == 0);
  }

  int fd() const { return slave_; }

  // All output since the previous call.
  std::string read() const {
    std::string text;
    pollfd ready{master_, POLLIN, 0};
    while (::poll(&ready, 1, 20) > 0) {
      char buffer[4096];
      const ssize_t n = ::read(master_, buffer, sizeof buffer);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int master_, slave_ = -1;
};

struct TestClock {
  std::chrono::steady_clock::time_point now{};
  ProgressBar::Clock function() {
    return [this] { return now; };
  }
};

std::size_t columns(const std::string& line) {
  std::size_t n = 0;
  for (const char c : line) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

// Splits the output at \r into the lines that were drawn.
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (const char c : text) {
    if (c == '\r') {
      out.emplace_back();
    } else if (!out.empty() && c != '\n') {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a progress bar shows label, percent, bar, fields and the time left", "[plot]") {
  const Terminal terminal(80);
  TestClock clock;
  ProgressBar bar("training", 200, terminal.fd(), clock.function());
  CHECK(terminal.read().empty());
  clock.now += 30s;
  bar.update(50, {"loss 0.123", "41k tokens/s"});
  CHECK(terminal.read() ==
        "\rtraining  25% ███████░░░░░░░░░░░░░░░░░░░░░  loss 0.123  41k tokens/s  1:30 left");
}

TEST_CASE("a progress bar writes at most ten times per second", "[plot]") {
  const Terminal terminal(80);
  TestClock clock;
  ProgressBar bar("", 100000, terminal.fd(), clock.function());
  for (int i = 1; i <= 2000; ++i) {
    bar.update(i);
    clock.now += 1ms;
  }
  CHECK(lines(terminal.read()).size() == 20);
}

TEST_CASE("a finished progress bar leaves one line on the screen", "[plot]") {
  const Terminal terminal(80);
  TestClock clock;
  {
    ProgressBar bar("epoch 1", 10, terminal.fd(), clock.function());
    bar.update(1, {"a long field to be covered"});
    clock.now += 3723s;
    bar.update(10, {"x"});
    bar.update(10, {"never seen"});
    bar.finish();
  }
  const std::string text = terminal.read();
  const std::string last = text.substr(text.rfind("\repoch"));
  CHECK(last.find("epoch 1 100% ██████████████████████████████  x  in 1:02:03") == 1);
  CHECK(last.ends_with("\r\n"));
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.find("never") == text.npos);
  // A shorter line ends in spaces, which overwrite the rest of the longer line before it.
  const auto drawn = lines(text);
  REQUIRE(drawn.size() >= 2);
  CHECK(columns(drawn[1]) >= columns(drawn[0]));
}

TEST_CASE("a progress bar shows its last state when a loop stops early", "[plot]") {
  const Terminal terminal(80);
  TestClock clock;
  ProgressBar bar("", 10, terminal.fd(), clock.function());
  bar.update(1);
  bar.update(4, {"early"});  // not drawn: too soon after the last line
  bar.finish();
  bar.update(9);
  const std::string text = terminal.read();
  CHECK(text.find(" 40% ") != text.npos);
  CHECK(text.find("early") != text.npos);
  CHECK(text.find("90%") == text.npos);
}

TEST_CASE("an exception ends the line of a progress bar", "[plot]") {
  const Terminal terminal(80);
  try {
    ProgressBar bar("", 10, terminal.fd());
    bar.update(3);
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  CHECK(terminal.read().ends_with("\r\n"));
  {
    ProgressBar unused("", 10, terminal.fd());
  }
  CHECK(terminal.read().empty());
}

TEST_CASE("a progress bar never wraps", "[plot]") {
  TestClock clock;
  for (unsigned short width = 1; width < 120; ++width) {
    const Terminal terminal(width);
    ProgressBar bar("training of a model", 200, terminal.fd(), clock.function());
    bar.update(100, {"loss 0.123", "41k tokens/s", "a third"});
    terminal.resize(static_cast<unsigned short>(width / 2 + 1));
    clock.now += 100s;
    bar.update(101, {"loss 0.123", "41k tokens/s", "a third"});
    const auto drawn = lines(terminal.read());
    REQUIRE(drawn.size() == 2);
    INFO("width " << width);
    CHECK(columns(drawn[0]) <= std::max<std::size_t>(1, width - 1u));
    CHECK(columns(drawn[1]) <= std::max<std::size_t>(1, width / 2u));
  }
}

TEST_CASE("a narrow progress bar drops the bar first, then the last fields", "[plot]") {
  const std::vector<std::string> fields = {"loss 0.123", "41k tokens/s"};
  const auto line = [&fields](unsigned short width) {
    const Terminal terminal(width);
    TestClock clock;
    ProgressBar bar("go", 2, terminal.fd(), clock.function());
    clock.now += 5s;
    bar.update(1, fields);
    return terminal.read();
  };
  CHECK(line(51) == "\rgo  50% ██░░░  loss 0.123  41k tokens/s  0:05 left");
  CHECK(line(45) == "\rgo  50%  loss 0.123  41k tokens/s  0:05 left");
  CHECK(line(31) == "\rgo  50%  loss 0.123  0:05 left");
  CHECK(line(20) == "\rgo  50%  0:05 left");
  CHECK(line(10) == "\rgo  50%");
  CHECK(line(6) == "\rgo  …");
}

TEST_CASE("a progress bar without a terminal writes nothing", "[plot]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    ProgressBar bar("training", 10, ends[1]);
    for (int i = 0; i <= 10; ++i) bar.update(i, {"loss 1"});
    bar.finish();
    ProgressBar stopped("training", 10, ends[1]);
    stopped.update(1);
  }
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);
  ::close(ends[0]);
  CHECK_NOTHROW(ProgressBar("closed", 10, -1).update(1));
}

TEST_CASE("a progress bar clamps its steps and refuses a total below 1", "[plot]") {
  const Terminal terminal(80);
  TestClock clock;
  ProgressBar bar("", 10, terminal.fd(), clock.function());
  bar.update(-5);
  CHECK(terminal.read().find("  0% ") != std::string::npos);
  bar.update(99);
  CHECK(terminal.read().find("100% ") != std::string::npos);
  for (const int total : {0, -3}) {
    try {
      ProgressBar none("epochs", total, terminal.fd());
      FAIL("no error");
    } catch (const gradus::Error& error) {
      CHECK(error.what() == "ProgressBar 'epochs': total is " + std::to_string(total) +
                                ", but must be at least 1; give the number of steps");
    }
  }
}

TEST_CASE("fields cannot break the line of a progress bar", "[plot]") {
  const Terminal terminal(80);
  ProgressBar bar("a\nb", 10, terminal.fd());
  bar.update(1, {"x\r\ny\x1b[2J"});
  const std::string text = terminal.read();
  CHECK(text.find('\n') == text.npos);
  CHECK(text.rfind('\r') == 0);
  CHECK(text.find('\x1b') == text.npos);
}
