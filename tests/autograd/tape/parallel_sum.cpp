// parallel_sum(): threads compute the terms, and each term has its own tape.

#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel_sum.hpp>
#include <gradus/autograd/profile.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "autograd/helpers.hpp"
#include "runtime/runtime_state.hpp"

using gradus::Composed;
using gradus::DetectAnomaly;
using gradus::Dtype;
using gradus::Generator;
using gradus::matmul;
using gradus::memory_stats;
using gradus::NoGrad;
using gradus::parallel_operations;
using gradus::parallel_sum;
using gradus::Scope;
using gradus::sum;
using gradus::tensor;
using gradus::Tensor;

namespace {

struct Inputs {
  Tensor w, v, x;  // (4, 3), (3), (6, 4)
};

Inputs inputs(bool x_too = false) {
  Generator generator(3);
  const Tensor x = gradus::normal({6, 4}, 0, 1, generator, Dtype::f64);
  return {leaf(gradus::normal({4, 3}, 0, 1, generator, Dtype::f64)),
          leaf(gradus::normal({3}, 0, 1, generator, Dtype::f64)), x_too ? leaf(x) : x};
}

// Term i uses rows 2i and 2i + 1 of x. Only the first two terms use v.
Tensor term(const Inputs& in, const Tensor& w, const Tensor& x, std::int64_t i) {
  const Tensor y = tanh(matmul(x.slice(2 * i, 2 * i + 2), w));
  return i < 2 ? sum(y * y * in.v) : sum(y);
}

// Σ_i term(i), computed on one tape.
Tensor one_after_the_other(const Inputs& in, const Tensor& w, const Tensor& x) {
  return term(in, w, x, 0) + term(in, w, x, 1) + term(in, w, x, 2);
}
Tensor side_by_side(const Inputs& in, const Tensor& w, const Tensor& x) {
  return parallel_sum(3, [&](std::int64_t i) { return term(in, w, x, i); });
}

}  // namespace

TEST_CASE("parallel terms have the value and the gradients of a single tape", "[autograd][parallel_sum]") {
  for (const int count : {1, 2, 3}) {
    const Threads set(count);
    CAPTURE(count);
    const Inputs a = inputs(true), b = inputs(true);
    const Tensor one = one_after_the_other(a, a.w, a.x) * 1.7;
    const Tensor other = side_by_side(b, b.w, b.x) * 1.7;
    CHECK(difference(other, one, 1e-14) == "");
    one.backward();
    other.backward();
    CHECK(difference(b.w.grad(), a.w.grad(), 1e-13) == "");
    CHECK(difference(b.v.grad(), a.v.grad(), 1e-13) == "");
    CHECK(difference(b.x.grad(), a.x.grad(), 1e-13) == "");
    side_by_side(b, b.w, b.x).backward();  // adds to the previous round's gradients
    one_after_the_other(a, a.w, a.x).backward();
    CHECK(difference(b.w.grad(), a.w.grad(), 1e-13) == "");
  }
}

TEST_CASE("parallel terms may share intermediate results as inputs", "[autograd][parallel_sum]") {
  const Threads set(2);
  const Inputs a = inputs(), b = inputs();
  const Tensor w_a = exp(a.w) * a.w, w_b = exp(b.w) * b.w;
  const Tensor x_a = a.x * sum(a.v), x_b = b.x * sum(b.v);
  one_after_the_other(a, w_a, x_a).backward();
  side_by_side(b, w_b, x_b).backward();
  CHECK(difference(b.w.grad(), a.w.grad(), 1e-13) == "");
  CHECK(difference(b.v.grad(), a.v.grad(), 1e-13) == "");

  const Tensor w = exp(b.w), x = b.x * sum(b.v), w_alone = exp(a.w), x_alone = a.x * sum(a.v);
  CHECK(difference(gradus::grad({side_by_side(b, w, x)}, {w})[0],
                   gradus::grad({one_after_the_other(a, w_alone, x_alone)}, {w_alone})[0], 1e-13) == "");
}

TEST_CASE("a hook sees the complete gradient of parallel terms, once", "[autograd][parallel_sum]") {
  const Threads set(2);
  Inputs in = inputs();
  int calls = 0;
  in.w.add_hook([&](const Tensor& gradient) {
    ++calls;
    return gradient * 2.0;
  });
  side_by_side(in, in.w, in.x).backward();
  const Inputs alone = inputs();
  one_after_the_other(alone, alone.w, alone.x).backward();
  CHECK(calls == 1);
  CHECK(difference(in.w.grad(), alone.w.grad() * 2.0, 1e-13) == "");
}

TEST_CASE("a hook runs once if the terms are the hook's tensor itself", "[autograd][parallel_sum]") {
  const Threads set(2);
  Tensor w = leaf(tensor(1));
  const auto twice = [](const Tensor& gradient) { return gradient * 2.0; };
  w.add_hook(twice);
  parallel_sum(2, [&](std::int64_t) { return w; }).backward();
  CHECK(w.grad().item() == 4);

  Tensor v = leaf(tensor(1)), older = v * 3.0;
  older.add_hook(twice);
  parallel_sum(2, [&](std::int64_t) { return older; }).backward();
  CHECK(v.grad().item() == 12);
}

TEST_CASE("parallel terms run backward again if retained, and are freed otherwise",
          "[autograd][parallel_sum]") {
  const Threads set(2);
  Inputs in = inputs(true);
  const auto nodes = memory_stats().live_nodes;
  const Tensor loss = side_by_side(in, in.w, in.x);
  CHECK(memory_stats().live_nodes > nodes + 6);
  loss.backward(true);
  const Tensor once = in.w.grad().clone();
  loss.backward();
  CHECK(difference(in.w.grad(), once * 2.0, 1e-13) == "");
  CHECK(memory_stats().live_nodes == nodes + 1);
  CHECK_ERROR(
      loss.backward(),
      "backward: the tape of 'parallel_sum' () was freed by an earlier backward(); call the first one "
      "with retain_graph = true, or compute the value again");
  in.w.zero_grad();
  const Tensor changed = side_by_side(in, in.w, in.x);
  in.w.mutable_values<double>()[0] = 9;
  CHECK_THROWS_WITH(changed.backward(),
                    Catch::Matchers::ContainsSubstring("'matmul' (2, 3) needs a value (4, 3) that "
                                                       "'mutable_values' has changed since"));
  CHECK(!in.w.grad().defined());
}

TEST_CASE("parallel terms inherit the calling thread's settings", "[autograd][parallel_sum]") {
  const Threads set(2);
  const Inputs in = inputs();
  {
    const NoGrad no_grad;
    CHECK(!side_by_side(in, in.w, in.x).requires_grad());
  }
  const Scope scope("model");
  const Composed composed;
  const DetectAnomaly detect;
  std::atomic<int> alike{0};
  parallel_operations(4, [&](std::int64_t) {
    if (gradus::current_scope()->text() == "model" && !gradus::thread_state().fuses &&
        gradus::detects_anomaly() && gradus::is_recording()) {
      ++alike;
    }
    const NoGrad until_the_end_of_this_one;
  });
  CHECK(alike == 4);
  CHECK(gradus::is_recording());
}

TEST_CASE("under a Profile, the terms run one after another and every call is counted",
          "[autograd][parallel_sum]") {
  const Threads set(2);
  const Inputs in = inputs();
  const gradus::Profile profile;
  side_by_side(in, in.w, in.x).backward();
  const auto rows = profile.rows();
  const auto matmuls = std::ranges::find(rows, "matmul", &gradus::Profile::Row::operation);
  REQUIRE(matmuls != rows.end());
  CHECK(matmuls->calls == 3);
  CHECK(matmuls->backward_calls == 3);
}

TEST_CASE("parallel_sum() rejects terms that it cannot add", "[autograd][parallel_sum]") {
  const Threads set(2);
  const Inputs in = inputs();
  CHECK_ERROR(parallel_sum(0, [](std::int64_t) { return tensor(1); }),
              "parallel_sum: needs at least 1 term, and got 0");
  CHECK_ERROR(parallel_sum(2, [](std::int64_t i) { return i == 0 ? tensor(1) : tensor({1, 2}); }),
              "parallel_sum: term 1 is (2) f32; all must be scalars of one dtype, and term 0 is () f32");
  CHECK_ERROR(parallel_sum(2, [](std::int64_t i) { return tensor(1, i == 0 ? Dtype::f32 : Dtype::f64); }),
              "parallel_sum: term 1 is () f64; all must be scalars of one dtype, and term 0 is () f32");
  CHECK_ERROR(parallel_sum(2, [](std::int64_t) { return Tensor(); }),
              "parallel_sum: term 0 is undefined; it must be a scalar");
  CHECK_ERROR(parallel_sum(2,
                           [&](std::int64_t i) {
                             if (i == 1) gradus::fail("term", "does not go");
                             return sum(in.w);
                           }),
              "term: does not go");
  CHECK(parallel_sum(3, [](std::int64_t i) { return tensor(static_cast<double>(i)); }).item() == 3);
}
