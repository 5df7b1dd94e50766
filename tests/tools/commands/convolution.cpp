// Models with an encoder that halves the number of annotations, in every command.

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "json.hpp"
#include "tools/stopped_run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace tools = gradus::tools;

namespace {

const std::string five = "3 1 4 1 5\n";

std::string checkpoint(const fs::path& run) { return (run / "best.safetensors").string(); }

// The weights that `align` writes: one list per target token, with a weight for each of the five source
// tokens.
std::vector<std::vector<double>> aligned(const Scratch& scratch, const fs::path& model) {
  const std::string json = scratch.path() / "aligned.json";
  REQUIRE(run({"align", "--model", model, "--text", five, "--target", "5 1 4 1 3", "--json", json}).code ==
          0);
  const std::string text = content(json);
  const Json found = JsonReader(text).read();
  const Json& alignment = found.list().at(0);
  CHECK(alignment["source_tokens"].texts() == std::vector<std::string>{"3", "1", "4", "1", "5"});
  std::vector<std::vector<double>> rows;
  for (const Json& row : alignment["weights"].list()) {
    rows.emplace_back();
    for (const Json& weight : row.list()) rows.back().push_back(weight.number());
  }
  return rows;
}

}  // namespace

TEST_CASE("every command takes a model with a convolution", "[tools][convolution]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "run", small = scratch.path() / "small",
                 again = scratch.path() / "again";
  const Ran trained = run(arguments(out, {"--convolution"}));
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  CHECK(contains(content(out / "settings.toml"), "\nconvolution=true\n"));
  CHECK(settings_of(out).model.convolution);
  CHECK(contains(run({"info", out.string()}).out, "convolution"));

  REQUIRE(run({"compress", "--int8", "--model", out.string(), "--out", small.string()}).code == 0);
  for (const fs::path& model : {out, small}) {
    const std::string links = scratch.path() / "links";
    const Ran translated =
        run({"translate", "--model", model.string(), "--alignments", links, "--beam", "2"}, five);
    INFO(translated.err);
    CHECK(translated.code == 0);
    std::istringstream words(content(links));
    for (std::string link; words >> link;) {  // the first token of each pair
      CHECK((std::set<std::string>{"0", "2", "4"}.contains(link.substr(0, link.find('-')))));
    }
    CHECK(run({"evaluate", "--model", model.string()}).code == 0);
    const auto rows = aligned(scratch, model);
    CHECK(rows.size() == 6);
    for (const auto& row : rows) {
      REQUIRE(row.size() == 5);
      CHECK(row[0] == row[1]);
      CHECK(row[2] == row[3]);
      CHECK(std::abs(row[0] + row[1] + row[2] + row[3] + row[4] - 1) < 1e-5);
    }
  }
  const auto saved = tools::load_saved_model(small, models::Registry::standard());
  const auto matrix = saved.model->encoder.convolution->weight.to_vector<float>();
  CHECK(std::set<float>(matrix.begin(), matrix.begin() + 24).size() > 1);

  stop_after(12, out, again);
  REQUIRE(run({"train", "--resume", again.string()}).code == 0);
  CHECK((content(again / "last.safetensors") == content(out / "last.safetensors")));
}

TEST_CASE("a checkpoint without the setting convolution has no convolution", "[tools][convolution]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path() / "run");
  models::Checkpoint checkpoint = models::load_checkpoint(path);
  std::string& text = checkpoint.metadata["settings"];
  const std::string line = "convolution=false\n";
  REQUIRE(contains(text, line));
  text.erase(text.find(line), line.size());
  models::save_checkpoint(path, checkpoint);
  const auto saved = tools::load_saved_model(path, models::Registry::standard());
  CHECK_FALSE(saved.settings.model.convolution);
  CHECK(saved.model->encoder.convolution == nullptr);
}

TEST_CASE("an unknown word is replaced by the first token of the most attended pair",
          "[tools][convolution]") {
  const Scratch scratch;  // the target vocabulary has only "b"; all other words are unknown
  tools::Settings settings = small_settings();
  settings.data.phrases.clear();
  settings.data.train.pairs = scratch.path() / "pairs";
  settings.model.convolution = true;
  std::ofstream(settings.data.train.pairs) << "one\tb\ntwo\tb\nthree\tb\nfour\tb\nfive\tb\n";
  const fs::path model = write_small_model(scratch.path() / "run", settings);
  const Ran ran = run({"translate", "--model", model, "--sample", "--max-steps", "30"},
                      "first second third fourth fifth\nfirst second\nfirst\nfirst second third fourth\n");
  REQUIRE(ran.code == 0);
  std::istringstream words(ran.out);
  std::set<std::string> found;
  for (std::string word; words >> word;) found.insert(word);
  found.erase("b");
  CHECK_FALSE(found.empty());
  for (const std::string& word : found) {
    CHECK((std::set<std::string>{"first", "third", "fifth"}.contains(word)));
  }
}

TEST_CASE("what a convolution does not allow is refused", "[tools][convolution]") {
  const Scratch scratch;
  const fs::path teacher = scratch.path() / "teacher", student = scratch.path() / "student";
  const Arguments short_run{"train",      "--task",   "reverse",  "--examples", "30",
                            "--held-out", "4",        "--hidden", "4",          "--embedding",
                            "4",          "--energy", "4",        "--steps",    "1"};
  const auto train = [&](Arguments more, const fs::path& out) {
    more.insert(more.begin(), short_run.begin(), short_run.end());
    more.insert(more.end(), {"--out", out.string()});
    return run(more);
  };
  REQUIRE(train({"--convolution"}, teacher).code == 0);
  const Arguments taught{"--teacher", teacher.string(), "--teacher-attention", "0.5"};
  const Ran unlike = train(taught, student);
  CHECK(unlike.code == 2);
  CHECK(unlike.err ==
        "gradus train: --teacher-attention compares annotations, and the number of tokens per annotation "
        "is 2 in the teacher '" +
            checkpoint(teacher) +
            "' and 1 in the student; train both with the same "
            "--convolution and --pyramid, or omit --teacher-attention; 'gradus train --help' "
            "lists the options\n");
  Arguments alike = taught;
  alike.emplace_back("--convolution");
  CHECK(train(alike, student).code == 0);
  CHECK(train({"--teacher", teacher.string()}, scratch.path() / "other").code == 0);
  CHECK(contains(
      run({"translate", "--model", checkpoint(teacher), "--model", checkpoint(scratch.path() / "other")},
          five)
          .err,
      "give models with the same pyramid, convolution and silence"));
}
