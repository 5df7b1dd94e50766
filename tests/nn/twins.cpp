// Each fused operation equals its composed twin, and so do the modules that choose between them.

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>

#include <functional>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensors()>;

struct Run {
  Tensors values, gradients;
};

// The values of f, and what a random gradient that comes in from all of them adds to the leaves' gradients,
// which are all ones before.
Run run(const Function& f, const Tensors& leaves) {
  for (Tensor leaf : leaves) {
    if (leaf.requires_grad()) leaf.set_grad(gradus::ones(leaf.shape(), leaf.dtype()));
  }
  Run result{f(), {}};
  Generator generator(1);
  Tensor loss = gradus::zeros({}, result.values[0].dtype());
  for (const Tensor& value : result.values) {
    loss = loss + sum(value * random(value.shape(), generator).to(value.dtype()));
  }
  if (loss.requires_grad()) loss.backward();  // without lengths, lstm_update's h counts for nothing
  for (const Tensor& leaf : leaves) result.gradients.push_back(leaf.grad());
  return result;
}

void check_equal(const Function& fused, const Function& composed, const Tensors& leaves,
                 const Precision& precision) {
  const Run actual = run(fused, leaves), expected = run(composed, leaves);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    INFO("value " << i);
    CHECK(mismatch(actual.values[i], expected.values[i], precision.values) == "");
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    INFO("gradient of leaf " << i << ' ' << leaves[i].shape());
    CHECK(mismatch(actual.gradients[i], expected.gradients[i], precision.gradients) == "");
  }
}

// The same for a function of modules.
void check_equal(const Function& f, const Tensors& leaves, const Precision& precision) {
  const Function composed = [&] {
    const gradus::Composed guard;
    return f();
  };
  check_equal(f, composed, leaves, precision);
}

struct Sizes {
  std::int64_t T, B, N;
};
constexpr Sizes all_sizes[] = {{1, 1, 1}, {3, 1, 17}, {17, 3, 1}, {1, 17, 3}, {3, 7, 33}, {7, 33, 3}};

// 1, 3, 5 … and around, up to T.
Tensor lengths_up_to(std::int64_t T, std::int64_t B) {
  Ids lengths;
  for (std::int64_t b = 0; b < B; ++b) lengths.push_back((b * 2) % T + 1);
  return integers(lengths);
}

// visit(sizes, lengths, precision): every size and precision, with lengths and without.
template <class Visit>
void for_each_case(Visit visit) {
  for (const Sizes& sizes : all_sizes) {
    for (const Tensor& lengths : {lengths_up_to(sizes.T, sizes.B), Tensor()}) {
      for (const Precision& precision : precisions) {
        INFO("T = " << sizes.T << ", B = " << sizes.B << ", N = " << sizes.N << ", lengths " << lengths
                    << ", " << name(precision.dtype));
        visit(sizes, lengths, precision);
      }
    }
  }
}

// ---- operations

struct Twin {
  const char* name;
  std::vector<Shape> (*inputs)(const Sizes& sizes);
  Tensor (*fused)(const Tensors& x, const Tensor& lengths);
  Tensor (*composed)(const Tensors& x, const Tensor& lengths);
};

constexpr std::int64_t step = 1;

Tensor composed_gru_update(const Tensors& x, const Tensor& lengths) {
  const std::int64_t H = x[2].size(1);
  const auto gate = [H](const Tensor& part, int i) { return part.slice(i * H, (i + 1) * H, 1); };
  const Tensor r = sigmoid(gate(x[0], 0) + gate(x[1], 0));
  const Tensor z = sigmoid(gate(x[0], 1) + gate(x[1], 1));
  const Tensor n = tanh(gate(x[0], 2) + r * gate(x[1], 2));
  const Tensor y = (1.0 - z) * n + z * x[2];
  if (!lengths.defined()) return y;
  return where(greater(lengths.reshape({-1, 1}), integers({step})), y, x[2]);
}

Tensor composed_lstm_update(const Tensors& x, const Tensor& lengths) {
  const std::int64_t H = x[2].size(1);
  const auto argument = [&](int i) { return (x[0] + x[1]).slice(i * H, (i + 1) * H, 1); };
  const Tensor c = sigmoid(argument(1)) * x[3] + sigmoid(argument(0)) * tanh(argument(2));
  const Tensor y = gradus::stack({sigmoid(argument(3)) * tanh(c), c});
  if (!lengths.defined()) return y;
  return where(greater(lengths.reshape({1, -1, 1}), integers({step})), y, gradus::stack({x[2], x[3]}));
}

Tensor composed_additive_energy(const Tensors& x, const Tensor& lengths) {
  const Tensor e = sum(tanh(x[0] + x[1]) * x[2], 2);  // (T, B)
  if (!lengths.defined()) return transpose(e, 0, 1);
  return transpose(where(real_steps(lengths, e.size(0)), e, gradus::zeros({1}, e.dtype())), 0, 1);
}

Tensor composed_weighted_sum(const Tensors& x, const Tensor& lengths) {
  const Tensor alpha = transpose(x[0], 0, 1).reshape({x[1].size(0), x[1].size(1), 1});
  const Tensor terms = alpha * x[1];  // (T, B, D)
  return sum(lengths.defined() ? only_real(terms, lengths) : terms, 0);
}

const Twin twins[] = {
    {"gru_update",
     [](const Sizes& n) -> std::vector<Shape> {
       return {{n.B, 3 * n.N}, {n.B, 3 * n.N}, {n.B, n.N}};
     },
     [](const Tensors& x, const Tensor& lengths) { return gru_update(x[0], x[1], x[2], lengths, step); },
     composed_gru_update},
    {"lstm_update",
     [](const Sizes& n) -> std::vector<Shape> {
       return {{n.B, 4 * n.N}, {n.B, 4 * n.N}, {n.B, n.N}, {n.B, n.N}};
     },
     [](const Tensors& x, const Tensor& lengths) {
       return lstm_update(x[0], x[1], x[2], x[3], lengths, step);
     },
     composed_lstm_update},
    {"additive_energy",
     [](const Sizes& n) -> std::vector<Shape> {
       return {{n.B, n.N}, {n.T, n.B, n.N}, {n.N}};
     },
     [](const Tensors& x, const Tensor& lengths) { return additive_energy(x[0], x[1], x[2], lengths); },
     composed_additive_energy},
    {"weighted_sum",
     [](const Sizes& n) -> std::vector<Shape> {
       return {{n.B, n.T}, {n.T, n.B, n.N}};
     },
     [](const Tensors& x, const Tensor& lengths) { return weighted_sum(x[0], x[1], lengths); },
     composed_weighted_sum},
};

// Leaves of which those whose bit is in `wanted` require a gradient.
Tensors leaves_of(const std::vector<Shape>& shapes, Dtype dtype, unsigned wanted) {
  Generator generator(2);
  Tensors leaves;
  for (const Shape& shape : shapes) {
    leaves.push_back(random(shape, generator).to(dtype));
    leaves.back().set_requires_grad((wanted >> (leaves.size() - 1)) % 2 == 1);
  }
  return leaves;
}

}  // namespace

TEST_CASE("a fused operation equals its twin, whichever inputs need a gradient", "[nn][twins]") {
  for (const Twin& twin : twins) {
    INFO(twin.name);
    for_each_case([&](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
      const std::vector<Shape> shapes = twin.inputs(sizes);
      for (unsigned wanted = 1; wanted < 1u << shapes.size(); ++wanted) {
        INFO("inputs that need a gradient, as bits: " << wanted);
        const Tensors x = leaves_of(shapes, precision.dtype, wanted);
        check_equal([&] { return Tensors{twin.fused(x, lengths)}; },
                    [&] { return Tensors{twin.composed(x, lengths)}; }, x, precision);
      }
    });
  }
}

TEST_CASE("a tensor that comes in twice has the gradients of both uses", "[nn][twins]") {
  const auto check = [](const Twin& twin, const Shape& shape, auto inputs) {
    INFO(twin.name);
    for (const Precision& precision : precisions) {
      const Tensors x = leaves_of({shape}, precision.dtype, 1);
      check_equal([&] { return Tensors{twin.fused(inputs(x[0]), Tensor())}; },
                  [&] { return Tensors{twin.composed(inputs(x[0]), Tensor())}; }, x, precision);
    }
  };
  check(twins[0], {3, 15}, [](const Tensor& x) { return Tensors{x, x, x.slice(2, 7, 1)}; });
  check(twins[1], {3, 20}, [](const Tensor& x) {
    const Tensor h = x.slice(2, 7, 1);
    return Tensors{x, x, h, h};
  });
  check(twins[2], {1, 5}, [](const Tensor& x) { return Tensors{x, x.reshape({1, 1, 5}), x.reshape({5})}; });
  check(twins[3], {1, 5}, [](const Tensor& x) { return Tensors{x, x.reshape({5, 1, 1})}; });
}

// ---- modules

namespace {

// All that a module's result depends on: its parameters, and these inputs.
Tensors with_parameters(const nn::Module& module, const Tensors& inputs) {
  Tensors leaves = module.parameters();
  leaves.insert(leaves.end(), inputs.begin(), inputs.end());
  return leaves;
}

}  // namespace

TEST_CASE("GRUCell and LSTMCell are the same, composed", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& /*lengths*/, const Precision& precision) {
    nn::GRUCell gru(sizes.T, sizes.N);
    nn::LSTMCell lstm(sizes.T, sizes.N);
    gru.to(precision.dtype);
    lstm.to(precision.dtype);
    const Tensors x =
        leaves_of({{sizes.B, sizes.T}, {sizes.B, sizes.N}, {sizes.B, sizes.N}}, precision.dtype, 0b111);
    check_equal([&] { return Tensors{gru.forward(x[0], x[1])}; }, with_parameters(gru, {x[0], x[1]}),
                precision);
    check_equal([&] { return lstm.forward(x[0], x[1], x[2]).tensors(); }, with_parameters(lstm, x),
                precision);
  });
}

TEST_CASE("GRU and LSTM are the same, composed", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
    nn::GRU gru(2, sizes.N, {.bidirectional = true});
    nn::LSTM lstm(2, sizes.N, {.bidirectional = true});
    gru.to(precision.dtype);
    lstm.to(precision.dtype);
    const Shape state{2, sizes.B, sizes.N};
    const Tensors x = leaves_of({{sizes.T, sizes.B, 2}, state, state}, precision.dtype, 0b111);
    check_equal([&] { return gru.forward(x[0], lengths, x[1]).tensors(); },
                with_parameters(gru, {x[0], x[1]}), precision);
    check_equal([&] { return gru.forward(x[0], lengths).tensors(); }, with_parameters(gru, {x[0]}),
                precision);
    check_equal([&] { return lstm.forward(x[0], lengths, x[1], x[2]).tensors(); }, with_parameters(lstm, x),
                precision);
  });
}

TEST_CASE("AdditiveAttention is the same, composed", "[nn][twins]") {
  for_each_case([](const Sizes& sizes, const Tensor& lengths, const Precision& precision) {
    nn::AdditiveAttention attention(2, 3, sizes.N);
    attention.to(precision.dtype);
    const Tensors x = leaves_of({{sizes.B, 2}, {sizes.T, sizes.B, 3}}, precision.dtype, 0b11);
    const Function attend = [&] {
      return attention.attend(x[0], attention.prepare(x[1], lengths), 0, Tensor()).tensors();
    };
    check_equal(attend, with_parameters(attention, x), precision);
  });
}

TEST_CASE("a module of which only one tensor is trained is the same, composed", "[nn][twins]") {
  nn::GRU gru(2, 3, {.bidirectional = true});
  nn::AdditiveAttention attention(4, 6, 5);
  gru.to(Dtype::f64);
  attention.to(Dtype::f64);
  const Tensor lengths = integers({3, 1, 4});
  Tensors leaves = leaves_of({{4, 3, 2}, {3, 4}}, Dtype::f64, 0b11);
  const Function f = [&, x = leaves] {
    const nn::Memory memory = attention.prepare(gru.forward(x[0], lengths).output, lengths);
    return attention.attend(x[1], memory, 0, Tensor()).tensors();
  };
  for (const nn::Module* module : {static_cast<nn::Module*>(&gru), static_cast<nn::Module*>(&attention)}) {
    leaves = with_parameters(*module, leaves);
  }
  for (const Tensor& trained : leaves) {
    for (Tensor leaf : leaves) leaf.set_requires_grad(leaf.is(trained));
    check_equal(f, leaves, precisions[0]);
    CHECK(mismatch(trained.grad(), gradus::ones(trained.shape())) != "");
  }
}
