// Files exchanged with PyTorch in both directions. tests/golden/cases_safetensors.py is PyTorch's side.

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

Tensor lengths_of(const Values& given) { return given.contains("lengths") ? given.at("lengths") : Tensor(); }

// The outputs of a module, by their names in the files.
NamedTensors outputs(const nn::GRU& gru, const Values& given) {
  const auto [output, h_n] = gru.forward(given.at("x"), lengths_of(given));
  return {{"output", output}, {"h_n", h_n}};
}
NamedTensors outputs(const nn::LSTM& lstm, const Values& given) {
  const auto [output, h_n, c_n] = lstm.forward(given.at("x"), lengths_of(given));
  return {{"output", output}, {"h_n", h_n}, {"c_n", c_n}};
}
NamedTensors outputs(const nn::RNN& rnn, const Values& given) {
  const auto [output, h_n] = rnn.forward(given.at("x"));
  return {{"output", output}, {"h_n", h_n}};
}
NamedTensors outputs(const nn::Linear& linear, const Values& given) {
  return {{"output", linear.forward(given.at("x"))}};
}
NamedTensors outputs(const nn::Embedding& embedding, const Values& given) {
  return {{"output", embedding.forward(given.at("ids"))}};
}

template <class Module>
void check_outputs(const Module& module, const Values& given, const Precision& precision) {
  for (const auto& [name, output] : outputs(module, given)) {
    INFO(name);
    CHECK(output.dtype() == precision.dtype);
    CHECK(mismatch(output, given.at(name), precision.values) == "");
  }
}

// Loads PyTorch's state `name` into the module. In each precision, its outputs must be PyTorch's.
template <class Module>
void check_from_pytorch(const std::string& name, Module module) {
  for (const Precision& precision : precisions) {
    INFO(name << ' ' << gradus::name(precision.dtype));
    module.to(precision.dtype);
    CHECK(nn::load(module, golden(name)) == nn::Metadata{{"format", "pt"}});
    Values given = values(name + ".values");
    if (given.contains("x")) given["x"] = given["x"].to(precision.dtype);
    check_outputs(module, given, precision);
  }
}

// The file `name`.from_cpp has a state and outputs, both written by gradus. Loads the state into the module.
// The module's outputs must equal those of the file.
template <class Module>
void check_from_here(const std::string& name, Module module, const Precision& precision) {
  INFO(name);
  const Values given = values(name + ".from_cpp");
  NamedTensors state;
  for (const auto& [path, parameter] : module.state_dict()) state.emplace_back(path, given.at(path));
  module.to(precision.dtype);
  module.load_state_dict(state);
  check_outputs(module, given, precision);
}

template <class Module>
void write(const std::string& name, const Module& module, const std::string& input, const Tensor& value) {
  NamedTensors tensors = module.state_dict();
  tensors.emplace_back(input, value);
  for (const auto& output : outputs(module, {{input, value}})) tensors.push_back(output);
  nn::save_safetensors(golden(name + ".from_cpp"), tensors, {{"by", "gradus"}});
}

}  // namespace

TEST_CASE("states saved by PyTorch give PyTorch's outputs", "[nn][safetensors][golden]") {
  check_from_pytorch("gru", nn::GRU(2, 4, {.bidirectional = true}));
  check_from_pytorch("lstm", nn::LSTM(2, 4, {.bidirectional = true}));
  check_from_pytorch("rnn", nn::RNN(2, 4));
  check_from_pytorch("linear", nn::Linear(2, 4));
  check_from_pytorch("embedding", nn::Embedding(7, 3));
}

TEST_CASE("a file has the same bytes as Python's", "[nn][safetensors][golden]") {
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

  const auto [tensors, metadata, narrow] = nn::load_safetensors(golden("layout"));
  nn::save_safetensors(path, tensors, metadata);
  CHECK(content(path) == content(golden("layout")));
}

TEST_CASE("files from gradus that PyTorch has read give the same outputs", "[nn][safetensors][golden]") {
  const auto& [f64, f32] = precisions;
  check_from_here("gru", nn::GRU(2, 4, {.bidirectional = true}), f32);
  check_from_here("lstm", nn::LSTM(2, 4, {.bidirectional = true}), f32);
  check_from_here("rnn", nn::RNN(2, 4), f32);
  check_from_here("linear", nn::Linear(2, 4), f64);
  check_from_here("embedding", nn::Embedding(7, 3), f32);
}

// Hidden test: test_nn '[.write-golden]' writes the files for PyTorch.
TEST_CASE("write the files for PyTorch", "[.write-golden]") {
  gradus::seed(2014);
  const auto draw = [](const gradus::Shape& shape, Dtype dtype = Dtype::f32) {
    return gradus::normal(shape, 0, 1, gradus::default_generator(), dtype);
  };
  const nn::GRU gru(2, 4, {.bidirectional = true});
  write("gru", gru, "x", draw({5, 3, 2}));
  const nn::LSTM lstm(2, 4, {.bidirectional = true});
  write("lstm", lstm, "x", draw({5, 3, 2}));
  const nn::RNN rnn(2, 4);
  write("rnn", rnn, "x", draw({5, 3, 2}));
  nn::Linear linear(2, 4);
  linear.to(Dtype::f64);
  write("linear", linear, "x", draw({5, 3, 2}, Dtype::f64));
  const nn::Embedding embedding(7, 3);
  write("embedding", embedding, "ids", gradus::tensor(Ids{1, 6, 0, 3, 6, 2, 5, 4}, {4, 2}));
}
