// Tutorial 05: gates: how the GRU and the LSTM keep a state over many steps.
//
// Tutorial 04's network remembered the first token only over short delays, because each step multiplies the gradient. A
// gate can pass the state on unchanged; training decides when it does. The GRU: Cho et al., "Learning phrase
// representations using RNN encoder–decoder" (2014), https://arxiv.org/abs/1406.1078, eq. 5 to 8. The LSTM: Hochreiter
// and Schmidhuber, "Long short-term memory" (1997), with the forget gate of Gers, Schmidhuber and Cummins (2000).

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/cell.hpp>

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include "support/page/report.hpp"
#include "support/pictures/charts.hpp"
#include "support/training/first_token.hpp"
#include "support/training/numbers.hpp"
#include "support/training/recurrence.hpp"

using namespace gradus;
using tutorial::learn_first_token;
using tutorial::State;  // GRU: {h}; LSTM: {h, c}; (B, H) each

namespace {

std::int64_t hidden = 32;  // H
std::int64_t repeats = 3;  // number of models per delay

// Splits W x + b into gates, in the order of PyTorch's stacked weights: (B, H) each.
std::vector<Tensor> gates(const Tensor& x, const Tensor& weight, const Tensor& bias, std::int64_t count) {
  return split(linear(x, weight, bias), std::vector<std::int64_t>(static_cast<std::size_t>(count), weight.size(0) / count),
               1);
}

// PyTorch's GRU: gates in the order r, z, n.
State gru_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const Tensor& h = before[0];                                                          // (B, H)
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 3), from_h = gates(h, p.weight_hh, p.bias_hh, 3);
  const Tensor r = sigmoid(from_x[0] + from_h[0]);                                      // (B, H): reset
  const Tensor z = sigmoid(from_x[1] + from_h[1]);                                      // (B, H): update
  const Tensor n = tanh(from_x[2] + r * from_h[2]);                                     // (B, H): new; r gates W_hn h
  return {(1.0 - z) * n + z * h};                                                       // (B, H): z = 1 keeps h
}

// A GRU with one unit: I = H = 1. The biases are 0.
struct OneUnit {
  double x = 1, h = 0.5;
  double W_ir = 1, W_iz = 1, W_in = 1;
  double W_hr = -2, W_hz = 2, W_hn = 2;
};

// Computes one step with one unit, number by number. Also returns its difference from gru_step.
std::pair<tutorial::Table, double> one_step_by_hand(const OneUnit& u) {
  const auto sigma = [](double a) { return 1 / (1 + std::exp(-a)); };
  const double from_x_r = u.W_ir * u.x, from_h_r = u.W_hr * u.h, r = sigma(from_x_r + from_h_r);
  const double from_x_z = u.W_iz * u.x, from_h_z = u.W_hz * u.h, z = sigma(from_x_z + from_h_z);
  const double from_x_n = u.W_in * u.x, from_h_n = r * (u.W_hn * u.h), n = std::tanh(from_x_n + from_h_n);
  const double written = (1 - z) * n, kept = z * u.h, next = written + kept;

  const Tensor none = zeros({3}, Dtype::f64), x = full({1, 1}, u.x, Dtype::f64), h = full({1, 1}, u.h, Dtype::f64);
  const nn::RecurrentWeights p{.weight_ih = tensor(std::vector{u.W_ir, u.W_iz, u.W_in}, {3, 1}),
                               .weight_hh = tensor(std::vector{u.W_hr, u.W_hz, u.W_hn}, {3, 1}),
                               .bias_ih = none,
                               .bias_hh = none};
  return {{.name = "one_step",
           .rows_are = "line",
           .columns = {"first term", "second term", "sum", "result"},
           .rows = {{"r", {from_x_r, from_h_r, from_x_r + from_h_r, r}},
                    {"z", {from_x_z, from_h_z, from_x_z + from_h_z, z}},
                    {"n", {from_x_n, from_h_n, from_x_n + from_h_n, n}},
                    {"h'", {written, kept, next, next}}}},
          std::abs(next - gru_step(p, x, {h})[0].item())};
}

// The GRU of the papers: r acts on h before the product (Cho, eq. 8; Bahdanau, appendix A.1.1). The papers differ
// in z: in Cho's eq. 7, z is the fraction of the old state; in Bahdanau's appendix, z is the fraction of the new state.
enum class Paper { cho, bahdanau };
template <Paper paper>
State paper_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const Tensor& h = before[0];                                                          // (B, H)
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 3), from_h = gates(h, p.weight_hh, p.bias_hh, 3);
  const Tensor r = sigmoid(from_x[0] + from_h[0]);                                      // (B, H)
  const Tensor z = sigmoid(from_x[1] + from_h[1]);                                      // (B, H)
  const Tensor n = tanh(from_x[2] + gates(r * h, p.weight_hh, p.bias_hh, 3)[2]);        // (B, H): W_hn (r ∘ h)
  return {paper == Paper::cho ? z * h + (1.0 - z) * n : (1.0 - z) * h + z * n};         // (B, H)
}

// The LSTM: gates in the order i, f, g, o. c is the memory, h is the output.
State lstm_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 4), from_h = gates(before[0], p.weight_hh, p.bias_hh, 4);
  const Tensor i = sigmoid(from_x[0] + from_h[0]);                                      // (B, H): input
  const Tensor f = sigmoid(from_x[1] + from_h[1]);                                      // (B, H): forget
  const Tensor g = tanh(from_x[2] + from_h[2]);                                         // (B, H): new
  const Tensor o = sigmoid(from_x[3] + from_h[3]);                                      // (B, H): output
  const Tensor c = f * before[1] + i * g;                                               // (B, H): f = 1, i = 0 keeps c
  return {o * tanh(c), c};                                                              // (B, H) each
}

struct Kind {
  std::string name;
  models::Cell cell;
  tutorial::StepFunction step;
  double bias = 0;  // added to the initial bias of the second gate: z in a GRU, f in an LSTM
};

const std::vector<Kind> kinds = {{"RNN", models::Cell::rnn, tutorial::rnn_step},
                                 {"GRU", models::Cell::gru, gru_step},
                                 {"LSTM", models::Cell::lstm, lstm_step},
                                 {"GRU, b_z + 3", models::Cell::gru, gru_step, 3},
                                 {"LSTM, b_f + 3", models::Cell::lstm, lstm_step, 3}};

std::unique_ptr<nn::Recurrent> make(const Kind& kind) {
  auto net = models::make_recurrent(kind.cell, tutorial::first_token_inputs, hidden, {});
  if (kind.bias == 0) return net;
  Tensor b = net->weights(0).bias_hh;                                                   // (G·H)
  b.replace(b.detach() + pad(full({hidden}, kind.bias), 0, hidden, b.size(0) - 2 * hidden));
  return net;
}

// Compares each hand-written step with the library's module, in double precision. x: (T, B, I).
void compare_with_library(const Tensor& x) {
  const Kind cho{"GRU of Cho et al.", models::Cell::original_gru, paper_step<Paper::cho>};
  for (const Kind& kind : {kinds[0], kinds[1], cho, kinds[2]}) {
    const auto net = make(kind);
    net->to(Dtype::f64);
    const Tensor h_T = tutorial::unroll(kind.step, net->weights(0), x).back()[0];       // (B, H)
    std::cout << kind.name << " by hand: largest difference from the library's h_T "
              << tutorial::largest_difference(h_T, net->run(x).last[0][0]) << '\n';
  }
}

// The norm of the gradient of h_T at each distance, divided by the norm at distance 0, as in tutorial 04. The network is
// not trained. The gradient is with respect to c in an LSTM, and to h in the other networks.
std::vector<double> norms_by_distance(const Kind& kind, std::int64_t T, Generator& generator) {
  const auto net = make(kind);
  const Tensor x = tutorial::first_token_batch(T, 16, generator).x;                     // (1 + T, B, I)
  const std::vector<State> states = tutorial::unroll(kind.step, net->weights(0), x);
  const Tensor h_T = states.back()[0];                                                  // (B, H)
  std::vector<Tensor> memory;                                                           // (B, H) each, newest first
  for (std::size_t t = states.size() - 1; t > 0; --t) memory.push_back(states[t].back());
  const std::vector<Tensor> d = grad({h_T}, memory, {normal(h_T.shape(), 0, 1, generator)});  // shapes of memory
  std::vector<double> norms;
  for (const Tensor& at_distance : d) norms.push_back(tutorial::norm(at_distance) / tutorial::norm(d[0]));
  return norms;
}

// The gate z of a GRU while it reads one sequence, x (T, 1, I): one row per unit, one column per token.
plot::Heatmap gate_strip(const std::string& title, const nn::Recurrent& gru, const Tensor& x) {
  const NoGrad no_grad;
  const nn::RecurrentWeights& p = gru.weights(0);
  Tensor h = zeros({1, hidden});                                                        // (1, H)
  std::vector<Tensor> z;                                                                // (1, H) each
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    z.push_back(sigmoid(gates(x[t], p.weight_ih, p.bias_ih, 3)[1] + gates(h, p.weight_hh, p.bias_hh, 3)[1]));
    h = gru_step(p, x[t], {h})[0];
  }
  plot::Heatmap map = tutorial::by_token(title, concat(z, 0), x);
  map.scale_name = "z";
  return map;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. Each step by hand and by the library; then the effect of the GRU's conventions.
  const Tensor x = normal({20, 3, tutorial::first_token_inputs}, 0, 1, generator, Dtype::f64);  // (T, B, I)
  compare_with_library(x);
  const auto [one_step, difference] = one_step_by_hand({});
  std::cout << "\none step of a GRU with one unit, by hand (difference from gru_step: " << difference << ")\n"
            << text(one_step);
  const tutorial::Table confused =
      tutorial::gru_conventions(hidden, paper_step<Paper::cho>, gru_step, paper_step<Paper::bahdanau>, x);
  std::cout << "\nthe same weights in two conventions, largest difference of the states\n" << text(confused) << '\n';

  // 2. How much of the gradient arrives, before any training. Initially a gate is near σ(0) = 1/2, or near
  // σ(3) = 0.95 with 3 added to its bias.
  plot::Curves curves{.title = "How much of the gradient arrives, before training",
                      .x_label = "distance T − t",
                      .y_label = "gradient's norm, relative to that at T",
                      .log_y = true};
  tutorial::Table arrived{
      .name = "gradient_norm", .rows_are = "network", .columns = {"10 steps", "20", "40"}, .digits = 2};
  for (const Kind& kind : kinds) {
    const std::vector<double> norms = norms_by_distance(kind, 40, generator);
    curves.series.push_back(tutorial::by_index(kind.name, norms));
    if (kind.cell == models::Cell::lstm) curves.series.back().mark = plot::Mark::dashed;  // a full line would hide the GRU's
    arrived.rows.push_back({kind.name, tutorial::log10_at(norms, {10, 20, 40})});
  }
  std::cout << "log10 of the gradient's norm by the distance T − t, before training\n" << text(arrived) << '\n';

  // 3. Remember the first token: the task, sizes and updates of tutorial 04.
  tutorial::Table accuracy{.name = "accuracy", .rows_are = "delay", .columns = {}};
  for (const Kind& kind : kinds) accuracy.columns.push_back(kind.name);
  for (const std::int64_t delay : {5, 10, 20, 40}) {
    accuracy.rows.push_back({std::to_string(delay), {}});
    for (const Kind& kind : kinds) {
      double total = 0;
      for (int i = 0; i < repeats; ++i) total += learn_first_token(*make(kind), delay, options.steps, generator);
      accuracy.rows.back().values.push_back(total / static_cast<double>(repeats));
    }
  }
  std::cout << "the first of 8 symbols named after a delay, " << options.steps << " updates, mean of " << repeats
            << " models (guessing: 0.125)\n" << text(accuracy) << '\n';

  // 4. How training changes the gates of a GRU that starts without an added bias.
  const Tensor shown = tutorial::first_token_batch(10, 1, generator).x;                 // (11, 1, I)
  const auto gru = make(kinds[1]);
  std::vector<plot::Heatmap> z = {gate_strip("z, before training", *gru, shown)};
  const double learnt = learn_first_token(*gru, 10, options.steps, generator);
  z.push_back(gate_strip("z, after training", *gru, shown));
  tutorial::sort_rows(z, {{"keep", 0.9}, {"in between", 0.1}, {"overwrite", 0}});

  publish({.number = "05",
           .title = "gates",
           .intro = "Gates can pass a state on unchanged.",
           .sections = {{"The gradient by distance", {{"gradient_norm", plot::svg(curves)}}},
                        {"Remembering the first token", {}, text(accuracy)},
                        {"The gate z of a GRU, over a sequence",
                         {{"gates", plot::strip(z)}},
                         "accuracy after training: " + tutorial::decimals(learnt)}},
           .tables = {one_step, confused, arrived, accuracy},
           .try_next = "--steps 2000: do the networks without the added bias catch up? Then ./run tutorial 06"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 05: gates, the GRU and the LSTM, on remembering the first token",
                       {.steps = 500, .out = "out/tutorial-05"}, run,
                       {{"--hidden", &hidden, "size of the state, H"},
                        {"--repeats", &repeats, "models trained for each delay"}});
}
