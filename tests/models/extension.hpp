#pragma once

#include <gradus/models/greedy.hpp>
#include <gradus/nn/gradcheck.hpp>

#include "models/helpers.hpp"

/// Checks a model with a custom attention or decoder step. The library's code trains it and decodes with it.
/// Expects correct gradients, a falling loss, and weights only on the real source. The results of a batch
/// must equal those of its rows. The weights must sum to 1. If `sums_to_1` is false, any positive sum up to 1
/// is right.
inline void check_extension(gradus::models::Seq2Seq& model, bool sums_to_1 = true) {
  using gradus::Dtype;
  const BatchTensors x(tiny_batch());
  check_gradients(gradus::nn::gradcheck(model, x.source, x.source_lengths, x.target_in),
                  model.parameters().size());

  model.to(Dtype::f64);
  check_loss_is_of_pairs(model);
  model.to(Dtype::f32);
  check_loss_falls(model);

  const auto decoded = gradus::models::greedy(model, x.source, x.source_lengths, 12);
  for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
    const BatchTensors one(gradus::data::make_batch({&tiny_pairs[b], 1}));
    const auto alone = gradus::models::greedy(model, one.source, one.source_lengths, 12);
    CHECK(decoded[b].tokens == alone[0].tokens);
    CHECK(mismatch(decoded[b].weights, alone[0].weights, {1e-5, 0}) == "");
    const auto written = static_cast<std::int64_t>(decoded[b].tokens.size());
    CHECK(decoded[b].weights.shape() == gradus::Shape{written, std::ssize(tiny_pairs[b].source)});
    const gradus::Tensor total = sum(decoded[b].weights, 1);
    if (sums_to_1) CHECK(mismatch(total, gradus::ones({written}), {1e-5, 0}) == "");
    CHECK(max(total).item() < 1 + 1e-5);
    CHECK(min(total).item() > 0);
  }
}
