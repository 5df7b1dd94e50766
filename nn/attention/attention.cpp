#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/attention.hpp>

namespace gradus::nn {
namespace {

// Selects rows of the batch axis of x (T, B, ·); an undefined x stays undefined.
Tensor batch_rows(const Tensor& x, const Tensor& rows) {
  return x.defined() ? transpose(index_select(transpose(x, 0, 1), rows), 0, 1) : x;
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
