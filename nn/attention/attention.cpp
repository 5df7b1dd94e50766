#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/attention.hpp>

#include <vector>

namespace gradus::nn {
namespace {

// Selects rows of the batch axis of x (T, B, ·). An undefined x stays undefined. Works on x as (T·B, ·), so
// that each selected row is copied once.
Tensor batch_rows(const Tensor& x, const Tensor& rows) {
  if (!x.defined()) return x;
  const std::int64_t T = x.size(0), B = x.size(1);
  const auto chosen = rows.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] >= 0 && chosen[i] < B) continue;
    fail("Memory", "row ", chosen[i], " at position ", i, " is outside [0, ", B, "), the batch of ",
         x.shape());
  }
  std::vector<std::int64_t> flat;
  flat.reserve(static_cast<std::size_t>(T) * chosen.size());
  for (std::int64_t t = 0; t < T; ++t) {
    for (const std::int64_t row : chosen) flat.push_back(t * B + row);
  }
  const Tensor y = index_select(x.reshape(x.shape().without(0).with(0, T * B)), tensor(flat));
  return y.reshape(x.shape().with(1, std::ssize(chosen)));
}

}  // namespace

Memory Memory::select(const Tensor& rows) const {
  return {.values = batch_rows(values, rows),
          .keys = batch_rows(keys, rows),
          .lengths = lengths.defined() ? index_select(lengths, rows) : lengths};
}

Memory Attention::prepare(const Tensor& values, const Tensor& lengths) const {
  const Scope scope = enter();
  if (values.rank() != 3) fail("Attention", "the values are ", values.shape(), " and must be (T, B, D)");
  check_lengths("Attention", lengths, values.size(1), values.size(0));
  return {values, Tensor(), lengths};
}

}  // namespace gradus::nn
