#include "kernels/dropout.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tape.hpp>

#include <utility>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Row r of x gets the mask's row places[r], or row r if `places` is empty.
Tensor drop(const Tensor& x, std::int64_t rows, double probability, Generator& generator,
            std::vector<std::int64_t> places) {
  const std::int64_t n = rows == 0 ? 0 : x.numel() / rows;
  // The forward pass calls apply() on the value, the backward pass on the gradient.
  const auto apply = [=, mask = kernels::DropoutMask(probability, generator.bits()),
                      places = std::move(places)](const Tensor& from) {
    Tensor to = empty(from.shape(), from.dtype());
    for_floating("dropout", from.dtype(), [&]<class T>() {
      for_each_row(rows, 4 * n, [&](std::int64_t r) {
        const std::int64_t place = places.empty() ? r : places[static_cast<std::size_t>(r)];
        kernels::dropout_row(mask, place, n, raw<T>(from) + r * n, raw<T>(to) + r * n);
      });
    });
    return to;
  };
  return record("dropout", apply(x), {x}, {}, [apply](Gradients& g) { g.add(0, apply(g.out())); });
}

// Checks `probability`. Returns false if it is 0.
bool drops(double probability) {
  if (probability >= 0 && probability < 1) return probability > 0;
  fail("dropout", "the probability must be in [0, 1), and is ", probability);
}

}  // namespace

Tensor dropout(const Tensor& x, double probability, Generator& generator) {
  if (!drops(probability)) return x;
  const std::int64_t rows = x.rank() < 2 ? 1 : x.shape().without(-1).numel();
  std::vector<std::int64_t> places;
  if (const BatchPart* part = generator.part()) {
    const std::int64_t B = std::ssize(part->sequences);
    if (x.rank() < 2 || x.size(-2) != B) {
      fail("dropout", "the generator is for ", B, " sequences of a batch; the input must be (…, ", B,
           ", n), and is ", x.shape());
    }
    for (std::int64_t r = 0; r < rows; ++r) places.push_back(generator.place(r / B, r % B, B));
  }
  return drop(x, rows, probability, generator, std::move(places));
}

Tensor dropout(const Tensor& x, double probability, Generator& generator, const Packing& packing) {
  if (x.rank() < 1 || x.size(0) != packing.rows()) {
    fail("dropout", "the packed sequences are ", x.shape(), " and must be (", packing.rows(), ", …)");
  }
  if (!drops(probability)) return x;
  const std::int64_t B = packing.batch();
  if (generator.part() != nullptr && std::ssize(generator.part()->sequences) != B) {
    fail("dropout", "the generator is for ", std::ssize(generator.part()->sequences),
         " sequences of a batch, and the packing has ", B);
  }
  std::vector<std::int64_t> places;
  for (std::int64_t t = 0; t < packing.steps(); ++t) {
    for (std::int64_t rank = 0; rank < packing.batch_size(t); ++rank) {
      places.push_back(generator.place(t, packing.sequence(rank), B));
    }
  }
  return drop(x, packing.rows(), probability, generator, std::move(places));
}

}  // namespace gradus
