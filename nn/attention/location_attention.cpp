#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/location_attention.hpp>

#include <limits>
#include <vector>

#include "attention/previous_weights.hpp"
#include "module/sizes.hpp"

namespace gradus::nn {
namespace {

std::int64_t checked_width(std::int64_t width) {
  if (width < 1 || width % 2 == 0) {
    fail("LocationAttention", "the width of a filter must be odd, so that it has a centre, and is ", width);
  }
  return width;
}

// The `width` weights around each position, with zeros outside the sequence: (B, T) → (T, B, width).
Tensor neighbourhoods(const Tensor& weights, std::int64_t width) {
  const std::int64_t B = weights.size(0), T = weights.size(1), side = width / 2;
  std::vector<std::int64_t> positions;  // indices into the padded weights
  for (std::int64_t j = 0; j < T; ++j) {
    for (std::int64_t r = 0; r < width; ++r) positions.push_back(j + r);
  }
  const Tensor padded = transpose(pad(weights, 1, side, side), 0, 1);  // (T + 2 · side, B)
  return transpose(index_select(padded, tensor(positions)).reshape({T, width, B}), 1, 2);
}

// 1 at positions farther than `window` from the largest weight, 0 elsewhere: (B, T), i64.
Tensor outside(const Tensor& weights, std::int64_t window) {
  const Tensor centre = argmax(weights, 1, /*keep=*/true).to(weights.dtype());
  const Tensor positions = arange(weights.size(1)).to(weights.dtype()).reshape({1, -1});
  return greater(abs(positions - centre), full({1}, static_cast<double>(window), weights.dtype()));
}

}  // namespace

LocationAttention::LocationAttention(std::int64_t query_size, std::int64_t value_size,
                                     std::int64_t energy_size, LocationOptions options)
    : ScoredAttention(options.dropout),
      W_a(query_size, energy_size, false),
      U_a(value_size, energy_size, false),
      F(add_parameter("F", uniform_fan_in({checked_size("LocationAttention", "filters", options.filters),
                                           checked_width(options.width)},
                                          options.width))),
      U_f(options.filters, energy_size, false),
      v_a(add_parameter("v_a", uniform_fan_in({energy_size}, energy_size))),
      smooth_(options.smooth),
      window_(options.window) {
  if (window_ < 0) fail("LocationAttention", "the window must be at least 0, and is ", window_);
  add_module("W_a", W_a);
  add_module("U_a", U_a);
  add_module("U_f", U_f);
}

Memory LocationAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  Memory memory = Attention::prepare(values, lengths);
  const Scope scope = enter();
  memory.keys = U_a.forward(values);
  return memory;
}

Tensor LocationAttention::energies(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                   const Tensor& previous_weights) const {
  const Tensor previous = previous_or_start("LocationAttention", previous_weights, memory);
  // Multiplies by F, then by U_f, instead of by the matrix U_f F. RowProducts, which makes results
  // independent of the rest of the batch, works only for products with parameters, and U_f F is no parameter.
  const Tensor location = U_f.forward(linear(neighbourhoods(previous, F.size(1)), F));  // (T, B, A)
  Tensor e = additive_energy(W_a.forward(query), memory.keys + location, v_a, memory.lengths);
  if (smooth_) e = -softplus(-e);  // ln σ(e); the softmax of this is σ(e) / Σ σ(e)
  if (window_ > 0 && !is_training()) {
    e = masked_fill(e, outside(previous, window_), -std::numeric_limits<double>::infinity());
  }
  return e;
}

}  // namespace gradus::nn
