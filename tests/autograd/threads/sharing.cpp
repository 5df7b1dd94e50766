// Operations that are split among threads give the same bits as with one thread.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <functional>
#include <map>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t R = 301, C = 257;  // not divisible by 2 or 3 threads

Tensor random(const Shape& shape, Dtype dtype) {
  Generator generator(1);
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (float& value : values) value = static_cast<float>(generator.normal());
  return leaf(gradus::tensor(values, shape).to(dtype));
}

Tensor ids(std::int64_t n, std::int64_t limit) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(7 * i * i % limit);
  return gradus::tensor(values);
}

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

const std::map<std::string, Function> functions{
    {"add", [](const auto& x) { return x[0] + x[1]; }},
    {"a row is stretched", [](const auto& x) { return x[0] * x[2]; }},
    {"a column is stretched", [](const auto& x) { return x[0] / x[3]; }},
    {"tanh", [](const auto& x) { return tanh(x[0]); }},
    {"sum over rows", [](const auto& x) { return gradus::sum(x[0] * x[1], {1}); }},
    {"sum over columns", [](const auto& x) { return gradus::sum(x[0] * x[1], {0}); }},
    {"sum", [](const auto& x) { return gradus::sum(x[0]); }},
    {"max", [](const auto& x) { return gradus::max(x[0], {0}); }},
    {"transpose", [](const auto& x) { return gradus::transpose(x[0], 0, 1); }},
    {"slice", [](const auto& x) { return x[0].slice(3, 200, 1); }},
    {"flip", [](const auto& x) { return gradus::flip(x[0], {0, 1}); }},
    {"expand", [](const auto& x) { return gradus::expand(x[2], {R, C}); }},
    {"concat on axis 0", [](const auto& x) { return gradus::concat({x[0], x[1]}, 0); }},
    {"concat on axis 1", [](const auto& x) { return gradus::concat({x[0], x[3], x[1]}, 1); }},
    {"stack", [](const auto& x) { return gradus::stack({x[0], x[1], x[0]}, 1); }},
    {"softmax", [](const auto& x) { return softmax(x[0]); }},
    {"masked_softmax", [](const auto& x) { return masked_softmax(x[0], ids(R, C)); }},
    {"log_softmax", [](const auto& x) { return log_softmax(x[0]); }},
    {"cross_entropy", [](const auto& x) { return cross_entropy(x[0], ids(R, C), 0, 0.1); }},
    {"cross_entropy in place", [](const auto& x) { return cross_entropy(x[0] * x[1], ids(R, C), 0); }},
    {"embedding", [](const auto& x) { return embedding(x[0], ids(1000, R)); }},
    {"conversion", [](const auto& x) { return x[0].to(Dtype::f64).clone() * x[1].to(Dtype::f64); }},
};

// The results of two calls of f, followed by the gradients of the inputs that f uses, summed over both calls.
std::vector<std::vector<double>> run(const Function& f, Dtype dtype) {
  const std::vector<Tensor> inputs{random({R, C}, dtype), random({R, C}, dtype), random({C}, dtype),
                                   random({R, 1}, dtype)};
  std::vector<std::vector<double>> all;
  for (int time = 0; time < 2; ++time) {
    const Tensor y = f(inputs);
    all.push_back(y.template to_vector<double>());
    y.backward(random(y.shape(), y.dtype()).detach());
  }
  for (const Tensor& input : inputs) {
    if (input.grad().defined()) all.push_back(input.grad().template to_vector<double>());
  }
  return all;
}

}  // namespace

TEST_CASE("split operations give the same bits for any number of threads", "[autograd][sharing]") {
  for (const auto& [name, f] : functions) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      CAPTURE(name, gradus::name(dtype));
      const auto with = [&, &function = f](int threads) {
        const Threads set(threads);
        return run(function, dtype);
      };
      const auto alone = with(1);
      CHECK(alone.size() > 2);
      CHECK(with(2) == alone);
      CHECK(with(3) == alone);
    }
  }
}
