// `gradus evaluate`: its figures must equal the library's metrics.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>

#include "reports/evaluation_report.hpp"
#include "reports/measure.hpp"
#include "reports/pharaoh.hpp"
#include "tools/run.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace tools = gradus::tools;
using Catch::Matchers::ContainsSubstring;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Command {
  Scratch scratch;
  std::string model;

  explicit Command(const tools::Settings& settings = small_settings())
      : model(write_small_model(scratch.path(), settings)) {}

  Ran operator()(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"evaluate", "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  nlohmann::json json(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const Ran ran = (*this)(more);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out);
  }
  std::string file(const std::string& name, const std::string& text) const {
    write(scratch.path() / name, text);
    return scratch.path() / name;
  }
};

}  // namespace

TEST_CASE("evaluate prints the library's metrics", "[tools][evaluate]") {
  const Command evaluate;
  const auto saved = tools::load_saved_model(evaluate.model, models::Registry::standard());
  const auto corpus = tools::read_corpus(saved.settings.data, saved.settings.run.seed);
  for (const bool beam : {false, true}) {
    const auto& pairs = beam ? corpus.dev : corpus.test;
    const auto scores = tools::measure(*saved.model, saved.sides, pairs,
                                       beam ? models::beam_search({.width = 2}) : models::greedy());
    const auto json = beam ? evaluate.json({"--part", "dev", "--beam", "2"}) : evaluate.json({});
    CHECK(json["part"] == (beam ? "dev" : "test"));
    CHECK(json["search"] == (beam ? "beam 2, length penalty 0.6" : "greedy"));
    CHECK(json["pairs"] == pairs.size());
    const auto& figures = json["models"][0];
    CHECK(figures["model"] == evaluate.model);
    CHECK(figures["bleu"] == scores.bleu());
    CHECK(figures["bleu_signature"] ==
          data::bleu_signature({.tokeniser = data::BleuTokeniser::mteval_13a, .lowercase = true}));
    CHECK(figures["chrf"] == scores.chrf());
    CHECK(figures["chrf_signature"] == data::chrf_signature(true));
    CHECK(figures["d2l_bleu"] == scores.d2l_bleu());
    CHECK(figures["exact_match"] == scores.exact.fraction());
    CHECK(figures["token_error_rate"] == scores.errors.rate());
    CHECK(figures["loss"] == scores.loss());
    CHECK(figures["perplexity"] == scores.perplexity());
    CHECK(figures["token_accuracy"] == scores.tokens.fraction());
    CHECK(figures["attention_entropy"] == scores.sharpness.nats());
    std::int64_t counted = 0;
    for (const auto& bucket : figures["by_length"]) {
      CHECK(bucket["to"] == bucket["from"].get<int>() + 4);
      counted += bucket["pairs"].get<std::int64_t>();
    }
    CHECK(counted == std::ssize(pairs));
  }
}

TEST_CASE("tables show the same metrics as JSON", "[tools][evaluate]") {
  const Command evaluate;
  const auto figures = evaluate.json({"--bucket", "3"})["models"][0];
  const Ran ran = evaluate({"--by-length", "--bucket", "3", "--any-reference"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("test pairs, greedy\n"));
  for (const char* name : {"BLEU ", "d2l's BLEU, k = 2", "exact match", "token error rate", "perplexity",
                           "token accuracy", "attention's entropy, nats", "sources answered right",
                           "word error rate", "source length  pairs", "\n1-3 ", "\n4-6 "}) {
    CHECK_THAT(ran.out, ContainsSubstring(name));
  }
  CHECK_THAT(ran.out, ContainsSubstring("\nBLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:gradus-"));
  std::ostringstream perplexity;
  perplexity << std::fixed << std::setprecision(3) << figures["perplexity"].get<double>() << '\n';
  CHECK_THAT(ran.out, ContainsSubstring(perplexity.str()));

  const std::string note = "BLEU is 0 if no output has four words";
  CHECK_THAT(ran.out, !ContainsSubstring(note));
  CHECK_THAT(evaluate({"--by-length", "--max-steps", "3"}).out, ContainsSubstring(note));
}

TEST_CASE("metrics of two models are shown side by side", "[tools][evaluate]") {
  const Command evaluate;
  tools::Settings settings = small_settings();
  settings.model.decoder = "fixed";
  const Command other(settings);
  const std::string svg = evaluate.scratch.path() / "by-length.svg";
  const Ran ran = evaluate({"--model", other.model, "--by-length", "--svg", svg});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring(evaluate.model + "  " + other.model + "\n"));
  CHECK_THAT(ran.out, ContainsSubstring("BLEU " + evaluate.model + "  "));
  CHECK_THAT(ran.out, ContainsSubstring('\n' + other.model + ": BLEU|nrefs:1|"));
  CHECK_THAT(content(svg), ContainsSubstring("<svg") && ContainsSubstring(evaluate.model) &&
                               ContainsSubstring(other.model));
  const auto json = evaluate.json({"--model", other.model});
  REQUIRE(json["models"].size() == 2);
  CHECK(json["models"][1]["model"] == other.model);
  CHECK(json["models"][1]["attention_entropy"].is_null());
}

TEST_CASE("given pairs are evaluated, and their translations written", "[tools][evaluate]") {
  const Command evaluate;
  const std::string pairs = evaluate.file("pairs", "the book\tle livre\ngood morning\tbonjour\n"),
                    source = evaluate.file("source", "the book\ngood morning\n"),
                    target = evaluate.file("target", "le livre\nbonjour\n"),
                    out = evaluate.scratch.path() / "out";
  const auto json = evaluate.json({"--pairs", pairs, "--out", out});
  CHECK(json["part"] == "given");
  CHECK(json["pairs"] == 2);
  CHECK(json == evaluate.json({"--source", source, "--target", target}));
  CHECK(content(out) == run({"translate", "--model", evaluate.model}, content(source)).out);
}

TEST_CASE("given pairs are swapped if the training pairs were", "[tools][evaluate]") {
  tools::Settings settings = small_settings();
  settings.data.swap = true;
  const Command evaluate(settings);
  const std::string pairs = evaluate.file("pairs", "the book\tle livre\n"),
                    out = evaluate.scratch.path() / "out";
  CHECK(evaluate({"--pairs", pairs, "--out", out}).code == 0);
  CHECK(content(out) == run({"translate", "--model", evaluate.model}, "le livre\n").out);
  const std::string source = evaluate.file("source", "le livre\n"),
                    target = evaluate.file("target", "the book\n");
  CHECK(evaluate.json({"--pairs", pairs}) == evaluate.json({"--source", source, "--target", target}));
}

TEST_CASE("an evaluation reports its search options", "[tools][evaluate]") {
  const Command evaluate;
  CHECK(evaluate.json({"--sample", "--seed", "3", "--temperature", "0.5", "--top-k", "9", "--top-p",
                       "0.8"})["search"] == "sampled with seed 3, temperature 0.5, top 9, top p 0.8");
  CHECK(evaluate.json({"--beam", "3", "--length-penalty", "1", "--coverage-penalty", "0.2"})["search"] ==
        "beam 3, length penalty 1, coverage penalty 0.2");
}

TEST_CASE("an output may equal any reference of its source", "[tools][evaluate]") {
  const Command evaluate;
  const std::string written =
      run({"translate", "--model", evaluate.model, "--max-steps", "2"}, "the book\n").out;
  const std::string pairs =
      evaluate.file("pairs", "the book\tun livre\nthe book\t" + written + "good morning\tbonjour\n");
  const auto figures = evaluate.json({"--pairs", pairs, "--any-reference", "--max-steps", "2"})["models"][0];
  CHECK(figures["distinct_sources"] == 2);
  CHECK(figures["any_reference"] == 0.5);
  CHECK(figures["word_error_rate"] == 0.5);
}

TEST_CASE("alignments are evaluated against gold links", "[tools][evaluate]") {
  const Command evaluate;
  const std::string pairs = evaluate.file("pairs", "the book\tle livre\ngood morning\tbonjour\n");
  const auto saved = tools::load_saved_model(evaluate.model, models::Registry::standard());
  const std::vector<data::SentencePair> same = {{"the book", "le livre"}, {"good morning", "bonjour"}};
  std::string found;
  for (const auto& forced : models::force_decode(*saved.model, tools::encode(same, saved.sides))) {
    found += tools::to_pharaoh(tools::links_of(forced, std::ssize(forced.tokens) - 1)) + '\n';
  }
  const auto rate = [&](const std::string& gold) {
    return evaluate
        .json({"--pairs", pairs, "--gold", evaluate.file("gold", gold)})["models"][0]["alignment_error_rate"]
        .get<double>();
  };
  CHECK(rate(found) == 0);
  // The error rate must not change if sure links that the model finds become possible links.
  std::string possible = found;
  std::replace(possible.begin(), possible.begin() + std::ssize(possible) / 2, '-', '?');
  CHECK(rate(possible) == 0);
  CHECK(rate("0-0 1-0 0-1 1-1\n0-0 1-0\n") == Catch::Approx(1 - 6.0 / 9));
}

TEST_CASE("BLEU's tokeniser can be chosen", "[tools][evaluate]") {
  const Command evaluate;
  const auto signature = [&](const std::string& name) {
    return evaluate.json({"--bleu-tokeniser", name})["models"][0]["bleu_signature"].get<std::string>();
  };
  CHECK_THAT(signature("char"), ContainsSubstring("|tok:char|"));
  CHECK_THAT(signature("zh"), ContainsSubstring("|tok:zh|"));
}

TEST_CASE("evaluate reports what is wrong and where", "[tools][evaluate]") {
  const Command evaluate;
  const auto refused = [&](std::vector<std::string> options, int code, const std::string& message) {
    const Ran ran = evaluate(std::move(options));
    CHECK(ran.code == code);
    CHECK(ran.err == "gradus evaluate: " + message + "\n");
    CHECK(ran.out.empty());
  };
  const std::string help = "; 'gradus evaluate --help' lists the options";
  const std::string pairs = evaluate.file("pairs", "the book\tle livre\ngood morning\tbonjour\n");
  const std::string gold = evaluate.scratch.path() / "gold";
  const std::vector<std::string> with_gold{"--pairs", pairs, "--gold", gold};

  write(gold, "0-0\n");
  refused(with_gold, 1, "gold: '" + gold + "' has 1 lines for 2 pairs; give one line per pair");
  write(gold, "0-0\n0-1\n");
  refused(with_gold, 1,
          "gold: '" + gold +
              "' line 2: 0-1 is outside its pair of 2 source and 1 target tokens; count tokens from 0 and "
              "without EOS");
  for (const std::string wrong : {"0", "0-", "-1-0", "0--1", "0:0", "0-0x", "x", "0?"}) {
    write(gold, "0-0\n0-0 " + wrong + "\n");
    refused(with_gold, 1,
            "gold: '" + gold + "' line 2: '" + wrong +
                "' is not a link; write 0-0 for a sure and 0?0 for a possible link, tokens counted from 0");
  }
  refused({"--part", "train", "--pairs", pairs}, 2,
          "--part cannot be combined with --pairs; omit one of them" + help);
  refused({"--bleu-tokeniser", "13b"}, 2,
          "--bleu-tokeniser: unknown value '13b'; available: 13a, none, char, zh, intl" + help);
  refused({"--source", pairs}, 2, "--source needs --target" + help);
  refused({"--svg", evaluate.scratch.path() / "no" / "file"}, 1,
          "svg: cannot write to '" + (evaluate.scratch.path() / "no" / "file").string() +
              "': No such file or directory; the folder does not exist; create it, or choose "
              "another");
  for (const std::string option : {"--svg", "--out"}) {
    refused({option, "-"}, 2,
            option + ": '-' is standard output, which receives the metrics; name a file" + help);
  }
  refused({"--pairs", pairs, "--out", pairs}, 1,
          "out: '" + pairs + "' is an input of this command and would be overwritten; choose another name");
  refused({"--model", evaluate.model, "--out", "out"}, 2,
          "--out: needs exactly one --model, or --ensemble" + help);
}

TEST_CASE("evaluate --hypotheses scores a file of translations", "[tools][evaluate]") {
  const Command evaluate;
  const std::vector<std::string> written{"Le Livre est rouge .", "bonjour", "où est le chat ?"},
      targets{"le livre est rouge.", "bonjour !", "où est le chien?"};
  const auto joined = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  };
  const std::string output = evaluate.file("output", joined(written)),
                    target = evaluate.file("target", joined(targets));
  for (const bool lowercase : {false, true}) {
    for (const std::string name : {"13a", "intl", "char"}) {
      const data::BleuOptions options{.tokeniser = data::bleu_tokeniser(name), .lowercase = lowercase};
      data::BleuCounts bleu;
      data::ChrfCounts chrf;
      for (std::size_t i = 0; i < written.size(); ++i) {
        bleu += data::bleu_counts(written[i], std::vector{targets[i]}, options);
        chrf += data::chrf_counts(written[i], targets[i], lowercase);
      }
      std::vector<std::string> arguments{"evaluate", "--hypotheses",     output, "--target",
                                         target,     "--bleu-tokeniser", name};
      if (lowercase) arguments.emplace_back("--lowercase");
      std::ostringstream expected;
      expected << "3 lines\n"
               << data::bleu_line(data::bleu_score(bleu, options), data::bleu_signature(options)) << '\n'
               << data::chrf_signature(lowercase) << " = " << std::fixed << std::setprecision(2)
               << data::chrf_score(chrf) << '\n';
      const Ran ran = run(arguments);
      CHECK(ran.err.empty());
      CHECK(ran.out == expected.str());
      arguments.emplace_back("--json");
      const auto json = nlohmann::json::parse(run(arguments).out);
      CHECK(json["bleu"] == data::bleu_score(bleu, options).score);
      CHECK(json["chrf"] == data::chrf_score(chrf));
    }
  }
  const std::string pairs =
      evaluate.file("pairs", "a\t" + targets[0] + "\nb\t" + targets[1] + "\nc\t" + targets[2] + "\n");
  CHECK(run({"evaluate", "--hypotheses", output, "--pairs", pairs}).out ==
        run({"evaluate", "--hypotheses", output, "--target", target}).out);
}

TEST_CASE("a file that a model wrote has the scores of the model", "[tools][evaluate]") {
  const Command evaluate;
  const std::string out = evaluate.scratch.path() / "out";
  const auto own = evaluate.json({"--out", out}), of_file = evaluate.json({"--hypotheses", out});
  for (const char* name : {"bleu", "bleu_signature", "chrf", "chrf_signature"}) {
    CHECK(of_file[name] == own["models"][0][name]);
  }
  CHECK(of_file["pairs"] == own["pairs"]);
  const std::string target = evaluate.file("target", "bonjour\n"), one = evaluate.file("one", "bonjour\n");
  CHECK(evaluate.json({"--hypotheses", one, "--target", target})["pairs"].get<int>() ==
        1);  // without sources
}

TEST_CASE("evaluate --hypotheses reports what is wrong and where", "[tools][evaluate]") {
  const Command evaluate;
  const std::string one = evaluate.file("one", "a\n"), two = evaluate.file("two", "a\nb\n"),
                    blank = evaluate.file("blank", "a\n\n"), empty = evaluate.file("empty", "");
  const auto refused = [&](std::vector<std::string> options, int code, const std::string& message) {
    options.insert(options.begin(), "evaluate");
    const Ran ran = run(options);
    CHECK(ran.code == code);
    CHECK(ran.err == "gradus evaluate: " + message + "\n");
    CHECK(ran.out.empty());
  };
  const std::string help = "; 'gradus evaluate --help' lists the options";
  refused({"--hypotheses", one, "--target", two}, 1,
          "hypotheses: '" + one +
              "' has 1 lines for 2 targets; give one translation per line, in the order of the targets");
  refused({"--hypotheses", two, "--target", blank}, 1,
          "hypotheses: target 2 is blank; remove it and its translation from both files");
  refused({"--hypotheses", empty, "--target", empty}, 1,
          "hypotheses: '" + empty + "' is empty; give one translation per line");
  refused({}, 2, "--model is required" + help);
  refused({"--hypotheses", one}, 2,
          "--hypotheses: needs references; give --target FILE, or --model RUN for its test part" + help);
  refused({"--hypotheses", one, "--target", one, "--beam", "3"}, 2,
          "--beam cannot be combined with --hypotheses; omit one of them" + help);
  refused({"--hypotheses", one, "--model", evaluate.model, "--lowercase"}, 2,
          "--lowercase: has no effect with --model, whose options decide; omit it" + help);
  refused({"--model", evaluate.model, "--lowercase"}, 2, "--lowercase: needs --hypotheses" + help);
  refused({"--model", evaluate.model, "--target", one}, 2, "--target needs --source" + help);
  refused({"--hypotheses", one, "--model", evaluate.model, "--model", evaluate.model}, 2,
          "--hypotheses: takes at most one --model" + help);
}

TEST_CASE("training data is not overwritten", "[tools][evaluate]") {
  const Scratch data;
  tools::Settings settings = small_settings();
  settings.data.phrases.clear();
  settings.data.train.pairs = data.path() / "pairs";
  const std::string text = "one\tb\ntwo\tb\nthree\tb\nfour\tb\nfive\tb\n";
  write(settings.data.train.pairs, text);
  const Command evaluate(settings);
  const Ran ran = evaluate({"--part", "train", "--out", settings.data.train.pairs});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus evaluate: out: '" + settings.data.train.pairs.string() +
                       "' is an input of this command and would be overwritten; choose another name\n");
  CHECK(content(settings.data.train.pairs) == text);
}

TEST_CASE("the part must not be empty, and must be the same for all models", "[tools][evaluate]") {
  tools::Settings settings = small_settings();
  settings.data.test_percent = 0;
  const Command empty(settings);
  const Ran nothing = empty({});
  CHECK(nothing.code == 1);
  CHECK(nothing.err ==
        "gradus evaluate: corpus: the test part of the model's corpus is empty; give --pairs\n");
  settings.data.test_percent = 7;
  const Command one(settings);
  const Command five;
  const Ran ran = one({"--model", five.model});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus evaluate: corpus: '" + one.model + "' and '" + five.model +
                       "' have different test parts; give --pairs for both\n");
  settings.data.swap = true;
  const Command swapped(settings);
  const Ran given = one({"--model", swapped.model, "--pairs", one.file("pairs", "the book\tle livre\n")});
  CHECK(given.code == 1);
  CHECK(given.err == "gradus evaluate: corpus: '" + one.model + "' and '" + swapped.model +
                         "' read the given pairs differently, because only one was trained with --swap; "
                         "evaluate one at a time\n");
}
