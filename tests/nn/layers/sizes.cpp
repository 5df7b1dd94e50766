// Invalid sizes and options must be refused before any parameter is drawn.

#include <gradus/autograd/random.hpp>
#include <gradus/nn/bilinear.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/layer_norm.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/maxout.hpp>
#include <gradus/nn/multi_head_attention.hpp>

#include <limits>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;

TEST_CASE("modules need sizes of at least 1", "[nn][layers]") {
  const auto before = gradus::default_generator().state();
  CHECK_ERROR(nn::Linear(0, 3), "Linear: needs inputs of at least 1, and got 0");
  CHECK_ERROR(nn::Linear(3, -1), "Linear: needs outputs of at least 1, and got -1");
  CHECK_ERROR(nn::Bilinear(0, 2, 3), "Bilinear: needs first inputs of at least 1, and got 0");
  CHECK_ERROR(nn::Bilinear(2, 0, 3), "Bilinear: needs second inputs of at least 1, and got 0");
  CHECK_ERROR(nn::Bilinear(2, 3, 0), "Bilinear: needs outputs of at least 1, and got 0");
  CHECK_ERROR(nn::Maxout(0, 3, 2), "Maxout: needs inputs of at least 1, and got 0");
  CHECK_ERROR(nn::Maxout(3, 0, 2), "Maxout: needs outputs of at least 1, and got 0");
  CHECK_ERROR(nn::Maxout(3, 2, -1), "Maxout: needs pieces of at least 1, and got -1");
  CHECK_ERROR(nn::LayerNorm(0), "LayerNorm: needs a size of at least 1, and got 0");
  CHECK_ERROR(nn::Embedding(0, 3), "Embedding: needs a vocabulary of at least 1, and got 0");
  CHECK_ERROR(nn::Embedding(3, 0), "Embedding: needs a size of at least 1, and got 0");
  CHECK_ERROR(nn::MultiHeadAttention(0, 1), "MultiHeadAttention: needs a size of at least 1, and got 0");
  CHECK(gradus::default_generator().state() == before);
  CHECK_ERROR(nn::MultiHeadAttention(4, 2, {.key_size = -3}),
              "MultiHeadAttention: needs keys of at least 1, and got -3");
  CHECK_ERROR(nn::MultiHeadAttention(4, 2, {.value_size = -3}),
              "MultiHeadAttention: needs values of at least 1, and got -3");
}

TEST_CASE("a negative deviation or epsilon is refused", "[nn][layers]") {
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK_ERROR(nn::Embedding(3, 2, -1.0), "Embedding: the deviation must not be negative, and is -1");
  CHECK_ERROR(nn::Embedding(3, 2, not_a_number), "Embedding: the deviation must not be negative, and is nan");
  CHECK_ERROR(nn::LayerNorm(2, -1), "LayerNorm: epsilon must not be negative, and is -1");
}
