// Creating, reading, changing and converting tensors.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::arange;
using gradus::Dtype;
using gradus::full;
using gradus::ones;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;
using gradus::zeros;

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ids = std::vector<std::int64_t>;

TEST_CASE("tensors are created from a list of values or a single value", "[autograd][tensor]") {
  CHECK(zeros({2}).to_vector<float>() == Floats{0, 0});
  CHECK(ones({2}, Dtype::f64).to_vector<double>() == Doubles{1, 1});
  CHECK(full({}, 2.5).item() == 2.5);
  CHECK(full({2}, -3, Dtype::i64).to_vector<std::int64_t>() == Ids{-3, -3});
  CHECK(arange(3).to_vector<std::int64_t>() == Ids{0, 1, 2});
  CHECK(arange(0).shape() == Shape{0});
  CHECK(tensor({1, 2.5}).to_vector<float>() == Floats{1, 2.5F});
  CHECK(tensor({1, 2}, Dtype::i64).dtype() == Dtype::i64);
  CHECK(gradus::empty({2, 3}, Dtype::f64).numel() == 6);

  const Tensor copied = tensor(Doubles{1, 2, 3, 4}, {2, 2});
  CHECK(copied.dtype() == Dtype::f64);
  CHECK(copied.shape() == Shape{2, 2});
  CHECK(tensor(Floats{}, {0, 3}).shape() == Shape{0, 3});

  const Ids large{1, (std::int64_t{1} << 53) + 1};
  CHECK(tensor(large).shape() == Shape{2});
  CHECK(tensor(large).to_vector<std::int64_t>() == large);
  CHECK(tensor(std::span<const std::int64_t>(large)).to_vector<std::int64_t>() == large);
}

TEST_CASE("adopt() shares the given memory and keeps it alive", "[autograd][tensor]") {
  auto values = std::make_shared<Doubles>(Doubles{1, 2, 3, 4});
  const std::weak_ptr<Doubles> alive = values;
  const double* const data = values->data();
  Tensor x = gradus::adopt(std::shared_ptr<double>(values, values->data()), {2, 2});
  values.reset();
  CHECK(x.values<double>().data() == data);
  CHECK(x.clone().values<double>().data() != data);
  CHECK_FALSE(alive.expired());
  x = x[1];
  CHECK(x.to_vector<double>() == Doubles{3, 4});
  x = Tensor();
  CHECK(alive.expired());

  CHECK(gradus::adopt(std::shared_ptr<float>(), {0, 3}).shape() == Shape{0, 3});
  CHECK_ERROR(gradus::adopt(std::shared_ptr<float>(), {2, 3}),
              "adopt: the values are null, and (2, 3) needs 6");
}

TEST_CASE("wrong numbers of values and negative sizes are errors", "[autograd][tensor]") {
  CHECK_ERROR(tensor(Floats{1, 2, 3}, {2, 2}), "tensor: 3 values cannot fill (2, 2), which holds 4");
  CHECK_ERROR(arange(-1), "Shape: axis 0 has the negative size -1");
  CHECK_ERROR(zeros({2, -1}), "Shape: axis 1 has the negative size -1");
  CHECK_ERROR(gradus::empty({0, -1}), "Shape: axis 1 has the negative size -1");
  CHECK_ERROR(expand(zeros({2, 1}), {2, -1}), "Shape: axis 1 has the negative size -1");
  CHECK_ERROR(gradus::adopt(std::make_shared<float>(), {-1}), "Shape: axis 0 has the negative size -1");
}

TEST_CASE("an undefined tensor supports defined() and is(), and all else is an error", "[autograd][tensor]") {
  const Tensor nothing;
  const std::string message = "tensor: used before it was given a value";
  CHECK_FALSE(nothing.defined());
  CHECK(nothing.is(Tensor()));
  CHECK_FALSE(nothing.is(zeros({})));
  CHECK_ERROR(nothing.shape(), message);
  CHECK_ERROR(nothing.dtype(), message);
  CHECK_ERROR(nothing.requires_grad(), message);
  CHECK_ERROR(nothing + zeros({}), message);
}

TEST_CASE("copies are handles to the same tensor", "[autograd][tensor]") {
  Tensor a = tensor({1, 2});
  const Tensor b = a;
  a.mutable_values<float>()[0] = 9;
  a.set_requires_grad();
  CHECK(b.is(a));
  CHECK(b.values<float>()[0] == 9);
  CHECK(b.requires_grad());
  CHECK_FALSE(a.clone().is(a));
}

TEST_CASE("values() requires the tensor's own dtype", "[autograd][tensor]") {
  Tensor a = tensor({1.75, -2.75}, Dtype::f64);
  CHECK(a.values<double>()[1] == -2.75);
  CHECK(a.to_vector<float>() == Floats{1.75F, -2.75F});
  CHECK(a.to_vector<std::int64_t>() == Ids{1, -2});
  CHECK_ERROR(a.values<float>(), "values: the tensor (2) is f64, not f32; convert it with .to(Dtype::f32)");
  CHECK_ERROR(a.mutable_values<std::int64_t>(),
              "mutable_values: the tensor (2) is f64, not i64; convert it with .to(Dtype::i64)");
}

TEST_CASE("item() returns the only element", "[autograd][tensor]") {
  CHECK(tensor({{2.5, 1}})[0][0].item() == 2.5);
  CHECK(full({1, 1, 1}, 7, Dtype::i64).item() == 7);
  CHECK_ERROR(zeros({2, 3}).item(),
              "item: the tensor has 6 elements, shape (2, 3); item() needs exactly one");
  CHECK_ERROR(zeros({0}).item(), "item: the tensor has 0 elements, shape (0); item() needs exactly one");
}

TEST_CASE("a clone has its own values and is not on the tape", "[autograd][tensor]") {
  Tensor a = leaf(tensor({1, 2}));
  const Tensor copy = a.clone();
  a.mutable_values<float>()[0] = 9;
  CHECK(copy.values<float>()[0] == 1);
  CHECK_FALSE(copy.requires_grad());
  CHECK(arange(3).clone().to_vector<std::int64_t>() == Ids{0, 1, 2});
  CHECK(tensor({{1, 2}, {3, 4}})[1].clone().to_vector<float>() == Floats{3, 4});
}

TEST_CASE("to() converts, and returns the tensor itself if the dtype is the same", "[autograd][tensor]") {
  const Tensor a = leaf(tensor({1.75, -2.75}));
  CHECK(a.to(Dtype::f32).is(a));
  CHECK(a.to(Dtype::f64).values<double>()[0] == 1.75);
  CHECK(a.to(Dtype::i64).to_vector<std::int64_t>() == Ids{1, -2});  // rounds towards zero
  CHECK_FALSE(a.to(Dtype::i64).requires_grad());
  CHECK(arange(3).to(Dtype::f32).to_vector<float>() == Floats{0, 1, 2});

  const Tensor twice = a.to(Dtype::f64) * 3.0;  // backward converts the gradient to f32 again
  twice.backward(tensor({1, 10}, Dtype::f64));
  CHECK(a.grad().dtype() == Dtype::f32);
  CHECK(a.grad().to_vector<float>() == Floats{3, 30});

  const Tensor b = leaf(tensor({1, 2}, Dtype::f64));
  sum(b.to(Dtype::f32) * 3.0).backward();
  CHECK(b.grad().to_vector<double>() == Doubles{3, 3});
}

TEST_CASE("converting a number outside the range of i64 is an error", "[autograd][tensor]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto refusal = [](const std::string& start, const std::string& dtype) {
    return start + ", outside the range of i64; replace it with where(), or keep " + dtype;
  };
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor nan = tensor({{0, 1}, {std::nan(""), infinity}}, dtype);
    CHECK_ERROR(nan.to(Dtype::i64), refusal("to: element [1, 0] of (2, 2) is nan", name(dtype)));
    CHECK_ERROR(nan.to_vector<std::int64_t>(),
                refusal("to_vector: element [1, 0] of (2, 2) is nan", name(dtype)));
    CHECK_ERROR(nan[1][1].to(Dtype::i64), refusal("to: element [] of () is inf", name(dtype)));
    CHECK_ERROR(tensor({3, -infinity}, dtype).to_vector<std::int64_t>(),
                refusal("to_vector: element [1] of (2) is -inf", name(dtype)));
    CHECK_ERROR(full({1}, 0x1p63, dtype).to(Dtype::i64),
                refusal("to: element [0] of (1) is 9.22337e+18", name(dtype)));

    const double below = dtype == Dtype::f32 ? 0x1.fffffep62 : 0x1.fffffffffffffp62;
    const Tensor at_the_ends = tensor({-0x1p63, below, -0.9}, dtype);
    const Ids integers{std::numeric_limits<std::int64_t>::min(), static_cast<std::int64_t>(below), 0};
    CHECK(at_the_ends.to(Dtype::i64).to_vector<std::int64_t>() == integers);
    CHECK(at_the_ends.to_vector<std::int64_t>() == integers);
  }
  CHECK_ERROR(full({1}, std::nextafter(-0x1p63, -infinity), Dtype::f64).to(Dtype::i64),
              refusal("to: element [0] of (1) is -9.22337e+18", "f64"));
}

TEST_CASE("only a floating-point leaf can be set to require a gradient", "[autograd][tensor]") {
  Tensor x = zeros({2});
  CHECK_FALSE(x.requires_grad());
  CHECK(x.set_requires_grad().is(x));
  CHECK(x.requires_grad());
  CHECK(x.set_requires_grad().requires_grad());

  Tensor y = x * 2.0;
  const std::string message =
      "set_requires_grad: this (2) is the result of 'mul'; only a leaf can be switched; use detach()";
  CHECK_ERROR(y.set_requires_grad(), message);
  CHECK_ERROR(y.set_requires_grad(false), message);
  CHECK_ERROR(arange(2).set_requires_grad(), "set_requires_grad: an i64 tensor (2) has no gradient");
  CHECK_FALSE(arange(2).set_requires_grad(false).requires_grad());

  CHECK_FALSE(x.set_requires_grad(false).requires_grad());
  CHECK_FALSE((x * 2.0).requires_grad());
}

TEST_CASE("set_grad() requires the tensor's shape and dtype", "[autograd][tensor]") {
  Tensor x = leaf(zeros({2}));
  x.set_grad(tensor({3, 4}));
  sum(x).backward();
  CHECK(x.grad().to_vector<float>() == Floats{4, 5});
  CHECK_ERROR(x.set_grad(zeros({3})),
              "set_grad: the gradient is (3) f32, but the tensor is (2) f32; they must be the same");
  CHECK_ERROR(x.set_grad(zeros({2}, Dtype::f64)),
              "set_grad: the gradient is (2) f64, but the tensor is (2) f32; they must be the same");
  CHECK(x.grad().to_vector<float>() == Floats{4, 5});

  const Tensor mine = tensor({1, 1});  // set_grad() copies `mine`, so backward() must not change `mine`
  x.set_grad(mine);
  sum(x).backward();
  CHECK(mine.to_vector<float>() == Floats{1, 1});
  CHECK(x.grad().to_vector<float>() == Floats{2, 2});

  Tensor plain = zeros({2});
  plain.zero_grad();  // not an error, although there is no gradient
  CHECK_FALSE(plain.grad().defined());
  CHECK_ERROR(plain.set_grad(zeros({2})),
              "set_grad: this tensor (2) needs no gradient; call set_requires_grad() first");
}

TEST_CASE("replace() changes the values of every handle and clears the gradient", "[autograd][tensor]") {
  Tensor x = leaf(tensor({1, 2}));
  const Tensor handle = x;
  sum(x).backward();
  x.replace(tensor({{3, 4}, {5, 6}}, Dtype::f64));
  CHECK(handle.shape() == Shape{2, 2});
  CHECK(handle.dtype() == Dtype::f64);
  CHECK(handle.requires_grad());
  CHECK_FALSE(handle.grad().defined());
  sum(handle * 2.0).backward();
  CHECK(x.grad().to_vector<double>() == Doubles{2, 2, 2, 2});

  CHECK_ERROR(x.replace(arange(2)),
              "replace: this tensor (2, 2) requires a gradient, which i64 values cannot have");
  Tensor y = x * 2.0;
  CHECK_ERROR(y.replace(x), "replace: this (2, 2) is the result of 'mul'; only a leaf can be replaced");
}

TEST_CASE("operations recorded before replace() keep the old values", "[autograd][tensor]") {
  Tensor w = leaf(ones({3, 100}));
  const Tensor old = w.detach();
  const Tensor x = leaf(ones({2, 3}));
  const Tensor y = matmul(x, w);
  w.replace(zeros({1}, Dtype::f64));  // backward() must not give w a gradient of the old size
  sum(y).backward();
  CHECK(x.grad().to_vector<float>() == Floats(6, 100));
  CHECK_FALSE(w.grad().defined());
  CHECK(old.shape() == Shape{3, 100});
}

TEST_CASE("dtypes have names and sizes", "[autograd][tensor]") {
  CHECK(std::string(name(Dtype::f32)) + name(Dtype::f64) + name(Dtype::i64) == "f32f64i64");
  CHECK(bytes_per_element(Dtype::f32) == 4);
  CHECK(bytes_per_element(Dtype::f64) == 8);
  CHECK(bytes_per_element(Dtype::i64) == 8);
  CHECK((is_floating(Dtype::f32) && is_floating(Dtype::f64) && !is_floating(Dtype::i64)));
}
