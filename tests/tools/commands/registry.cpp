// Subcommands must also work with classes that a program has registered.

#include <gradus/autograd/ops.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/scored_attention.hpp>

#include "tools/run.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

// Attention with the energies 8 · cos(query, annotation), the README's example.
class CosineAttention : public nn::ScoredAttention {
 public:
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = ScoredAttention::prepare(values, lengths);
    memory.keys = unit(values);  // (T, B, D)
    return memory;
  }

 private:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(memory.keys * unit(query), -1), 0, 1) * 8.0;  // (B, T)
  }
  static Tensor unit(const Tensor& x) { return x / sqrt(sum(x * x, -1, true) + 1e-6); }
};

// Bahdanau's decoder with doubled logits.
class Loud : public nn::DecoderStep {
 public:
  Loud(const models::DecoderOptions& options, std::unique_ptr<nn::Attention> attention)
      : decoder(options, std::move(attention)) {
    add_module("decoder", decoder);
  }
  Start start(const nn::Annotations& annotations) const override { return decoder.start(annotations); }
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override {
    Output output = decoder.step(previous, state, memory);
    output.logits = output.logits * 2.0;
    return output;
  }

  models::BahdanauDecoder decoder;
};

// Attention with the energies h_j · [s; s], for D = 2H. It has no parameters.
class TwiceDot : public nn::ScoredAttention {
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(memory.values * gradus::concat({query, query}, -1), -1), 0, 1);  // (B, T)
  }
};

models::Registry registry() {
  models::Registry all = models::Registry::standard();
  all.attentions["cosine"] = {
      [](const models::AttentionSizes&) { return std::make_unique<CosineAttention>(); }};
  all.decoders["loud"] = {[](const models::DecoderOptions& options, const auto& attention) {
    return std::make_unique<Loud>(options, attention());
  }};
  return all;
}

}  // namespace

TEST_CASE("a registered attention and decoder can be trained, used and evaluated", "[tools][registry]") {
  const Scratch scratch;
  const std::string out = (scratch.path() / "run").string();
  const Ran trained =
      run({"train", "--phrases", "eng-fra", "--no-bidirectional", "--hidden", "8", "--embedding", "6",
           "--attention", "cosine", "--decoder", "loud", "--steps", "3", "--eval-every", "3", "--out", out},
          "", registry());
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  CHECK(run({"translate", "--model", out, "--beam", "2"}, "Where is the book?\n", registry()).code == 0);
  CHECK(run({"evaluate", "--model", out}, "", registry()).code == 0);
  CHECK(run({"align", "--model", out, "--text", "Where is the book?"}, "", registry()).code == 0);
  CHECK(run({"gradcheck", "--no-bidirectional", "--hidden", "4", "--attention", "cosine"}, "", registry())
            .code == 0);

  const Ran without = run({"translate", "--model", out}, "Where is the book?\n");
  CHECK(without.code == 1);
  CHECK(without.err ==
        "gradus translate: checkpoint: '" + out +
            "/best.safetensors' has wrong settings: unknown decoder 'loud'; available: bahdanau, "
            "cho, fixed\n");
}

TEST_CASE("a registered class with fewer parameters than the library's can be saved and loaded",
          "[tools][registry][checkpoint]") {
  models::Registry all = models::Registry::standard();
  const auto twice_dot = [](const models::AttentionSizes&) { return std::make_unique<TwiceDot>(); };
  all.attentions["mydot"] = {twice_dot};
  all.attentions["dot"] = {twice_dot};
  all.decoders["cho"] = all.decoders["fixed"];
  const std::vector<std::vector<std::string>> replaced{
      {"--attention", "mydot"}, {"--attention", "dot"}, {"--decoder", "cho"}};
  for (const std::vector<std::string>& options : replaced) {
    INFO(options[1]);
    const Scratch scratch;
    const std::string out = (scratch.path() / "run").string();
    // A loader refuses a checkpoint with fewer elements than the model's matrices need. The registered
    // classes lack matrices that the library's classes have. With these sizes, the missing matrices have more
    // elements than all biases together. So a loader that counted the library's matrices would refuse this
    // checkpoint.
    std::vector<std::string> train{"train", "--task",       "reverse", "--examples", "10", "--held-out",
                                   "10",    "--embedding",  "40",      "--hidden",   "40", "--steps",
                                   "2",     "--eval-every", "2",       "--out",      out};
    train.insert(train.end(), options.begin(), options.end());
    const Ran trained = run(train, "", all);
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const Ran used = run({"translate", "--model", out}, "a b c\n", all);
    CHECK(used.err == "");
    CHECK(used.code == 0);
  }
}
