// `gradus info`: describes files as text and as JSON.

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/data/phrases.hpp>
#include <gradus/nn/safetensors.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "json.hpp"
#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace nn = gradus::nn;
namespace tools = gradus::tools;
using gradus::Dtype;

namespace {

fs::path write_trained_model(const fs::path& folder, double best) {
  tools::Settings settings = small_settings();
  settings.data.bpe = 20;
  const fs::path path = write_small_model(folder, settings);
  models::Checkpoint checkpoint = models::load_checkpoint(path);
  checkpoint.tensors.emplace_back("trainer.steps", gradus::tensor({1234567}, Dtype::i64).reshape({}));
  checkpoint.tensors.emplace_back("trainer.best", gradus::full({}, best, Dtype::f64));
  models::save_checkpoint(path, checkpoint);
  return path;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("info describes a checkpoint", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = write_trained_model(scratch.path(), 1.5);
  const tools::SavedModel saved = tools::load_saved_model(path, models::Registry::standard());
  for (const fs::path& given : {path, scratch.path()}) {
    const Ran ran = run({"info", given});
    INFO(ran.out);
    CHECK(ran.code == 0);
    CHECK(ran.out.starts_with("checkpoint  " + path.string() + "\nformat      1\nmade with   gradus "));
    CHECK(has(ran.out, ", threads " + saved.checkpoint.metadata.at("gradus.threads") + "\n"));
    CHECK(has(ran.out,
              "\nstep        1234567 of 5000\nbest score  1.5 (loss)\nseed        1\n"
              "data        the phrases eng-fra\nsource      " +
                  std::to_string(saved.sides.source.vocabulary.size()) +
                  " tokens, unit word, 20 byte-pair merges\n"));
    CHECK(has(ran.out, "\nparameters: " + std::to_string(saved.model->parameter_count()) + "\n"));
    CHECK(has(ran.out, "\n      v_a (5): 5\n"));
    CHECK_FALSE(has(ran.out, "\nhere "));
  }
}

TEST_CASE("info reports why results would not be bit-identical", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  const int before = gradus::build_info().threads;
  gradus::set_threads(before + 1);
  const std::string out = run({"info", path}).out;
  gradus::set_threads(before);
  CHECK(has(out, "\nhere        the number of threads was " + std::to_string(before) + " and is " +
                     std::to_string(before + 1) + "\n"));
}

TEST_CASE("info reports a checkpoint without training state, or without a score", "[tools][info]") {
  const Scratch scratch;
  CHECK(has(run({"info", write_small_model(scratch.path() / "weights")}).out,
            "\nstep        none: weights only, training cannot be resumed\n"));
  const fs::path early = write_trained_model(scratch.path() / "early", HUGE_VAL);
  CHECK(has(run({"info", early}).out, "\nbest score  none yet\n"));
}

TEST_CASE("info prints only settings or tensors", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  CHECK((run({"info", path, "--settings"}).out == tools::to_text(small_settings())));
  const std::string tensors = run({"info", path, "--tensors"}).out;
  CHECK(has(tensors, "model.decoder.attention.v_a f32 (5)\n"));
  const auto state = models::load_checkpoint(path).tensors;
  CHECK(std::ranges::count(tensors, '\n') == std::ssize(state));
}

TEST_CASE("info prints JSON", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = write_trained_model(scratch.path(), 1.5);
  const Ran ran = run({"info", path, "--json"});
  const tools::SavedModel saved = tools::load_saved_model(path, models::Registry::standard());
  const Json json = JsonReader(ran.out).read();
  CHECK(json["path"].text() == path.string());
  CHECK(json["checkpoint"].boolean());
  CHECK(json["step"].number() == 1234567);
  CHECK(json["best"].number() == 1.5);
  CHECK(json["source_vocabulary"].number() == static_cast<double>(saved.sides.source.vocabulary.size()));
  CHECK(json["target_vocabulary"].number() == static_cast<double>(saved.sides.target.vocabulary.size()));
  CHECK(json["parameters"].number() == static_cast<double>(saved.model->parameter_count()));
  CHECK(json["metadata"]["gradus.format"].text() == "1");
  CHECK_FALSE(json["metadata"].has("source.vocabulary"));
  bool found = false;
  for (const Json& tensor : json["tensors"].list()) {
    if (tensor["name"].text() != "model.decoder.attention.W_a.weight") continue;
    found = true;
    CHECK(tensor["dtype"].text() == "f32");
    CHECK(tensor["shape"].list().at(0).number() == 5);
    CHECK(tensor["shape"].list().at(1).number() == 7);
  }
  CHECK(found);
}

TEST_CASE("info describes any safetensors file", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "w.safetensors";
  nn::save_safetensors(path, {{"a", gradus::zeros({2, 3})}}, {{"format", "pt"}, {"quote", "\"\n\x01\\"}});
  const Ran ran = run({"info", path});
  CHECK(ran.code == 0);
  CHECK(ran.out.starts_with(path.string() +
                            " is a file of tensors, not a checkpoint\nformat      \"pt\"\nquote       "));
  CHECK(ran.out.ends_with("\n\na f32 (2, 3)\n"));
  const std::string json = run({"info", path, "--json"}).out;
  CHECK(has(json, "\"checkpoint\": false,\n  \"step\": null,\n"));
  CHECK(has(json, R"("quote": "\"\n\u0001\\")"));
}

TEST_CASE("info refuses a checkpoint with an unknown class, except for its tensors", "[tools][info]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  const fs::path path = write_small_model(scratch.path(), settings);
  models::Checkpoint checkpoint = models::load_checkpoint(path);
  settings.model.attention = "mine";
  checkpoint.metadata["settings"] = tools::to_text(settings);
  models::save_checkpoint(path, checkpoint);
  const Ran without = run({"info", path});
  CHECK(without.code == 1);
  CHECK(without.err ==
        "gradus info: checkpoint: '" + path.string() +
            "' has wrong settings: unknown attention 'mine'; available: additive, dot, gumbel, "
            "hard, local_p, location, monotonic, scaled_dot, shared_additive, sparsemax, top_k\n");
  CHECK(has(run({"info", path, "--tensors"}).out, "model.decoder.attention.v_a f32 (5)\n"));
  models::Registry registry = models::Registry::standard();
  registry.attentions["mine"] = registry.attentions["additive"];
  CHECK(has(run({"info", path}, "", registry).out, "\nparameters: "));
}

TEST_CASE("info reports errors", "[tools][info][errors]") {
  const Scratch scratch;
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "info");
    const Ran ran = run(arguments);
    CHECK(ran.out == "");
    return std::to_string(ran.code) + " " + ran.err;
  };
  const fs::path none = scratch.path() / "none", plain = scratch.path() / "plain",
                 damaged = write_small_model(scratch.path() / "damaged");
  const std::string usage = "; 'gradus info --help' lists the options\n";
  CHECK(refused({}) == "2 gradus info: path is required" + usage);
  CHECK(refused({"a", "--json", "--settings"}) ==
        "2 gradus info: --settings cannot be combined with --json; omit one of them" + usage);
  CHECK(refused({none}) == "1 gradus info: '" + none.string() +
                               "' cannot be opened: No such file or directory; check the path\n");
  CHECK(
      refused({scratch.path()}) ==
      "1 gradus info: checkpoint: the folder '" + scratch.path().string() +
          "' has neither best.safetensors nor last.safetensors; give the folder of a run of gradus train\n");
  nn::save_safetensors(plain, {{"a", gradus::zeros({2})}});
  CHECK(refused({plain, "--settings"}) ==
        "1 gradus info: settings: '" + plain.string() +
            "' has no settings; give a checkpoint written by gradus train\n");
  models::Checkpoint other = models::load_checkpoint(damaged);
  other.metadata["source.vocabulary"] += "x\n";
  nn::save_safetensors(scratch.path() / "other", other.tensors, other.metadata);  // the checksum is now wrong
  CHECK(refused({scratch.path() / "other"})
            .starts_with("1 gradus info: '" + (scratch.path() / "other").string() + "' is damaged: "));
  models::Checkpoint checkpoint = models::load_checkpoint(damaged);
  checkpoint.metadata.erase("source.vocabulary");
  models::save_checkpoint(damaged, checkpoint);
  CHECK(refused({damaged}) == "1 gradus info: checkpoint: '" + damaged.string() +
                                  "' has no source vocabulary; give a checkpoint written by gradus train\n");
}

TEST_CASE("every command refuses a checkpoint that was edited, with its name", "[tools][info][errors]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  const models::Checkpoint whole = models::load_checkpoint(path);
  const auto check = [&](const auto& change, const std::string& message) {
    models::Checkpoint edited = whole;
    tools::Settings settings = small_settings();
    change(edited, settings);
    edited.metadata["settings"] = tools::to_text(settings);
    models::save_checkpoint(path, edited);
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"info", path},
             {"info", path, "--json"},
             {"info", path, "--settings"},
             {"info", path, "--pairs", "dev"},
             {"translate", "--model", path},
             {"evaluate", "--model", path},
             {"convert", "--model", path, "--to", scratch.path() / "weights"},
             {"compress", "--model", path, "--int8", "--out", scratch.path() / "small"}}) {
      const Ran ran = run(command, "good\n");
      CHECK(ran.code == 1);
      CHECK(ran.out == "");
      CHECK(ran.err == "gradus " + command.front() + ": " + message + '\n');
    }
  };
  const std::string name = "'" + path.string() + "'",
                    misfit = name + " does not fit, so nothing was loaded: ",
                    tail = "; give a checkpoint written by gradus train";
  check([](auto&, tools::Settings& settings) { settings.data.bpe = 5; },
        "checkpoint: " + name +
            " has settings with bpe=5 but no source byte-pair encoding; give a checkpoint written by gradus "
            "train");
  check([](models::Checkpoint& edited, auto&) { edited.tensors.front().first += "x"; },
        misfit + "missing 'decoder.W_s.weight'; unexpected 'decoder.W_s.weightx'" + tail);
  check([](auto&, tools::Settings& settings) { settings.model.bridge = models::Bridge::copy; },
        misfit + "unexpected 'decoder.W_s.weight'" + tail);
}

TEST_CASE("a checkpoint whose settings name no data is refused where the data is read",
          "[tools][info][errors]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  models::Checkpoint edited = models::load_checkpoint(path);
  tools::Settings settings = small_settings();
  settings.data.phrases = "";
  edited.metadata["settings"] = tools::to_text(settings);
  models::save_checkpoint(path, edited);
  CHECK(run({"info", path}).code == 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"evaluate", "--model", path}, {"info", path, "--pairs", "dev"}}) {
    const Ran ran = run(command);
    CHECK(ran.code == 1);
    CHECK(ran.err ==
          "gradus " + command.front() + ": corpus: '" + path.string() +
              "' has wrong settings: no training data; give a checkpoint written by gradus train\n");
  }
}

TEST_CASE("info prints the pairs of each part, and no source is in two parts", "[tools][info]") {
  const Scratch scratch;
  const fs::path path = write_small_model(scratch.path());
  std::set<std::string> sources;
  std::size_t lines = 0;
  for (const char* part : {"train", "dev", "test"}) {
    const Ran ran = run({"info", path.string(), "--pairs", part});
    REQUIRE(ran.code == 0);
    std::istringstream text(ran.out);
    for (std::string line; std::getline(text, line); ++lines) sources.insert(line.substr(0, line.find('\t')));
  }
  CHECK(lines == gradus::data::phrases("eng-fra").size());
  CHECK(sources.size() == lines);  // every English phrase occurs exactly once
}

TEST_CASE("the pairs of a model trained with --swap can be evaluated again", "[tools][info]") {
  tools::Settings settings = small_settings();
  settings.data.swap = true;
  const Scratch scratch;
  const std::string path = write_small_model(scratch.path(), settings), pairs = scratch.path() / "pairs";
  const Ran ran = run({"info", path, "--pairs", "test"});
  REQUIRE(ran.code == 0);
  std::ofstream(pairs) << ran.out;
  const auto figures = [&](const std::string& option, const std::string& value) {
    const std::string out = run({"evaluate", "--model", path, "--json", option, value}).out;
    return out.substr(out.find("\"pairs\":"));
  };
  CHECK(figures("--pairs", pairs) == figures("--part", "test"));
}
