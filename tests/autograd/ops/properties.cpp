// Property tests. Shapes, values and graphs are random; RapidCheck shrinks counterexamples.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"
#include "autograd/ops/op_sample.hpp"
#include "autograd/ops/random_graph.hpp"
#include "property.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

using Shapes = std::vector<Shape>;

namespace {

// ---- generators ----

// Uniform in 0 … n − 1; shrinks towards 0. Without resize(), inRange() would prefer small numbers.
rc::Gen<int> below(int n) { return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }

rc::Gen<Shape> shapes(rc::Gen<int> rank, int min_size, int max_size) {
  const auto sizes = [=](int axes) {
    const auto size =
        rc::gen::map(below(max_size + 1 - min_size), [=](int n) { return std::int64_t{n + min_size}; });
    return rc::gen::container<Integers>(static_cast<std::size_t>(axes), size);
  };
  return rc::gen::map(rc::gen::mapcat(std::move(rank), sizes),
                      [](const Integers& all) { return Shape(all); });
}

// Random shapes that broadcast to `full`. A shape may lack leading axes, and may have size 1 in other axes.
rc::Gen<Shapes> stretching_to(const Shape& full, std::size_t count) {
  const auto narrowed = [=](const std::pair<int, int>& choice) {
    const auto [cut, ones] = choice;
    Integers sizes(full.begin() + cut, full.end());
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (ones >> axis & 1) sizes[axis] = 1;
    }
    return Shape(sizes);
  };
  const auto choice = rc::gen::pair(below(full.rank() + 1), below(1 << full.rank()));
  return rc::gen::container<Shapes>(count, rc::gen::map(choice, narrowed));
}

rc::Gen<Shapes> broadcasting_shapes(std::size_t count, rc::Gen<Shape> full) {
  return rc::gen::mapcat(std::move(full), [=](const Shape& shape) { return stretching_to(shape, count); });
}

// ---- values and gradients ----

Tensor random(const Shape& shape, Generator& generator) {
  return uniform(shape, -1, 1, generator, Dtype::f64);
}

// The leaf's gradient. Zeros if the leaf has none, for example because the result is empty.
Tensor gradient(const Tensor& leaf) {
  return leaf.grad().defined() ? leaf.grad() : gradus::zeros(leaf.shape(), leaf.dtype());
}

// ---- broadcasting ----

const std::string refused = "refused";

// The broadcasting rule: compares axes from the last one; sizes other than 1 must be equal.
std::string broadcast_by_rule(const Shapes& all) {
  int rank = 0;
  for (const Shape& shape : all) rank = std::max(rank, shape.rank());
  Integers sizes(static_cast<std::size_t>(rank), 1);
  for (const Shape& shape : all) {
    for (int axis = 1; axis <= shape.rank(); ++axis) {
      std::int64_t& size = sizes[static_cast<std::size_t>(rank - axis)];
      if (size != 1 && shape[-axis] != 1 && shape[-axis] != size) return refused;
      if (shape[-axis] != 1) size = shape[-axis];
    }
  }
  return Shape(sizes).text();
}

std::string broadcast_all(const Shapes& all) {
  try {
    Shape result;
    for (const Shape& shape : all) result = gradus::broadcast("op", result, shape);
    return result.text();
  } catch (const gradus::Error&) {
    return refused;
  }
}

// x summed over the axes along which `shape` was broadcast to x's shape.
Tensor summed_to(const Tensor& x, const Shape& shape) {
  std::vector<double> sums(static_cast<std::size_t>(shape.numel()));
  const auto values = x.values<double>();
  for (std::size_t n = 0; n < values.size(); ++n) {
    std::int64_t rest = static_cast<std::int64_t>(n), element = 0, stride = 1;
    for (int axis = 1; axis <= x.rank(); ++axis) {
      const std::int64_t index = rest % x.size(-axis);
      rest /= x.size(-axis);
      if (axis > shape.rank()) continue;
      if (shape[-axis] != 1) element += index * stride;
      stride *= shape[-axis];
    }
    sums[static_cast<std::size_t>(element)] += values[n];
  }
  return gradus::tensor(sums, shape);
}

// ---- linearity ----

struct Call {
  const Operation* operation;
  std::string sample;
};

std::ostream& operator<<(std::ostream& out, const Call& call) {
  return out << call.operation->name << ' ' << call.operation->variant << ": " << call.sample;
}

std::vector<Call> differentiable_calls() {
  std::vector<Call> calls;
  for (const Operation& operation : operations()) {
    if (!operation.differentiable) continue;
    for (const std::string& sample : operation.samples) calls.push_back({&operation, sample});
  }
  return calls;
}

// The gradients of all floating-point inputs under the given incoming gradient, concatenated.
std::vector<double> pulled_back(const Tensor& result, Tensors inputs, const Tensor& incoming) {
  std::vector<double> all;
  for (Tensor& x : inputs) x.zero_grad();
  result.backward(incoming, true);
  for (const Tensor& x : inputs) {
    const std::vector<double> of_x = gradient(x).to_vector<double>();
    all.insert(all.end(), of_x.begin(), of_x.end());
  }
  return all;
}

// ---- round trips ----

// Tensors whose shapes are equal, except possibly in one axis.
struct Parts {
  Shape shape;
  int axis;
  std::vector<int> sizes;

  Tensors leaves(Generator& generator) const {
    Tensors parts;
    for (const int size : sizes) parts.push_back(leaf(random(shape.with(axis, size), generator)));
    return parts;
  }
};

std::ostream& operator<<(std::ostream& out, const Parts& parts) {
  for (const int size : parts.sizes) out << parts.shape.with(parts.axis, size) << ' ';
  return out << "along axis " << parts.axis;
}

rc::Gen<Parts> any_parts() {
  return rc::gen::mapcat(shapes(below(4), 0, 3), [](const Shape& rest) {
    const auto parts = [=](int axis, std::vector<int> sizes) {
      sizes.push_back(1);
      return Parts{rest.inserted(axis, 1), axis, std::move(sizes)};
    };
    const auto sizes = rc::gen::resize(4, rc::gen::container<std::vector<int>>(below(4)));
    return rc::gen::apply(parts, below(rest.rank() + 1), sizes);
  });
}

// A composition of operations that must return the parts unchanged.
struct RoundTrip {
  const char* name;
  Tensors (*run)(const Tensors& parts, int axis);
};

Tensors each(const Tensors& parts, const std::function<Tensor(const Tensor&)>& f) {
  Tensors results;
  std::transform(parts.begin(), parts.end(), std::back_inserter(results), f);
  return results;
}

Tensors concat_and_split(const Tensors& parts, int axis) {
  Integers sizes;
  for (const Tensor& part : parts) sizes.push_back(part.size(axis));
  return split(gradus::concat(parts, axis), sizes, axis);
}

Tensors pad_and_slice(const Tensors& parts, int axis) {
  return each(parts, [=](const Tensor& x) { return pad(x, axis, 2, 1, 7).slice(2, 2 + x.size(axis), axis); });
}

Tensors flip_twice(const Tensors& parts, int axis) {
  return each(parts, [=](const Tensor& x) { return flip(flip(x, axis), axis); });
}

Tensors concat_and_slice(const Tensors& parts, int axis) {
  const Tensor whole = gradus::concat(parts, axis);
  std::int64_t begin = 0;
  return each(parts, [&](const Tensor& part) {
    const std::int64_t end = begin + part.size(axis);
    return whole.slice(std::exchange(begin, end), end, axis);
  });
}

Tensors transpose_twice(const Tensors& parts, int axis) {
  return each(parts, [=](const Tensor& x) { return transpose(transpose(x, axis, -1), -1, axis); });
}

Tensors reshape_twice(const Tensors& parts, int) {
  return each(parts, [](const Tensor& x) { return x.reshape({x.numel()}).reshape(x.shape()); });
}

const RoundTrip round_trips[] = {
    {"concat, then split", concat_and_split},
    {"pad, then slice", pad_and_slice},
    {"flip twice", flip_twice},
    {"concat, then slice", concat_and_slice},
    {"transpose twice", transpose_twice},
    {"reshape twice", reshape_twice},
};

void check_same(const Tensor& actual, const Tensor& expected) {
  RC_ASSERT(actual.shape() == expected.shape());
  RC_ASSERT(actual.to_vector<double>() == expected.to_vector<double>());
}

// ---- graphs ----

rc::Gen<RandomGraph> any_graph(std::size_t operations) {
  using Choices = std::vector<RandomGraph::Choice>;
  const auto number = below(1 << 16);
  const auto choice = rc::gen::construct<RandomGraph::Choice>(number, number, number, number);
  const auto fewer = [](const Choices& choices) { return rc::shrink::removeChunks(choices); };
  const auto choices = rc::gen::shrink(rc::gen::container<Choices>(operations, choice), fewer);
  return rc::gen::construct<RandomGraph>(broadcasting_shapes(4, shapes(rc::gen::just(2), 1, 3)), choices);
}

}  // namespace

TEST_CASE("a property that fails shows its smallest counterexample", "[autograd][properties]") {
  const std::string text = counterexample([] { RC_ASSERT(*below(1000).as("n") < 7); });
  CHECK(text.starts_with("Falsifiable after "));
  CHECK(text.find("\n\nn:\n7\n\n") != std::string::npos);
  CHECK(text.find("\nto repeat: RC_PARAMS=\"seed=") != std::string::npos);
  CHECK(counterexample([] { RC_ASSERT(*below(7) < 7); }) == "");
}

TEST_CASE("broadcast() accepts and rejects shapes by the rule", "[autograd][properties]") {
  const auto independent = rc::gen::container<Shapes>(3, shapes(below(6), 0, 4));
  const auto any = rc::gen::oneOf(independent, broadcasting_shapes(3, shapes(below(6), 0, 4)));
  check_property([&] {
    const Shapes three = *any.as("shapes"), two = {three[0], three[1]};
    RC_ASSERT(broadcast_all(three) == broadcast_by_rule(three));
    RC_ASSERT(broadcast_all(two) == broadcast_by_rule(two));
  });
}

TEST_CASE("backward is linear in the incoming gradient", "[autograd][properties]") {
  const std::vector<Call> calls = differentiable_calls();
  check_property([&] {
    const Call call = *rc::gen::elementOf(calls).as("operation");
    const auto factor = rc::gen::map(below(17), [](int n) { return 2 - n / 4.0; });
    const double a = *factor.as("a"), b = *factor.as("b");

    const Sample sample(call.sample);
    Tensors x = sample.tensors(call.operation->domain, Dtype::f64), leaves;
    for (Tensor& input : x) {
      if (gradus::is_floating(input.dtype())) leaves.push_back(input.set_requires_grad());
    }
    const Tensor result = call.operation->call(x, sample.arguments);
    Generator generator(1);
    const Tensor g1 = random(result.shape(), generator), g2 = random(result.shape(), generator);

    const auto d1 = pulled_back(result, leaves, g1), d2 = pulled_back(result, leaves, g2);
    std::vector<double> expected;
    for (std::size_t i = 0; i < d1.size(); ++i) expected.push_back(a * d1[i] + b * d2[i]);
    RC_ASSERT(difference(pulled_back(result, leaves, g1 * a + g2 * b), expected, 1e-12) == "");
  });
}

TEST_CASE("the gradient of a broadcast input is summed over the broadcast axes", "[autograd][properties]") {
  using Meet = Tensor (*)(const Tensor&, const Tensor&);
  const std::pair<const char*, Meet> operations[] = {{"add", gradus::add},
                                                     {"sub", gradus::sub},
                                                     {"mul", gradus::mul},
                                                     {"div", gradus::div},
                                                     {"maximum", gradus::maximum}};
  for (const auto& [name, meet] : operations) {
    INFO(name);
    check_property([meet = meet] {
      const Shapes two = *broadcasting_shapes(2, shapes(below(5), 0, 3)).as("shapes");
      const Shape full = gradus::broadcast("test", two[0], two[1]);
      Generator generator(1);
      const Tensor a = leaf(random(two[0], generator)), b = leaf(random(two[1], generator) + 2.0);
      const Tensor stretched_a = leaf(expand(a.detach(), full)), stretched_b = leaf(expand(b.detach(), full));
      const Tensor incoming = random(full, generator);
      meet(a, b).backward(incoming);
      meet(stretched_a, stretched_b).backward(incoming);
      RC_ASSERT(difference(gradient(a), summed_to(gradient(stretched_a), two[0]), 1e-12) == "");
      RC_ASSERT(difference(gradient(b), summed_to(gradient(stretched_b), two[1]), 1e-12) == "");
    });
  }
}

TEST_CASE("round trips return the same values and pass gradients through", "[autograd][properties]") {
  for (const RoundTrip& round_trip : round_trips) {
    INFO(round_trip.name);
    check_property([&] {
      const Parts any = *any_parts().as("parts");
      Generator generator(1);
      const Tensors parts = any.leaves(generator), results = round_trip.run(parts, any.axis);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        check_same(results[i], parts[i]);
        const Tensor incoming = random(parts[i].shape(), generator);
        results[i].backward(incoming, true);
        check_same(gradient(parts[i]), incoming);
      }
    });
  }
}

TEST_CASE("the gradients of a graph of fifty operations match finite differences", "[autograd][properties]") {
  check_property([] {
    const RandomGraph graph = *any_graph(50).as("graph");
    // The check needs atol: if the terms of a gradient cancel, rounding leaves a small number instead of 0.
    const gradus::GradcheckReport report = gradus::gradcheck(graph, graph.leaves(), {.atol = 1e-13});
    if (!report) RC_FAIL(printed(report));
    for (const auto& entry : report.entries) RC_ASSERT(entry.not_judged == 0);
  });
}
