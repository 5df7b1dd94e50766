// `gradus compress`: makes models in int8, in bf16 or with fewer target words. The other commands can load
// them. Also `gradus export`.

#include <algorithm>

#include "files/saved_ensemble.hpp"
#include "tools/run.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;

namespace {

struct Small {
  Scratch scratch;
  std::string model, out;
  Small() : model(write_small_model(scratch.path() / "run").parent_path()), out(scratch.path() / "x8") {}
  fs::path file() const { return fs::path(out) / "best.safetensors"; }
  Ran compress() const { return run({"compress", "--int8", "--model", model, "--out", out}); }
};

}  // namespace

TEST_CASE("every command takes an int8 model", "[tools][compress]") {
  const Small small;
  const Ran ran = small.compress();
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  CHECK(ran.out.find(small.file().string() + ": " + std::to_string(fs::file_size(small.file())) + " bytes") ==
        0);
  CHECK(fs::file_size(small.file()) < fs::file_size(fs::path(small.model) / "best.safetensors"));
  for (const auto& arguments : {std::vector<std::string>{"translate", "--model", small.out, "--beam", "2"},
                                {"evaluate", "--model", small.out},
                                {"score", "--model", small.out, "--pairs", "-"},
                                {"align", "--model", small.out, "--text", "where is the red book?"},
                                {"convert", "--model", small.out, "--to", small.out + ".pt"}}) {
    const Ran other = run(arguments, "i see .\tje vois .\n");
    CAPTURE(arguments.front(), other.err);
    CHECK(other.code == 0);
  }
  const Ran info = run({"info", small.out});
  CHECK(info.code == 0);
  CHECK(info.out.find("compressed  int8\n") != std::string::npos);
}

TEST_CASE("int8 models, which multiply in int8, refuse --precision", "[tools][compress]") {
  const Small small;
  REQUIRE(small.compress().code == 0);
  const auto standard = models::Registry::standard();
  const auto check = [&](const std::vector<std::string>& models) {
    check_precision(gradus::tools::load_ensemble(models, standard).members, gradus::Precision::bf16);
  };
  CHECK_THROWS_WITH(check({small.out}), "--precision is for f32 and bf16 models, and '" +
                                            small.file().string() +
                                            "' is an int8 model, which multiplies in int8; omit --precision");
  CHECK_NOTHROW(check({small.out, small.model}));
  for (const std::string command : {"translate", "evaluate", "score"}) {
    CHECK(run({command, "--model", small.out, "--precision", "bf16"}, "").code == 2);
  }
}

TEST_CASE("an int8 model multiplies in int8", "[tools][compress]") {
  const Small small;
  REQUIRE(small.compress().code == 0);
  const auto standard = models::Registry::standard();
  const auto saved = gradus::tools::load_saved_model(small.out, standard);
  const auto rounded = gradus::tools::make_model(saved.settings, saved.sides,
                                                 standard);  // the rounded weights, multiplied in f32
  models::load_model(*rounded, saved.checkpoint);
  rounded->eval();
  const auto logits = [](const models::Seq2Seq& model) {
    const gradus::Tensor source = gradus::tensor({{5}, {6}}, gradus::Dtype::i64);
    return model.forward(source, gradus::tensor({2}, gradus::Dtype::i64), source).logits.to_vector<float>();
  };
  const auto in_int8 = logits(*saved.model), in_f32 = logits(*rounded);
  REQUIRE(in_int8.size() == in_f32.size());
  CHECK(in_int8 != in_f32);
  for (std::size_t i = 0; i < in_f32.size(); ++i) CHECK(std::abs(in_int8[i] - in_f32[i]) < 0.02);
}

TEST_CASE("compress refuses a compressed model and a folder in use, and training refuses its result",
          "[tools][compress]") {
  const Small small;
  REQUIRE(small.compress().code == 0);
  CHECK(small.compress().err ==
        "gradus compress: '" + small.out +
            "' already has the file best.safetensors; choose another --out, or remove "
            "the folder\n");
  CHECK(run({"compress", "--int8", "--model", small.out, "--out", small.out + "x"}).err ==
        "gradus compress: '" + small.file().string() +
            "' is compressed already; give the model that was trained\n");
  for (const std::string& resumed : {small.file().string(), small.out}) {
    CHECK(run({"train", "--resume", resumed}).err ==
          "gradus train: resume: '" + small.file().string() +
              "' holds weights compressed to int8, from which training cannot start; give the run that was "
              "compressed\n");
  }
  const std::string sparse = small.out + "sparse";
  REQUIRE(run({"compress", "--prune", "0.5", "--model", small.model, "--out", sparse}).code == 0);
  CHECK(run({"train", "--resume", sparse}).err ==
        "gradus train: resume: '" + sparse +
            "/best.safetensors' was written by gradus compress and holds only weights, without the state of "
            "the training; start a new run from them with --init-from " +
            sparse + "/best.safetensors\n");
  CHECK(run({"compress", "--model", small.model, "--out", small.out + "y"}).code == 2);
  const std::string help = "; 'gradus compress --help' lists the options\n";
  CHECK(run({"compress", "--prune", "0", "--model", small.model, "--out", small.out + "y"}).err ==
        "gradus compress: --prune: expected a number above 0 and below 1, found 0" + help);
  CHECK(run({"compress", "--hidden", "7", "--model", small.model, "--out", small.out + "y"}).err ==
        "gradus compress: --hidden 7 is not below the model's 7 hidden units; give fewer" + help);
  gradus::tools::Settings settings = small_settings();
  const auto refuses_units = [&](const std::string& name, const std::string& what) {
    const fs::path other = write_small_model(small.out + name, settings);
    CHECK(run({"compress", "--hidden", "3", "--model", other.string(), "--out", small.out + "y"}).err ==
          "gradus compress: '" + other.string() + "' (" + what +
              ") cannot lose units; --hidden needs --decoder bahdanau, one layer, an encoder in both "
              "directions, "
              "an --attention with additive energies (additive, shared_additive, sparsemax, top_k, hard or "
              "gumbel), no --convolution, no --pyramid above 1, and no --readout state\n");
  };
  for (const std::string attention : {"sparsemax", "top_k", "hard", "gumbel"}) {
    settings.model.attention = attention;
    const fs::path other = write_small_model(small.out + attention, settings);
    CHECK(run({"compress", "--hidden", "3", "--model", other.string(), "--out", small.out + attention + "3"})
              .code == 0);
  }
  settings = small_settings();
  settings.model.readout = gradus::models::ReadoutForm::state;
  refuses_units("state", "decoder 'bahdanau', attention 'additive', 1 layer, readout 'state'");
  settings = small_settings();
  settings.model.convolution = true;
  refuses_units("convolution", "decoder 'bahdanau', attention 'additive', 1 layer, a convolution");
  settings = small_settings();
  for (const auto& [decoder, attention] :
       {std::pair{"fixed", "additive"}, {"bahdanau", "dot"}, {"bahdanau", "scaled_dot"}}) {
    settings.model.decoder = decoder;
    settings.model.attention = attention;
    refuses_units(std::string(decoder) + attention,
                  "decoder '" + std::string(decoder) + "', attention '" + attention + "', 1 layer");
  }
}

TEST_CASE("a model in bf16 has half the bytes and rounded weights", "[tools][compress]") {
  const Small small;
  const Ran ran = run({"compress", "--bf16", "--model", small.model, "--out", small.out});
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  const auto standard = models::Registry::standard();
  const auto saved = gradus::tools::load_saved_model(small.out, standard);
  const auto exact = gradus::tools::load_saved_model(small.model, standard);
  const std::int64_t parameters = exact.model->parameter_count();
  const std::string f32 = small.out + "f32";
  REQUIRE(run({"compress", "--prune", "1e-9", "--model", small.model, "--out", f32}).code == 0);
  const auto saving = static_cast<std::int64_t>(fs::file_size(fs::path(f32) / "best.safetensors") -
                                                fs::file_size(small.file()));
  CHECK(std::abs(saving - 2 * parameters) < 200);  // not exact, because the metadata differ
  CHECK(saved.int8 == nullptr);
  const auto state = exact.model->state_dict(), rounded = saved.model->state_dict();
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto before = state[i].second.to_vector<float>(), after = rounded[i].second.to_vector<float>();
    for (std::size_t j = 0; j < before.size(); ++j)
      CHECK(std::abs(after[j] - before[j]) <= std::abs(before[j]) / 256);
  }
  CHECK(run({"evaluate", "--model", small.out}).code == 0);
  CHECK(run({"info", small.out}).out.find("compressed  bf16\n") != std::string::npos);
  CHECK(run({"train", "--resume", small.file()}).err.find("holds weights compressed to bf16") !=
        std::string::npos);
  CHECK(run({"compress", "--bf16", "--int8", "--model", small.model, "--out", small.out + "y"}).code == 2);
}

TEST_CASE("a compressed model keeps the options that it needs", "[tools][compress]") {
  const Scratch scratch;
  gradus::tools::Settings settings = small_settings();
  settings.run.seed = 7;
  settings.trainer.steps = 123;
  settings.data.min_count = 2;
  const std::string model = (scratch.path() / "run").string(), out = (scratch.path() / "run8").string();
  write_small_model(model, settings);
  REQUIRE(run({"compress", "--int8", "--model", model, "--out", out}).code == 0);
  const auto saved = gradus::tools::load_saved_model(out, models::Registry::standard());
  CHECK(saved.settings.run.seed == 7);
  CHECK(saved.settings.data.phrases == "eng-fra");
  CHECK(saved.settings.data.min_count == 2);
  CHECK(saved.settings.model.hidden == settings.model.hidden);
  CHECK(saved.settings.trainer.steps == gradus::tools::default_settings().trainer.steps);
  CHECK(saved.checkpoint.metadata.at("settings").find("learning-rate") == std::string::npos);
}

TEST_CASE("a tied embedding is once in a compressed model", "[tools][compress]") {
  const Scratch scratch;
  gradus::tools::Settings settings = small_settings();
  settings.model.tied = models::Tied::output;
  settings.model.readout = models::ReadoutForm::maxout;
  const std::string model = (scratch.path() / "tied").string(), out = (scratch.path() / "tied8").string();
  write_small_model(model, settings);
  REQUIRE(run({"compress", "--int8", "--model", model, "--out", out}).code == 0);
  const auto tensors = models::load_checkpoint(fs::path(out) / "best.safetensors").tensors;
  CHECK(std::ranges::count(tensors, "model.decoder.embedding.weight",
                           &gradus::NamedTensors::value_type::first) == 1);
  CHECK(std::ranges::count(tensors, "model.decoder.readout.weight",
                           &gradus::NamedTensors::value_type::first) == 0);
  CHECK(run({"evaluate", "--model", out}).code == 0);
}

TEST_CASE("a model of fewer target words writes only these", "[tools][compress]") {
  const Small small;
  const Ran ran =
      run({"compress", "--target-words", "20", "--int8", "--model", small.model, "--out", small.out});
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  const auto standard = models::Registry::standard();
  const auto saved = gradus::tools::load_saved_model(small.out, standard),
             whole = gradus::tools::load_saved_model(small.model, standard);
  const auto &few = saved.sides.target.vocabulary, &all = whole.sides.target.vocabulary;
  REQUIRE(all.size() > 24);
  REQUIRE(few.size() == 24);
  CHECK(ran.out.starts_with("kept 20 of " + std::to_string(all.size() - 4) + " target words\n"));
  for (std::int64_t id = 0; id < few.size(); ++id) CHECK(few.token(id) == all.token(id));
  CHECK(saved.sides.source.vocabulary == whole.sides.source.vocabulary);
  CHECK(run({"evaluate", "--model", small.out}).code == 0);
  const Ran none =
      run({"compress", "--target-words", "1000000", "--model", small.model, "--out", small.out + "all"});
  CHECK(none.code == 2);
  CHECK(none.err.find("--target-words 1000000 is not below the model's " + std::to_string(all.size() - 4) +
                      " target words; give fewer") != std::string::npos);
}

TEST_CASE("compress --target-words refuses a vocabulary with source words", "[tools][compress]") {
  const Scratch scratch;
  gradus::tools::Settings settings = small_settings();
  settings.data.shared_vocabulary = true;
  const fs::path model = write_small_model(scratch.path() / "shared", settings), out = scratch.path() / "few";
  const Ran ran = run({"compress", "--target-words", "20", "--model", model, "--out", out});
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus compress: '" + model.string() +
                       "' was trained with --shared-vocabulary, and its most frequent words include source "
                       "words; omit --target-words, or train without --shared-vocabulary\n");
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("a damaged or mixed int8 model is refused", "[tools][compress]") {
  const Small small;
  REQUIRE(small.compress().code == 0);
  const auto standard = models::Registry::standard();
  std::string bytes = content(small.file());
  bytes.back() = static_cast<char>(bytes.back() == 1 ? 2 : 1);  // changes one I8 value
  std::ofstream(small.out + ".damaged", std::ios::binary) << bytes;
  CHECK_THROWS_WITH(gradus::tools::load_saved_model(small.out + ".damaged", standard),
                    Catch::Matchers::ContainsSubstring("is damaged: it was saved with the checksum"));

  const std::string file = small.out + ".mixed", again = "; write the file again with gradus compress --int8";
  const auto check_refused = [&](const models::Checkpoint& checkpoint, const gradus::nn::Narrow& narrow,
                                 const std::string& message) {
    models::save_checkpoint(file, checkpoint, narrow);
    CHECK_THROWS_WITH(gradus::tools::load_saved_model(file, standard),
                      "checkpoint: '" + file + "' " + message);
  };
  models::Checkpoint mixed = models::load_checkpoint(small.file());
  const std::string name = "model.decoder.W_s.weight";
  for (auto& [own, tensor] : mixed.tensors) {  // zeros are the same numbers in I8, BF16 and F32
    if (own == name) std::ranges::fill(tensor.mutable_values<float>(), 0.0F);
  }
  for (const char* dtype : {"F32", "BF16"}) {
    gradus::nn::Narrow narrow = mixed.narrow;
    REQUIRE(narrow.int8.erase(name) == 1);
    if (dtype == std::string("BF16")) narrow.bf16.insert(name);
    check_refused(mixed, narrow,
                  "stores '" + name + "' as " + dtype +
                      " and must store this matrix as I8 with scales, because its setting 'compressed' is "
                      "'int8'" +
                      again);
  }
  const gradus::nn::Narrow one{.int8 = {name}, .bf16 = {}};
  mixed.metadata["compressed"] = "bf16";
  check_refused(
      mixed, one,
      "stores '" + name + "' as I8, but its setting 'compressed' is 'bf16' and must be 'int8'" + again);
  mixed.metadata["compressed"] = "int3";
  check_refused(mixed, one,
                "is compressed by 'int3', which this version does not know; use the version that wrote it");
  mixed.metadata.erase("compressed");
  check_refused(
      mixed, one,
      "stores '" + name + "' as I8, but its setting 'compressed' is missing and must be 'int8'" + again);
}

TEST_CASE("export writes an int8 model for gradus_tiny, and refuses other models", "[tools][compress]") {
  const Small small;
  const std::string file = small.out + ".tiny";
  CHECK(run({"export", "--model", small.model, "--out", file}).err ==
        "gradus export: '" + (fs::path(small.model) / "best.safetensors").string() +
            "' is not in int8; compress it first, with gradus compress --int8\n");
  REQUIRE(small.compress().code == 0);
  const Ran exported = run({"export", "--model", small.out, "--out", file});
  REQUIRE(exported.code == 0);
  CHECK(exported.out == file + ": " + std::to_string(fs::file_size(file)) + " bytes\n");
  CHECK(content(file).starts_with(std::string("gradus1\0", 8)));
  for (const auto& command : {std::vector<std::string>{"info", file},
                              {"translate", "--model", file},
                              {"train", "--resume", file},
                              {"train", "--init-from", file}}) {
    CHECK(run(command).err ==
          "gradus " + command.front() + ": checkpoint: '" + file +
              "' is a file for gradus_tiny; give the model from which gradus export wrote it\n");
  }

  const auto refusal_of = [&](const gradus::tools::Settings& settings, const std::string& name) {
    const std::string other = (small.scratch.path() / name).string();
    write_small_model(other, settings);
    REQUIRE(run({"compress", "--int8", "--model", other, "--out", other + "8"}).code == 0);
    const Ran ran = run({"export", "--model", other + "8", "--out", file});
    CHECK(ran.code == 1);
    const std::size_t at = ran.err.find(" has --"), end = ran.err.rfind("; train a model that fits");
    CHECK(ran.err.substr(end) == "; train a model that fits, or run this one with gradus translate\n");
    return ran.err.substr(at, end - at);
  };
  gradus::tools::Settings settings = small_settings();
  settings.model.cell = models::Cell::lstm;
  CHECK(refusal_of(settings, "lstm") == " has --cell other than gru; gradus_tiny has only gru");
  settings = small_settings();
  settings.model.decoder = "fixed";
  CHECK(refusal_of(settings, "fixed") == " has --decoder fixed; gradus_tiny has only bahdanau");
  settings = small_settings();
  settings.model.attention = "dot";
  CHECK(refusal_of(settings, "dot") == " has --attention dot; gradus_tiny has only additive");
  settings.model.attention = "shared_additive";
  CHECK(refusal_of(settings, "shared") == " has --attention shared_additive; gradus_tiny has only additive");
  settings = small_settings();
  settings.model.convolution = true;
  CHECK(refusal_of(settings, "convolution") == " has --convolution; gradus_tiny has no convolution");
  settings = small_settings();
  settings.model.layers = 2;
  CHECK(refusal_of(settings, "layers") == " has --layers 2; gradus_tiny has only one");
  settings = small_settings();
  settings.model.readout = models::ReadoutForm::state;
  CHECK(refusal_of(settings, "state") == " has --readout state; gradus_tiny has only linear and maxout");
  settings = small_settings();
  settings.model.tied = models::Tied::output;
  CHECK(refusal_of(settings, "tied") ==
        " has --tied output with --readout linear; gradus_tiny has --tied only with --readout maxout");
  settings.model.readout = models::ReadoutForm::maxout;
  const std::string tied = write_small_model(small.out + "tied", settings).parent_path();
  REQUIRE(run({"compress", "--int8", "--model", tied, "--out", tied + "8"}).code == 0);
  CHECK(run({"export", "--model", tied + "8", "--out", file}).code == 0);
}
