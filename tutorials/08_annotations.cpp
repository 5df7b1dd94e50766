// Tutorial 08: annotations of both directions, and what each of them knows.
//
// The models of tutorials 06 and 07 kept one vector of the source. Attention needs a vector for every
// token. Each vector also describes the tokens on both sides: h_j = [→h_j; ←h_j]. One network reads forward,
// the other backward (Schuster and Paliwal, "Bidirectional recurrent neural networks", 1997; Bahdanau, Cho and
// Bengio, 2015, section 3.2, https://arxiv.org/abs/1409.0473). This program has no decoder. It measures what
// the annotations contain.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

#include "support/page/report.hpp"
#include "support/pictures/charts.hpp"
#include "support/training/descent.hpp"
#include "support/training/numbers.hpp"

using namespace gradus;
using tutorial::largest_difference;

namespace {

constexpr std::int64_t V = 10, E = 8, T = 10;  // number of tokens, size of an embedding, length of a sequence
std::int64_t hidden = 32;                      // H, size of each direction

// h_j = [→h_j; ←h_j], computed by two GRUs. The backward GRU reads from the end of the sequence, so its first state
// belongs to the last token. flip() puts its states into the order of the tokens.
Tensor annotations(const nn::GRU& forward, const nn::GRU& backward, const Tensor& x) {
  const Tensor ahead = forward.forward(x).output;                                       // (T, B, H): →h_1 … →h_T
  const Tensor as_read = backward.forward(flip(x, 0)).output;                           // (T, B, H): ←h_T … ←h_1
  return concat({ahead, flip(as_read, 0)}, 2);                                          // (T, B, 2H)
}

// One direction of an encoder, as a GRU of its own.
struct Reader : nn::GRU {
  explicit Reader(const nn::RecurrentWeights& p) : GRU(p.weight_ih.size(1), p.weight_hh.size(1)) {
    load_state_dict({{"weight_ih_l0", p.weight_ih}, {"weight_hh_l0", p.weight_hh},
                     {"bias_ih_l0", p.bias_ih}, {"bias_hh_l0", p.bias_hh}});
  }
};

Tensor tokens(std::int64_t batch, Generator& generator) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(T * batch));
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(generator.below(V));
  return tensor(ids, {T, batch});                                                       // (T, B)
}

// The library's bidirectional encoder with three readouts: one reads →h_j, one ←h_j, one both. Each readout must name
// the tokens x_{j−1}, x_j and x_{j+1}.
struct Tagger : nn::Module {
  Tagger() {
    add_module("embedding", embedding);
    add_module("encoder", encoder);
    add_module("forward", forward);
    add_module("backward", backward);
    add_module("both", both);
  }
  nn::Embedding embedding{V, E};
  nn::GRU encoder{E, hidden, {.bidirectional = true}};
  nn::Linear forward{hidden, 3 * V}, backward{hidden, 3 * V}, both{2 * hidden, 3 * V};
};

// x_{j−1}, x_j and x_{j+1} for 1 < j < T, so that all three exist: (T − 2, B) each.
std::vector<Tensor> neighbours(const Tensor& x) { return {x.slice(0, T - 2), x.slice(1, T - 1), x.slice(2, T)}; }

// For each readout, the logits of x_{j−1}, x_j and x_{j+1}: (T − 2, B, V) each.
std::vector<std::pair<std::string, std::vector<Tensor>>> named(const Tagger& tagger, const Tensor& x) {
  const Tensor h = tagger.encoder.forward(tagger.embedding.forward(x)).output.slice(1, T - 1);  // (T − 2, B, 2H)
  const auto logits = [](const nn::Linear& readout, const Tensor& from) {
    return split(readout.forward(from), {V, V, V}, 2);
  };
  return {{"→h_j", logits(tagger.forward, h.slice(0, hidden, 2))},
          {"←h_j", logits(tagger.backward, h.slice(hidden, 2 * hidden, 2))},
          {"[→h_j; ←h_j]", logits(tagger.both, h)}};
}

void train(const Tagger& tagger, std::int64_t steps, Generator& generator) {
  tutorial::descend(tagger.parameters(), {.learning_rate = 1e-2, .steps = steps}, [&] {
    const Tensor x = tokens(32, generator);                                             // (T, B)
    Tensor loss = zeros({});                                                            // ()
    for (const auto& [readout, logits] : named(tagger, x)) {
      for (std::size_t i = 0; i < 3; ++i) loss = loss + cross_entropy(logits[i], neighbours(x)[i]);
    }
    return loss;
  });
}

tutorial::Table accuracy(const Tagger& tagger, Generator& generator) {
  const NoGrad no_grad;
  const Tensor x = tokens(500, generator);                                              // (T, B)
  tutorial::Table table{.name = "accuracy", .rows_are = "read from", .columns = {"x_{j−1}", "x_j", "x_{j+1}"}};
  for (const auto& [readout, logits] : named(tagger, x)) {
    std::vector<double>& row = table.rows.emplace_back(tutorial::Table::Row{readout, {}}).values;
    for (std::size_t i = 0; i < 3; ++i) row.push_back(tutorial::accuracy(logits[i], neighbours(x)[i]));
  }
  return table;
}

// (∂h_{j,i}/∂(E x_k)_m)², summed over m. Each element i of each h_j takes one backward pass.
Tensor squared_derivatives(const Tagger& tagger, const Tensor& ids) {
  Tensor x = tagger.embedding.forward(ids).detach();                                    // (T, 1, E)
  const Tensor h = tagger.encoder.forward(x.set_requires_grad()).output;                // (T, 1, 2H)
  std::vector<Tensor> squares;                                                          // (T) each
  for (std::int64_t i = 0; i < h.numel(); ++i) {
    const Tensor one = one_hot(tensor({double(i)}, Dtype::i64), h.numel());             // (1, 2HT)
    const Tensor d = grad({h}, {x}, {one.reshape(h.shape())}, /*retain_graph=*/true)[0];  // (T, 1, E)
    squares.push_back(sum(d * d, {1, 2}));
  }
  return stack(squares).reshape({T, 2 * hidden, T}).to(Dtype::f64);                     // (T, 2H, T)
}

// Changes inputs that must not affect a state. Measures how far the state moves, without and with a mistake.
tutorial::Table probes(const nn::GRU& encoder, const nn::GRU& backward, const Tensor& x, Generator& generator) {
  const NoGrad no_grad;
  // ←h_T has read only x_T, so a different x_1 must not change ←h_T. The mistake keeps the states in the order of reading: ←h_1
  // then stands where ←h_T should.
  const Tensor other_x_1 = concat({x.slice(0, 1) + 1.0, x.slice(1, T)}, 0);             // (T, 1, E)
  const Tensor as_read = backward.forward(flip(x, 0)).output;                           // (T, 1, H): ←h_T … ←h_1
  const Tensor other = backward.forward(flip(other_x_1, 0)).output;                     // (T, 1, H)

  // Padding after the end must not change anything. The mistake: the encoder does not get the lengths.
  const Tensor padded = concat({x, normal({3, 1, E}, 0, 1, generator)}, 0);             // (T + 3, 1, E)
  const Tensor length = tensor({double(T)}, Dtype::i64);                                // (1)
  const auto alone = encoder.forward(x), frozen = encoder.forward(padded, length), run_on = encoder.forward(padded);
  const auto end = [](const nn::GRU::Output& o) { return o.h_n[0]; };                   // (1, H): the last →h
  const auto h_T = [](const nn::GRU::Output& o) { return o.output[T - 1].slice(hidden, 2 * hidden, 1); };  // (1, H)
  const auto moved = largest_difference;
  return {.name = "mistakes",
          .rows_are = "what moves",
          .columns = {"right", "mistaken"},
          .rows = {{"←h_T, when x_1 changes", {moved(as_read[0], other[0]), moved(as_read[T - 1], other[T - 1])}},
                   {"last →h, when padding is added", {moved(end(alone), end(frozen)), moved(end(alone), end(run_on))}},
                   {"←h_T, when padding is added", {moved(h_T(alone), h_T(frozen)), moved(h_T(alone), h_T(run_on))}}}};
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. What each half of an annotation knows: which neighbours a readout can name after a short training.
  const Tagger tagger;
  train(tagger, options.steps, generator);
  const tutorial::Table known = accuracy(tagger, generator);
  std::cout << "fraction of tokens named rightly after " << options.steps << " updates (guessing: " << 1.0 / V << ")\n"
            << text(known) << '\n';

  // 2. Which tokens each half of an annotation depends on. The sensitivity of annotation j to token k is
  // S_jk = ‖∂h_j/∂(E x_k)‖.
  const Tensor ids = tokens(1, generator);                                              // (T, 1)
  const Tensor squares = squared_derivatives(tagger, ids);                              // (T, 2H, T)
  const auto S = [&](std::int64_t from, std::int64_t to) { return sqrt(sum(squares.slice(from, to, 1), 1)); };
  const Tensor forward = S(0, hidden), backward = S(hidden, 2 * hidden);                // (T, T)
  const Tensor j = unsqueeze(arange(T), 1), k = unsqueeze(arange(T), 0);                // (T, 1), (1, T)
  std::cout << "largest ‖∂ →h_j / ∂(E x_k)‖ with k > j: " << max(forward * greater(k, j).to(Dtype::f64)).item()
            << "; ‖∂ ←h_j / ∂(E x_k)‖ with k < j: " << max(backward * less(k, j).to(Dtype::f64)).item() << '\n';

  // 3. Padding and order. A sequence must have the same annotations on its own and in a batch with a longer one.
  const nn::GRU& encoder = tagger.encoder;
  const Tensor x = tagger.embedding.forward(ids), y = tagger.embedding.forward(tokens(1, generator));  // (T, 1, E)
  constexpr std::int64_t L = T - 4;
  const Tensor lengths = tensor({double(L), double(T)}, Dtype::i64);                    // (2)
  const Tensor alone = encoder.forward(x.slice(0, L)).output;                           // (L, 1, 2H)
  const Tensor beside = encoder.forward(concat({x, y}, 1), lengths).output;             // (T, 2, 2H)
  std::cout << "annotations of a sequence by itself and beside a longer one: largest difference "
            << largest_difference(alone, beside.slice(0, L).slice(0, 1, 1)) << '\n';
  const Reader reads_forward(encoder.weights(0, 0)), reads_backward(encoder.weights(0, 1));
  std::cout << "backward half by hand: largest difference from nn::GRU "
            << largest_difference(annotations(reads_forward, reads_backward, x), encoder.forward(x).output) << '\n';
  const tutorial::Table mistakes = probes(encoder, reads_backward, x, generator);
  std::cout << "\nhow far a state moves that must not, right and mistaken\n" << text(mistakes) << '\n';

  const auto map = [largest = std::max(max(forward).item(), max(backward).item())](const std::string& title, const Tensor& S_jk) {
    plot::Heatmap drawn = tutorial::numbered_map(title, "k: token", "j: annotation", S_jk.to_vector<double>(), largest);
    drawn.empty_zeros = true;
    drawn.side = 270;                                                                   // two beside each other fit a page
    return drawn;
  };
  const std::string svg = plot::strip({map("→h_j", forward), map("←h_j", backward)});
  publish({.number = "08",
           .title = "annotations",
           .intro = "A vector for every token, from a network that reads forward and one that reads backward.",
           .sections = {{"How much annotation j moves with token k", {{"sensitivity", svg}}},
                        {"What can be read from it", {}, text(known)},
                        {"Mistakes", {}, text(mistakes)}},
           .tables = {known, mistakes},
           .try_next = "--hidden 4: which token is lost most? Then ./run tutorial 09"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 08: bidirectional annotations, and what each of them knows",
                       {.steps = 300, .out = "out/tutorial-08"}, run,
                       {{"--hidden", &hidden, "size of each direction's state, H"}});
}
