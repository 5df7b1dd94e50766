#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/optim.hpp>

#include <cmath>
#include <memory>

#include "ops_cases.hpp"

namespace bench {
namespace {

using namespace gradus;

// The sizes of the config `small`.
constexpr std::int64_t T = 15, B = 64, H = 128, A = 128, V = 1000;

Tensor random(const Shape& shape) {
  static Generator generator(1);
  return uniform(shape, -1, 1, generator);
}
Tensor leaf(const Shape& shape) { return random(shape).set_requires_grad(); }

const float* data(const Tensor& x) { return x.values<float>().data(); }

// Sequence lengths from T/2 to T, repeated in a cycle.
Tensor lengths() {
  std::vector<std::int64_t> values;
  for (std::int64_t b = 0; b < B; ++b) values.push_back(T / 2 + b % (T - T / 2 + 1));
  return tensor(values, {B});
}

// Returns a function that runs forward, then backward from a random gradient.
std::function<void()> both_ways(const std::function<Tensor()>& forward) {
  const Tensor gradient = random(forward().shape());
  return [=] { forward().backward(gradient); };
}
std::function<void()> composed(const std::function<void()>& run) {
  return [run] {
    const Composed composing;
    run();
  };
}
OperationCase twins(const std::string& name, const std::function<Tensor()>& forward, double flop) {
  const auto run = both_ways(forward);
  return {.name = name, .ours = run, .composed = composed(run), .loop = {}, .flop = flop};
}

float sigmoid_of(float x) { return 1 / (1 + std::exp(-x)); }

// The elementwise part of a GRU step, forward only, as a plain loop.
std::function<void()> gru_loop() {
  return [x = random({B, 3 * H}), u = random({B, 3 * H}), h = random({B, H}), y = empty({B, H})]() mutable {
    float* to = y.mutable_values<float>().data();
    for (std::int64_t b = 0; b < B; ++b) {
      const float *p = data(x) + b * 3 * H, *q = data(u) + b * 3 * H, *s = data(h) + b * H;
      for (std::int64_t i = 0; i < H; ++i) {
        const float r = sigmoid_of(p[i] + q[i]), z = sigmoid_of(p[H + i] + q[H + i]);
        const float n = std::tanh(p[2 * H + i] + r * q[2 * H + i]);
        to[b * H + i] = (1 - z) * n + z * s[i];
      }
    }
  };
}

std::function<void()> energy_loop(const Tensor& query, const Tensor& keys, const Tensor& v) {
  return [=, e = empty({B, T})]() mutable {
    float* to = e.mutable_values<float>().data();
    for (std::int64_t t = 0; t < T; ++t) {
      for (std::int64_t b = 0; b < B; ++b) {
        const float *q = data(query) + b * A, *k = data(keys) + (t * B + b) * A, *w = data(v);
        float total = 0;
        for (std::int64_t i = 0; i < A; ++i) total += w[i] * std::tanh(q[i] + k[i]);
        to[b * T + t] = total;
      }
    }
  };
}

// layer_norm's equation in primitive operations.
Tensor written_layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  const Tensor centred = x - mean(x, 1, true);
  return centred / sqrt(mean(centred * centred, 1, true) + 1e-5) * gain + bias;
}

OperationCase forward_only(const std::string& name, const std::function<void()>& ours,
                           const std::function<void()>& twin, const std::function<void()>& loop,
                           double bytes) {
  const auto unrecorded = [](const std::function<void()>& run) -> std::function<void()> {
    if (!run) return {};
    return [run] {
      const NoGrad no_grad;
      run();
    };
  };
  return {.name = name, .ours = unrecorded(ours), .composed = unrecorded(twin), .loop = loop, .bytes = bytes};
}

std::vector<OperationCase> forward_cases() {
  const auto cell = std::make_shared<nn::GRUCell>(H, H);
  const Tensor x = random({B, H}), h = random({B, H});
  const auto step = [=] { cell->forward(x, h); };
  const Tensor query = random({B, A}), keys = random({T, B, A}), v = random({A});
  OperationCase gru = forward_only("GRU cell", step, composed(step), {}, 0);
  gru.flop = 2.0 * B * 3 * H * (H + H);
  return {gru,
          forward_only(
              "GRU update", [x = random({B, 3 * H}), u = random({B, 3 * H}), h] { gru_update(x, u, h); }, {},
              gru_loop(), 4.0 * B * H * (3 + 3 + 1 + 1)),
          forward_only(
              "additive energy", [=] { additive_energy(query, keys, v); },
              [=] { transpose(sum(v * tanh(keys + query), 2), 0, 1); }, energy_loop(query, keys, v),
              4.0 * T * B * A)};
}

}  // namespace

std::vector<OperationCase> product_cases() {
  std::vector<OperationCase> cases;
  struct Size {
    std::int64_t m, k, n;
  };
  for (const auto& [m, k, n] :
       {Size{64, 64, 64}, {64, 256, 768}, {128, 512, 1536}, {704, 512, 1000}, {2048, 2048, 2048}}) {
    const Tensor a = random({m, k}), b = random({k, n});
    const std::string name =
        "matmul " + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
    cases.push_back({.name = name,
                     .ours = [=] { matmul(a, b); },
                     .loop =
                         [=, m = m, k = k, n = n, c = empty({m, n})]() mutable {
                           const float *p = data(a), *q = data(b);
                           float* to = c.mutable_values<float>().data();
                           std::fill_n(to, m * n, 0.0F);
                           for (std::int64_t i = 0; i < m; ++i) {
                             for (std::int64_t l = 0; l < k; ++l) {
                               for (std::int64_t j = 0; j < n; ++j)
                                 to[i * n + j] += p[i * k + l] * q[l * n + j];
                             }
                           }
                         },
                     .flop = 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n)});
  }
  return cases;
}

std::vector<OperationCase> fused_cases() {
  std::vector<OperationCase> cases = forward_cases();
  const Tensor real = lengths();
  const auto gru = std::make_shared<nn::GRU>(H, H);
  const auto lstm = std::make_shared<nn::LSTM>(H, H);
  const Tensor x = leaf({T, B, H});
  constexpr double gate =
      3 * 2.0 * T * B * H * (H + H);  // flop of a gate over a sequence, forward and backward
  cases.push_back(twins("GRU sequence", [=] { return gru->forward(x, real).output; }, 3 * gate));
  cases.push_back(twins("LSTM sequence", [=] { return lstm->forward(x, real).output; }, 4 * gate));

  const auto attention = std::make_shared<nn::AdditiveAttention>(H, 2 * H, A);
  const Tensor query = leaf({B, H}), values = leaf({T, B, 2 * H});
  const nn::Memory memory = [&] {
    const NoGrad no_grad;
    return attention->prepare(values, real);
  }();
  OperationCase attend =
      twins("additive attention", [=] { return attention->attend(query, memory, 0, Tensor()).context; }, 0);
  attend.bytes = 4.0 * T * B * (A + 2 * H) * 2;  // keys and values, read forward and backward
  cases.push_back(attend);

  const Tensor logits = leaf({T * B, V});
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < T * B; ++i) ids.push_back(i * 7 % V);
  const Tensor targets = tensor(ids, {T * B});
  cases.push_back({.name = "cross-entropy",
                   .ours = [=] { cross_entropy(logits, targets).backward(); },
                   .composed =
                       [=] {
                         mean(logsumexp(logits, 1) -
                              gather(logits, 1, targets.reshape({-1, 1})).reshape({-1}))
                             .backward();
                       },
                   .loop = {},
                   .bytes = 4.0 * T * B * V * 2});

  const Tensor rows = leaf({T * B, H}), gain = leaf({H}), bias = leaf({H});
  cases.push_back({.name = "layer norm",
                   .ours = both_ways([=] { return layer_norm(rows, gain, bias); }),
                   .composed = both_ways([=] { return written_layer_norm(rows, gain, bias); }),
                   .loop = {},
                   .bytes = 4.0 * T * B * H * 5});

  constexpr std::int64_t parameters = 4'000'000;
  const Tensor theta = leaf({parameters});
  Tensor(theta).set_grad(random({parameters}));
  const auto adam = std::make_shared<nn::Adam>(std::vector{theta}, nn::AdamRule{});
  cases.push_back({.name = "Adam",
                   .ours = [=] { adam->step(); },
                   .composed =
                       [=, g = random({parameters}), m = zeros({parameters}), v = zeros({parameters}),
                        w = random({parameters})]() mutable {
                         m = 0.9 * m + 0.1 * g;
                         v = 0.999 * v + 0.001 * g * g;
                         w = w - 1e-3 * m / (sqrt(v) + 1e-8);
                       },
                   .loop =
                       [g = random({parameters}), m = zeros({parameters}), v = zeros({parameters}),
                        w = random({parameters})]() mutable {
                         const float* gradient = data(g);
                         float *p = m.mutable_values<float>().data(), *q = v.mutable_values<float>().data(),
                               *t = w.mutable_values<float>().data();
                         for (std::int64_t i = 0; i < parameters; ++i) {
                           const float d = gradient[i];
                           p[i] = 0.9F * p[i] + 0.1F * d;
                           q[i] = 0.999F * q[i] + 0.001F * d * d;
                           t[i] -= 1e-3F * p[i] / (std::sqrt(q[i]) + 1e-8F);
                         }
                       },
                   .bytes = 4.0 * parameters * 7});
  return cases;
}

}  // namespace bench
