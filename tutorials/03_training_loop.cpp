// Tutorial 03: a training loop: loss, gradients, clipping and Adam, each written out.
//
// Tutorial 02 made sure of the gradients. Here they are used: a small network learns to tell two spirals apart, in steps
// of forward, loss, zero_grad, backward, clip, update. Adam is algorithm 1 of Kingma and Ba, "Adam: a method for
// stochastic optimization" (2015), https://arxiv.org/abs/1412.6980; clipping is algorithm 1 of Pascanu, Mikolov and
// Bengio, "On the difficulty of training recurrent neural networks" (2013), https://arxiv.org/abs/1211.5063.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/activations.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/sequential.hpp>
#include <gradus/nn/sgd.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <numbers>

#include "support/pictures.hpp"
#include "support/table.hpp"

using namespace gradus;

namespace {

constexpr std::int64_t batch_size = 32;

// 1. The task: points on two spirals, one turn each; which of the two is a point from?
struct Points {
  Tensor x, t;  // (N, 2); (N, 1): 0 or 1
};

Points spirals(std::int64_t n, Generator& generator) {
  std::vector<float> x, t;
  for (std::int64_t i = 0; i < n; ++i) {
    const double along = generator.uniform(), turned = i % 2 == 0 ? 0 : std::numbers::pi;
    const double radius = 0.1 + 0.9 * along, angle = 2 * std::numbers::pi * along + turned;
    x.push_back(static_cast<float>(radius * std::cos(angle) + 0.03 * generator.normal()));
    x.push_back(static_cast<float>(radius * std::sin(angle) + 0.03 * generator.normal()));
    t.push_back(static_cast<float>(i % 2));
  }
  return {tensor(x, {n, 2}), tensor(t, {n, 1})};
}

// The points of one step, drawn at random: the gradient of their loss stands for that of all.
Points batch_of(const Points& all, Generator& generator) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < batch_size; ++i)
    chosen.push_back(static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(all.x.size(0)))));
  const Tensor index = tensor(chosen);                                        // (B)
  return {index_select(all.x, index), index_select(all.t, index)};            // (B, 2), (B, 1)
}

std::unique_ptr<nn::Sequential> make_model(std::int64_t hidden, std::uint64_t seed) {
  gradus::seed(seed);
  const auto linear = [](std::int64_t inputs, std::int64_t outputs) {
    return std::make_unique<nn::Linear>(inputs, outputs);
  };
  return std::make_unique<nn::Sequential>(linear(2, hidden), std::make_unique<nn::Tanh>(), linear(hidden, hidden),
                                          std::make_unique<nn::Tanh>(), linear(hidden, 1));
}

// 2. The loop. `update` reads the gradients and changes the parameters.
std::vector<double> train(nn::Sequential& model, const Points& points, std::int64_t steps, std::uint64_t seed,
                          const std::function<void()>& update, bool zeroes = true) {
  Generator generator(seed);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto [x, t] = batch_of(points, generator);                          // (B, 2), (B, 1)
    const Tensor logits = model.forward(x);                                   // (B, 1)
    const Tensor loss = binary_cross_entropy(logits, t);                      // ()
    if (zeroes) model.zero_grad();
    loss.backward();
    update();
    losses.push_back(loss.item());
  }
  return losses;
}

// 3. Clipping (Pascanu et al., algorithm 1): one norm over all parameters, one factor for all. Directions stay.
void clip_by_hand(const std::vector<Tensor>& parameters, double max_norm) {
  double squares = 0;
  for (const Tensor& theta : parameters) squares += sum(theta.grad() * theta.grad()).item();
  const double factor = max_norm / (std::sqrt(squares) + 1e-6);               // 1e-6: as PyTorch has it
  if (factor >= 1) return;
  for (Tensor theta : parameters) theta.set_grad(theta.grad() * factor);      // theta's shape
}

// 4. Adam (Kingma and Ba, algorithm 1).
class AdamByHand {
 public:
  AdamByHand(std::vector<Tensor> parameters, double eta) : parameters_(std::move(parameters)), eta_(eta) {
    for (const Tensor& theta : parameters_) {
      m_.push_back(zeros(theta.shape(), theta.dtype()));                      // theta's shape, as all below
      v_.push_back(zeros(theta.shape(), theta.dtype()));
    }
  }

  void step() {
    const NoGrad no_grad;
    ++t_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Tensor& theta = parameters_[i];
      const Tensor g = theta.grad();
      m_[i] = beta1 * m_[i] + (1 - beta1) * g;
      v_[i] = beta2 * v_[i] + (1 - beta2) * g * g;
      const Tensor m_hat = m_[i] / (1 - std::pow(beta1, t_));                 // m and v began at 0, and are too small
      const Tensor v_hat = v_[i] / (1 - std::pow(beta2, t_));                 // by these factors
      theta.replace(theta - eta_ * m_hat / (sqrt(v_hat) + epsilon));
    }
  }

 private:
  static constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::vector<Tensor> parameters_, m_, v_;
  double eta_;
  int t_ = 0;
};

// How far apart the parameters are after steps by hand and by the library, in double.
double difference_by_hand(const Points& points, std::int64_t hidden, std::int64_t steps, std::uint64_t seed) {
  const Points exact{points.x.to(Dtype::f64), points.t.to(Dtype::f64)};       // (N, 2), (N, 1)
  const auto ours = make_model(hidden, seed), theirs = make_model(hidden, seed);
  ours->to(Dtype::f64), theirs->to(Dtype::f64);
  const std::vector<Tensor> a = ours->parameters(), b = theirs->parameters();
  AdamByHand by_hand(a, 0.01);
  nn::Adam library(b, {.learning_rate = 0.01});
  train(*ours, exact, steps, seed, [&] { clip_by_hand(a, 0.1), by_hand.step(); });
  train(*theirs, exact, steps, seed, [&] { nn::clip_grad_norm(b, 0.1), library.step(); });
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, max(abs(a[i] - b[i])).item());
  return largest;
}

// 5. Two mistakes, measured on one gradient.
Tensor all_gradients(const nn::Sequential& model) {
  std::vector<Tensor> parts;
  for (const Tensor& theta : model.parameters()) parts.push_back(theta.grad().reshape({-1}));
  return concat(parts, 0).clone();                                            // (P): P parameters in all
}

double norm(const Tensor& x) { return std::sqrt(sum(x * x).item()); }

tutorial::Table mistakes(const Points& points, std::int64_t hidden, std::uint64_t seed) {
  const auto model = make_model(hidden, seed);
  const auto backward = [&] { binary_cross_entropy(model->forward(points.x), points.t).backward(); };
  backward();
  const Tensor g = all_gradients(*model);                                     // (P)
  tutorial::Table table{.name = "mistakes", .rows_are = "the gradient", .columns = {"norm, relative", "cosine with it"}};
  const auto add_row = [&](const std::string& name) {
    const Tensor now = all_gradients(*model);                                 // (P)
    table.rows.push_back({name, {norm(now) / norm(g), sum(now * g).item() / (norm(now) * norm(g))}});
  };
  add_row("as it is");
  clip_by_hand(model->parameters(), 0.3 * norm(g));
  add_row("clipped to 0.3 of its norm");
  model->zero_grad(), backward();
  for (const Tensor& theta : model->parameters()) clip_by_hand({theta}, 0.3 * norm(g));
  add_row("each parameter clipped by itself");
  model->zero_grad(), backward(), backward();
  add_row("backward twice, no zero_grad");
  return table;
}

// 6. Optimisers beside each other: the same first values, the same batches.
struct Variant {
  std::string name;
  std::function<std::unique_ptr<nn::Optimiser>(const std::vector<Tensor>&)> optimiser;
  double max_norm = INFINITY;
  bool zeroes = true;
};

auto sgd(double rate, double momentum) {
  const nn::SGDRule rule{.learning_rate = rate, .momentum = momentum};
  return [=](const auto& parameters) { return std::make_unique<nn::SGD>(parameters, rule); };
}
auto adam(double rate) {
  const nn::AdamRule rule{.learning_rate = rate};
  return [=](const auto& parameters) { return std::make_unique<nn::Adam>(parameters, rule); };
}

double accuracy(const nn::Sequential& model, const Points& points) {
  const NoGrad no_grad;
  const auto logits = model.forward(points.x).to_vector<float>(), t = points.t.to_vector<float>();
  std::size_t right = 0;
  for (std::size_t i = 0; i < t.size(); ++i) right += (logits[i] > 0) == (t[i] == 1);
  return double(right) / double(t.size());
}

void run(const tutorial::Options& options, std::int64_t hidden) {
  const plot::OutputFolder out(options.out);
  Generator generator(options.seed);
  const Points training = spirals(400, generator), held_out = spirals(400, generator);
  std::cout << "Adam and clipping by hand: after 100 steps, parameters differ from the library's by "
            << difference_by_hand(training, hidden, 100, options.seed) << " at the most\n\n";
  const tutorial::Table wrong = mistakes(training, hidden, options.seed);
  std::cout << tutorial::text(wrong) << '\n';

  const std::vector<Variant> variants = {{"SGD, 0.1", sgd(0.1, 0)},
                                         {"SGD, 1", sgd(1, 0)},
                                         {"momentum, 0.1", sgd(0.1, 0.9)},
                                         {"Adam, 0.01", adam(0.01)},
                                         {"Adam, 0.01, clipped", adam(0.01), 1},
                                         {"momentum, 1", sgd(1, 0.9)},
                                         {"momentum, 1, clipped", sgd(1, 0.9), 1},
                                         {"Adam, 0.01, no zero_grad", adam(0.01), INFINITY, false}};
  tutorial::Table ends{.name = "optimisers",
                       .rows_are = "optimiser, learning rate",
                       .columns = {"loss at the end", "held-out accuracy", "steps clipped"}};
  std::vector<plot::Series> curves;
  for (const Variant& variant : variants) {
    const auto model = make_model(hidden, options.seed);
    const std::vector<Tensor> parameters = model->parameters();
    const auto optimiser = variant.optimiser(parameters);
    double clipped = 0;
    const auto update = [&] {
      clipped += nn::clip_grad_norm(parameters, variant.max_norm) > variant.max_norm;
      optimiser->step();
    };
    curves.push_back(tutorial::smoothed(
        variant.name, train(*model, training, options.steps, options.seed, update, variant.zeroes)));
    ends.rows.push_back(
        {variant.name, {curves.back().y.back(), accuracy(*model, held_out), clipped / double(options.steps)}});
  }
  std::cout << tutorial::text(ends);

  const auto picture = [&](const std::string& title, int first, int last) {
    return plot::svg(plot::Curves{.title = title,
                                  .x_label = "step",
                                  .y_label = "cross-entropy, nats",
                                  .series = {curves.begin() + first, curves.begin() + last},
                                  .log_y = true});
  };
  const std::string loss_svg = picture("Loss", 0, 5), trouble_svg = picture("Loss, in trouble", 5, 8);
  const plot::Page page{.title = "Tutorial 03: a training loop",
                        .intro = {"A small network learns to tell two spirals apart, by eight ways of taking a step."},
                        .sections = {{.heading = "Loss", .svgs = {loss_svg, trouble_svg}},
                                     {.heading = "At the end", .preformatted = tutorial::text(ends)}}};
  out.write("loss.svg", loss_svg);
  out.write("trouble.svg", trouble_svg);
  out.write("results.json", tutorial::json("tutorial_03", options, {wrong, ends}));
  std::cout << "\npictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 3000; then ./run tutorial 04\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t hidden = 16;
  return tutorial::run(argc, argv, "Tutorial 03: a training loop", {.steps = 1000, .out = "out/tutorial-03"},
                       [&](const tutorial::Options& options) { run(options, hidden); },
                       {{"--hidden", &hidden, "units in each of the two hidden layers"}});
}
