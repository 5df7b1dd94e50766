// Buffers of gradients. The first contribution is moved, copied or written into the buffer; later
// contributions are added. A buffer that other tensors share must never be written.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Gradients;
using gradus::memory_stats;
using gradus::ones;
using gradus::Tensor;
using gradus::tensor;

namespace {

using Floats = std::vector<float>;

Floats values(const Tensor& x) { return x.to_vector<float>(); }
const float* buffer(const Tensor& x) { return x.values<float>().data(); }

// Ids below 500, not in order. One id is -1, which is ignored.
Tensor some_ids(std::int64_t n) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < n; ++i) ids.push_back(i == 7 ? -1 : (i * 97) % 500);
  return tensor(ids);
}

// A custom operation: copies its first input, and has the given backward function.
Tensor custom(std::initializer_list<Tensor> inputs, gradus::Backward backward) {
  return record("custom", inputs.begin()->clone(), inputs, {}, std::move(backward));
}

}  // namespace

TEST_CASE("a moved gradient reaches the leaf without a copy", "[autograd][buffers]") {
  const Tensor x = leaf(tensor({1, 2}));
  const float* made = nullptr;
  const auto backward = [&](Gradients& g) {
    Tensor gradient = g.out() * 3.0;
    made = buffer(gradient);
    g.add(0, std::move(gradient));
  };
  sum(custom({x}, backward).reshape({2, 1})).backward();
  CHECK(buffer(x.grad()) == made);
  CHECK(values(x.grad()) == Floats{3, 3});
  const float* first = buffer(x.grad());
  sum(custom({x}, backward)).backward();
  CHECK(buffer(x.grad()) == first);
  CHECK(values(x.grad()) == Floats{6, 6});
}

TEST_CASE("a gradient that the backward function keeps is copied", "[autograd][buffers]") {
  const Tensor x = leaf(tensor({1, 2}));
  Tensor kept = tensor({5, 7});
  const Tensor y = custom({x}, [&](Gradients& g) {
    g.add(0, kept);
    kept.mutable_values<float>()[0] = 100;
  });
  sum(y + x).backward();
  CHECK(values(x.grad()) == Floats{6, 8});
  CHECK(values(kept) == Floats{100, 7});

  // `added` is the first contribution to the gradient of `first`. Adding a later contribution must not change
  // `added`.
  const Tensor first = leaf(tensor({1, 2})), added = tensor({5, 7});
  const Tensor older = first * 2.0;
  sum(older + custom({first}, [&](Gradients& g) { g.add(0, added); })).backward();
  CHECK(values(first.grad()) == Floats{7, 9});
  CHECK(values(added) == Floats{5, 7});

  // A gradient must not alias adopted memory, because the memory's owner may still write to it.
  auto lent = std::make_shared<float>(4.0F);
  const Tensor one = leaf(tensor({1}));
  custom({one}, [&](Gradients& g) { g.add(0, gradus::adopt(lent, {1})); }).backward();
  *lent = 100;
  CHECK(one.grad().item() == 4);
}

TEST_CASE("a gradient passed on to several inputs accumulates separately in each", "[autograd][buffers]") {
  const Tensor a = leaf(tensor({1, 2})), b = leaf(tensor({3, 4}));
  const Tensor c = a * 1.0, d = b * 1.0;  // results, unlike the leaves a and b
  Tensor both = c + d;
  both.retain_grad();
  sum(both * 2.0 + c * 10.0 + both.reshape({1, 2}).reshape({2}) + a * 100.0).backward();
  CHECK(values(both.grad()) == Floats{3, 3});
  CHECK(values(a.grad()) == Floats{113, 113});
  CHECK(values(b.grad()) == Floats{3, 3});

  const Tensor x = leaf(tensor({1, 2})), y = leaf(tensor({3, 4}));
  sum(x + y + x).backward();
  CHECK(values(x.grad()) == Floats{2, 2});
  CHECK(values(y.grad()) == Floats{1, 1});
  sum(x + y).backward();
  CHECK(values(x.grad()) == Floats{3, 3});
  CHECK(values(y.grad()) == Floats{2, 2});

  const auto gradients = gradus::grad({sum(x + y)}, {x, y});
  CHECK(buffer(gradients[0]) != buffer(gradients[1]));
}

TEST_CASE("backward() does not change the gradient passed to it", "[autograd][buffers]") {
  const Tensor x = leaf(tensor({1, 2}));
  const Tensor incoming = tensor({5, 7});
  (x + x).backward(incoming);
  CHECK(values(incoming) == Floats{5, 7});
  x.backward(incoming);
  x.backward(incoming);
  CHECK(values(incoming) == Floats{5, 7});
  CHECK(values(x.grad()) == Floats{20, 28});
}

TEST_CASE("a leaf that receives part of a gradient keeps only that part in memory", "[autograd][buffers]") {
  Tensor small = leaf(ones({1, 4})), large = leaf(ones({1000, 4}));
  small.set_grad(ones({1, 4}));
  large.set_grad(ones({1000, 4}));
  const auto wanted = memory_stats().live_bytes;
  small.zero_grad();
  large.zero_grad();
  gradus::sum(gradus::concat({small, large * 1.0, small}, 0) * 3.0).backward();
  CHECK(memory_stats().live_bytes == wanted);
  CHECK(values(small.grad()) == Floats(4, 6));
  CHECK(values(large.grad()) == Floats(4000, 3));
}

TEST_CASE("accumulate() passes an uninitialised buffer once, then the running sum", "[autograd][buffers]") {
  const Tensor x = leaf(tensor({1, 2}));
  std::vector<int> betas;
  const auto put = [&](float value) {
    return [&betas, value](Tensor y, int beta) {
      betas.push_back(beta);
      for (float& into : y.mutable_values<float>())
        into = static_cast<float>(beta) * (beta == 0 ? 0 : into) + value;
    };
  };
  sum(custom({x, x}, [&](Gradients& g) {
    g.accumulate(0, put(1));
    g.accumulate(1, put(10));
    g.accumulate(0, put(100));
  })).backward();
  CHECK(betas == std::vector<int>{0, 1, 1});
  CHECK(values(x.grad()) == Floats{111, 111});

  // The function for input 0 calls accumulate() for input 1 before it writes. The function for input 1 then
  // also gets β = 0, because nothing has been written to the gradient of z yet.
  Tensor z = leaf(tensor({1, 2}));
  sum(custom({z, z}, [&](Gradients& g) {
    g.accumulate(0, [&](const Tensor& y, int beta) {
      g.accumulate(1, put(10));
      put(1)(y, beta);
    });
  })).backward();
  CHECK(values(z.grad()) == Floats{11, 11});

  z.zero_grad();
  CHECK_THROWS_WITH(sum(custom({z},
                               [](Gradients& g) {
                                 g.accumulate(0,
                                              [](const Tensor&, int) { throw std::runtime_error("broken"); });
                               }))
                        .backward(),
                    "broken");
  CHECK_FALSE(z.grad().defined());
}

TEST_CASE("a product writes a weight's gradient without a second buffer of its size", "[autograd][buffers]") {
  Tensor weight = leaf(ones({300, 200}));
  const std::int64_t bytes = weight.numel() * 4;
  const auto needs_one_buffer = [&](auto product) {
    product();  // warms up the pool
    weight.zero_grad();
    const Tensor loss = product();
    gradus::release_pooled_memory();
    loss.backward();
    CHECK(weight.grad().to_vector<float>() == Floats(60'000, 1));
    return memory_stats().pooled_bytes < bytes;
  };
  CHECK(needs_one_buffer([&] { return sum(linear(ones({1, 200}), weight, {})); }));
  CHECK(needs_one_buffer([&] { return sum(matmul(ones({1, 300}), weight)); }));
}

TEST_CASE("a gradient of another dtype is an error", "[autograd][buffers]") {
  const Tensor x = leaf(tensor({1, 2}));
  const Tensor y = custom({x}, [](Gradients& g) { g.add(0, g.out().to(Dtype::f64)); });
  CHECK_ERROR(sum(y).backward(),
              "custom: its backward function adds a gradient (2) f64 to that of input 0, which is (2) f32");
  CHECK_FALSE(x.grad().defined());
}

namespace {

// Copies x. Its backward function takes the saved `value` with take_saved(), and overwrites the taken tensor.
struct Taking {
  const float* taken = nullptr;
  Tensor operator()(const Tensor& x, const Tensor& value) {
    return record("taking", x.clone(), {x}, {value}, [this](Gradients& g) {
      Tensor mine = g.take_saved(0);
      taken = buffer(mine);
      for (float& v : mine.mutable_values<float>()) v += 1;
      g.add(0, std::move(mine));
    });
  }
};

Floats ten(float value) { return Floats(10, value); }

}  // namespace

TEST_CASE("take_saved() gives the last reader the saved buffer itself", "[autograd][buffers]") {
  const Tensor x = leaf(ones({10}));
  Taking taking;
  const float* saved = nullptr;
  const Tensor y = [&] {
    const Tensor value = ones({10});
    saved = buffer(value);
    return taking(x, value);
  }();
  y.backward(ones({10}));
  CHECK(taking.taken == saved);
  CHECK(buffer(x.grad()) == saved);  // x.grad() has taken over the buffer
  CHECK(values(x.grad()) == ten(2));
}

TEST_CASE("take_saved() copies a value that is read again", "[autograd][buffers]") {
  Tensor x = leaf(ones({10}));
  Taking taking;
  const Tensor y = taking(x, ones({10}));
  sum(y).backward(true);
  sum(y).backward(true);
  sum(y).backward();
  CHECK(values(x.grad()) == ten(3 * 2));

  x.zero_grad();
  const Tensor seen = ones({10});
  sum(taking(x, seen)).backward();
  CHECK(values(seen) == ten(1));
  CHECK(taking.taken != buffer(seen));

  const Tensor shared = [&] {
    const Tensor value = ones({10});
    return taking(x, value) + taking(x, value);
  }();
  x.zero_grad();
  sum(shared).backward();
  CHECK(values(x.grad()) == ten(2 + 2));
}

TEST_CASE("a backward() that failed after take_saved() cannot be repeated", "[autograd][buffers]") {
  const Tensor x = leaf(ones({10}));
  bool fails = true;
  const Tensor y = record("fragile", ones({10}), {x}, {ones({10})}, [&](Gradients& g) {
    g.take_saved(0);
    if (fails) throw std::runtime_error("broken");
    g.add(0, g.out());
  });
  CHECK_THROWS_WITH(y.backward(ones({10})), "broken");
  fails = false;
  CHECK_ERROR(y.backward(ones({10})),
              "backward: the tape of 'fragile' (10) was freed by an earlier backward(); call the first one "
              "with retain_graph = true, or compute the value again");
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("cross-entropy needs no second buffer of the size of moved logits", "[autograd][buffers]") {
  const Tensor x = leaf(ones({40, 3})), weight = leaf(ones({500, 3}));
  const Tensor targets = some_ids(40);
  const std::int64_t bytes = 40 * 500 * 4;
  const auto gradients = [&] { return std::vector{values(x.grad()), values(weight.grad())}; };
  const auto zero = [&] {
    for (Tensor leaf : {x, weight}) leaf.zero_grad();
  };

  const Tensor seen = linear(x, weight, {});
  const Floats before = values(seen);
  const double loss = [&] {
    const Tensor result = cross_entropy(seen, targets, -1, 0.1);
    result.backward();
    return result.item();
  }();
  CHECK(values(seen) == before);
  const auto wanted = gradients();

  zero();
  gradus::release_pooled_memory();
  const auto live = memory_stats().live_bytes;
  {
    Tensor logits = linear(x, weight, {});
    const Tensor result = cross_entropy(std::move(logits), targets, -1, 0.1);
    CHECK(result.item() == loss);
    CHECK(memory_stats().live_bytes + memory_stats().pooled_bytes < live + 2 * bytes);
    result.backward();
    CHECK(memory_stats().live_bytes + memory_stats().pooled_bytes < live + 2 * bytes);
    CHECK(gradients() == wanted);
  }

  zero();  // the tape is retained, so backward() must not overwrite the values that it reads
  const Tensor result = cross_entropy(linear(x, weight, {}), targets, -1, 0.1);
  result.backward(true);
  CHECK(gradients() == wanted);
  zero();
  result.backward();
  CHECK(gradients() == wanted);
}
