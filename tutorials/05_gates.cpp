// Tutorial 05: gates, which keep a state over many steps: the GRU and the LSTM.
//
// Tutorial 04's network learnt to keep the first token over short delays alone: each step multiplies the gradient. A
// gate lets the state pass from step to step unchanged, and learns when. The GRU: Cho et al., "Learning phrase
// representations using RNN encoder–decoder" (2014), https://arxiv.org/abs/1406.1078, eq. 5 to 8. The LSTM: Hochreiter
// and Schmidhuber, "Long short-term memory" (1997), with the forget gate of Gers, Schmidhuber and Cummins (2000).

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/cell.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <cmath>
#include <functional>
#include <iostream>
#include <memory>

#include "support/first_token.hpp"
#include "support/table.hpp"

using namespace gradus;

namespace {

std::int64_t hidden = 32;  // H
std::int64_t repeats = 3;  // models trained for each delay

using State = nn::RecurrentState;  // {h}, or {h, c} for an LSTM; (B, H) each

// What the products give, one gate of H after another, as PyTorch stacks the weights: (B, H) each.
std::vector<Tensor> gates(const Tensor& x, const Tensor& weight, const Tensor& bias, std::int64_t count) {
  return split(linear(x, weight, bias), std::vector<std::int64_t>(static_cast<std::size_t>(count), hidden), 1);
}

State rnn_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  return {tanh(linear(x, p.weight_ih, p.bias_ih) + linear(before[0], p.weight_hh, p.bias_hh))};
}

// The GRU as PyTorch has it: gates in the order r, z, n.
State gru_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const Tensor& h = before[0];                                                          // (B, H)
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 3), from_h = gates(h, p.weight_hh, p.bias_hh, 3);
  const Tensor r = sigmoid(from_x[0] + from_h[0]);                                      // (B, H): reset
  const Tensor z = sigmoid(from_x[1] + from_h[1]);                                      // (B, H): update
  const Tensor n = tanh(from_x[2] + r * from_h[2]);                                     // (B, H): new; r after W_hn h
  return {(1.0 - z) * n + z * h};                                                       // (B, H): z = 1 keeps h
}

// The GRU of the papers: r acts on h before the product (Cho, eq. 8; Bahdanau, appendix A.1.1).
struct PaperGates {
  Tensor z, n;  // (B, H)
};
PaperGates paper_gates(const nn::RecurrentWeights& p, const Tensor& x, const Tensor& h) {
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 3), from_h = gates(h, p.weight_hh, p.bias_hh, 3);
  const Tensor r = sigmoid(from_x[0] + from_h[0]);                                      // (B, H)
  return {.z = sigmoid(from_x[1] + from_h[1]),                                          // (B, H)
          .n = tanh(from_x[2] + gates(r * h, p.weight_hh, p.bias_hh, 3)[2])};           // (B, H): W_hn (r ∘ h)
}

// They differ about z: in Cho's eq. 7 it is the share of the old state, in Bahdanau's appendix that of the new one.
State cho_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const auto [z, n] = paper_gates(p, x, before[0]);
  return {z * before[0] + (1.0 - z) * n};                                               // (B, H)
}
State bahdanau_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const auto [z, n] = paper_gates(p, x, before[0]);
  return {(1.0 - z) * before[0] + z * n};                                               // (B, H)
}

// The LSTM: gates in the order i, f, g, o. What it keeps is c; h is what it shows of it.
State lstm_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  const auto from_x = gates(x, p.weight_ih, p.bias_ih, 4), from_h = gates(before[0], p.weight_hh, p.bias_hh, 4);
  const Tensor i = sigmoid(from_x[0] + from_h[0]);                                      // (B, H): input
  const Tensor f = sigmoid(from_x[1] + from_h[1]);                                      // (B, H): forget
  const Tensor g = tanh(from_x[2] + from_h[2]);                                         // (B, H): new
  const Tensor o = sigmoid(from_x[3] + from_h[3]);                                      // (B, H): output
  const Tensor c = f * before[1] + i * g;                                               // (B, H): f = 1, i = 0 keeps c
  return {o * tanh(c), c};                                                              // (B, H) each
}

using StepFunction = std::function<State(const nn::RecurrentWeights&, const Tensor& x, const State& before)>;

// One step after another over x (T, B, I), from zeros. Returns the states 0 … T.
std::vector<State> unroll(const StepFunction& step, const nn::RecurrentWeights& p, const Tensor& x) {
  const Tensor zero = zeros({x.size(1), hidden}, x.dtype());                            // (B, H)
  std::vector<State> states = {{zero, zero}};                                           // an LSTM alone reads the second
  for (std::int64_t t = 0; t < x.size(0); ++t) states.push_back(step(p, x[t], states.back()));
  return states;
}

struct Kind {
  std::string name;
  models::Cell cell;
  StepFunction step;
  double bias = 0;  // added at the start to that of z or f, the second gate of both
};

std::unique_ptr<nn::Recurrent> make(const Kind& kind) {
  auto net = models::make_recurrent(kind.cell, tutorial::first_token_inputs, hidden, {});
  if (kind.bias > 0) {
    Tensor b = net->weights(0).bias_hh;                                                 // (G·H)
    b.replace(b.detach() + pad(full({hidden}, kind.bias), 0, hidden, b.size(0) - 2 * hidden));
  }
  return net;
}

double difference(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item(); }

// Each step by hand against the library's module, in double.
void compare_with_library(const Tensor& x) {
  for (const Kind& kind : {Kind{"RNN", models::Cell::rnn, rnn_step}, Kind{"GRU", models::Cell::gru, gru_step},
                           Kind{"GRU of Cho et al.", models::Cell::original_gru, cho_step},
                           Kind{"LSTM", models::Cell::lstm, lstm_step}}) {
    const auto net = make(kind);
    net->to(Dtype::f64);
    std::cout << kind.name << " by hand: largest difference from the library's h_T "
              << difference(unroll(kind.step, net->weights(0), x).back()[0], net->run(x).last[0][0]) << '\n';
  }
}

// The same weights read by two conventions: how far apart the states are.
tutorial::Table conventions(const Tensor& x) {
  nn::GRU net(tutorial::first_token_inputs, hidden);
  net.to(Dtype::f64);
  nn::RecurrentWeights p = net.weights(0);
  p.bias_hh = zeros({3 * hidden}, Dtype::f64);  // (3H): or r would act on b_hn, which h = 0 does not hide
  const Tensor one = ones({hidden}, Dtype::f64), s = concat({one, -one, one}, 0);       // (3H): z's rows negated
  const nn::RecurrentWeights negated{.weight_ih = p.weight_ih * unsqueeze(s, 1),
                                     .weight_hh = p.weight_hh * unsqueeze(s, 1),
                                     .bias_ih = p.bias_ih * s,
                                     .bias_hh = p.bias_hh * s};

  const std::vector<State> cho = unroll(cho_step, p, x);
  const auto row = [&](const std::string& name, const std::vector<State>& other) {
    return tutorial::Table::Row{name, {difference(cho[1][0], other[1][0]), difference(cho.back()[0], other.back()[0])}};
  };
  return {.name = "conventions",
          .rows_are = "Cho et al. against",
          .columns = {"after 1 step", "after " + std::to_string(x.size(0))},
          .rows = {row("PyTorch: r after the product", unroll(gru_step, p, x)),
                   row("Bahdanau et al.: z turned round", unroll(bahdanau_step, p, x)),
                   row("the same, and z's weights negated", unroll(bahdanau_step, negated, x))}};
}

// Tutorial 04's training, of any kind of network; returns its accuracy.
double train_and_measure(const nn::Recurrent& net, std::int64_t delay, std::int64_t steps, Generator& generator) {
  const nn::Linear readout(hidden, tutorial::first_token_symbols, /*with_bias=*/false);
  const auto logits = [&](const Tensor& x) { return readout.forward(net.run(x).last[0][0]); };  // (B, 8)
  std::vector<Tensor> parameters = net.parameters();
  parameters.push_back(readout.weight);
  return tutorial::learn_first_token(parameters, logits, delay, steps, generator);
}

// As in tutorial 04, of what carries the memory: h, or an LSTM's c. Of weights that are not trained yet.
plot::Series norms_by_distance(const Kind& kind, std::int64_t T, Generator& generator) {
  const auto net = make(kind);
  const Tensor x = tutorial::first_token_batch(T, 16, generator).x;                     // (1 + T, B, I)
  const std::vector<State> states = unroll(kind.step, net->weights(0), x);
  std::vector<Tensor> memory;                                                           // (B, H) each
  for (std::size_t t = 1; t < states.size(); ++t) memory.push_back(states[t].back());
  const Tensor h_T = states.back()[0];                                                  // (B, H)
  const std::vector<Tensor> d = grad({h_T}, memory, {normal(h_T.shape(), 0, 1, generator)});
  const auto norm = [](const Tensor& g) { return std::sqrt(sum(g * g).item()); };
  plot::Series series{.name = kind.name};
  for (std::int64_t distance = 0; distance <= T; ++distance) {
    series.x.push_back(static_cast<double>(distance));
    series.y.push_back(norm(d[static_cast<std::size_t>(T - distance)]) / norm(d.back()));
  }
  return series;
}

// The gate z of a GRU over one sequence, x (T, 1, I): a row a unit, a column a token. A … H are the symbols.
plot::Heatmap gate_strip(const std::string& title, const nn::Recurrent& gru, const Tensor& x) {
  const NoGrad no_grad;
  const nn::RecurrentWeights& p = gru.weights(0);
  const std::vector<State> states = unroll(gru_step, p, x);
  std::vector<Tensor> z;                                                                // (1, H) each
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    const Tensor& h = states[static_cast<std::size_t>(t)][0];                           // (1, H): before x[t]
    z.push_back(sigmoid(gates(x[t], p.weight_ih, p.bias_ih, 3)[1] + gates(h, p.weight_hh, p.bias_hh, 3)[1]));
  }
  plot::Heatmap strip{.title = title, .x_label = "token read", .y_label = "unit"};
  for (std::int64_t i = 1; i <= hidden; ++i) strip.rows.push_back(std::to_string(i));
  for (const std::int64_t token : argmax(squeeze(x, 1)).to_vector<std::int64_t>()) {
    strip.columns.emplace_back(1, "ABCDEFGHabcdefgh"[token]);
  }
  strip.values = transpose(concat(z, 0), 0, 1).to_vector<double>();                  // (H, T)
  return strip;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. By hand and by the library; and what the conventions change.
  const Tensor x = normal({20, 3, tutorial::first_token_inputs}, 0, 1, generator, Dtype::f64);  // (T, B, I)
  compare_with_library(x);
  const tutorial::Table confused = conventions(x);
  std::cout << "\nthe same weights by two conventions, largest difference of the states\n"
            << tutorial::text(confused) << '\n';

  // 2. How much of the gradient arrives before any training. At first the gates are near σ(0) = 1/2, or σ(3) = 0.95.
  const std::vector<Kind> kinds = {{"RNN", models::Cell::rnn, rnn_step},
                                   {"GRU", models::Cell::gru, gru_step},
                                   {"LSTM", models::Cell::lstm, lstm_step},
                                   {"GRU, b_z + 3", models::Cell::gru, gru_step, 3},
                                   {"LSTM, b_f + 3", models::Cell::lstm, lstm_step, 3}};
  plot::Curves curves{.title = "How much of the gradient arrives, before training",
                      .x_label = "distance T − t",
                      .y_label = "gradient's norm, relative to that at T",
                      .log_y = true};
  tutorial::Table norms{
      .name = "gradient_norm", .rows_are = "network", .columns = {"10 steps", "20", "40"}, .rows = {}, .digits = 2};
  for (const Kind& kind : kinds) {
    curves.series.push_back(norms_by_distance(kind, 40, generator));
    const std::vector<double>& y = curves.series.back().y;
    norms.rows.push_back({kind.name, {std::log10(y[10]), std::log10(y[20]), std::log10(y[40])}});
  }
  std::cout << "log10 of the gradient's norm by the distance T − t, before training\n" << tutorial::text(norms)
            << '\n';

  // 3. Remember the first token: tutorial 04's task, sizes and updates.
  tutorial::Table accuracy{.name = "accuracy", .rows_are = "delay", .columns = {}, .rows = {}};
  for (const Kind& kind : kinds) accuracy.columns.push_back(kind.name);
  for (const std::int64_t delay : {5, 10, 20, 40}) {
    accuracy.rows.push_back({std::to_string(delay), {}});
    for (const Kind& kind : kinds) {
      double total = 0;
      for (std::int64_t i = 0; i < repeats; ++i) total += train_and_measure(*make(kind), delay, options.steps, generator);
      accuracy.rows.back().values.push_back(total / static_cast<double>(repeats));
    }
  }
  std::cout << "the first of 8 symbols named after a delay, " << options.steps << " updates, mean of " << repeats
            << " models (guessing: 0.125)\n"
            << tutorial::text(accuracy) << '\n';

  // 4. What training does to the gates of a GRU that began without a bias.
  const Tensor shown = tutorial::first_token_batch(10, 1, generator).x;                 // (11, 1, I)
  const auto gru = make(kinds[1]);
  const plot::Heatmap before = gate_strip("z, before training", *gru, shown);
  const double learnt = train_and_measure(*gru, 10, options.steps, generator);
  const plot::Heatmap after = gate_strip("z, trained to accuracy " + tutorial::decimals(learnt), *gru, shown);

  // 5. Pictures.
  const std::string curves_svg = plot::svg(curves), gates_svg = plot::strip({before, after});
  out.write("gradient_norm.svg", curves_svg);
  out.write("gates.svg", gates_svg);
  out.write("results.json", tutorial::json("tutorial_05", options, {confused, norms, accuracy}));
  const plot::Page page{
      .title = "Tutorial 05: gates",
      .intro = {"A state that may pass from step to step as it is."},
      .sections = {{.heading = "The gradient by distance", .svgs = {curves_svg}},
                   {.heading = "Remembering the first token", .preformatted = tutorial::text(accuracy)},
                   {.heading = "The gate z of a GRU, over a sequence", .svgs = {gates_svg}}}};
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 2000, for those that begin without a bias; then ./run tutorial 06\n";
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 05: gates, the GRU and the LSTM, on remembering the first token",
                       {.steps = 500, .out = "out/tutorial-05"}, run,
                       {{"--hidden", &hidden, "H, the numbers of a state"},
                        {"--repeats", &repeats, "models that are trained for each delay"}});
}
