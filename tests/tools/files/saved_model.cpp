// Saves and loads settings and checkpoints.

#include "files/saved_model.hpp"

#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <sstream>

#include "tools/run.hpp"

namespace tools = gradus::tools;
namespace fs = std::filesystem;

TEST_CASE("settings round-trip through text", "[tools][settings]") {
  tools::Settings settings = small_settings();
  settings.model.cell = gradus::models::Cell::lstm;
  settings.model.bridge = gradus::models::Bridge::summary;
  settings.model.bidirectional = false;
  settings.data.lower = false;
  settings.data.train.source = "a folder/with \"quotes\"";
  settings.trainer.loss.attention_entropy = -0.125;
  settings.trainer.loss.attention_coverage = 0.375;
  settings.run.learning_rate = 0.1 + 0.2;
  const std::string text = tools::to_text(settings);
  INFO(text);
  const tools::Settings read = tools::settings_from_text(text);
  CHECK(tools::to_text(read) == text);
  CHECK(read.model.cell == gradus::models::Cell::lstm);
  CHECK(read.model.bridge == gradus::models::Bridge::summary);
  CHECK_FALSE(read.model.bidirectional);
  CHECK_FALSE(read.data.lower);
  CHECK(read.data.train.source == settings.data.train.source);
  CHECK(read.trainer.loss.attention_entropy == -0.125);
  CHECK(read.trainer.loss.attention_coverage == 0.375);
  CHECK(read.run.learning_rate == settings.run.learning_rate);
}

TEST_CASE("settings may have a byte order mark, comments, and # in quotes", "[tools][settings]") {
  const tools::Settings read = tools::settings_from_text(
      "\xef\xbb\xbfsteps=7 # not 8\n# seed=9\nout=\"a #1 run\" # a folder\npairs='b#2'\nhidden=3#4\n");
  CHECK(read.trainer.steps == 7);
  CHECK(read.run.seed == 1);
  CHECK(read.run.out == "a #1 run");
  CHECK(read.data.train.pairs == "b#2");
  CHECK(read.model.hidden == 3);

  tools::Settings settings = small_settings();
  for (const char* path : {"#", "a#b", "a folder #1", "it's #1", "#\"quoted\"", "a # b"}) {
    settings.data.train.pairs = path;
    settings.run.out = path;
    CHECK(tools::settings_from_text(tools::to_text(settings)).data.train.pairs == path);
    CHECK(tools::settings_from_text(tools::to_text(settings)).run.out == path);
  }
}

// CLI11 before 2.4 writes a backslash in a setting without escaping it.
TEST_CASE("a path with a backslash is read back unchanged, or refused", "[tools][settings]") {
  tools::Settings settings = small_settings();
  settings.data.train.source = "a folder\\";
  std::string text;
  try {
    text = tools::to_text(settings);
  } catch (const gradus::Error& error) {
    CHECK(std::string(error.what()) ==
          "settings: a path with a backslash, a line break or both kinds of quotes cannot be saved; rename "
          "the file or folder");
    return;
  }
  CHECK(tools::settings_from_text(text).data.train.source == settings.data.train.source);
}

TEST_CASE("an unknown setting is named", "[tools][settings]") {
  CHECK_THROWS_WITH(tools::settings_from_text("hiden=3\n"), "settings: unknown option 'hiden'");
}

TEST_CASE("a saved model loads with its settings and vocabularies", "[tools][checkpoint]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  for (const fs::path& given : {path, scratch.path()}) {
    const tools::SavedModel saved = tools::load_saved_model(given, gradus::models::Registry::standard());
    CHECK(tools::to_text(saved.settings) == tools::to_text(small_settings()));
    CHECK(saved.sides.target.vocabulary.contains("livre"));
    CHECK(saved.sides.target.tokeniser.options().french_spacing);
    CHECK_FALSE(saved.model->is_training());
  }
}

TEST_CASE("a model trained in bf16 is read on every processor", "[tools][checkpoint]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  settings.trainer.precision = gradus::Precision::bf16;
  const fs::path path = write_small_model(scratch.path(), settings);
  const tools::SavedModel saved = tools::load_saved_model(path, gradus::models::Registry::standard());
  CHECK(saved.settings.trainer.precision == gradus::Precision::bf16);
  CHECK(run({"translate", "--model", path}, "go .\n").code == 0);

  if (gradus::supports(gradus::Precision::bf16)) return;
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"train", "--task", "copy", "--precision", "bf16", "--out", scratch.path() / "new"},
           {"translate", "--model", path, "--precision", "bf16"}}) {
    const Ran ran = run(command, "go .\n");
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err,
               Catch::Matchers::StartsWith("gradus " + command.front() + ": --precision") &&
                   Catch::Matchers::ContainsSubstring(
                       " bf16 needs a processor with bf16 instructions and a gradus built with oneDNN; use "
                       "bf16-emulated, which rounds the same way and multiplies in f32; "));
  }
  CHECK_FALSE(fs::exists(scratch.path() / "new"));
}

TEST_CASE("a model with a NaN or an infinity is refused by every search", "[tools][checkpoint][errors]") {
  const Scratch scratch;
  const std::string path = write_small_model(scratch.path()), weights = scratch.path() / "weights",
                    name = "decoder.rnn.bias_ih_l0";
  const gradus::models::Checkpoint whole = gradus::models::load_checkpoint(path);
  for (const float bad : {NAN, INFINITY, -INFINITY}) {  // with ±∞, outputs stay finite: gates saturate
    gradus::models::Checkpoint checkpoint = whole;
    gradus::NamedTensors state;
    for (auto& [own, tensor] : checkpoint.tensors) {
      if (own == "model." + name) tensor = gradus::full(tensor.shape(), bad);
      state.emplace_back(own.substr(std::string("model.").size()), tensor);
    }
    gradus::models::save_checkpoint(path, checkpoint);
    gradus::nn::save_safetensors(weights, state);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"translate"},
                                                    {"translate", "--beam", "2"},
                                                    {"translate", "--sample"},
                                                    {"evaluate"},
                                                    {"align", "--text", "go."},
                                                    {"convert", "--to", weights + "2"}}) {
      std::vector<std::string> all = command;
      all.insert(all.end(), {"--model", path});
      std::ostringstream message;
      message << "gradus " << command.front() << ": checkpoint: '" << path << "' has the value " << bad
              << " in '" << name << "'; give another checkpoint, or train again with a lower learning rate\n";
      const Ran ran = run(all, "go.\n");
      CHECK(ran.code == 1);
      CHECK(ran.err == message.str());
    }
    gradus::models::save_checkpoint(path, whole);
    const Ran converted = run({"convert", "--model", path, "--from", weights, "--out", path + "2"});
    CHECK(converted.code == 1);
    CHECK(converted.err.find("'" + weights + "' has the value ") != std::string::npos);
  }
}
