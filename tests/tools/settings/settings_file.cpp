// Bad settings files: endless, binary, missing or wrong.

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "settings/toml.hpp"
#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;

namespace {

const std::string way_out = "; give a file of settings, one OPTION=VALUE per line\n";

std::string refused(const fs::path& config) {
  const Ran ran = run({"train", "--phrases", "eng-fra", "--config", config});
  CHECK(ran.code == 1);
  CHECK(ran.out == "");
  const std::string begin = "gradus train: '" + config.string() + "' ";
  CHECK(ran.err.starts_with(begin));
  return ran.err.substr(std::min(begin.size(), ran.err.size()));
}

}  // namespace

TEST_CASE("an endless configuration is read up to the limit", "[tools][train][errors]") {
  const Scratch scratch;
  CHECK(refused("/dev/zero") == "is not text: byte 1 is 0" + way_out);
  const fs::path pipe = scratch.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ofstream out(pipe);
    const std::string line = "hidden=4\n";
    for (std::size_t bytes = 0; bytes <= tools::Toml::most_bytes; bytes += line.size()) out << line;
  });
  CHECK(refused(pipe) == "is longer than 1000000 bytes" + way_out);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // ends a writer that still waits
  writer.join();
  ::close(reader);
}

TEST_CASE("a configuration that is not text is refused", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "c.toml";
  std::ofstream(file) << "hidden=4\n" << '\0';
  CHECK(refused(file) == "is not text: byte 10 is 0" + way_out);
}

TEST_CASE("a configuration that cannot be opened is an error with the system's reason",
          "[tools][train][errors]") {
  const Scratch scratch;
  CHECK(refused(scratch.path()) == "is a folder" + way_out);
  CHECK(refused(scratch.path() / "none") == "cannot be opened: No such file or directory; check the path\n");
  fs::create_symlink("loop", scratch.path() / "loop");
  CHECK(
      refused(scratch.path() / "loop") ==
      "cannot be opened: Too many levels of symbolic links; symbolic links form a cycle; remove one, or give "
      "another path\n");
}

TEST_CASE("wrong settings of a checkpoint are reported with file, setting, value and range",
          "[tools][checkpoint][errors]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "last.safetensors";
  const auto check = [&](const std::string& settings, const std::string& message) {
    gradus::models::save_checkpoint(
        path, {{}, {{"settings", settings}, {"source.vocabulary", "a\n"}, {"target.vocabulary", "a\n"}}});
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"info", path}, {"translate", "--model", path}, {"train", "--resume", scratch.path()}}) {
      const Ran ran = run(command, "a\n");
      CHECK(ran.code == 1);
      CHECK(ran.err == "gradus " + command.front() + ": checkpoint: '" + path.string() +
                           "' has wrong settings: " + message +
                           "; give a checkpoint written by gradus train\n");
    }
  };
  check("bidirectional = maybe", "bidirectional: expected true or false, found maybe");
  check("cell = \"cpu\"", "cell: unknown value 'cpu'; available: rnn, gru, original-gru, lstm");
  check("hidden = 0", "hidden: expected a whole number from 1 to 1000000000000000, found 0");
  check("hiden = 3", "unknown option 'hiden'");
  check(std::string(tools::Toml::most_bytes + 1, '\n'),
        "the text is longer than 1000000 bytes; give a file of settings, one OPTION=VALUE per line");
}
