// Reshapes of x, elements x[i], and slices along the first axis share the values of x. The gradients of such
// views accumulate in the gradient of x.

#include <gradus/autograd/ops.hpp>

#include "autograd/helpers.hpp"

using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

namespace {

const float* data(const Tensor& tensor) { return tensor.values<float>().data(); }

}  // namespace

TEST_CASE("views share values", "[autograd][views]") {
  Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(data(x.reshape({3, 2})) == data(x));
  CHECK(data(x[1]) == data(x) + 3);
  CHECK(data(x[-1][2]) == data(x) + 5);
  CHECK(data(x.slice(1, 2)) == data(x) + 3);
  CHECK(data(x.reshape({3, 2}).slice(1, 3)[1]) == data(x) + 4);

  x[1].mutable_values<float>()[0] = 40;
  CHECK(x.values<float>()[3] == 40);
  x.mutable_values<float>()[5] = 60;
  CHECK(x[1].to_vector<float>() == std::vector<float>{40, 5, 60});
}

TEST_CASE("values stay alive as long as any view of them", "[autograd][views]") {
  Tensor last = tensor({{1, 2}, {3, 4}})[1];
  CHECK(last.to_vector<float>() == std::vector<float>{3, 4});
  last = last[0];
  CHECK(last.item() == 3);
}

TEST_CASE("reshape() infers a size of -1 on any axis", "[autograd][views]") {
  const Tensor x = gradus::zeros({4, 6});
  CHECK(x.reshape({-1}).shape() == Shape{24});
  CHECK(x.reshape({2, -1}).shape() == Shape{2, 12});
  CHECK(x.reshape({2, -1, 3}).shape() == Shape{2, 4, 3});
  CHECK(gradus::zeros({}).reshape({-1}).shape() == Shape{1});
  CHECK(x.reshape(Shape{-1, 8}).shape() == Shape{3, 8});
  CHECK(x.reshape(x.shape().with(0, 2).with(1, -1)).shape() == Shape{2, 12});
  CHECK(x.reshape(x.shape().with(0, 1).inserted(1, -1)).shape() == Shape{1, 4, 6});
}

TEST_CASE("gradients of overlapping views accumulate in the tensor", "[autograd][views]") {
  const Tensor x = leaf(tensor({1, 2, 3, 4}));
  sum(x.slice(0, 3) * 10.0 + x.slice(1, 4) + x.reshape({2, 2})[1][0]).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{10, 11, 11 + 3, 1});
}

TEST_CASE("a gradient passes through a view of a view of a view", "[autograd][views]") {
  const Tensor x = leaf(gradus::zeros({2, 3, 4}));
  (x[1].slice(1, 3).reshape({8})[5] * 7.0).backward();  // the same element as x[1][2][1]
  std::vector<float> expected(24);
  expected[12 + 8 + 1] = 7;
  CHECK(x.grad().to_vector<float>() == expected);
}

TEST_CASE("indexing a sequence gives its steps", "[autograd][views]") {
  const Tensor sequence = leaf(tensor({{1, 2}, {3, 4}, {5, 6}}));  // (T, H)
  Tensor state = gradus::zeros({2});
  for (std::int64_t t = 0; t < sequence.size(0); ++t) state = state * 10.0 + sequence[t];
  CHECK(state.to_vector<float>() == std::vector<float>{135, 246});
  sum(state).backward();
  CHECK(sequence.grad().to_vector<float>() == std::vector<float>{100, 100, 10, 10, 1, 1});
}
