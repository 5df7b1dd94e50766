// Attention must equal the papers' equations, computed by PyTorch, forward and backward.

#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/local_attention.hpp>
#include <gradus/nn/multi_head_attention.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;
using gradus::Tensor;

namespace {

void check_one_query(const std::string& name, const nn::Attention& attention) {
  const FusedAndComposed both;
  const Golden golden(name);
  check_against(golden, attention, [&](const Leaves& leaf) {
    const nn::Memory memory = attention.prepare(leaf.at("values"), golden["lengths"]);
    const auto [context, weights] = attention.attend(leaf.at("query"), memory, 0, Tensor());
    return NamedTensors{{"context", context}, {"weights", weights}};
  });
}

// A golden file stores a shared tensor only once. If `keys` is missing, it equals the query. If `values` is
// missing, it equals the keys.
void check_multi_head(const std::string& name, const nn::MultiHeadAttention& attention, bool causal) {
  const Golden golden(name);
  check_against(golden, attention, [&](const Leaves& leaf) {
    const Tensor& query = leaf.at("query");
    const Tensor& keys = leaf.count("keys") > 0 ? leaf.at("keys") : query;
    const Tensor& values = leaf.count("values") > 0 ? leaf.at("values") : keys;
    const auto [output, weights] = attention.forward(query, keys, values, {golden["lengths"], causal});
    return NamedTensors{{"output", output}, {"weights", weights}};
  });
}

}  // namespace

TEST_CASE("DotProductAttention gives the paper's equations", "[nn][golden]") {
  check_one_query("dot_product_attention", nn::DotProductAttention());
}

TEST_CASE("ScaledDotProductAttention gives the paper's equations", "[nn][golden]") {
  check_one_query("scaled_dot_product_attention", nn::ScaledDotProductAttention());
}

TEST_CASE("SharedAdditiveAttention matches its equation in PyTorch", "[nn][golden]") {
  check_one_query("shared_additive_attention", nn::SharedAdditiveAttention(3, 6, 4));
}

TEST_CASE("sparsemax and top-k attention match the papers' algorithms in PyTorch", "[nn][golden]") {
  nn::AdditiveAttention attention(3, 5, 4);
  attention.set_normaliser(nn::normaliser::sparsemax());
  check_one_query("sparsemax_attention", attention);
  attention.set_normaliser(nn::normaliser::top_k(2));
  check_one_query("top_k_attention", attention);
}

TEST_CASE("LocalPredictiveAttention gives the paper's equations", "[nn][golden]") {
  check_one_query("local_attention", nn::LocalPredictiveAttention(3, 5, 4, 1.5));
}

TEST_CASE("causal multi-head self-attention matches PyTorch", "[nn][golden]") {
  check_multi_head("multi_head_self", nn::MultiHeadAttention(8, 4), true);
}

TEST_CASE("multi-head cross-attention with keys and values of other sizes matches PyTorch", "[nn][golden]") {
  check_multi_head("multi_head_cross", nn::MultiHeadAttention(6, 3, {.key_size = 8, .value_size = 9}), false);
}

TEST_CASE("multi-head attention without biases matches PyTorch", "[nn][golden]") {
  check_multi_head("multi_head_plain", nn::MultiHeadAttention(6, 3, {.bias = false}), false);
}
