// Tutorial 03: a training loop: loss, gradients, clipping and Adam, each written out.
//
// Tutorial 02 checked the gradients. Here they are used: a small network learns to tell two spirals apart. Each step
// runs forward, loss, zero_grad, backward, clip and update. Adam is algorithm 1 of Kingma and Ba, "Adam: a method for
// stochastic optimization" (2015), https://arxiv.org/abs/1412.6980; clipping is algorithm 1 of Pascanu, Mikolov and
// Bengio, "On the difficulty of training recurrent neural networks" (2013), https://arxiv.org/abs/1211.5063.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/activations.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/sequential.hpp>
#include <gradus/nn/sgd.hpp>

#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>

#include "support/page/report.hpp"
#include "support/pictures/boundary.hpp"
#include "support/pictures/training_curves.hpp"
#include "support/tasks/spirals.hpp"
#include "support/training/numbers.hpp"

using namespace gradus;
using tutorial::norm;
using tutorial::Points;

namespace {

std::int64_t hidden = 16;  // H, size of each of the two hidden layers

// 1. The model. It decides which of two spirals a point belongs to.
std::unique_ptr<nn::Sequential> make_model(std::uint64_t seed) {
  gradus::seed(seed);
  const auto linear = [](std::int64_t in, std::int64_t out) { return std::make_unique<nn::Linear>(in, out); };
  return std::make_unique<nn::Sequential>(linear(2, hidden), std::make_unique<nn::Tanh>(), linear(hidden, hidden),
                                          std::make_unique<nn::Tanh>(), linear(hidden, 1));
}

// 2. The loop. The gradient of a batch approximates the gradient over all points. `update` takes one step with the
// batch's gradient.
std::vector<double> train(nn::Sequential& model, const Points& points, std::int64_t steps, std::uint64_t seed,
                          const std::function<void()>& update, bool zeroes = true) {
  Generator generator(seed);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto [x, t] = tutorial::batch_of(points, generator);                // (B, 2), (B, 1)
    const Tensor logits = model.forward(x);                                   // (B, 1)
    const Tensor loss = binary_cross_entropy(logits, t);                      // ()
    if (zeroes) model.zero_grad();
    loss.backward();
    update();
    losses.push_back(loss.item());
  }
  return losses;
}

// 3. Softmax, cross-entropy and gradient for three logits, number by number. The target is class 1.
tutorial::Table softmax_by_hand() {
  const std::vector<double> y = {2, 1, 0}, onehot = {0, 1, 0};
  const double total = std::exp(y[0]) + std::exp(y[1]) + std::exp(y[2]);
  const Tensor logits = tensor(y, {1, 3}).set_requires_grad();                // (B, V)
  cross_entropy(logits, tensor({1}, Dtype::i64)).backward();
  const std::vector<double> tape = logits.grad().to_vector<double>();

  tutorial::Table table{.name = "softmax",
                        .rows_are = "answer",
                        .columns = {"logit y", "exp(y)", "p", "onehot", "p − onehot", "from the tape"}};
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = std::exp(y[k]) / total;
    table.rows.push_back({std::to_string(k + 1), {y[k], std::exp(y[k]), p, onehot[k], p - onehot[k], tape[k]}});
  }
  return table;
}

// 4. Clipping (Pascanu et al., algorithm 1). All parameters share one norm and one factor, so the gradient keeps its direction.
void clip_by_hand(const std::vector<Tensor>& parameters, double max_norm) {
  double squares = 0;
  for (const Tensor& theta : parameters) squares += sum(theta.grad() * theta.grad()).item();
  const double factor = max_norm / (std::sqrt(squares) + 1e-6);               // PyTorch also adds 1e-6
  if (factor >= 1) return;
  for (Tensor theta : parameters) theta.set_grad(theta.grad() * factor);      // theta's shape
}

// 5. Adam (Kingma and Ba, algorithm 1).
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
      const Tensor m_hat = m_[i] / (1 - std::pow(beta1, t_));                 // m and v start at 0, so at first they
      const Tensor v_hat = v_[i] / (1 - std::pow(beta2, t_));                 // are too small by these factors
      theta.replace(theta - eta_ * m_hat / (sqrt(v_hat) + epsilon));
    }
  }

 private:
  static constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::vector<Tensor> parameters_, m_, v_;
  double eta_;
  int t_ = 0;
};

// Takes the same steps by hand and with the library, in double precision. Returns the parameters' largest difference.
double difference_by_hand(const Points& points, std::int64_t steps, std::uint64_t seed) {
  const Points exact{points.x.to(Dtype::f64), points.t.to(Dtype::f64)};       // (N, 2), (N, 1)
  const auto ours = make_model(seed), theirs = make_model(seed);
  ours->to(Dtype::f64), theirs->to(Dtype::f64);
  const std::vector<Tensor> a = ours->parameters(), b = theirs->parameters();
  AdamByHand by_hand(a, 0.01);
  nn::Adam library(b, {.learning_rate = 0.01});
  train(*ours, exact, steps, seed, [&] { clip_by_hand(a, 0.1), by_hand.step(); });
  train(*theirs, exact, steps, seed, [&] { nn::clip_grad_norm(b, 0.1), library.step(); });
  return tutorial::largest_difference(nn::concat_flat(a), nn::concat_flat(b));
}

// 6. Mistakes, measured on one gradient.
tutorial::Table mistakes(const Points& points, std::uint64_t seed) {
  const auto model = make_model(seed);
  const std::vector<Tensor> parameters = model->parameters();
  const auto backward = [&] { binary_cross_entropy(model->forward(points.x), points.t).backward(); };
  const auto gradient = [&] { return tutorial::gradient_of(parameters); };    // (P): all parameters as one vector
  backward();
  const Tensor g = gradient();                                                // (P)
  tutorial::Table table{
      .name = "mistakes", .rows_are = "the gradient", .columns = {"norm, relative", "cosine with it"}};
  const auto add_row = [&](const std::string& name) {
    const Tensor now = gradient();                                            // (P)
    table.rows.push_back({name, {norm(now) / norm(g), sum(now * g).item() / (norm(now) * norm(g))}});
  };
  add_row("as it is");
  clip_by_hand(parameters, 0.3 * norm(g));
  add_row("clipped to 0.3 of its norm");
  model->zero_grad(), backward();
  for (const Tensor& theta : parameters) clip_by_hand({theta}, 0.3 * norm(g));
  add_row("each parameter clipped by itself");
  model->zero_grad(), backward(), backward();
  add_row("backward twice, no zero_grad");
  return table;
}

// 7. Several optimisers, with the same initial values and the same batches.
struct Compared {
  tutorial::Table ends;
  std::vector<plot::Series> losses, boundaries;  // boundary: the line where a model changes its answer
};

Compared variants(const Points& training, const Points& held_out, const tutorial::Options& options) {
  tutorial::Table ends{.name = "optimisers",
                       .rows_are = "optimiser, learning rate",
                       .columns = {"loss at the end", "held-out accuracy", "steps clipped"}};
  std::vector<plot::Series> losses, boundaries;
  const auto add = [&](const std::string& name, auto rule, double max_norm = INFINITY, bool zeroes = true) {
    const auto model = make_model(options.seed);
    const std::vector<Tensor> parameters = model->parameters();
    nn::OptimiserOf<decltype(rule)> optimiser(parameters, rule);
    double clipped = 0;
    const auto update = [&] { clipped += nn::clip_grad_norm(parameters, max_norm) > max_norm, optimiser.step(); };
    losses.push_back(tutorial::smoothed(name, train(*model, training, options.steps, options.seed, update, zeroes)));
    const double right = tutorial::sign_accuracy(model->forward(held_out.x), held_out.t);
    ends.rows.push_back({name, {losses.back().y.back(), right, clipped / double(options.steps)}});
    boundaries.push_back(tutorial::boundary(name, [&](const Tensor& x) { return model->forward(x); }, 1.15));
  };
  add("SGD, 0.1", nn::SGDRule{.learning_rate = 0.1});
  add("SGD, 1", nn::SGDRule{.learning_rate = 1});
  add("momentum, 0.1", nn::SGDRule{.learning_rate = 0.1, .momentum = 0.9});
  add("Adam, 0.01", nn::AdamRule{.learning_rate = 0.01});
  add("Adam, 0.01, clipped", nn::AdamRule{.learning_rate = 0.01}, /*max_norm=*/1);
  add("momentum, 1", nn::SGDRule{.learning_rate = 1, .momentum = 0.9});
  add("momentum, 1, clipped", nn::SGDRule{.learning_rate = 1, .momentum = 0.9}, /*max_norm=*/1);
  add("Adam, 0.01, no zero_grad", nn::AdamRule{.learning_rate = 0.01}, INFINITY, /*zeroes=*/false);
  return {ends, losses, boundaries};
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  Generator generator(options.seed);
  const Points training = tutorial::spirals(400, generator), held_out = tutorial::spirals(400, generator);
  std::cout << "Adam and clipping by hand: largest difference of a parameter from the library's after 100 steps "
            << difference_by_hand(training, 100, options.seed) << "\n\n";
  const tutorial::Table softmax = softmax_by_hand();
  std::cout << "the gradient of the cross-entropy of three logits\n" << text(softmax) << '\n';
  const tutorial::Table wrong = mistakes(training, options.seed);
  std::cout << text(wrong) << '\n';
  const auto [ends, losses, boundaries] = variants(training, held_out, options);
  std::cout << text(ends) << '\n';

  plot::Curves good{.title = "Loss", .x_label = "step", .y_label = "cross-entropy, nats", .log_y = true}, bad = good;
  bad.title = "Loss, in trouble";
  good.series.assign(losses.begin(), losses.begin() + 5), bad.series.assign(losses.begin() + 5, losses.end());
  good.series[4].colour = bad.series[2].colour = 3, bad.series[0].colour = bad.series[1].colour = 2;  // one colour per method
  good.series[0].colour = 7;                                                                          // unlike the spirals
  good.series[4].mark = bad.series[1].mark = plot::Mark::dashed;                                      // dashed: clipped
  bad.series.push_back({.name = "ln 2",
                        .x = {bad.series[0].x.front(), bad.series[0].x.back()},
                        .y = {std::log(2), std::log(2)},
                        .mark = plot::Mark::dashed,
                        .colour = 7});
  plot::Series winding = boundaries[3], straight = boundaries[0];     // Adam, and SGD at 0.1
  winding.colour = 3, straight.colour = 7;                            // as in the pictures of the loss
  const plot::Curves plane{.title = "Two spirals, and the boundary learnt",
                     .x_label = "first coordinate",
                     .y_label = "second coordinate",
                     .series = {tutorial::points_of("t = 0", training, 0), tutorial::points_of("t = 1", training, 1),
                                winding, straight},
                     .equal_units = true};
  publish({.number = "03",
           .title = "a training loop",
           .intro = "A small network learns to tell two spirals apart, by eight ways of taking a step.",
           .sections = {{"The points", {{"spirals", plot::svg(plane)}}},
                        {"Loss", {{"loss", plot::svg(good)}, {"trouble", plot::svg(bad)}}},
                        {"At the end", {}, text(ends)}},
           .tables = {softmax, wrong, ends},
           .try_next = "--steps 3000; then ./run tutorial 04"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 03: a training loop", {.steps = 1000, .out = "out/tutorial-03"}, run,
                       {{"--hidden", &hidden, "units in each of the two hidden layers"}});
}
