// Checks of output files: a command must not overwrite its own inputs, nor the files of a run.

#include "files/output_file.hpp"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <stdlib.h>
#include <unistd.h>

#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace tools = gradus::tools;

namespace {

std::string refused(const fs::path& file, const fs::path& read = {}) {
  const std::array all_read{fs::path(), read};
  try {
    tools::check_output("output", file, all_read);
  } catch (const gradus::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an input is not overwritten under any name", "[tools][output_file]") {
  const Scratch scratch;
  const fs::path text = scratch.path() / "text", link = scratch.path() / "link",
                 hard = scratch.path() / "hard", null = scratch.path() / "null";
  std::ofstream(text) << "text";
  fs::create_symlink("text", link);
  fs::create_hard_link(text, hard);
  for (const fs::path& name : {text, link, hard, scratch.path() / "." / "text"}) {
    CHECK(refused(name, text) ==
          "output: '" + name.string() +
              "' is an input of this command and would be overwritten; choose another name");
    CHECK(refused(text, name) != "");
    CHECK(refused(name) == "");
  }
  CHECK(refused(text, scratch.path() / "missing") == "");
  fs::create_symlink("/dev/null", null);  // a device may be input and output at once
  CHECK(refused(null, null) == "");
  for (const fs::path nowhere : {"", "-"}) CHECK(refused(nowhere, text) == "");
  CHECK(refused(scratch.path()) == "output: '" + scratch.path().string() + "' is a folder; give a file name");
}

TEST_CASE("two outputs that name the same file are a usage error", "[tools][output_file]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path() / "run"), a = scratch.path() / "a",
                    dotted = scratch.path() / "." / "a", linked = scratch.path() / "link" / "a";
  const std::string dangling = scratch.path() / "dangling";
  fs::create_directory_symlink(scratch.path(), scratch.path() / "link");
  fs::create_symlink("a", dangling);
  const auto check = [&](std::vector<std::string> command, const std::string& message) {
    command.insert(command.begin() + 1, {"--model", model});
    const Ran ran = run(command, "go.\n");
    CHECK(ran.code == 2);
    CHECK(ran.err == "gradus " + command.front() + ": " + message + "; give two names; 'gradus " +
                         command.front() + " --help' lists the options\n");
    CHECK_FALSE(fs::exists(a));
  };
  for (const std::string& again : {a, dotted, linked, dangling}) {
    check({"translate", "--output", a, "--alignments", again},
          "--output and --alignments both name the file '" + again + "'");
    check({"evaluate", "--svg", a, "--out", again}, "--svg and --out both name the file '" + again + "'");
    check({"align", "--text", "go.", "--html", a, "--svg", again},
          "--html and --svg both name the file '" + again + "'");
    check({"convert", "--to", a, "--vocabulary-out", again},
          "--to and --vocabulary-out both name the file '" + again + "'");
  }
  std::ofstream(scratch.path() / "first") << "x";
  fs::create_hard_link(scratch.path() / "first", scratch.path() / "second");
  check({"translate", "--output", scratch.path() / "first", "--alignments", scratch.path() / "second"},
        "--output and --alignments both name the file '" + (scratch.path() / "second").string() + "'");
  const std::string folder = scratch.path() / "folder", list = folder + "/source.vocabulary.txt";
  check({"convert", "--to", list, "--vocabulary-out", folder},
        "--to and --vocabulary-out both name the file '" + list + "'");
  CHECK_FALSE(fs::exists(folder));
  check({"align", "--text", "go.", "--text", "go.", "--svg", a, "--tsv", a + "-2"},
        "--tsv and --svg both name the file '" + a + "-2'");
  CHECK(run({"translate", "--model", model, "--output", "/dev/null", "--alignments", "/dev/null"}, "go.\n")
            .code == 0);
}

TEST_CASE("files of a training run are not overwritten", "[tools][output_file]") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "run", link = scratch.path() / "link";
  const Ran ran =
      run({"train", "--task", "reverse", "--examples", "40", "--held-out", "5", "--hidden", "6",
           "--embedding", "5", "--energy", "4", "--steps", "2", "--eval-every", "1", "--out", folder});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  for (const std::string& name : names(folder)) {
    CHECK(refused(folder / name) == "output: '" + (folder / name).string() +
                                        "' belongs to the run in its folder; choose another name or folder");
    CHECK(refused(scratch.path() / name) == "");
  }
  fs::create_symlink(folder / "log.jsonl", link);
  CHECK(refused(link) != "");
  fs::create_symlink(folder / "average.safetensors", scratch.path() / "dangling");
  CHECK(refused(scratch.path() / "dangling") != "");
  CHECK(refused(folder / "weights.safetensors") == "");

  const std::string best = content(folder / "best.safetensors");
  for (const std::string name : {"best.safetensors", "last.safetensors"}) {
    CHECK(run({"convert", "--model", folder, "--to", folder / name}).code == 1);
    CHECK(run({"translate", "--model", folder, "--output", folder / name}, "1 2\n").code == 1);
    CHECK(run({"align", "--model", folder, "--text", "1 2", "--tsv", folder / name}).code == 1);
    CHECK(run({"evaluate", "--model", folder, "--out", folder / name}).code == 1);
  }
  const fs::path texts = scratch.path() / "texts", log = texts / "target.vocabulary.txt";
  fs::create_directory(texts);
  fs::create_symlink(folder / "log.jsonl", log);
  CHECK(run({"convert", "--model", folder, "--vocabulary-out", texts}).err ==
        "gradus convert: --vocabulary-out: '" + log.string() +
            "' belongs to the run in its folder; choose another name or folder\n");
  fs::remove(log);
  fs::create_symlink(folder / "best.safetensors", log);
  CHECK(run({"convert", "--model", folder, "--vocabulary-out", texts}).err ==
        "gradus convert: --vocabulary-out: '" + log.string() +
            "' is an input of this command and would be overwritten; choose another name\n");
  CHECK(names(texts).size() == 1);
  CHECK((content(folder / "best.safetensors") == best));
}

namespace {

// Makes standard output a terminal. The destructor restores standard output.
class Terminal {
 public:
  Terminal() : before_(::dup(STDOUT_FILENO)), leader_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(leader_ >= 0);
    REQUIRE(::grantpt(leader_) == 0);
    REQUIRE(::unlockpt(leader_) == 0);
    name_ = ::ptsname(leader_);
    const int follower = ::open(name_.c_str(), O_RDWR | O_NOCTTY);
    REQUIRE(follower >= 0);
    ::dup2(follower, STDOUT_FILENO);
    ::close(follower);
  }
  ~Terminal() {
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
    ::close(leader_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const std::string& name() const { return name_; }

 private:
  int before_, leader_;
  std::string name_;
};

}  // namespace

TEST_CASE("text of a file cannot control the terminal, and is unchanged in a pipe", "[tools][output_file]") {
  const Scratch scratch;
  const std::string pairs = scratch.path() / "pairs", out = scratch.path() / "run", red = "\x1b[31m",
                    visible = "\\u001b[31m";
  std::ofstream(pairs) << "a\t" << red << '\n';
  REQUIRE(run({"train", "--pairs", pairs, "--dev-percent", "0", "--test-percent", "0", "--hidden", "4",
               "--embedding", "4", "--energy", "4", "--steps", "1", "--out", out})
              .code == 0);
  const std::vector<std::string> info{"info", out, "--pairs", "train"};
  CHECK(run(info).out == "a\t" + red + "\n");
  Ran shown, translated, drawn;
  std::string there, elsewhere;
  {
    const Terminal terminal;
    shown = run(info);
    translated = run({"translate", "--model", out}, red + "\n");
    drawn = run({"align", "--model", out, "--text", red, "--target", red});
    there = tools::for_output(red + "\n\t", terminal.name());
    elsewhere = tools::for_output(red, pairs);
  }
  CHECK(shown.out == "a\t" + visible + "\n");
  for (const Ran& one : {translated, drawn}) {
    CHECK(one.code == 0);
    CHECK(one.out.find('\x1b' + std::string("[31m")) == std::string::npos);
  }
  CHECK(there == visible + "\n\t");
  CHECK(elsewhere == red);
}
