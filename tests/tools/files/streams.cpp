// Input that can be read only once: pipes and standard input.

#include "settings/streams.hpp"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tools/short_run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;

namespace {

const std::string text = "a b\tc\nd e\tf\ng\th\ni j\tk\n";

Arguments train(const fs::path& pairs, const fs::path& out) {
  return {"train", "--pairs", pairs, "--hidden",      "4", "--embedding",    "4", "--steps",
          "1",     "--out",   out,   "--dev-percent", "0", "--test-percent", "30"};
}

// Runs a command while another thread writes the text into the pipe.
Ran run_with_pipe(const fs::path& pipe, const Arguments& command) {
  std::thread writer([&] { std::ofstream(pipe) << text; });
  Ran ran = run(command);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // ends a writer that still waits
  writer.join();
  ::close(reader);
  return ran;
}

}  // namespace

TEST_CASE("evaluate says that the training text was a pipe", "[tools][streams][errors]") {
  const Scratch scratch;
  const fs::path pipe = scratch.path() / "pipe", out = scratch.path() / "run", in = scratch.path() / "in";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(run_with_pipe(pipe, train(pipe, out)).code == 0);
  REQUIRE(run(train("-", in), text).code == 0);
  for (const auto& [folder, name] : {std::pair{out, pipe.string()}, {in, std::string("-")}}) {
    const std::string message =
        "corpus: the model was trained on a pipe, --pairs " + name +
        ", which cannot be read again; gradus evaluate takes a text by --pairs, or by "
        "--source and --target\n";
    CHECK(run({"evaluate", "--model", folder}).err == "gradus evaluate: " + message);
    CHECK(run({"info", folder, "--pairs", "train"}).err == "gradus info: " + message);
    CHECK(run({"evaluate", "--model", folder, "--pairs", "-"}, text).code == 0);
  }
  const Ran both = run({"evaluate", "--model", out, "--model", in, "--pairs", "-"}, text);
  CHECK(both.err == "");
  CHECK(both.code == 0);
}

TEST_CASE("a run that was trained on a pipe resumes with another", "[tools][streams][resume]") {
  const Scratch scratch;
  const fs::path pipe = scratch.path() / "pipe", out = scratch.path() / "run", in = scratch.path() / "in";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(run(train("-", out), text).code == 0);
  const Arguments resume{"train", "--resume", out, "--steps"};
  Arguments more = resume;
  more.insert(more.end(), {"2", "--pairs", pipe});
  CHECK(run_with_pipe(pipe, more).code == 0);
  CHECK(tools::settings_from_text(content(out / "settings.toml")).data.train.pairs == pipe);
  more = resume;
  more.insert(more.end(), {"3", "--pairs", "/dev/fd/9999"});
  CHECK(run(more).err ==
        "gradus train: corpus: the run was trained on a pipe, --pairs /dev/fd/9999, which is gone; give its "
        "text again with --pairs\n");
  more = resume;
  more.insert(more.end(), {"3", "--pairs", "-"});
  CHECK(run(more, text).code == 0);
}

TEST_CASE("two options cannot read the same pipe", "[tools][streams][errors]") {
  const Scratch scratch;
  const fs::path pipe = scratch.path() / "pipe", link = scratch.path() / "link";
  const std::string model = write_small_model(scratch.path() / "model");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink(pipe, link);
  const auto refused = [&](const Arguments& command, const std::string& options) {
    const Ran ran = run(command);
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus " + command[0] + ": only one of " + options + " can read the pipe '" +
                         pipe.string() + "'; name files for the others; 'gradus " + command[0] +
                         " --help' lists the options\n");
  };
  refused({"train", "--source", pipe, "--target", link}, "--source and --target");
  refused({"train", "--pairs", pipe, "--dev-pairs", pipe, "--target-embeddings", link},
          "--pairs and --dev-pairs and --target-embeddings");
  refused({"score", "--model", model, "--source", pipe, "--target", pipe}, "--source and --target");
  refused({"evaluate", "--model", model, "--source", pipe, "--target", pipe}, "--source and --target");
  refused({"evaluate", "--target", pipe, "--hypotheses", pipe}, "--target and --hypotheses");
  const Ran twice = run({"evaluate", "--hypotheses", "-", "--target", "-"});
  CHECK(twice.err.starts_with(
      "gradus evaluate: only one of --target and --hypotheses can be -, standard input; name files"));
}

TEST_CASE("names of streams", "[tools][streams]") {
  const Scratch scratch;
  const fs::path file = scratch.path() / "file";
  std::ofstream(file) << "x";
  for (const char* name : {"-", "/dev/fd/63", "/dev/stdin", "/proc/self/fd/0", "/proc/12/fd/63"})
    CHECK(tools::is_stream(name));
  for (const fs::path& name : {file, fs::path("none"), fs::path("/dev/null")})
    CHECK_FALSE(tools::is_stream(name));
}
