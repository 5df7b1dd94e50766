// `gradus score` on the command line, compared with the library's force_decode().

#include <gradus/models/forced_decoding.hpp>

#include <fstream>

#include "files/saved_ensemble.hpp"
#include "tools/run.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace tools = gradus::tools;
using Arguments = std::vector<std::string>;

namespace {

const std::vector<data::SentencePair> pairs = {{"where is the red book?", "où est le livre rouge ?"},
                                               {"good morning", "bonjour"},
                                               {"Zebra", "le zèbre"}};

std::string tab_separated() {
  std::string text;
  for (const auto& [source, target] : pairs) text += source + '\t' + target + '\n';
  return text;
}

struct Command {
  Scratch scratch;
  Arguments models;

  explicit Command(const tools::Settings& settings = small_settings())
      : models{write_small_model(scratch.path(), settings)} {}

  Ran operator()(Arguments more, const std::string& input = "") const {
    Arguments all{"score"};
    for (const std::string& model : models) all.insert(all.end(), {"--model", model});
    all.insert(all.end(), more.begin(), more.end());
    return run(all, input);
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(scratch.path() / name, std::ios::binary) << text;
    return scratch.path() / name;
  }
  std::vector<models::Forced> forced() const {
    const auto saved = tools::load_ensemble(models, models::Registry::standard());
    return models::force_decode(saved.model(), tools::encode(pairs, saved.sides()));
  }
  std::string expected() const {
    std::ostringstream text;
    for (const models::Forced& one : forced())
      text << one.log_probability << '\t' << one.tokens.size() << '\n';
    return text.str();
  }
};

}  // namespace

TEST_CASE("score prints the log-probability of each pair, for every decoder", "[tools][score]") {
  for (const char* decoder : {"fixed", "cho", "bahdanau"}) {
    tools::Settings settings = small_settings();
    settings.model.decoder = decoder;
    const Command score(settings);
    const Ran ran = score({}, tab_separated());
    CHECK(ran.err.empty());
    REQUIRE(ran.code == 0);
    CHECK(ran.out == score.expected());
    CHECK(score({"--pairs", "-"}, tab_separated()).out == ran.out);
    CHECK(score({"--pairs", score.file("pairs", tab_separated())}).out == ran.out);
    CHECK(score({"--pairs", score.file("pairs", tab_separated()), "--output", score.scratch.path() / "out"})
              .out == "");
    CHECK(content(score.scratch.path() / "out") == ran.out);
    std::string sources, targets, swapped;
    for (const auto& [source, target] : pairs) {
      sources += source + '\n';
      targets += target + '\n';
      swapped += target + '\t' + source + '\n';
    }
    CHECK(score({"--source", score.file("s", sources), "--target", score.file("t", targets)}).out == ran.out);
    CHECK(score({"--swap"}, swapped).out == ran.out);
  }
}

TEST_CASE("score of several models is that of their ensemble", "[tools][score][ensemble]") {
  Command score;
  const std::string one = score({}, tab_separated()).out;
  score.models.push_back(write_small_model(score.scratch.path() / "other", small_settings(), 2));
  const Ran ran = score({}, tab_separated());
  CHECK(ran.out == score.expected());
  CHECK(ran.out != one);
}

TEST_CASE("a line without a source or a target gives an empty line", "[tools][score]") {
  const Command score;
  const auto forced = score.forced();
  std::ostringstream expected;
  expected << "\n\n\n" << forced[1].log_probability << '\t' << forced[1].tokens.size() << "\n\n";
  CHECK(score({}, "\ngood\t\n \tbon\ngood morning\tbonjour\n  \n").out == expected.str());
  CHECK(score({}, "").out.empty());
}

TEST_CASE("score --tokens prints every token with the line of its pair", "[tools][score]") {
  const Command score;
  const auto saved = tools::load_ensemble(score.models, models::Registry::standard());
  std::ostringstream expected;
  const auto forced = score.forced();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto tokens = saved.sides().target.tokeniser.split(pairs[i].target);
    tokens.emplace_back("<eos>");
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      expected << i + 1 << '\t' << t << '\t' << tokens[t] << '\t' << forced[i].token_log_probabilities[t]
               << '\n';
    }
  }
  const Ran ran = score({"--tokens"}, "\n" + tab_separated());  // the first line is blank
  CHECK(ran.out == expected.str());
  CHECK_THAT(ran.out, Catch::Matchers::ContainsSubstring("\tzèbre\t"));  // unknown, but printed as given
}

TEST_CASE("score --summary prints the totals that evaluate reports", "[tools][score]") {
  const Command score;
  double total = 0;
  std::size_t tokens = 0;
  for (const models::Forced& one : score.forced()) {
    total += one.log_probability;
    tokens += one.tokens.size();
  }
  std::ostringstream expected;
  expected << "pairs            3\ntokens           " << tokens << "\nlog-probability  " << total
           << "\ncross-entropy    " << -total / static_cast<double>(tokens) << "\nperplexity       "
           << std::exp(-total / static_cast<double>(tokens)) << '\n';
  CHECK(score({"--summary"}, tab_separated()).out == expected.str());
}

TEST_CASE("score reads more lines than one batch, in order", "[tools][score]") {
  const Command score;
  std::string input, expected;
  std::istringstream in(score.expected());
  std::vector<std::string> one;
  for (std::string line; std::getline(in, line);) one.push_back(line);
  for (std::size_t i = 0; i < 1005; ++i) {
    const auto& [source, target] = pairs[i % 2];
    input += source + '\t' + target + '\n';
  }
  const std::string out = score({}, input).out;
  std::istringstream lines(out);
  std::size_t i = 0;
  for (std::string line; std::getline(lines, line); ++i) {
    CHECK(std::abs(std::stod(line) - std::stod(one[i % 2])) < 1e-3);
  }
  CHECK(i == 1005);
}

TEST_CASE("score reports what is wrong and where", "[tools][score]") {
  const Command score;
  const auto refused = [&](const Arguments& options, const std::string& input, int code,
                           const std::string& message) {
    const Ran ran = score(options, input);
    CHECK(ran.code == code);
    CHECK(ran.err == "gradus score: " + message + "\n");
  };
  const std::string help = "; 'gradus score --help' lists the options";
  refused({}, "good\tbon\nmorning\n", 1,
          "pairs: standard input line 2: expected SOURCE TAB TARGET, found no tab; add the missing side, or "
          "give --source and --target");
  refused({"--swap"}, "morning\n", 1,
          "pairs: standard input line 1: expected TARGET TAB SOURCE, found no tab; add the missing side, or "
          "give --source and --target");
  const std::string two = score.file("two", "a\nb\n"), one = score.file("one", "a\n");
  refused(
      {"--source", two, "--target", one}, "", 1,
      "pairs: '" + two + "' and '" + one +
          "' have different numbers of lines; line i of the second file must translate line i of the first");
  refused({"--source", two}, "", 2, "--source needs --target" + help);
  refused({"--summary", "--tokens"}, "", 2,
          "--tokens cannot be combined with --summary; omit one of them" + help);
  refused({"--summary"}, "\n", 1, "pairs: there is no pair with a source and a target to score; give some");
  refused({}, "good\tb\xff\n", 1,
          "standard input line 1: byte 7 (0xff) is not UTF-8; convert the text, for instance with iconv -t "
          "UTF-8");
  refused({"--output", two, "--source", two, "--target", two}, "", 1,
          "output: '" + two + "' is an input of this command and would be overwritten; choose another name");
}
