// Ensembles in `gradus translate`, `evaluate`, `score` and `align`.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/greedy.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "files/saved_ensemble.hpp"
#include "reports/measure.hpp"
#include "tools/run.hpp"

namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

const std::string sentences = "where is the red book?\n\ngood morning\nthe book\n";

tools::Settings fixed_settings() {
  tools::Settings settings = small_settings();
  settings.model.decoder = "fixed";
  settings.model.hidden = 9;
  return settings;
}

// Three untrained models with the same vocabularies: two with attention, one without.
struct Models {
  Scratch scratch;
  std::vector<std::string> paths{write_small_model(scratch.path() / "a"),
                                 write_small_model(scratch.path() / "b", small_settings(), 2),
                                 write_small_model(scratch.path() / "c", fixed_settings(), 3)};

  std::vector<std::string> arguments(const std::string& command, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{command};
    for (const std::string& path : paths) all.insert(all.end(), {"--model", path});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  tools::SavedEnsemble load() const { return tools::load_ensemble(paths, models::Registry::standard()); }
};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> split;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) split.push_back(line);
  return split;
}

}  // namespace

TEST_CASE("translate with several models translates with their ensemble", "[tools][ensemble]") {
  const Models models;
  const auto saved = models.load();
  for (const bool beam : {false, true}) {
    const Ran ran = run(models.arguments("translate", beam ? std::vector<std::string>{"--beam", "3"}
                                                           : std::vector<std::string>{}),
                        sentences);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const auto found =
        tools::translate_sentences(saved.model(), saved.sides(), lines(sentences),
                                   beam ? models::beam_search({.width = 3}) : models::greedy());
    std::string expected;
    for (const auto& translations : found) {
      expected += (translations.empty() ? "" : translations.front().text) + "\n";
    }
    CHECK(ran.out == expected);
    CHECK(ran.out != run({"translate", "--model", models.paths[0]}, sentences).out);
  }
  CHECK(run(models.arguments("translate", {"--sample", "--seed", "3"}), sentences).code == 0);
  CHECK(
      run(models.arguments("translate", {"--alignments", models.scratch.path() / "links"}), sentences).code ==
      0);
  CHECK(run(models.arguments("align", {"--text", "good morning", "--json", "-"})).code == 0);
}

TEST_CASE("evaluate compares models, or with --ensemble evaluates them together", "[tools][ensemble]") {
  const Models models;
  const auto saved = models.load();
  const auto corpus = tools::read_corpus(saved.members[0].settings.data, 1);
  const auto scores = tools::measure(saved.model(), saved.sides(), corpus.test, models::greedy());
  const std::filesystem::path out = models.scratch.path() / "out";
  const Ran ran = run(models.arguments("evaluate", {"--ensemble", "--json", "--out", out}));
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto json = nlohmann::json::parse(ran.out);
  REQUIRE(json["models"].size() == 1);
  CHECK(json["models"][0]["model"] == models.paths[0] + " + " + models.paths[1] + " + " + models.paths[2]);
  CHECK(json["models"][0]["bleu"] == scores.bleu());
  CHECK(json["models"][0]["perplexity"] == scores.perplexity());
  CHECK(lines(content(out)).size() == corpus.test.size());
  CHECK(nlohmann::json::parse(run(models.arguments("evaluate", {"--json"})).out)["models"].size() == 3);
}

TEST_CASE("models of an ensemble must split text and count tokens alike", "[tools][ensemble]") {
  const Scratch scratch;
  const std::string a = write_small_model(scratch.path() / "a");
  const auto refused = [&](const tools::Settings& other, const std::string& message) {
    const std::string b = write_small_model(scratch.path() / "b", other);
    const std::string end =
        "; an ensemble needs models trained on the same text with the same options for tokens\n";
    for (const std::string command : {"translate", "score", "align"}) {
      const Ran ran = run({command, "--model", a, "--model", b}, "good\tbon\n");
      CHECK(ran.code == 1);
      CHECK(ran.err == "gradus " + command + ": ensemble: '" + a + "' and '" + b + "' " + message + end);
    }
    const Ran ran = run({"evaluate", "--model", a, "--model", b, "--ensemble"});
    CHECK(ran.err == "gradus evaluate: ensemble: '" + a + "' and '" + b + "' " + message + end);
  };
  tools::Settings other = small_settings();
  other.data.min_count = 2;
  refused(other, "have different source vocabularies");
  other = small_settings();
  other.data.lower = false;
  refused(other, "split text differently into source tokens");
  other = small_settings();
  other.data.bpe = 20;
  refused(other, "split text differently into source tokens");
  other = small_settings();
  other.data.french_spacing = false;
  refused(other, "split text differently into target tokens");
}

TEST_CASE("models of a generated task need the same seed for an ensemble", "[tools][ensemble]") {
  const Scratch scratch;
  const auto train = [&](const std::string& seed) {
    const std::string out = (scratch.path() / seed).string();
    REQUIRE(run({"train", "--task", "reverse", "--examples", "30", "--held-out", "4", "--hidden", "4",
                 "--embedding", "4", "--energy", "4", "--steps", "1", "--seed", seed, "--out", out})
                .code == 0);
    return out;
  };
  const std::string a = train("1"), b = train("2");
  const Ran ran = run({"translate", "--model", a, "--model", b}, "1 2\n");
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus translate: ensemble: '" + a + "' and '" + b +
                       "' have different source vocabularies; an ensemble needs models trained with the same "
                       "--task, --seed and options for examples and tokens\n");
}

TEST_CASE("the option --ensemble needs several models", "[tools][ensemble]") {
  const Models models;
  const Ran ran = run({"evaluate", "--model", models.paths[0], "--ensemble"});
  CHECK(ran.code == 2);
  CHECK(ran.err ==
        "gradus evaluate: --ensemble: needs more than one --model; 'gradus evaluate --help' lists the "
        "options\n");
  const Ran out = run(models.arguments("evaluate", {"--out", models.scratch.path() / "out"}));
  CHECK(out.code == 2);
  CHECK(out.err ==
        "gradus evaluate: --out: needs exactly one --model, or --ensemble; 'gradus evaluate --help' "
        "lists the options\n");
}
