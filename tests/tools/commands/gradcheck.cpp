// `gradus gradcheck`: the library's models, and two attentions that the tests register. One loses a gradient,
// the other has an unused parameter.

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <algorithm>

#include "tools/run.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

// e_tj = s_t · W h_j, with a mistake: no gradient reaches W.
class Forgetful : public nn::ScoredAttention {
 public:
  explicit Forgetful(const models::AttentionSizes& sizes)
      : W(add_parameter("W", gradus::normal({sizes.query, sizes.value}, 0, 1, gradus::default_generator()))) {
  }
  const Tensor W;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    return transpose(sum(linear(memory.values, W.detach()) * query, 2), 0, 1);
  }
};

// Attends equally to all positions. Has a parameter that is never used.
class Idle : public nn::ScoredAttention {
 public:
  Idle() : unused(add_parameter("unused", gradus::ones({3}))) {}
  const Tensor unused;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    return gradus::zeros({query.size(0), memory.values.size(0)}, query.dtype());
  }
};

models::Registry with_forgetful() {
  models::Registry registry = models::Registry::standard();
  registry.attentions["idle"] = {[](const models::AttentionSizes&) { return std::make_unique<Idle>(); }};
  registry.attentions["forgetful"] = {
      [](const models::AttentionSizes& sizes) { return std::make_unique<Forgetful>(sizes); }};
  return registry;
}

}  // namespace

TEST_CASE("the gradients of the library's models are correct", "[tools][gradcheck][long]") {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{},
                                             {"--decoder", "fixed", "--cell", "lstm"},
                                             {"--attention", "scaled_dot", "--layers", "2"},
                                             {"--attention", "sparsemax"},
                                             {"--attention", "top_k", "--attention-top-k", "3"},
                                             {"--attention", "local_p"},
                                             {"--attention", "shared_additive"},
                                             {"--attention", "shared_additive", "--cell", "lstm"},
                                             {"--attention", "location", "--location-smooth",
                                              "--location-filters", "2", "--location-width", "3"},
                                             {"--attention", "monotonic"},
                                             {"--attention", "monotonic", "--seed", "2"},
                                             {"--attention", "monotonic", "--seed", "3"},
                                             {"--tied", "all", "--readout", "maxout"},
                                             {"--preset", "cho"},
                                             {"--preset", "d2l", "--cell", "rnn"},
                                             {"--seed", "2", "--hidden", "3"}}) {
    std::vector<std::string> arguments{"gradcheck"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ran ran = run(arguments);
    INFO(ran.out);
    CHECK(ran.err == "");
    CHECK(ran.code == 0);
    CHECK(ran.out.find("ok    encoder.embedding.weight (13, 7)") != std::string::npos);
    CHECK(ran.out.find("\nall gradients are right: ") != std::string::npos);
  }
}

TEST_CASE("options override a preset", "[tools][gradcheck]") {
  CHECK(run({"gradcheck", "--preset", "cho"}).out.find("encoder.rnn.weight_ih_l0 (18, 7)") !=
        std::string::npos);
  CHECK(
      run({"gradcheck", "--preset", "cho", "--cell", "lstm"}).out.find("encoder.rnn.weight_ih_l0 (24, 7)") !=
      std::string::npos);
}

TEST_CASE("a wrong gradient in a registered attention is detected", "[tools][gradcheck]") {
  const Ran ran = run({"gradcheck", "--attention", "forgetful"}, "", with_forgetful());
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus gradcheck: gradients disagree with finite differences: decoder.attention.W\n");
  CHECK(ran.out.find("ok    encoder.embedding.weight (13, 7)") != std::string::npos);
  CHECK(ran.out.find("decoder.attention.W (6, 12)") != std::string::npos);
}

TEST_CASE("a parameter whose gradients are all 0 is an error", "[tools][gradcheck]") {
  const Ran ran = run({"gradcheck", "--attention", "idle", "--hidden", "2"}, "", with_forgetful());
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus gradcheck: every gradient is 0, so nothing was checked: decoder.attention.unused; does the "
        "loss "
        "depend on it? If so, try another --seed\n");
  CHECK(run({"gradcheck", "--attention", "top_k", "--attention-top-k", "1"}).err ==
        "gradus gradcheck: --attention-top-k 1 gives one position the weight 1, so the gradient of the "
        "energies "
        "is always 0; give 2 or more; 'gradus gradcheck --help' lists the options\n");
}

TEST_CASE("gradcheck says what it will cost", "[tools][gradcheck]") {
  const Ran ran = run({"gradcheck", "--decoder", "fixed", "--hidden", "2", "--embedding", "2"});
  INFO(ran.out);
  CHECK(ran.code == 0);
  const auto elements = std::stoll(ran.out);
  const std::string all = std::to_string(elements);
  const std::string cost = all + " of " + all + " elements: about ";
  REQUIRE(ran.out.starts_with(cost));
  CHECK(std::stoll(ran.out.substr(cost.size())) >= 4 * elements);
  CHECK(ran.out.find(" evaluations of the loss, ") < ran.out.find('\n'));
  CHECK(ran.out.find("\nall gradients are right: " + all + " elements of ") != std::string::npos);
}

TEST_CASE("gradcheck --elements checks drawn elements of each parameter", "[tools][gradcheck]") {
  const std::vector<std::string> large{"gradcheck", "--hidden", "40", "--elements", "3", "--seed", "4"};
  const Ran ran = run(large);
  INFO(ran.out);
  CHECK(ran.err == "");
  REQUIRE(ran.code == 0);
  const auto elements = std::stoll(ran.out);
  const auto lines = std::ranges::count(ran.out, '\n');
  CHECK(elements == 3 * (lines - 3));  // 3 lines name no parameter: "cost", "… passed", "all drawn …"
  CHECK(ran.out.find(" elements: about ") != std::string::npos);
  CHECK(ran.out.find("ok    encoder.embedding.weight (13, 7), 3 of 91 elements drawn: worst at ") !=
        std::string::npos);
  CHECK(ran.out.find("\nall drawn gradients are right: " + std::to_string(elements) + " elements of " +
                     std::to_string(lines - 3) + " parameters\n") != std::string::npos);
  const auto report_of = [](const Ran& one) { return one.out.substr(one.out.find('\n')); };
  CHECK(report_of(run(large)) == report_of(ran));  // without the first line, which holds a time
}

TEST_CASE("gradcheck --elements detects a wrong gradient", "[tools][gradcheck]") {
  const Ran ran = run({"gradcheck", "--attention", "forgetful", "--elements", "4"}, "", with_forgetful());
  CHECK(ran.code == 1);
  CHECK(ran.err == "gradus gradcheck: gradients disagree with finite differences: decoder.attention.W\n");
}

TEST_CASE("drawn elements whose gradients are all 0 are an error", "[tools][gradcheck]") {
  const Ran ran =
      run({"gradcheck", "--attention", "idle", "--hidden", "2", "--elements", "100"}, "", with_forgetful());
  CHECK(ran.code == 1);
  CHECK(ran.err ==
        "gradus gradcheck: every gradient is 0, so nothing was checked: decoder.attention.unused; does the "
        "loss depend on it? If so, try another --seed or more --elements\n");
}

TEST_CASE("gradcheck reports errors in the command line", "[tools][gradcheck][errors]") {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "gradcheck");
    const Ran ran = run(arguments);
    CHECK(ran.out == "");
    return std::to_string(ran.code) + " " + ran.err;
  };
  const std::string usage = "; 'gradus gradcheck --help' lists the options\n";
  CHECK(refused({"--preset", "vaswani"}) ==
        "2 gradus gradcheck: --preset: unknown value 'vaswani'; available: sutskever, cho, bahdanau, d2l, "
        "notebook" +
            usage);
  CHECK(refused({"--preset"}) == "2 gradus gradcheck: --preset needs a value" + usage);
  CHECK(refused({"--dropout", "0.1"})
            .starts_with("2 gradus gradcheck: dropout changes the loss at each call, "));
  CHECK(refused({"--bridge", "backward", "--no-bidirectional"})
            .starts_with("2 gradus gradcheck: --bridge backward needs an encoder in both directions; "));
  CHECK(refused({"--seed", "-1"}) ==
        "2 gradus gradcheck: --seed: expected a whole number from 0 to 18446744073709551615, found -1" +
            usage);
  CHECK(refused({"--elements", "-1"}) ==
        "2 gradus gradcheck: --elements: expected a whole number from 0 to 1000000000000000, found -1" +
            usage);
  CHECK(refused({"--steps", "3"}) == "2 gradus gradcheck: unknown option '--steps'" + usage);
  CHECK(refused({"--attention", "mine"}) ==
        "2 gradus gradcheck: --attention: unknown value 'mine'; available: additive, dot, gumbel, hard, "
        "local_p, location, monotonic, scaled_dot, shared_additive, sparsemax, top_k" +
            usage);
}
