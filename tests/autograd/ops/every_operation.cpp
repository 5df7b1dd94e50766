// Generic tests, run for every row of the table of operations.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "autograd/helpers.hpp"
#include "autograd/ops/op_sample.hpp"
#include "autograd/ops/unwritten.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

// Calls visit(operation, sample) for every sample of every operation. A failure names both.
template <class Visit>
void for_each_sample(Visit visit) {
  for (const Operation& operation : operations()) {
    for (const std::string& sample : operation.samples) {
      INFO(operation.name << ' ' << operation.variant << ": " << sample);
      visit(operation, Sample(sample));
    }
  }
}

template <class Visit>
void for_each_differentiable_sample(Visit visit) {
  for_each_sample([&](const Operation& operation, const Sample& sample) {
    if (operation.differentiable) visit(operation, sample);
  });
}

std::vector<double> reference(const Operation& operation, const Sample& sample, const Tensors& x) {
  const std::vector<Values> values(x.begin(), x.end());
  std::vector<double> result;
  for (std::int64_t n = 0; n < sample.result.numel(); ++n) {
    const Integers index = sample.result.index_of(n);
    result.push_back(operation.value(values, index, sample.arguments));
  }
  return result;
}

// The sample's tensors. If `only` is an index, only this input requires a gradient. By default, all
// floating-point inputs do.
Tensors leaves(const Operation& operation, const Sample& sample, Dtype dtype, int only = -1) {
  Tensors x = sample.tensors(operation.domain, dtype);
  for (int k = 0; k < static_cast<int>(x.size()); ++k) {
    Tensor& input = x[static_cast<std::size_t>(k)];
    if (is_floating(input.dtype()) && (only < 0 || only == k)) input.set_requires_grad();
  }
  return x;
}

// A random incoming gradient. It has the same values in f32 and f64.
Tensor incoming(const Tensor& result) {
  Generator generator(2);
  return normal(result.shape(), 0, 1, generator).to(result.dtype());
}

// The gradients of x after `times` backward passes. Undefined for inputs that need no gradient.
Tensors gradients(const Operation& operation, const Sample& sample, const Tensors& x, int times = 1) {
  const Tensor result = operation.call(x, sample.arguments);
  for (int i = 0; i < times; ++i) result.backward(incoming(result), true);
  Tensors found;
  for (const Tensor& input : x) found.push_back(input.grad());
  return found;
}

}  // namespace

TEST_CASE("every declaration in ops.hpp, fused.hpp and packing.hpp has a row", "[autograd][operations]") {
  const auto headers = std::filesystem::path(GRADUS_SOURCE) / "autograd/include/gradus/autograd";
  std::map<std::string, int> rows;
  for (const Operation& operation : operations()) ++rows[operation.name];

  int declarations = 0;
  for (const char* header : {"ops.hpp", "fused.hpp", "packing.hpp"}) {
    std::ifstream in(headers / header);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("inline ")) line.erase(0, 7);
      const std::size_t type = line.starts_with("std::vector<Tensor> ") ? 20
                               : line.starts_with("Scanned recurrent")  ? 8
                               : line.starts_with("Tensor ")            ? 7
                                                                        : 0;
      if (type == 0) continue;
      ++declarations;
      const std::string name = line.substr(type, line.find('(') - type);
      INFO(header << " declares '" << line << "': add a row for it to rows_*.cpp");
      CHECK(rows[name]-- > 0);
    }
  }
  CHECK(declarations > 80);
}

TEST_CASE("every operation matches its formula in f64 and f32", "[autograd][operations]") {
  for_each_sample([](const Operation& operation, const Sample& sample) {
    for (const Dtype dtype : {Dtype::f64, Dtype::f32}) {
      const Tensors x = sample.tensors(operation.domain, dtype);
      const Tensor result = operation.call(x, sample.arguments);
      CAPTURE(name(dtype));
      CHECK(result.shape() == sample.result);
      CHECK(difference(result.to_vector<double>(), reference(operation, sample, x),
                       dtype == Dtype::f64 ? 1e-13 : 3e-6) == "");
    }
  });
}

TEST_CASE("no operation computes with uninitialised elements", "[autograd][operations]") {
  const Threads set(1);
  int checked = 0;
  for_each_sample([&](const Operation& operation, const Sample& sample) {
    for (const Dtype dtype : {Dtype::f64, Dtype::f32}) {
      const int inputs = static_cast<int>(sample.tensors(operation.domain, dtype).size());
      for (int only = -1; only < inputs; ++only) {
        CAPTURE(name(dtype), only);
        const auto run = [&](Tensors& x) {
          const Tensor result = operation.call(x, sample.arguments);
          if (result.requires_grad()) result.backward(incoming(result));
          return result;
        };
        Tensors x = leaves(operation, sample, dtype, only), again = leaves(operation, sample, dtype, only);
        Tensor expected, result;
        if (is_invalid([&] { expected = run(x); })) continue;  // this sample's values produce NaN anyway
        const Unwritten memory(dtype);
        CHECK_FALSE(is_invalid([&] { result = run(again); }));
        CHECK(result.to_vector<double>() == expected.to_vector<double>());
        for (std::size_t k = 0; k < x.size(); ++k) {
          if (!x[k].grad().defined()) continue;
          CHECK(again[k].grad().to_vector<double>() == x[k].grad().to_vector<double>());
        }
        ++checked;
      }
    }
  });
  CHECK(checked > 1000);
}

TEST_CASE("every gradient matches finite differences under a random incoming gradient",
          "[autograd][operations]") {
  for_each_differentiable_sample([](const Operation& operation, const Sample& sample) {
    const auto report = gradcheck([&](const Tensors& x) { return operation.call(x, sample.arguments); },
                                  sample.tensors(operation.domain, Dtype::f64));
    INFO(report);
    CHECK(report.entries.size() > 0);
    CHECK(report.passed());
  });
}

TEST_CASE("every gradient is right when the same tensor is given twice", "[autograd][operations]") {
  int checked = 0;
  for_each_differentiable_sample([&](const Operation& operation, const Sample& sample) {
    const Tensors inputs = sample.tensors(operation.domain, Dtype::f64);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t j = i + 1; j < inputs.size(); ++j) {
        if (!is_floating(inputs[i].dtype()) || inputs[i].shape() != inputs[j].shape()) continue;
        if (inputs[j].dtype() != inputs[i].dtype()) continue;
        const auto tied = [&](Tensors x) {
          x[j] = x[i];
          return operation.call(x, sample.arguments);
        };
        CAPTURE(i, j);
        CHECK(gradcheck(tied, inputs).passed());
        ++checked;
      }
    }
  });
  CHECK(checked > 60);
}

TEST_CASE("every gradient has its tensor's shape and dtype, and f32 agrees with f64",
          "[autograd][operations]") {
  for_each_differentiable_sample([](const Operation& operation, const Sample& sample) {
    const Tensors x = leaves(operation, sample, Dtype::f32);
    const Tensors single = gradients(operation, sample, x);
    const Tensors twofold = gradients(operation, sample, leaves(operation, sample, Dtype::f64));
    for (std::size_t k = 0; k < x.size(); ++k) {
      CAPTURE(k);
      REQUIRE(single[k].defined() == x[k].requires_grad());
      if (!single[k].defined()) continue;
      CHECK(single[k].shape() == x[k].shape());
      CHECK(single[k].dtype() == Dtype::f32);
      CHECK_FALSE(single[k].requires_grad());
      CHECK(difference(single[k], twofold[k], 2e-5) == "");
    }
  });
}

TEST_CASE("every gradient accumulates, within one backward() and over several", "[autograd][operations]") {
  for_each_differentiable_sample([](const Operation& operation, const Sample& sample) {
    for (const Dtype dtype : {Dtype::f64, Dtype::f32}) {
      const double tolerance = dtype == Dtype::f64 ? 1e-13 : 1e-5;
      const Tensors once = gradients(operation, sample, leaves(operation, sample, dtype));
      const Tensors twice = gradients(operation, sample, leaves(operation, sample, dtype), 2);

      // Uses each input once more, after the operation. backward() runs in reverse order, so the gradients of
      // these later uses arrive before the operation's.
      const Tensors x = leaves(operation, sample, dtype);
      const Tensor result = operation.call(x, sample.arguments);
      Tensors outputs = {result}, into = {incoming(result)}, inputs;
      for (const Tensor& input : x) {
        if (!input.requires_grad()) continue;
        inputs.push_back(input);
        outputs.push_back(-input);
        into.push_back(incoming(input));
      }
      const Tensors beside_others = grad(outputs, inputs, into);

      std::size_t wanted = 0;
      for (std::size_t k = 0; k < once.size(); ++k) {
        if (!once[k].defined()) continue;
        CHECK(difference(twice[k], once[k] * 2, tolerance) == "");
        CHECK(difference(beside_others[wanted++], once[k] - incoming(x[k]), tolerance) == "");
      }
    }
  });
}

TEST_CASE("every gradient is the same when no other input needs one", "[autograd][operations]") {
  for_each_differentiable_sample([](const Operation& operation, const Sample& sample) {
    const Tensors all = gradients(operation, sample, leaves(operation, sample, Dtype::f64));
    for (int only = 0; only < static_cast<int>(all.size()); ++only) {
      const auto k = static_cast<std::size_t>(only);
      if (!all[k].defined()) continue;
      const Tensors alone = gradients(operation, sample, leaves(operation, sample, Dtype::f64, only));
      for (std::size_t other = 0; other < all.size(); ++other) CHECK(alone[other].defined() == (other == k));
      CHECK(alone[k].to_vector<double>() == all[k].to_vector<double>());
    }
  });
}

TEST_CASE("every operation gives the same bits twice and leaves its inputs unchanged",
          "[autograd][operations]") {
  for_each_sample([](const Operation& operation, const Sample& sample) {
    const Tensors before = sample.tensors(operation.domain, Dtype::f32);
    const Tensors x = leaves(operation, sample, Dtype::f32);
    const Tensors y = leaves(operation, sample, Dtype::f32);
    CHECK(operation.call(x, sample.arguments).to_vector<double>() ==
          operation.call(y, sample.arguments).to_vector<double>());
    if (operation.differentiable) {
      const Tensors first = gradients(operation, sample, x);
      const Tensors second = gradients(operation, sample, y);
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (first[k].defined()) CHECK(first[k].to_vector<float>() == second[k].to_vector<float>());
      }
    }
    for (std::size_t k = 0; k < x.size(); ++k)
      CHECK(x[k].to_vector<double>() == before[k].to_vector<double>());
  });
}

TEST_CASE("no operation is recorded under NoGrad, or when no input needs a gradient",
          "[autograd][operations]") {
  for_each_sample([](const Operation& operation, const Sample& sample) {
    const Tensors x = leaves(operation, sample, Dtype::f32);
    const Tensor recorded = operation.call(x, sample.arguments);
    CHECK(recorded.requires_grad() == operation.differentiable);

    const Tensor plain = operation.call(sample.tensors(operation.domain, Dtype::f32), sample.arguments);
    CHECK_FALSE(plain.requires_grad());

    const gradus::NoGrad no_grad;
    const Tensor silent = operation.call(x, sample.arguments);
    CHECK_FALSE(silent.requires_grad());
    CHECK(silent.to_vector<double>() == recorded.to_vector<double>());
  });
}

TEST_CASE("every operation rejects invalid inputs with the right message", "[autograd][operations]") {
  for (const Operation& operation : operations()) {
    for (const Refusal& refusal : operation.refusals) {
      INFO(operation.name << ' ' << operation.variant << ": " << refusal.sample);
      const Sample sample(refusal.sample);
      const Tensors x = sample.tensors(operation.domain, Dtype::f64);
      CHECK_ERROR(operation.call(x, sample.arguments), refusal.message);
    }
  }
}
