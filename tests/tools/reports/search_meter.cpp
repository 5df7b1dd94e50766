// SearchMeter: the progress and the speed of a search over many sentences.

#include "reports/search_meter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <regex>
#include <unistd.h>

#include "tools/run.hpp"

namespace models = gradus::models;
namespace tools = gradus::tools;
using std::chrono::seconds;

namespace {

// Redirects the descriptor of standard error to /dev/null, which is not a terminal. Collects the output of
// std::cerr.
class NoTerminal {
 public:
  NoTerminal() : before_(::dup(STDERR_FILENO)), cerr_(std::cerr.rdbuf(written_.rdbuf())) {
    const int null = ::open("/dev/null", O_WRONLY);  // NOLINT: variadic
    ::dup2(null, STDERR_FILENO);
    ::close(null);
  }
  ~NoTerminal() {
    std::cerr.rdbuf(cerr_);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  NoTerminal(const NoTerminal&) = delete;
  NoTerminal& operator=(const NoTerminal&) = delete;
  std::string written() const { return written_.str(); }

 private:
  int before_;
  std::ostringstream written_;
  std::streambuf* cerr_;
};

// Writes a file of `count` sentences.
std::string sentences_file(const Scratch& scratch, int count) {
  const std::string path = scratch.path() / "sentences.txt";
  std::ofstream file(path);
  for (int i = 0; i < count; ++i) file << (i % 2 == 0 ? "good morning\n" : "where is the red book?\n");
  return path;
}

}  // namespace

TEST_CASE("off a terminal, progress is one line per minute", "[tools][progress]") {
  const NoTerminal no_terminal;
  std::chrono::steady_clock::time_point now;
  tools::Progress known("checking", 50, "steps", [&] { return now; });
  tools::Progress unknown("reading", 0, "lines", [&] { return now; });
  const auto update = [&](std::int64_t done) {
    known.update(done, {"loss 2"});
    unknown.update(done);
  };
  update(1);
  now += seconds(59);
  update(2);
  CHECK(no_terminal.written() == "");
  now += seconds(1);
  update(3);
  update(4);
  now += seconds(61);
  update(5);
  known.finish();
  unknown.finish();
  CHECK(no_terminal.written() ==
        "checking: 3 of 50 steps, loss 2\nreading: 3 lines\n"
        "checking: 5 of 50 steps, loss 2\nreading: 5 lines\n");
}

TEST_CASE("the speed of a search counts sentences, and the tokens of the best outputs",
          "[tools][translate]") {
  const auto output = [](std::size_t tokens) {
    models::Decoded one;
    one.tokens.assign(tokens, 3);
    return one;
  };
  tools::SearchMeter meter;
  const models::Search search = meter.measured(
      [&](const models::Ensemble&, const gradus::Tensor&, const gradus::Tensor&, const models::MaxSteps&) {
        ::usleep(50'000);
        return std::vector<std::vector<models::Decoded>>(60, {output(5), output(70)});
      });
  const auto model = models::make_fixed_context({.vocabulary = 5, .embedding = 2, .hidden = 2});
  search(*model, {}, {}, {});
  std::ostringstream few, all;
  meter.report(few);
  CHECK(few.str() == "");
  CHECK(search(*model, {}, {}, {}).size() == 60);
  meter.report(all);
  double time = 0, sentences = 0, tokens = 0;
  REQUIRE(std::sscanf(all.str().c_str(), "decoded 120 sentences in %lf s: %lf sentences/s, %lf tokens/s\n",
                      &time, &sentences, &tokens) == 3);
  CHECK(time >= 0.1);
  CHECK(std::abs(sentences * time - 120) < 0.1 * 120);  // within 10 %, because the printed time is rounded
  CHECK(std::abs(tokens / sentences - 5) < 0.01);
}

TEST_CASE("translating or evaluating 100 sentences prints the speed to standard error",
          "[tools][translate][evaluate]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path());
  const std::regex speed(
      "decoded 100 sentences in \\d+\\.\\d\\d s: \\d+\\.\\d sentences/s, \\d+\\.\\d tokens/s\n");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{}, {"--beam", "2", "--n-best", "2"}, {"--output", "-"}}) {
    std::vector<std::string> arguments{"translate", "--model", model, "--input"};
    arguments.push_back(sentences_file(scratch, 100));
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run(arguments);
    REQUIRE(ran.code == 0);
    CHECK(std::regex_match(ran.err, speed));
    CHECK(std::ranges::count(ran.out, '\n') == (more.size() > 2 ? 200 : 100));
    CHECK(ran.out.find("decoded") == std::string::npos);
  }
  const std::string few = sentences_file(scratch, 99);
  CHECK(run({"translate", "--model", model, "--input", few}).err == "");
  const std::string source = sentences_file(scratch, 100);
  const Ran ran = run({"evaluate", "--model", model, "--source", source, "--target", source, "--json"});
  REQUIRE(ran.code == 0);
  CHECK(std::regex_match(ran.err, speed));
  CHECK(ran.out.starts_with("{"));
}
