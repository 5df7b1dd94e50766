// Tutorial 04: a recurrent network: backpropagation through time, and gradients that vanish or explode.
//
// Tutorial 03 trained a model that reads one vector. This model reads a sequence, one token per step, with the same
// weights at every step (Elman, "Finding structure in time", 1990). So its gradient passes back through all steps, and
// can vanish or explode. Bengio, Simard and Frasconi studied this in "Learning long-term dependencies with gradient
// descent is difficult" (1994), and Pascanu, Mikolov and Bengio in "On the difficulty of training recurrent neural
// networks" (2013), https://arxiv.org/abs/1211.5063. Equation numbers refer to Pascanu et al.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/rnn.hpp>

#include <cmath>
#include <iostream>

#include "support/page/report.hpp"
#include "support/pictures/charts.hpp"
#include "support/training/first_token.hpp"
#include "support/training/numbers.hpp"

using namespace gradus;
using tutorial::largest_difference;
using tutorial::norm;

namespace {

std::int64_t hidden = 32;  // H
std::int64_t repeats = 8;  // number of models per delay

struct Weights {
  Tensor W_ih, W_hh, b;  // (H, I), (H, H), (H)
};

// h_t = tanh(W_ih x_t + W_hh h_{t−1} + b), from h_0 = 0. Returns h_0 … h_T.
std::vector<Tensor> unroll(const Weights& w, const Tensor& x) {
  std::vector<Tensor> h = {zeros({x.size(1), w.W_hh.size(0)}, x.dtype())};              // (B, H)
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    h.push_back(tanh(linear(x[t], w.W_ih, w.b) + linear(h.back(), w.W_hh)));            // (B, H)
  }
  return h;
}

struct Gradients {
  std::vector<Tensor> h;  // dL/dh_0 … dL/dh_T, (B, H) each
  Tensor W_hh;            // (H, H)
};

// backward() written out, for a loss that depends only on h_T. One step back multiplies by the slope of tanh and by
// W_hhᵀ (eq. 5). Every step uses W_hh, so its gradient is a sum over all steps (eq. 4).
Gradients back_through_time(const Weights& w, const std::vector<Tensor>& h, const Tensor& gradient_of_h_T) {
  const NoGrad no_grad;
  Gradients d{.h = std::vector<Tensor>(h.size()), .W_hh = zeros(w.W_hh.shape(), w.W_hh.dtype())};
  d.h.back() = gradient_of_h_T;
  for (std::size_t t = h.size() - 1; t > 0; --t) {
    const Tensor delta = d.h[t] * (1.0 - h[t] * h[t]);                                  // (B, H): dL/da_t
    d.W_hh = d.W_hh + matmul(transpose(delta, 0, 1), h[t - 1]);                         // (H, H)
    d.h[t - 1] = matmul(delta, w.W_hh);                                                 // (B, H): rows of W_hhᵀ δ
  }
  return d;
}

void compare_with_library() {
  constexpr std::int64_t T = 20, B = 3, I = 5;
  nn::RNN rnn(I, hidden);
  rnn.to(Dtype::f64);
  const nn::RecurrentWeights& p = rnn.weights(0);
  const Weights w{.W_ih = p.weight_ih, .W_hh = p.weight_hh, .b = p.bias_ih + p.bias_hh};
  const Tensor x = normal({T, B, I}, 0, 1, default_generator(), Dtype::f64);            // (T, B, I)
  const Tensor u = normal({B, hidden}, 0, 1, default_generator(), Dtype::f64);          // (B, H): L = Σ u ∘ h_T

  const Tensor h_T = squeeze(rnn.forward(x).h_n, 0);                                    // (B, H)
  sum(u * h_T).backward();
  const std::vector<Tensor> h = unroll(w, x);
  const Gradients d = back_through_time(w, h, u);
  std::cout << "by hand against nn::RNN, largest difference after " << T << " steps: h_T "
            << largest_difference(h.back(), h_T) << ", dL/dW_hh "
            << largest_difference(d.W_hh, p.weight_hh.grad()) << "\n\n";
}

// ‖dL/dh_{T−d}‖ / ‖dL/dh_T‖ for d = 0 … T. W_hh is ρ times an orthogonal matrix. So its spectral radius is ρ: all its
// eigenvalues have the modulus ρ. All its singular values are ρ, too.
std::vector<double> norms_by_distance(double rho, std::int64_t T) {
  constexpr std::int64_t B = 16, I = 8;
  const Weights w{.W_ih = normal({hidden, I}, 0, 0.1, default_generator(), Dtype::f64),  // (H, I)
                  .W_hh = nn::orthogonal({hidden, hidden}, rho, Dtype::f64),            // (H, H)
                  .b = zeros({hidden}, Dtype::f64)};                                    // (H)
  const Tensor x = normal({T, B, I}, 0, 1, default_generator(), Dtype::f64);            // (T, B, I)
  const Tensor u = normal({B, hidden}, 0, 1, default_generator(), Dtype::f64);          // (B, H)
  const Gradients d = back_through_time(w, unroll(w, x), u);
  std::vector<double> norms;
  for (auto g = d.h.rbegin(); g != d.h.rend(); ++g) norms.push_back(norm(*g) / norm(u));
  return norms;
}

// Adds two curves: the measured norms, and ρ^d (dashed). A network without tanh would have the norms ρ^d.
void add_with_bound(plot::Curves& curves, double rho, const std::string& name, const std::vector<double>& norms) {
  const std::size_t colour = curves.series.size() / 2;
  curves.series.push_back(tutorial::by_index("ρ = " + name, norms));
  std::vector<double> powers;
  for (std::size_t d = 0; d < norms.size(); ++d) powers.push_back(std::pow(rho, static_cast<double>(d)));
  plot::Series bound = tutorial::by_index("", powers);
  bound.mark = plot::Mark::dashed;
  curves.series.back().colour = bound.colour = colour;
  curves.series.back().name_at_end = bound.name_at_end = true;
  curves.series.push_back(bound);
}

// Trains a network to name the first token after `delay` other tokens. Returns its accuracy on new sequences. Clipping
// to the norm 1 keeps the direction of large gradients (algorithm 1) and does not change small ones.
double train_and_measure(std::int64_t delay, std::int64_t steps, Generator& generator) {
  const nn::RNN start(tutorial::first_token_inputs, hidden);  // PyTorch's initial weights
  const nn::RecurrentWeights& p = start.weights(0);
  const Weights w{.W_ih = p.weight_ih, .W_hh = p.weight_hh, .b = p.bias_ih};
  const auto h_T = [&](const Tensor& x) { return unroll(w, x).back(); };                // (B, H)
  return tutorial::learn_first_token({w.W_ih, w.W_hh, w.b}, h_T, hidden, delay, steps, generator);
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);

  // 1. Forward and backward, by hand and by the library.
  compare_with_library();

  // 2. The norm of the gradient, by distance.
  constexpr std::int64_t T = 50;
  plot::Curves curves{.title = "How much of the gradient arrives",
                      .x_label = "distance d = T − t",
                      .y_label = "‖∂L/∂h_t‖ / ‖∂L/∂h_T‖",
                      .log_y = true};
  tutorial::Table norms{
      .name = "gradient_norm", .rows_are = "ρ", .columns = {"1 step", "10", "25", "50", "ρ^50"}, .digits = 2};
  for (const double rho : {0.5, 0.9, 1.0, 1.1, 1.5, 2.0}) {
    const std::string name = tutorial::decimals(rho, 1);
    const std::vector<double> by_distance = norms_by_distance(rho, T);
    if (rho == 0.5 || rho == 1 || rho == 1.5) add_with_bound(curves, rho, name, by_distance);
    norms.rows.push_back({name, tutorial::log10_at(by_distance, {1, 10, 25, 50})});
    norms.rows.back().values.push_back(50 * std::log10(rho));
  }
  curves.series.back().name = "ρ^d";  // one name for the three dashed curves
  std::cout << "log10 of the gradient's norm, by ρ (W_hh is ρ times an orthogonal matrix) and the distance T − t\n"
            << text(norms) << '\n';

  // 3. The effect on learning. The task: remember the first token.
  Generator generator(options.seed);
  tutorial::FirstTokenModels models;
  for (const std::int64_t delay : {1, 5, 10, 15, 20, 30, 40}) {
    std::vector<double> accuracies;
    for (std::int64_t i = 0; i < repeats; ++i) accuracies.push_back(train_and_measure(delay, options.steps, generator));
    models.add(delay, accuracies);
  }
  std::cout << "the first of 8 symbols named after a delay, " << repeats << " models of " << options.steps
            << " updates for each delay (guessing: 0.125)\n"
            << text(models.accuracy) << "models by their accuracy\n" << text(models.counts) << '\n';

  publish({.number = "04",
           .title = "a recurrent network",
           .intro = "The same weights at every step, and a gradient that passes back through all steps.",
           .sections = {{"The gradient by distance", {{"gradient_norm", plot::svg(curves)}}},
                        {"Remembering the first token", {{"accuracy", plot::svg(models.dots())}}}},
           .tables = {norms, models.accuracy, models.counts, models.each},
           .try_next = "--steps 2000: how much longer a delay is learnt? Then ./run tutorial 05"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 04: backpropagation through time, and gradients that vanish or explode",
                       {.steps = 500, .out = "out/tutorial-04"}, run,
                       {{"--hidden", &hidden, "size of the state, H"},
                        {"--repeats", &repeats, "models trained for each delay"}});
}
