// `gradus convert`: copies weights from a file into a checkpoint, and from a checkpoint into a file.

#include <gradus/autograd/ops.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/safetensors.hpp>

#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace nn = gradus::nn;
namespace tools = gradus::tools;

namespace {

// Writes a checkpoint with training state. The weights differ from the initial ones.
fs::path write_trained_model(const fs::path& folder) {
  const fs::path path = write_small_model(folder);
  models::Checkpoint checkpoint = models::load_checkpoint(path);
  for (auto& [name, tensor] : checkpoint.tensors) tensor = tensor + gradus::full({}, 0.25);
  checkpoint.tensors.emplace_back("trainer.steps", gradus::tensor({12}, gradus::Dtype::i64));
  models::save_checkpoint(path, checkpoint);
  return path;
}

}  // namespace

TEST_CASE("weights round-trip through a file for PyTorch", "[tools][convert]") {
  const Scratch scratch;
  const fs::path trained = write_trained_model(scratch.path() / "trained"),
                 fresh = write_small_model(scratch.path() / "fresh"),
                 weights = scratch.path() / "w.safetensors", again = scratch.path() / "again.safetensors",
                 last = scratch.path() / "last.safetensors";
  REQUIRE(run({"convert", "--model", trained, "--to", weights}).code == 0);
  const nn::Safetensors file = nn::load_safetensors(weights);
  CHECK(file.metadata == nn::Metadata{{"format", "pt"}});
  const auto saved = tools::load_saved_model(trained, models::Registry::standard());
  CHECK(file.tensors.size() == saved.model->state_dict().size());

  const Ran ran = run({"convert", "--model", fresh, "--from", weights, "--out", again});
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  const auto back = tools::load_saved_model(again, models::Registry::standard());
  CHECK(tools::to_text(back.settings) == tools::to_text(saved.settings));
  CHECK(back.sides.target.vocabulary == saved.sides.target.vocabulary);
  const auto corpus = tools::read_corpus(saved.settings.data, 1);
  const auto batch = gradus::data::make_batch(tools::encode(std::span(corpus.train).first(4), saved.sides));
  CHECK(models::loss(*back.model, batch).total.item() == models::loss(*saved.model, batch).total.item());

  REQUIRE(run({"convert", "--model", again, "--to", last}).code == 0);
  CHECK((content(last) == content(weights)));
}

TEST_CASE("a checkpoint of converted weights has no training state", "[tools][convert]") {
  const Scratch scratch;
  const fs::path trained = write_trained_model(scratch.path()), weights = scratch.path() / "w.safetensors",
                 out = scratch.path() / "out.safetensors";
  REQUIRE(run({"convert", "--model", trained, "--to", weights}).code == 0);
  REQUIRE(run({"convert", "--model", trained, "--from", weights, "--out", out}).code == 0);
  for (const auto& [name, tensor] : models::load_checkpoint(out).tensors) CHECK(name.starts_with("model."));
}

TEST_CASE("shared weights are stored under each of their names, as in PyTorch", "[tools][convert]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  settings.model.tied = models::Tied::output;
  settings.model.readout = models::ReadoutForm::state;
  const fs::path weights = scratch.path() / "w.safetensors";
  REQUIRE(run({"convert", "--model", write_small_model(scratch.path(), settings), "--to", weights}).code ==
          0);
  gradus::Tensor embedding, readout;
  for (const auto& [name, tensor] : nn::load_safetensors(weights).tensors) {
    if (name == "decoder.embedding.weight") embedding = tensor;
    if (name == "decoder.readout.weight") readout = tensor;
  }
  REQUIRE(embedding.defined());
  REQUIRE(readout.defined());
  CHECK((embedding.to_vector<double>() == readout.to_vector<double>()));
}

TEST_CASE("vocabularies and byte-pair encodings can be written as text", "[tools][convert]") {
  const Scratch scratch;
  tools::Settings settings = small_settings();
  settings.data.bpe = 20;
  const fs::path model = write_small_model(scratch.path() / "run", settings), folder = scratch.path() / "out";
  REQUIRE(run({"convert", "--model", model, "--vocabulary-out", folder}).code == 0);
  const auto saved = tools::load_saved_model(model, models::Registry::standard());
  CHECK((content(folder / "source.vocabulary.txt") == saved.sides.source.vocabulary.to_text()));
  CHECK((content(folder / "target.vocabulary.txt") == saved.sides.target.vocabulary.to_text()));
  CHECK((content(folder / "source.bpe.txt") == saved.sides.source.tokeniser.bpe()->to_text()));
  CHECK((content(folder / "target.bpe.txt") == saved.sides.target.tokeniser.bpe()->to_text()));
}

TEST_CASE("convert reports errors and then writes nothing", "[tools][convert][errors]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path() / "run"),
                 weights = scratch.path() / "w.safetensors", out = scratch.path() / "out.safetensors";
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convert");
    const Ran ran = run(arguments);
    CHECK(ran.out == "");
    CHECK_FALSE(fs::exists(out));
    return std::to_string(ran.code) + " " + ran.err;
  };
  const std::string usage = "; 'gradus convert --help' lists the options\n";
  CHECK(refused({"--to", out}) == "2 gradus convert: --model is required" + usage);
  CHECK(refused({"--model", model}) ==
        "2 gradus convert: nothing to convert; give --to, --from with --out, or --vocabulary-out" + usage);
  CHECK(refused({"--model", model, "--from", weights}) == "2 gradus convert: --from needs --out" + usage);
  CHECK(refused({"--model", model, "--out", out}) == "2 gradus convert: --out needs --from" + usage);
  CHECK(refused({"--model", model, "--to", out, "--from", weights, "--out", out}) ==
        "2 gradus convert: --to cannot be combined with --from; omit one of them" + usage);
  CHECK(refused({"--model", model, "--from", weights, "--out", out}) ==
        "1 gradus convert: '" + weights.string() +
            "' cannot be opened: No such file or directory; check the path\n");

  for (const std::string option : {"--to", "--out"}) {
    CHECK(refused({"--model", model, option, "-"}) ==
          "2 gradus convert: " + option + ": '-' is standard output, but weights are binary; name a file" +
              usage);
  }
  CHECK(refused({"--model", model, "--vocabulary-out", "-"}) ==
        "2 gradus convert: --vocabulary-out: '-' is standard output, but several files are written; name a "
        "file" +
            usage);
  const std::string before = content(model);
  CHECK(refused({"--model", model.parent_path(), "--to", model}) ==
        "1 gradus convert: --to: '" + model.string() +
            "' is an input of this command and would be overwritten; choose another name\n");
  CHECK((content(model) == before));

  auto state = tools::load_saved_model(model, models::Registry::standard()).model->state_dict();
  state.erase(state.begin(), state.begin() + 2);
  state.emplace_back("decoder.mine", gradus::zeros({2}));
  nn::save_safetensors(weights, state);
  CHECK(refused({"--model", model, "--from", weights, "--out", out}) ==
        "1 gradus convert: '" + weights.string() +
            "' does not fit, so nothing was loaded: missing 'encoder.embedding.weight', "
            "'encoder.rnn.weight_ih_l0'; unexpected 'decoder.mine'; give the state of a module made with the "
            "same sizes\n");
  CHECK(refused({"--model", model, "--from", model, "--out", out}) ==
        "1 gradus convert: --from: '" + model.string() +
            "' is a checkpoint, not a file of weights; convert it first: gradus convert --model " +
            model.string() + " --to FILE\n");
  CHECK(refused({"--model", weights, "--to", out}) ==
        "1 gradus convert: '" + weights.string() +
            "' is not a checkpoint but a plain tensor file; give a file saved by training\n");
}

TEST_CASE("a file that cannot be written completely is unchanged", "[tools][convert][errors]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path()), weights = scratch.path() / "w.safetensors";
  REQUIRE(run({"convert", "--model", model, "--to", weights}).code == 0);
  const std::string before = content(weights);
  Ran ran;
  {
    const SizeLimit full_disk(1000);
    ran = run({"convert", "--model", model, "--to", weights});
  }
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus convert: cannot write to '" + weights.string() +
            "': File too large; raise the limit of this shell, 'ulimit -f', or choose another file system\n");
  CHECK((content(weights) == before));
  CHECK(names(scratch.path()).size() == 2);
}

TEST_CASE("weights without a training state name their writer and --init-from", "[tools][convert][errors]") {
  const Scratch scratch;
  const fs::path model = write_small_model(scratch.path() / "run"),
                 weights = scratch.path() / "w.safetensors", out = scratch.path() / "out.safetensors",
                 small = scratch.path() / "small";
  REQUIRE(run({"convert", "--model", model, "--to", weights}).code == 0);
  REQUIRE(run({"convert", "--model", model, "--from", weights, "--out", out}).code == 0);
  REQUIRE(run({"compress", "--prune", "0.5", "--model", model, "--out", small}).code == 0);
  const auto check = [](const fs::path& path, const std::string& origin) {
    CHECK(run({"train", "--resume", path}).err ==
          "gradus train: resume: '" + path.string() + "' " + origin +
              "holds only weights, without the state of the training; start a new run from them with "
              "--init-from " +
              path.string() + "\n");
  };
  check(out, "was written by gradus convert and ");
  check(small / "best.safetensors", "was written by gradus compress and ");
  check(model, "");
  auto average = models::load_checkpoint(model);
  average.metadata["averaged"] = "1 2";
  models::save_checkpoint(weights, average);
  check(weights, "is an average of checkpoints and ");
}
