// Wrong command lines and files. For each, the command must print exactly one line.

#include <gradus/data/parallel_text.hpp>
#include <gradus/data/text_lines.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <streambuf>

#include "files/line_reader.hpp"
#include "settings/printable.hpp"
#include "tools/run.hpp"

namespace data = gradus::data;
namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

// The exit code and the error line. The command must print nothing else.
std::string refused(const std::vector<std::string>& arguments, const std::string& input = "") {
  const Ran ran = run(arguments, input);
  CHECK(ran.out == "");
  CHECK(std::ranges::count(ran.err, '\n') == 1);
  return std::to_string(ran.code) + ' ' + ran.err;
}

const std::string help = "; 'gradus train --help' lists the options\n";

// A stream on which every read fails, like a closed file descriptor or a folder.
class Broken : public std::streambuf {
 protected:
  int_type underflow() override { throw std::ios_base::failure("bad file descriptor"); }
};

class BrokenInput {
 public:
  BrokenInput() : before_(std::cin.rdbuf(&broken_)) { std::cin.clear(); }
  ~BrokenInput() {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }
  BrokenInput(const BrokenInput&) = delete;
  BrokenInput& operator=(const BrokenInput&) = delete;

 private:
  Broken broken_;
  std::streambuf* before_;
};

// A pipe with a slow writer: each read returns only one more line.
class Slow : public std::streambuf {
 public:
  explicit Slow(const std::vector<std::string>& lines) : lines_(lines) {}

 protected:
  int_type underflow() override {
    if (next_ == lines_.size()) return traits_type::eof();
    std::string& line = lines_[next_++];
    setg(line.data(), line.data(), line.data() + line.size());
    return traits_type::to_int_type(line.front());
  }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("a side from a slow pipe is paired with the other side's file", "[tools][score]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path()), target = scratch.path() / "target";
  std::ofstream(target) << "un\ndeux\ntrois\n";
  const auto score = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> arguments{"gradus",   "score", "--model",  model,
                                       "--source", "-",     "--target", target};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    Slow slow(lines);
    auto* const before = std::cin.rdbuf(&slow);
    std::cin.clear();
    std::ostringstream out, err;
    auto* const old_out = std::cout.rdbuf(out.rdbuf());
    auto* const old_err = std::cerr.rdbuf(err.rdbuf());
    const int code =
        tools::cli_main(static_cast<int>(argv.size()), argv.data(), models::Registry::standard());
    std::cin.rdbuf(before);
    std::cout.rdbuf(old_out);
    std::cerr.rdbuf(old_err);
    std::cin.clear();
    return Ran{code, out.str(), err.str()};
  };
  const Ran ran = score({"one\n", "two\n", "three\n"});
  CHECK(ran.err == "");
  CHECK(std::ranges::count(ran.out, '\n') == 3);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"one\n", "two\n"}, {"one\n", "two\n", "three\n", "four\n"}}) {
    CHECK(score(wrong).err == "gradus score: pairs: '-' and '" + target +
                                  "' have different numbers of lines; line i of the second file must "
                                  "translate line i of the first\n");
  }
}

TEST_CASE("a path that cannot be looked up is an error with the system's reason", "[tools][errors]") {
  const Scratch scratch;
  const fs::path loop = scratch.path() / "loop";
  fs::create_symlink("loop", loop);
  const std::string cycle =
      "path: cannot find '" + loop.string() +
      "': Too many levels of symbolic links; symbolic links form a cycle; remove one, or "
      "choose another name\n";
  CHECK(refused({"info", loop}) == "1 gradus info: " + cycle);
  CHECK(refused({"translate", "--model", loop}) == "1 gradus translate: " + cycle);
  CHECK(refused({"train", "--resume", loop}) == "1 gradus train: " + cycle);
  CHECK(
      refused({"train", "--phrases", "eng-fra", "--out", loop}).find("Too many levels of symbolic links;") !=
      std::string::npos);
  const std::string not_opened = "'" + loop.string() +
                                 "' cannot be opened: Too many levels of symbolic links; symbolic links form "
                                 "a cycle; remove one, or give another path\n";
  CHECK(refused({"train", "--pairs", loop}) == "1 gradus train: " + not_opened);
  CHECK(refused({"train", "--phrases", "eng-fra", "--source-embeddings", loop}) ==
        "1 gradus train: " + not_opened);
  CHECK(refused({"features", "--wav", loop, "--out", scratch.path() / "x"}) ==
        "1 gradus features: " + not_opened);
  const std::string name(300, 'x');
  CHECK(refused({"info", name}) ==
        "1 gradus info: path: cannot find '" + name + "': File name too long; choose a shorter name\n");
  CHECK(refused({"train", "--phrases", "eng-fra", "--out", scratch.path() / name})
            .ends_with("File name too long; choose a shorter name\n"));
}

TEST_CASE("standard input that cannot be read is an error, and is read only once", "[tools][errors]") {
  {
    const BrokenInput broken;
    CHECK_THROWS_WITH(tools::lines_of("-")(),
                      "read_lines: standard input cannot be read; give a file, or a pipe");
  }
  {
    const BrokenInput broken;
    CHECK_THROWS_WITH(data::read_lines("-"),
                      "read_lines: standard input cannot be read; give a file, or a pipe");
  }
  const std::string twice = " can be -, standard input; name files for the others";
  CHECK(refused({"train", "--source", "-", "--target", "-"}) ==
        "2 gradus train: only one of --source and --target" + twice + help);
  CHECK(refused({"train", "--pairs", "-", "--dev-pairs", "-", "--test-source", "-", "--test-target", "t"}) ==
        "2 gradus train: only one of --pairs and --dev-pairs and --test-source" + twice + help);
  const Scratch scratch;
  CHECK(refused({"score", "--model", write_small_model(scratch.path()), "--source", "-", "--target", "-"})
            .starts_with("2 gradus score: only one of --source and --target" + twice));
}

TEST_CASE("errors in a configuration file are in the words of its options", "[tools][train][errors]") {
  const Scratch scratch;
  const std::string file = scratch.path() / "c.toml";
  const auto refused_line = [&](const std::string& text) {
    std::ofstream(file) << text;
    const std::string error = refused({"train", "--phrases", "eng-fra", "--config", file});
    const std::string begin = "2 gradus train: ";
    CHECK(error.starts_with(begin));
    CHECK(error.ends_with(help));
    return error.substr(begin.size(), error.size() - begin.size() - help.size());
  };
  CHECK(refused_line("= 4\n") == file + ": line 1: found no option before the '='; write OPTION=VALUE");
  CHECK(refused_line("# a comment\nhidden\n") ==
        file + ": line 2: found no '=' in 'hidden'; write OPTION=VALUE");
  CHECK(refused_line("hidden = 4\n [ model ]\r\n") ==
        file + ": line 2: unknown section [ model ]; write all options without sections");
  CHECK(refused_line("model.hidden = 4\n") == file + ": unknown option 'model.hidden'");
  CHECK(refused_line("model.++ = 3\n") == file + ": unknown option 'model.++'");
  CHECK(refused_line("hidden = 4; steps = 3\n") ==
        file + ": line 1: found ';' outside quotes; write one OPTION=VALUE per line");
  CHECK(refused_line("; a comment\nhidden = [4, 5]\n") ==
        file + ": --hidden takes one value, found several; give one");
  CHECK(refused_line("hidden =\n") ==
        file + ": --hidden: expected a whole number from 1 to 1000000000000000, found nothing");
  CHECK(refused_line("lower = -1\n") == file + ": --lower: expected true or false, found -1");
  CHECK(refused({"train", "--phrases", "eng-fra", "--french-spacing=2"}) ==
        "2 gradus train: --french-spacing: expected true or false, found 2" + help);
  CHECK(refused_line("lower = maybe\n") == file + ": --lower: expected true or false, found maybe");
  CHECK(refused_line("swap=maybe\n") == file + ": --swap: expected true or false, found maybe");
  CHECK(refused_line("lower = 0\nlower = 1\n") == "lower takes one value, found several; give one");
  CHECK(refused_line("preset = \"cho\"\n") ==
        file + ": preset: not allowed in a configuration file; give it on the command line");
  CHECK(refused_line("cell = \" gru\"\n") ==
        file + ": --cell: unknown value ' gru'; available: rnn, gru, original-gru, lstm");
}

TEST_CASE("minus 0 is refused where numbers are at least 0", "[tools][errors]") {
  const auto check = [](const std::string& option, const std::string& value, const std::string& expected) {
    CHECK(refused({"train", "--task", "copy", option, value}) ==
          "2 gradus train: " + option + ": expected " + expected + ", found " + value + help);
  };
  check("--warm-up", "-0", "a whole number from 0 to 1000000000000000");
  check("--threads", "-0", "a whole number from 0 to 256");
  check("--weight-decay", "-0", "a finite number of at least 0");
  check("--label-smoothing", "-0.0", "a number from 0 to 1");
  check("--prune", "-0e5", "a number of at least 0 and below 1");
  CHECK(tools::settings_from_text("entropy = -0\n").trainer.loss.attention_entropy == 0);
}

TEST_CASE("a number has at most one sign", "[tools][errors]") {
  const auto check = [](const std::string& option, const std::string& value, const std::string& expected) {
    CHECK(refused({"train", "--task", "copy", option, value}) ==
          "2 gradus train: " + option + ": expected " + expected + ", found " + value + help);
  };
  check("--entropy", "+-1", "a finite number");
  check("--warm-up", "+-0", "a whole number from 0 to 1000000000000000");
  check("--threads", "++1", "a whole number from 0 to 256");
}

TEST_CASE("a message shows only the beginning of a long value", "[tools][errors]") {
  const std::string digits(100, '1'), cut = digits + "…";
  CHECK(refused({"train", "--hidden", digits + "11"}) ==
        "2 gradus train: --hidden: expected a whole number from 1 to 1000000000000000, found " + cut + help);
  CHECK(refused({"train", "--cell", digits + "11"})
            .starts_with("2 gradus train: --cell: unknown value '" + cut));
  CHECK(refused({"train", "--" + digits + "11"}).starts_with("2 gradus train: unknown option '--" + cut));
  CHECK(refused({"info", "a", digits + "11"}).starts_with("2 gradus info: unexpected argument '" + cut));
  CHECK(tools::excerpt(digits) == digits);
  CHECK(tools::excerpt("\x1b[1m" + std::string(99, 'x')) == "\\u001b[1m" + std::string(96, 'x') + "…");
  CHECK(tools::excerpt(std::string(99, 'x') + "éx") == std::string(99, 'x') + "…");

  const Scratch scratch;
  const std::string model = write_small_model(scratch.path()), gold = scratch.path() / "gold";
  const std::string pairs = scratch.path() / "pairs";
  std::ofstream(pairs) << "good morning\tbonjour\n";
  std::ofstream(gold) << std::string("a\0b", 3) << std::string(200, 'c') << '\n';
  CHECK(refused({"evaluate", "--model", model, "--pairs", pairs, "--gold", gold}) ==
        "1 gradus evaluate: gold: '" + gold + "' line 1: 'a\\u0000b" + std::string(97, 'c') +
            "…' is not a link; write 0-0 for a sure and 0?0 for a possible link, tokens counted from 0\n");
}

TEST_CASE("a folder in place of a run's file does not stop the command", "[tools][train][errors]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run";
  const std::vector<std::string> train{"train", "--phrases",    "eng-fra", "--steps",     "2", "--hidden",
                                       "4",     "--energy",     "4",       "--embedding", "4", "--out",
                                       out,     "--eval-every", "1"};
  REQUIRE(run(train).code == 0);
  for (const char* name : {"settings.toml", "alignments.svg"}) {
    fs::remove(out / name);
    fs::create_directory(out / name);
  }
  CHECK(run({"evaluate", "--model", out}).code == 0);
  CHECK(refused({"train", "--resume", out, "--steps", "3"}) ==
        "1 gradus train: cannot write to '" + (out / "settings.toml").string() +
            "': Is a directory; a folder has this name; choose another name, or move the folder\n");
}

TEST_CASE("exhausted memory is an error in words", "[tools][errors]") {
  models::Registry registry = models::Registry::standard();
  registry.attentions["vast"] = {[](const models::AttentionSizes&) -> std::unique_ptr<gradus::nn::Attention> {
    throw std::bad_alloc();
  }};
  const Ran ran = run({"gradcheck", "--attention", "vast"}, "", registry);
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus gradcheck: memory is exhausted; give less text, or close other programs\n");
}

TEST_CASE("text without line ends is read up to the limit", "[tools][errors]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path()), file = scratch.path() / "endless";
  const std::string endless(data::TextLines::longest + 1, 'a');
  std::ofstream(file) << "a\tb\n" << endless;
  const std::string limit =
      ": found no line end within 1048576 bytes, the most that a line may have; give text with shorter "
      "lines\n";
  const std::string in_file = "'" + file + "' line 2" + limit, in_stream = "standard input line 1" + limit;
  CHECK(refused({"train", "--pairs", file}) == "1 gradus train: " + in_file);
  CHECK(refused({"train", "--phrases", "eng-fra", "--dev-pairs", file}) == "1 gradus train: " + in_file);
  CHECK(refused({"train", "--phrases", "eng-fra", "--source-embeddings", file}) ==
        "1 gradus train: " + in_file);
  CHECK(refused({"train", "--pairs", "-"}, endless) == "1 gradus train: " + in_stream);
  CHECK(refused({"translate", "--model", model, "--input", file}) == "1 gradus translate: " + in_file);
  CHECK(refused({"translate", "--model", model}, endless) == "1 gradus translate: " + in_stream);
  CHECK(refused({"score", "--model", model}, endless) == "1 gradus score: " + in_stream);
  CHECK(refused({"score", "--model", model, "--pairs", file}) == "1 gradus score: " + in_file);
  CHECK(refused({"align", "--model", model}, endless) == "1 gradus align: " + in_stream);
  CHECK(refused({"evaluate", "--model", model, "--pairs", file}) == "1 gradus evaluate: " + in_file);
  CHECK(refused({"evaluate", "--hypotheses", file, "--target", file}) == "1 gradus evaluate: " + in_file);
  CHECK(refused({"evaluate", "--model", model, "--gold", file}) == "1 gradus evaluate: " + in_file);
}

TEST_CASE("a damaged compressed text is named once", "[tools][errors]") {
  const Scratch scratch;
  const std::string file = scratch.path() / "text.gz";
  std::ofstream(file) << "\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  CHECK(refused({"train", "--pairs", file}) ==
        "1 gradus train: '" + file + "' is damaged (unknown header flags set); copy it again\n");
}

TEST_CASE("an output removes temporary files that killed commands left beside it", "[tools][output_file]") {
  const Scratch scratch;
  const fs::path left = scratch.path() / ".gradus-12345-1.tmp", other = scratch.path() / ".other.tmp";
  const std::string model = write_small_model(scratch.path());
  std::ofstream(left) << "half of a file";
  std::ofstream(other) << "not ours";
  CHECK(run({"translate", "--model", model, "--output", scratch.path() / "out.txt"}, "good\n").code == 0);
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(other));
}
