// Memory: the values, keys and lengths that a decoder attends to.

#include <gradus/nn/attention.hpp>

#include "nn/helpers.hpp"

using gradus::Tensor;
using gradus::tensor;
using gradus::nn::Memory;

TEST_CASE("a memory's select() takes rows of the batch, repeated and reordered", "[nn][memory]") {
  const Memory memory{.values = tensor({{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}}),  // (2, 3, 2)
                      .keys = tensor({{{1}, {2}, {3}}, {{4}, {5}, {6}}}),
                      .lengths = integers({2, 1, 2})};
  const Memory chosen = memory.select(integers({2, 0, 0, 1}));
  CHECK(mismatch(chosen.values,
                 tensor({{{5, 6}, {1, 2}, {1, 2}, {3, 4}}, {{11, 12}, {7, 8}, {7, 8}, {9, 10}}})) == "");
  CHECK(mismatch(chosen.keys, tensor({{{3}, {1}, {1}, {2}}, {{6}, {4}, {4}, {5}}})) == "");
  CHECK(chosen.lengths.to_vector<std::int64_t>() == Ids{2, 2, 2, 1});
}

TEST_CASE("a memory's select() keeps undefined tensors undefined", "[nn][memory]") {
  const Memory chosen = Memory().select(integers({0}));
  CHECK_FALSE(chosen.values.defined());
  CHECK_FALSE(chosen.keys.defined());
  CHECK_FALSE(chosen.lengths.defined());
}

TEST_CASE("a memory's select() refuses a row outside the batch", "[nn][memory]") {
  const Memory memory{.values = tensor({{{1}, {2}}}), .keys = {}, .lengths = {}};  // (1, 2, 1)
  CHECK_ERROR(memory.select(integers({2})),
              "Memory: row 2 at position 0 is outside [0, 2), the batch of (1, 2, 1)");
}
