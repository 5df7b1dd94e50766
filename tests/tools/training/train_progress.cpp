// If the output is a file or a pipe, training prints lines instead of a progress bar.

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>

#include "tools/run.hpp"
#include "training/training_run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;

namespace {

// Replaces standard error by a file, which is not a terminal.
class StandardError {
 public:
  explicit StandardError(const fs::path& path) : before_(::dup(STDERR_FILENO)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~StandardError() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 private:
  int before_;
};

tools::Settings settings_of(const fs::path& out) {
  tools::Settings settings = tools::default_settings();
  settings.data.task = "reverse";
  settings.data.examples = 20;
  settings.data.held_out = 2;
  settings.model.embedding = settings.model.hidden = settings.model.energy = 3;
  settings.trainer.steps = 10;
  settings.trainer.eval_every = 5;
  settings.run.out = out;
  return settings;
}

// The lines that a run prints to standard error. By the clock that the run gets, each step takes 25 seconds.
std::vector<std::string> printed(const fs::path& folder, const tools::Settings& settings) {
  const StandardError into(folder / "stderr");
  std::stringstream err;
  auto* const old_err = std::cerr.rdbuf(err.rdbuf());
  std::chrono::steady_clock::time_point now{};
  tools::TrainingRun(settings, nullptr, gradus::models::Registry::standard())
      .train([] { return false; }, [&] { return now += std::chrono::seconds(25); });
  std::cerr.rdbuf(old_err);
  std::vector<std::string> lines;
  for (std::string line; std::getline(err, line);) lines.push_back(line);
  return lines;
}

bool matches(const std::string& text, const char* pattern) {
  return std::regex_match(text, std::regex(pattern));
}

}  // namespace

TEST_CASE("off a terminal, training prints a line a minute and at each evaluation", "[tools][train]") {
  const Scratch scratch;
  const auto lines = printed(scratch.path(), settings_of(scratch.path() / "run"));
  REQUIRE(lines.size() == 5);  // progress after 75, 150 and 225 s; two evaluations
  CHECK(matches(lines[0], R"(training: 3 of 10 steps, loss \d\.\d+, ppl \d+\.\d+, \d+\.\dk tok/s)"));
  CHECK(matches(lines[1], R"(step 5  dev loss .*  perplexity .*  best so far)"));
  CHECK(matches(lines[2], R"(training: 6 of 10 steps, loss .*, dev loss \d\.\d+, .* tok/s)"));
  CHECK(matches(lines[3], R"(training: 9 of 10 steps, .*)"));
  CHECK(matches(lines[4], R"(step 10  dev loss .*)"));
}

TEST_CASE("lines about a run with the plateau schedule show the learning rate", "[tools][train]") {
  const Scratch scratch;
  tools::Settings settings = settings_of(scratch.path() / "run");
  settings.trainer.schedule = "plateau";
  settings.trainer.plateau_patience = 0;
  settings.trainer.eval_every = 4;
  settings.run.metric = "exact";
  const auto lines = printed(scratch.path(), settings);
  REQUIRE(lines.size() == 6);
  CHECK(matches(lines[0], R"(training: 3 .* tok/s, rate 0\.001)"));
  CHECK(matches(lines[1], R"(step 4 .*  learning rate 0\.001  best so far)"));
  CHECK(matches(lines[3], R"(step 8 .*  learning rate 0\.0005(  best so far)?)"));
  CHECK(matches(lines[4], R"(training: 9 .* tok/s, rate 0\.0005)"));
  CHECK(matches(lines[5], R"(step 10 .*  learning rate 0\.00025(  best so far)?)"));
}
