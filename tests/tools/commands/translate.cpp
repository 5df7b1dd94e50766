// `gradus translate`: its options, files and errors.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>
#include <set>

#include "files/output_file.hpp"
#include "reports/pharaoh.hpp"
#include "reports/translation.hpp"
#include "tools/run.hpp"

namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

const std::string sentences = "where is the red book?\n\ngood morning\nthe book\n";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> split;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) split.push_back(line);
  return split;
}

std::ofstream open(const std::filesystem::path& path) { return std::ofstream(path, std::ios::binary); }

struct Command {
  Scratch scratch;
  std::string model;

  explicit Command(const tools::Settings& settings = small_settings())
      : model(write_small_model(scratch.path(), settings)) {}

  Ran operator()(std::vector<std::string> more, const std::string& input = sentences) const {
    std::vector<std::string> arguments{"translate", "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }
  std::string file(const std::string& name) const { return scratch.path() / name; }
};

}  // namespace

TEST_CASE("lines are translated in order", "[tools][translate]") {
  const Command translate;
  const Ran ran = translate({});
  CHECK(ran.err.empty());
  REQUIRE(ran.code == 0);
  const auto out = lines(ran.out);
  REQUIRE(out.size() == 4);
  CHECK(out[1].empty());
  CHECK(translate({"--input", "-"}).out == ran.out);

  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  const auto in = lines(sentences);
  const auto expected = tools::translate_sentences(*saved.model, saved.sides, in, models::greedy());
  for (const std::size_t i : {0, 2, 3}) CHECK(out[i] == expected[i].front().text);
}

TEST_CASE("the translation of a line does not depend on other lines", "[tools][translate]") {
  const Command translate;
  std::string input;
  for (int i = 0; i < 1003; ++i) input += i % 3 == 0 ? "good morning\n" : "where is the red book?\n";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--max-steps", "3"}, {"--max-steps", "3", "--beam", "2"}}) {
    const auto out = lines(translate(options, input).out);
    REQUIRE(out.size() == 1003);
    const std::string morning = lines(translate(options, "good morning").out).at(0),
                      book = lines(translate(options, "where is the red book?").out).at(0);
    for (int i = 0; i < 1003; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i % 3 == 0 ? morning : book));
  }
}

TEST_CASE("files give the same result as standard input and output", "[tools][translate]") {
  const Command translate;
  open(translate.file("in")) << "\xef\xbb\xbf"
                             << "where is the red book?\r\n\r\ngood morning\r\nthe book";
  const Ran ran = translate({"--input", translate.file("in"), "--output", translate.file("out")}, "");
  CHECK(ran.err.empty());
  CHECK(ran.code == 0);
  CHECK(ran.out.empty());
  CHECK(content(translate.file("out")) == translate({}).out);
  CHECK(translate({}, content(translate.file("in"))).out == translate({}).out);
}

TEST_CASE("the n best outputs are sorted, with the sentence number", "[tools][translate]") {
  const Command translate;
  const Ran ran = translate({"--beam", "3", "--n-best", "2", "--length-penalty", "0.5"});
  REQUIRE(ran.code == 0);
  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  const auto in = lines(sentences);
  const auto found = tools::translate_sentences(
      *saved.model, saved.sides, in, models::beam_search({.width = 3, .n_best = 2, .length_penalty = 0.5}));
  std::ostringstream expected;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty()) expected << i << "\t0\t\n";
    for (const auto& translation : found[i]) {
      expected << i << '\t' << translation.decoded.score << '\t' << translation.text << '\n';
    }
  }
  CHECK(ran.out == expected.str());
  CHECK(lines(ran.out).size() == 7);
}

TEST_CASE("the option --scores writes log-probability and score", "[tools][translate]") {
  const Command translate;
  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  const std::vector<std::string> in{"good morning"};
  const auto found =
      tools::translate_sentences(*saved.model, saved.sides, in, models::beam_search({.width = 2}));
  const auto& best = found[0][0];
  std::ostringstream expected;
  expected << best.decoded.log_probability << '\t' << best.decoded.score << '\t' << best.text << '\n';
  CHECK(translate({"--scores", "--beam", "2"}, "good morning\n").out == expected.str());
  CHECK(translate({"--scores", "--beam", "2"}, "\ngood morning\n").out == "0\t0\t\n" + expected.str());
}

TEST_CASE("the same seed samples the same outputs", "[tools][translate]") {
  const Command translate;
  const std::vector<std::string> options{"--sample", "--temperature", "0.9", "--top-k",
                                         "50",       "--top-p",       "0.9"};
  auto with_seed = [&](const std::string& seed) {
    auto all = options;
    all.insert(all.end(), {"--seed", seed});
    return translate(all).out;
  };
  CHECK(with_seed("1") == with_seed("1"));
  CHECK(with_seed("1") != with_seed("2"));
  CHECK(with_seed("1") == translate(options).out);
}

TEST_CASE("the sample of a line depends only on the seed and the line's number", "[tools][translate]") {
  const Command translate;
  const std::vector<std::string> options{"--sample", "--seed", "3", "--max-steps", "6"};
  std::string input;
  for (int i = 0; i < 1003; ++i) input += i % 3 == 0 ? "good morning\n" : "where is the red book?\n";
  const auto all = lines(translate(options, input).out);
  REQUIRE(all.size() == 1003);

  // Fewer lines, as if a pipe had delivered them earlier than the rest.
  const auto few = lines(translate(options, input.substr(0, input.find('\n', 200) + 1)).out);
  REQUIRE(few.size() > 8);
  for (std::size_t i = 0; i < few.size(); ++i) CHECK(few[i] == all[i]);

  // Decodes all lines together, as evaluate does. translate decodes at most 1000 lines together.
  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  tools::SearchOptions search;
  search.sampling = true;
  search.seed = 3;
  search.max_steps = 6;
  const auto in = lines(input);
  const auto together =
      tools::translate_sentences(*saved.model, saved.sides, in, search.search(), search.translation());
  for (std::size_t i = 0; i < in.size(); ++i) CHECK(together[i].front().text == all[i]);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() > 2);  // equal lines have different samples
}

TEST_CASE("minimum length and n-gram blocking constrain every search", "[tools][translate]") {
  const Command translate;
  for (const std::vector<std::string>& search :
       std::vector<std::vector<std::string>>{{}, {"--beam", "3"}, {"--sample", "--seed", "4"}}) {
    std::vector<std::string> arguments{"--min-length",         "40", "--no-repeat-ngram", "1", "--alignments",
                                       translate.file("links")};
    arguments.insert(arguments.end(), search.begin(), search.end());
    const Ran ran = translate(arguments, "good morning\n");
    CHECK(ran.err == "");
    REQUIRE(ran.code == 0);
    std::ifstream links(translate.file("links"));
    std::string tokens;
    std::getline(links, tokens);
    CHECK(std::ranges::count(tokens, '-') >= 40);  // the usual maximum would be 2 · 2 + 10 tokens
    std::istringstream words(ran.out);
    std::set<std::string> seen;
    for (std::string word; words >> word;) CHECK(seen.insert(word).second);
  }
  CHECK(translate({"--min-length", "0", "--no-repeat-ngram", "0"}).out == translate({}).out);
}

TEST_CASE("outputs end after --max-steps", "[tools][translate]") {
  const Command translate;
  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  const std::vector<std::string> in{"good morning"};
  const auto one =
      tools::translate_sentences(*saved.model, saved.sides, in, models::greedy(), {.max_steps = 1});
  CHECK(one[0][0].decoded.tokens.size() == 1);
  CHECK(translate({"--max-steps", "1"}, "good morning\n").out == one[0][0].text + "\n");
}

TEST_CASE("an unknown word is replaced by the most attended source word", "[tools][translate]") {
  // A model whose target vocabulary has only "b"; all other words are unknown.
  const Scratch data;
  tools::Settings settings = small_settings();
  settings.data.phrases.clear();
  settings.data.train.pairs = data.path() / "pairs";
  open(settings.data.train.pairs) << "one\tb\ntwo\tb\nthree\tb\nfour\tb\nfive\tb\n";
  const Command translate(settings);
  const std::vector<std::string> sample{"--sample", "--max-steps", "30"};
  const std::string zebras = "Zebra Zebra\nZebra\nZebra Zebra\nZebra\n";
  auto without = sample;
  without.emplace_back("--no-replace-unknown");
  const std::string kept = translate(without, zebras).out;
  const std::string replaced = translate(sample, zebras).out;
  REQUIRE(kept.find("<unk>") != std::string::npos);
  std::string expected = kept;
  for (auto at = expected.find("<unk>"); at != std::string::npos; at = expected.find("<unk>")) {
    expected.replace(at, 5, "zebra");
  }
  CHECK(replaced == expected);
}

TEST_CASE("the option --alignments writes the most attended source token of each target token",
          "[tools][translate]") {
  const Command translate;
  const Ran ran = translate({"--alignments", translate.file("links")});
  REQUIRE(ran.code == 0);
  const auto saved = tools::load_saved_model(translate.model, models::Registry::standard());
  const auto in = lines(sentences);
  std::string expected;
  for (const auto& found : tools::translate_sentences(*saved.model, saved.sides, in, models::greedy())) {
    if (!found.empty()) {
      expected += tools::to_pharaoh(tools::links_of(found[0].decoded, std::ssize(found[0].target)));
    }
    expected += '\n';
  }
  CHECK(content(translate.file("links")) == expected);
  CHECK(lines(expected).size() == 4);
}

TEST_CASE("a file named - is standard output", "[tools][translate]") {
  const Command translate;
  CHECK(translate({"--output", "-"}).out == translate({}).out);
  REQUIRE(translate({"--alignments", translate.file("links")}).code == 0);
  const Ran ran = translate({"--output", translate.file("out"), "--alignments", "-"});
  CHECK(ran.err.empty());
  CHECK(ran.out == content(translate.file("links")));
  CHECK(content(translate.file("out")) == translate({}).out);
  CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("translate reports what is wrong and where", "[tools][translate]") {
  const Command translate;
  const auto refused = [&](std::vector<std::string> options, const std::string& input, int code,
                           const std::string& message) {
    const Ran ran = translate(std::move(options), input);
    CHECK(ran.code == code);
    CHECK(ran.err == "gradus translate: " + message + "\n");
    CHECK(ran.out.empty());
  };
  const std::string help = "; 'gradus translate --help' lists the options";
  refused({}, "good\nmor\xffning\n", 1,
          "standard input line 2: byte 4 (0xff) is not UTF-8; convert the text, for instance with iconv -t "
          "UTF-8");
  refused({"--input", "/no/such/file"}, "", 1,
          "'/no/such/file' cannot be opened: No such file or directory; check the path");
  refused({"--output", translate.file("no/out")}, sentences, 1,
          "output: cannot write to '" + translate.file("no/out") +
              "': No such file or directory; the folder does not exist; create it, or choose "
              "another");
  refused({"--alignments", translate.scratch.path()}, sentences, 1,
          "alignments: '" + translate.scratch.path().string() + "' is a folder; give a file name");
  refused(
      {"--alignments", "-"}, "", 2,
      "--alignments: standard output already receives the translations; name a file, or add --output FILE" +
          help);
  refused({"--n-best", "2"}, "", 2, "--n-best needs --beam" + help);
  refused({"--beam", "2", "--n-best", "3"}, "", 2,
          "--n-best: 3 exceeds --beam 2; lower --n-best or raise --beam" + help);
  refused({"--beam", "2", "--sample"}, "", 2,
          "--beam cannot be combined with --sample; omit one of them" + help);
  refused({"--sample", "--temperature", "0"}, "", 2,
          "--temperature: expected a finite number above 0, found 0" + help);
  refused({"--sample", "--top-p", "1.5"}, "", 2,
          "--top-p: expected a number above 0 and at most 1, found 1.5" + help);
  refused({"--beam", "0"}, "", 2, "--beam: expected a whole number from 1 to 10000, found 0" + help);
  refused({"--bean", "5"}, "", 2, "unknown option '--bean'; did you mean --beam?");
  refused({"--min-length", "5", "--max-steps", "5"}, "", 2,
          "--min-length: 5 does not fit into --max-steps 5, which counts the end of the sentence; lower "
          "--min-length or raise --max-steps" +
              help);
  refused({"--no-repeat-ngram", "-1"}, "", 2,
          "--no-repeat-ngram: expected a whole number from 0 to 1000000, found -1" + help);
  refused({"--n-best", "2", "--bean=5"}, "", 2, "unknown option '--bean'; did you mean --beam?");
  refused({"go.", "--bean", "5"}, "", 2, "unexpected argument 'go.'" + help);
  const Ran no_model = run({"translate"});
  CHECK(no_model.code == 2);
  CHECK(no_model.err == "gradus translate: --model is required" + help + "\n");
}

TEST_CASE("alignments need attention, and without it nothing is written", "[tools][translate]") {
  tools::Settings settings = small_settings();
  settings.model.decoder = "fixed";
  const Command translate(settings);
  const Ran ran = translate({"--alignments", translate.file("links")});
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus translate: alignments: the model (decoder 'fixed') has no attention weights to show; use a "
        "model trained with --decoder bahdanau\n");
  CHECK(ran.out.empty());
  CHECK(names(translate.scratch.path()) == std::vector<std::string>{"best.safetensors"});
}

TEST_CASE("a full disk is reported, and no output file is left", "[tools][translate]") {
  const Command translate;
  std::string input;
  for (int i = 0; i < 100; ++i) input += "where is the red book?\n";
  const SizeLimit limit(64);
  const Ran ran = translate({"--output", translate.file("out")}, input);
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus translate: output: cannot write to '" + translate.file("out") +
            "': File too large; raise the limit of this shell, 'ulimit -f', or choose another file system\n");
  CHECK(names(translate.scratch.path()) == std::vector<std::string>{"best.safetensors"});
}

TEST_CASE("a full standard output is reported", "[tools][translate]") {
  std::ofstream full("/dev/full");
  auto* const old = std::cout.rdbuf(full.rdbuf());
  std::cout << "anything";
  std::string message;
  try {
    tools::flush_standard_output();
  } catch (const gradus::Error& error) {
    message = error.what();
  }
  std::cout.clear();
  std::cout.rdbuf(old);
  CHECK(message == "output: cannot write to standard output; is the disk full?");
}
