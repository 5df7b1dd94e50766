// Files go from PyTorch to here and back. tests/golden/cases_safetensors.py writes and reads the other side.

#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/rnn.hpp>
#include <gradus/nn/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "nn/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;

namespace {

fs::path golden(const std::string& name) {
  return fs::path(GRADUS_GOLDEN) / "safetensors" / (name + ".safetensors");
}

using Values = std::map<std::string, Tensor>;

Values values(const std::string& name) {
  const NamedTensors tensors = nn::load_safetensors(golden(name)).tensors;
  return {tensors.begin(), tensors.end()};
}

// Loads PyTorch's state of `name` into the module, in each precision, and compares the named outputs of `run`
// with those that PyTorch had.
template <class Run>
void check_against_pytorch(const std::string& name, nn::Module& module, Run run) {
  for (const Precision& precision : precisions) {
    INFO(gradus::name(precision.dtype));
    module.to(precision.dtype);
    CHECK(nn::load(module, golden(name)) == nn::Metadata{{"format", "pt"}});
    Values given = values(name + ".values");
    if (given.contains("x")) given["x"] = given["x"].to(precision.dtype);
    for (const auto& [output_name, output] : NamedTensors(run(given))) {
      INFO(output_name);
      CHECK(output.dtype() == precision.dtype);
      CHECK(mismatch(output, given.at(output_name), precision.values) == "");
    }
  }
}

}  // namespace

TEST_CASE("PyTorch's GRU works here", "[nn][safetensors][golden]") {
  nn::GRU gru(2, 4, {.bidirectional = true});
  check_against_pytorch("gru", gru, [&](const Values& given) {
    const auto [output, h_n] = gru.forward(given.at("x"), given.at("lengths"));
    return NamedTensors{{"output", output}, {"h_n", h_n}};
  });
}

TEST_CASE("PyTorch's LSTM works here", "[nn][safetensors][golden]") {
  nn::LSTM lstm(2, 4, {.bidirectional = true});
  check_against_pytorch("lstm", lstm, [&](const Values& given) {
    const auto [output, h_n, c_n] = lstm.forward(given.at("x"), given.at("lengths"));
    return NamedTensors{{"output", output}, {"h_n", h_n}, {"c_n", c_n}};
  });
}

TEST_CASE("PyTorch's RNN works here", "[nn][safetensors][golden]") {
  nn::RNN rnn(2, 4);
  check_against_pytorch("rnn", rnn, [&](const Values& given) {
    const auto [output, h_n] = rnn.forward(given.at("x"));
    return NamedTensors{{"output", output}, {"h_n", h_n}};
  });
}

TEST_CASE("PyTorch's Linear works here", "[nn][safetensors][golden]") {
  nn::Linear linear(2, 4);
  check_against_pytorch("linear", linear, [&](const Values& given) {
    return NamedTensors{{"output", linear.forward(given.at("x"))}};
  });
}

TEST_CASE("PyTorch's Embedding works here", "[nn][safetensors][golden]") {
  nn::Embedding embedding(7, 3);
  check_against_pytorch("embedding", embedding, [&](const Values& given) {
    return NamedTensors{{"output", embedding.forward(given.at("ids"))}};
  });
}

TEST_CASE("a file has the bytes that Python writes", "[nn][safetensors][golden]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x";
  const std::string odd_name = "a \"quoted\" \\ name\n\t\x01\x7f of łódź 東京 🎓";
  nn::save_safetensors(path,
                       {{odd_name, gradus::zeros({1})},
                        {"none", gradus::zeros({3, 0, 2}, Dtype::i64)},
                        {"scalar", tensor(2.5)},
                        {"ids", integers({INT64_MIN, -1, (std::int64_t{1} << 53) + 1, INT64_MAX})},
                        {"bias", tensor({0, 0.1, 0.2}, Dtype::f64)},
                        {"weight", tensor({{0, 0.125, 0.25}, {0.375, 0.5, 0.625}})}},
                       {{"words", "any \"text\"\r\n"}, {"format", "pt"}});
  CHECK(content(path) == content(golden("layout")));

  const auto [tensors, metadata] = nn::load_safetensors(golden("layout"));
  nn::save_safetensors(path, tensors, metadata);
  CHECK(content(path) == content(golden("layout")));
}

TEST_CASE("a file from here, which PyTorch reads too, is read here", "[nn][safetensors][golden]") {
  Values given = values("from_cpp");
  const Tensor x = given.extract("x").mapped(), output = given.extract("output").mapped(),
               h_n = given.extract("h_n").mapped();
  nn::GRU gru(2, 4, {.bidirectional = true});
  gru.load_state_dict({given.begin(), given.end()});
  const auto ours = gru.forward(x);
  CHECK(mismatch(ours.output, output, precisions[1].values) == "");
  CHECK(mismatch(ours.h_n, h_n, precisions[1].values) == "");
}

// Not run with the others: test_nn '[.write-golden]' makes the file again.
TEST_CASE("write the file from here", "[.write-golden]") {
  gradus::seed(2014);
  const nn::GRU gru(2, 4, {.bidirectional = true});
  const Tensor x = gradus::normal({5, 3, 2}, 0, 1, gradus::default_generator());
  const auto [output, h_n] = gru.forward(x);
  NamedTensors tensors = gru.state_dict();
  tensors.insert(tensors.end(), {{"x", x}, {"output", output}, {"h_n", h_n}});
  nn::save_safetensors(golden("from_cpp"), tensors, {{"by", "gradus"}});
}
