// Fused recurrences split their sequences or their products among threads. Every run with the same number of
// threads must give the same bits. The results must match those of simple operations.

#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <thread>

#include "autograd/helpers.hpp"
#include "autograd/ops/unwritten.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Packing;
using gradus::Shape;
using gradus::Tensor;

namespace {

using Tensors = std::vector<Tensor>;
using Bits = std::vector<std::vector<float>>;  // too long to print, so CHECK((a == b))

struct Example {
  const char* name;
  std::vector<Shape> shapes;
  std::function<Tensor(const Tensors& x)> run;
};

// B lengths. The first is `longest`. Each later length is 2 more than the length before it, wrapping from
// `longest` to `shortest`: for 0 to 6, the lengths are 6, 1, 3, 5, 0, 2 …
Tensor lengths(std::int64_t B, std::int64_t shortest, std::int64_t longest) {
  std::vector<std::int64_t> all;
  for (std::int64_t b = 0; b < B; ++b) {
    all.push_back(shortest + (longest - shortest + 2 * b) % (longest - shortest + 1));
  }
  return gradus::tensor(all, {B});
}

// Examples of the fused recurrences, with B sequences and states of size H.
std::vector<Example> examples(std::int64_t B, std::int64_t H) {
  const Packing packing(lengths(B, 0, 6));
  const std::int64_t N = packing.rows(), T = 5, A = 7;
  const auto run = [=](gradus::GatedCell cell, bool reverse) {
    return [=](const Tensors& x) {
      const auto [states, last] =
          recurrent_sequence(cell, x[0], x[1], x[2], {x.begin() + 3, x.end()}, packing, reverse);
      Tensors all{states};
      all.insert(all.end(), last.begin(), last.end());
      return gradus::concat(all, 0);
    };
  };
  const std::vector<Shape> of_gru{{N, 3 * H}, {3 * H, H}, {3 * H}, {B, H}};
  return {{"a GRU", of_gru, run(gradus::GatedCell::gru, false)},
          {"a GRU in reverse", of_gru, run(gradus::GatedCell::gru, true)},
          {"an LSTM", {{N, 4 * H}, {4 * H, H}, {4 * H}, {B, H}, {B, H}}, run(gradus::GatedCell::lstm, false)},
          {"the original GRU", of_gru, run(gradus::GatedCell::original_gru, false)},
          {"attention_sequence of two layers, under dropout",
           {{N, 3}, {B, H}, {B, H}, {T, B, H}, {T, B, 2}, {3 * H, 5}, {3 * H, H}, {3 * H, H}, {3 * H, H}},
           [=](const Tensors& x) {
             return attention_sequence(x[0], {x[1], x[2]}, x[3], x[4], lengths(B, 1, T),
                                       {.layers = {{x[5], x[6], {}, {}}, {x[7], x[8], {}, {}}},
                                        .score = {.dropout = 0.3},
                                        .dropout = 0.2,
                                        .draws = Generator(4)},
                                       packing);
           }},
          {"attention_sequence",
           {{N, 3}, {B, H}, {T, B, A}, {T, B, 2}, {3 * H, 5}, {3 * H, H}, {A, H}, {A}, {3 * H}, {3 * H}},
           [=](const Tensors& x) {
             return attention_sequence(
                 x[0], {x[1]}, x[2], x[3], lengths(B, 1, T),
                 {.layers = {{x[4], x[5], x[8], x[9]}}, .score = {.W_a = x[6], .v_a = x[7]}}, packing);
           }}};
}

Tensors leaves(const Example& example) {
  Generator generator(1);
  Tensors x;
  for (const Shape& shape : example.shapes) x.push_back(leaf(normal(shape, 0, 0.3, generator)));
  return x;
}

// The result, and the gradients for a random incoming gradient.
Bits bits(const Example& example) {
  const Tensors x = leaves(example);
  const Tensor result = example.run(x);
  Generator generator(2);
  result.backward(normal(result.shape(), 0, 1, generator));
  Bits all{result.to_vector<float>()};
  for (const Tensor& input : x) all.push_back(input.grad().to_vector<float>());
  return all;
}

// Calls visit() for each example in two sizes: with enough sequences for the threads to share them, and with
// weights so large that the threads share the products instead.
template <class Visit>
void for_each_example(Visit visit) {
  for (const auto& [B, H] : {std::pair{57, 128}, std::pair{9, 400}}) {
    for (const Example& example : examples(B, H)) {
      INFO(example.name << " of " << B << " sequences, H = " << H);
      visit(example);
    }
  }
}

}  // namespace

TEST_CASE("recurrent_sequence() refuses a wrong number of first states", "[autograd][sequences]") {
  const Tensor x_parts = gradus::zeros({2, 12}), weight = gradus::zeros({12, 3}), h_0 = gradus::zeros({2, 3});
  CHECK_ERROR(recurrent_sequence(gradus::GatedCell::lstm, x_parts, weight, Tensor(), {h_0}, Packing(1, 2)),
              "recurrent_sequence: the first state has 1 tensors and must have 2, h_0 and c_0");
}

TEST_CASE("a recurrence gives the same bits in every run with the same number of threads",
          "[autograd][sequences]") {
  for_each_example([](const Example& example) {
    for (const int count : {1, 2, 3}) {
      const Threads set(count);
      CAPTURE(count);
      const Bits first = bits(example);
      for (int again = 0; again < 5; ++again) CHECK((bits(example) == first));
    }
  });
}

TEST_CASE("no recurrence computes with uninitialised elements", "[autograd][sequences]") {
  const Threads set(1);
  for_each_example([](const Example& example) {
    for (int only = -1; only < static_cast<int>(example.shapes.size()); ++only) {
      CAPTURE(only);
      Tensors x = leaves(example);
      for (int k = 0; k < static_cast<int>(x.size()); ++k) {
        if (only >= 0 && only != k) x[static_cast<std::size_t>(k)].set_requires_grad(false);
      }
      const Tensor d = gradus::ones(example.run(x).shape());
      CHECK_FALSE(is_invalid([&] { example.run(x).backward(d); }));
      const Unwritten memory(Dtype::f32);
      CHECK_FALSE(is_invalid([&] { example.run(x).backward(d); }));
    }
  });
}

TEST_CASE("a recurrence gives the same bits while another thread uses the team", "[autograd][sequences]") {
  for_each_example([](const Example& example) {
    const Threads set(3);
    const Bits alone = bits(example);
    Bits beside;
    gradus::parallel_tasks(2, [&](std::int64_t task) {
      if (task == 0) std::thread([&] { beside = bits(example); }).join();
    });
    CHECK((beside == alone));
  });
}

TEST_CASE("a recurrence gives the same bits with and without recording", "[autograd][sequences]") {
  for_each_example([](const Example& example) {
    for (const int count : {1, 3}) {
      const Threads set(count);
      CAPTURE(count);
      const Tensors x = leaves(example);
      const auto recorded = example.run(x).to_vector<float>();
      const gradus::NoGrad no_grad;
      CHECK((example.run(x).to_vector<float>() == recorded));
    }
  });
}

TEST_CASE("a recurrence equals its twin of simple operations", "[autograd][sequences][twins]") {
  for_each_example([](const Example& example) {
    const Bits fused = bits(example);
    const gradus::Composed composed;
    const Bits twin = bits(example);
    for (std::size_t i = 0; i < fused.size(); ++i) {
      INFO((i == 0 ? "the result" : "the gradient of input " + std::to_string(i - 1)));
      float largest = 0, difference = 0;
      for (std::size_t k = 0; k < twin[i].size(); ++k) {
        largest = std::max(largest, std::abs(twin[i][k]));
        difference = std::max(difference, std::abs(fused[i][k] - twin[i][k]));
      }
      CHECK(difference <= 1e-4f * largest);
    }
  });
}
