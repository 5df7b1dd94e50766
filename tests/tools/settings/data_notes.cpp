// The notes that `gradus train` prints about unusual data.

#include <fstream>

#include "tools/short_run.hpp"

namespace fs = std::filesystem;

namespace {

struct Project {
  Scratch scratch;
  fs::path text = scratch.path() / "text.tsv", out = scratch.path() / "run";

  // Trains on a text with these lines.
  Ran train(const std::string& lines, const Arguments& more = {}) const {
    std::ofstream(text) << lines;
    Arguments all{"train",   "--pairs", text,    "--hidden", "4",           "--embedding",    "4",
                  "--steps", "1",       "--out", out,        "--overwrite", "--test-percent", "0"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    INFO(ran.err);
    CHECK(ran.code == 0);
    return ran;
  }
};

const std::string no_dev =
    "note: there are no dev pairs, so that no checkpoint is chosen as the best; raise --dev-percent, or give "
    "--dev-pairs\n";

}  // namespace

TEST_CASE("the number of pairs outside the length limits is printed", "[tools][train]") {
  const Project project;
  const std::string text = "a b c\td\ne\tf g\nh i\tj\nk l\tm n o\n";
  const Arguments no_dev_part{"--dev-percent", "0"};
  CHECK_FALSE(contains(project.train(text, no_dev_part).out, "dropped"));
  const Ran ran =
      project.train(text, {"--dev-percent", "0", "--min-tokens", "2", "--max-target-tokens", "2"});
  CHECK(contains(ran.out,
                 "pairs       2 train, 0 dev, 0 test\n"
                 "dropped     2 pairs outside --min-tokens, --max-tokens and --max-target-tokens\n"));
}

TEST_CASE("a single pair and a missing dev part are noted", "[tools][train]") {
  const Project project;
  CHECK(project.train("a\tb\n", {"--dev-percent", "0"}).err ==
        "note: there is only one training pair, which the model will learn by heart; give more text\n" +
            no_dev);
  const std::string two = "a\tb\nc\td\n";
  CHECK(project.train(two, {"--dev-percent", "0"}).err == no_dev);
  CHECK(project.train(two, {"--dev-percent", "0", "--eval-every", "0"}).err == "");
  CHECK_FALSE(contains(project.train(two, {"--dev-pairs", project.text}).err, "note"));
}

TEST_CASE("lines with further columns are counted in a note", "[tools][train][score][align]") {
  const Project project;
  const auto note = [](const std::string& name, const std::string& lines) {
    return "note: " + name + " has more than two columns in " + lines +
           "; only the first two, source and target, are read\n";
  };
  const std::string text = "'" + project.text.string() + "'", lines = "a\tb\tCC-BY\nc\td\ne\tf\tCC-BY\t2\n",
                    one = "a\tb\tCC-BY\n";
  const Ran trained = project.train(lines, {"--dev-percent", "0", "--eval-every", "0"});
  CHECK(trained.err == note(text, "2 lines"));
  CHECK(contains(trained.out, "7 source, 7 target"));
  CHECK(run({"train", "--resume", project.out, "--steps", "2"}).err.find("columns") == std::string::npos);
  std::ofstream(project.text) << lines;
  for (const char* command : {"evaluate", "score", "align"}) {
    const Ran ran = run({command, "--model", project.out, "--pairs", project.text});
    CHECK(ran.code == 0);
    CHECK(contains(ran.err, note(text, "2 lines")));
  }
  const Ran scored = run({"score", "--model", project.out}, one),
            plain = run({"score", "--model", project.out}, "a\tb\n");
  CHECK(scored.err == note("standard input", "1 line"));
  CHECK(scored.out == plain.out);
  const Ran aligned = run({"align", "--model", project.out, "--tsv", "-"}, one);
  CHECK(aligned.err == note("standard input", "1 line"));
  CHECK(aligned.out == run({"align", "--model", project.out, "--tsv", "-"}, "a\tb\n").out);
}

TEST_CASE("the line ends of an old Mac are noted", "[tools][train][translate]") {
  const Project project;
  const auto note = [](const std::string& name) {
    return "note: " + name +
           " has a carriage return within a line, perhaps the line ends of an old Mac, which are not read as "
           "such; convert them with tr '\\r' '\\n'\n";
  };
  const std::string text = "'" + project.text.string() + "'";
  CHECK(project.train("a\tb\rc\td\r", {"--dev-percent", "0"}).err.starts_with(note(text)));
  CHECK_FALSE(contains(project.train("a\tb\r\nc\td\r\n", {"--dev-percent", "0"}).err, "carriage"));

  std::ofstream(project.text) << "a\rb\r";
  CHECK(run({"translate", "--model", project.out, "--input", project.text}).err == note(text));
  CHECK(run({"translate", "--model", project.out}, "a\rb\r\nc\rd\n").err == note("standard input"));
  const std::string other = project.scratch.path() / "other";
  std::ofstream(other) << "a\n";
  CHECK(contains(run({"evaluate", "--model", project.out, "--source", project.text, "--target", other}).err,
                 note(text)));
}
