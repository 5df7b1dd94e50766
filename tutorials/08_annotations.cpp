// Tutorial 08: annotations of both directions, and what each of them knows.
//
// The models of tutorials 06 and 07 kept one vector of the source. Attention will need one for every token, that knows
// what stands on both sides of it: h_j = [→h_j; ←h_j], of a network that reads forward and another that reads backward
// (Schuster and Paliwal, "Bidirectional recurrent neural networks", 1997; Bahdanau, Cho and Bengio, 2015, section 3.2,
// https://arxiv.org/abs/1409.0473). Here there is no decoder: only the annotations, and what is in them.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "support/numbers.hpp"
#include "support/table.hpp"

using namespace gradus;
using tutorial::largest_difference;

namespace {

constexpr std::int64_t V = 10, E = 8, T = 10;  // tokens, size of an embedding, length
std::int64_t hidden = 32;                      // H, of each direction

// What is trained: a bidirectional encoder, and three readouts, from →h_j alone, from ←h_j alone, and from both. Each
// must name x_{j−1}, x_j and x_{j+1}.
struct Tagger {
  nn::Embedding embedding{V, E};
  nn::GRU encoder{E, hidden, {.bidirectional = true}};
  nn::Linear forward{hidden, 3 * V}, backward{hidden, 3 * V}, both{2 * hidden, 3 * V};

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all;
    const std::vector<const nn::Module*> parts = {&embedding, &encoder, &forward, &backward, &both};
    for (const nn::Module* part : parts) {
      for (const Tensor& parameter : part->parameters()) all.push_back(parameter);
    }
    return all;
  }
};

Tensor tokens(std::int64_t batch, Generator& generator) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(T * batch));
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(generator.below(V));
  return tensor(ids, {T, batch});                                                       // (T, B)
}

// The logits of a readout for the tokens left of j, at j and right of j, at 1 < j < T, where all three exist.
std::vector<Tensor> named(const nn::Linear& readout, const Tensor& h) {
  return split(readout.forward(h.slice(1, T - 1)), {V, V, V}, 2);                       // (T − 2, B, V) each
}

// The three readouts with what they read of h, (T, B, 2H).
std::vector<std::vector<Tensor>> all_named(const Tagger& tagger, const Tensor& x) {
  const Tensor h = tagger.encoder.forward(tagger.embedding.forward(x)).output;          // (T, B, 2H)
  return {named(tagger.forward, h.slice(0, hidden, 2)), named(tagger.backward, h.slice(hidden, 2 * hidden, 2)),
          named(tagger.both, h)};
}

void train(const Tagger& tagger, std::int64_t steps, Generator& generator) {
  nn::Adam adam(tagger.parameters(), {.learning_rate = 1e-2});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, 0.1, steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const Tensor x = tokens(32, generator);                                             // (T, B)
    Tensor loss = zeros({});                                                            // ()
    for (const std::vector<Tensor>& readout : all_named(tagger, x)) {
      for (std::int64_t i = 0; i < 3; ++i) {
        loss = loss + cross_entropy(readout[static_cast<std::size_t>(i)], x.slice(i, i + T - 2));
      }
    }
    adam.zero_grad();
    loss.backward();
    adam.step();
    scheduler.step();
  }
}

tutorial::Table accuracy(const Tagger& tagger, Generator& generator) {
  const NoGrad no_grad;
  const Tensor x = tokens(500, generator);                                              // (T, B)
  tutorial::Table table{
      .name = "accuracy", .rows_are = "read from", .columns = {"x_{j−1}", "x_j", "x_{j+1}"}, .rows = {}};
  const std::vector<std::string> names = {"→h_j", "←h_j", "[→h_j; ←h_j]"};
  for (const std::vector<Tensor>& readout : all_named(tagger, x)) {
    table.rows.push_back({names[table.rows.size()], {}});
    for (std::int64_t i = 0; i < 3; ++i) {
      const Tensor right = equal(argmax(readout[static_cast<std::size_t>(i)]), x.slice(i, i + T - 2));  // (T − 2, B)
      table.rows.back().values.push_back(mean(right.to(Dtype::f32)).item());
    }
  }
  return table;
}

// ‖∂h_j/∂(E x_k)‖ over all elements of the matrix of derivatives, for each half and both: one backward pass for each
// element of each h_j. Row by row, T × T.
struct Sensitivity {
  std::vector<double> forward = std::vector<double>(T * T), backward = forward, both = forward;
};

Sensitivity sensitivity(const Tagger& tagger, const Tensor& ids) {
  Tensor x = tagger.embedding.forward(ids).detach();                                    // (T, 1, E)
  const Tensor h = tagger.encoder.forward(x.set_requires_grad()).output;                // (T, 1, 2H)
  Sensitivity map;
  for (std::int64_t j = 0; j < T; ++j) {
    for (std::int64_t i = 0; i < 2 * hidden; ++i) {
      const Tensor one = one_hot(tensor({double(j * 2 * hidden + i)}, Dtype::i64), h.numel());  // (1, 2HT)
      const Tensor d = grad({h}, {x}, {one.reshape(h.shape())}, /*retain_graph=*/true)[0];  // (T, 1, E)
      const std::vector<double> by_token = sum(d * d, {1, 2}).to_vector<double>();
      for (std::int64_t k = 0; k < T; ++k) {
        const auto cell = static_cast<std::size_t>(j * T + k);
        (i < hidden ? map.forward : map.backward)[cell] += by_token[static_cast<std::size_t>(k)];
        map.both[cell] += by_token[static_cast<std::size_t>(k)];
      }
    }
  }
  for (auto* cells : {&map.forward, &map.backward, &map.both}) {
    for (double& cell : *cells) cell = std::sqrt(cell);
  }
  return map;
}

plot::Heatmap heatmap(const std::string& title, const std::vector<double>& values, double max) {
  plot::Heatmap map{
      .title = title, .x_label = "k: token", .y_label = "j: annotation", .values = values, .max = max};
  for (std::int64_t j = 1; j <= T; ++j) map.rows.push_back(std::to_string(j));
  map.columns = map.rows;
  return map;
}

// Each probe computed by the right encoder and by the one with the mistake: how far the state moves that should not.
tutorial::Table probes(const Tagger& tagger, const Tensor& ids, Generator& generator) {
  const NoGrad no_grad;
  const Tensor x = tagger.embedding.forward(ids);                                       // (T, 1, E)

  // The backward half by hand: a GRU that reads the sequence from its end. Its states come out in the order of reading,
  // and are put back into that of the tokens.
  const nn::RecurrentWeights& p = tagger.encoder.weights(0, 1);
  nn::GRU reader(E, hidden);
  reader.load_state_dict({{"weight_ih_l0", p.weight_ih}, {"weight_hh_l0", p.weight_hh},
                          {"bias_ih_l0", p.bias_ih}, {"bias_hh_l0", p.bias_hh}});
  const auto as_read = [&](const Tensor& s) { return reader.forward(flip(s, 0)).output; };    // (T, 1, H)
  const auto put_back = [&](const Tensor& s) { return flip(as_read(s), 0); };                 // (T, 1, H)
  const auto backward_half = [](const Tensor& h) { return h.slice(hidden, 2 * hidden, 2); };  // (T, 1, H)
  const nn::GRU::Output alone = tagger.encoder.forward(x);
  std::cout << "backward half by hand: largest difference from nn::GRU "
            << largest_difference(put_back(x), backward_half(alone.output)) << '\n';

  // ←h_T has read x_T alone: another x_1 must leave it as it is.
  const Tensor other_x_1 = concat({x.slice(0, 1) + 1.0, x.slice(1, T)}, 0);             // (T, 1, E)
  // Padding after the end must leave all as it is.
  const Tensor padding = normal({3, 1, E}, 0, 1, generator);                            // (3, 1, E)
  const Tensor padded = concat({x, padding}, 0);                                        // (T + 3, 1, E)
  const Tensor length = tensor({double(T)}, Dtype::i64);                                // (1)
  const nn::GRU::Output frozen = tagger.encoder.forward(padded, length), run_on = tagger.encoder.forward(padded);
  const auto last_forward = [](const nn::GRU::Output& o) { return o.h_n[0]; };                       // (1, H)
  const auto last_backward = [&](const nn::GRU::Output& o) { return backward_half(o.output)[T - 1]; };  // (1, H): ←h_T
  return {.name = "mistakes",
          .rows_are = "what moves",
          .columns = {"right", "mistaken"},
          .rows = {{"←h_T, when x_1 changes",
                    {largest_difference(put_back(x)[T - 1], put_back(other_x_1)[T - 1]),
                     largest_difference(as_read(x)[T - 1], as_read(other_x_1)[T - 1])}},
                   {"last →h, when padding is added",
                    {largest_difference(last_forward(alone), last_forward(frozen)),
                     largest_difference(last_forward(alone), last_forward(run_on))}},
                   {"←h_T, when padding is added",
                    {largest_difference(last_backward(alone), last_backward(frozen)),
                     largest_difference(last_backward(alone), last_backward(run_on))}}}};
}

// A sequence alone, and in a batch beside one that is longer: how far its annotations move.
double alone_or_in_a_batch(const Tagger& tagger, const Tensor& ids, const Tensor& longer) {
  const NoGrad no_grad;
  const Tensor x = tagger.embedding.forward(ids), y = tagger.embedding.forward(longer);  // (T, 1, E)
  const std::int64_t L = T - 4;
  const Tensor alone = tagger.encoder.forward(x.slice(0, L)).output;                    // (L, 1, 2H)
  const Tensor batch = concat({x, y}, 1);                                               // (T, 2, E)
  const Tensor lengths = tensor({double(L), double(T)}, Dtype::i64);                    // (2)
  const Tensor beside = tagger.encoder.forward(batch, lengths).output;                  // (T, 2, 2H)
  return largest_difference(alone, beside.slice(0, L).slice(0, 1, 1));
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. What each half knows: the neighbours that can be read from it, after a short training.
  const Tagger tagger;
  train(tagger, options.steps, generator);
  const tutorial::Table known = accuracy(tagger, generator);
  std::cout << "share of tokens named rightly after " << options.steps << " updates (guessing: " << 1.0 / V << ")\n"
            << tutorial::text(known) << '\n';

  // 2. The same by derivatives: which token moves which annotation.
  const Tensor ids = tokens(1, generator);                                              // (T, 1)
  const Sensitivity map = sensitivity(tagger, ids);
  double ahead = 0, behind = 0;
  for (std::size_t j = 0; j < T; ++j) {
    for (std::size_t k = 0; k < T; ++k) {
      if (k > j) ahead = std::max(ahead, map.forward[j * T + k]);
      if (k < j) behind = std::max(behind, map.backward[j * T + k]);
    }
  }
  std::cout << "largest ‖∂ →h_j / ∂(E x_k)‖ with k > j: " << ahead << "; ‖∂ ←h_j / ∂(E x_k)‖ with k < j: " << behind
            << '\n';

  // 3. Padding and order.
  std::cout << "annotations of a sequence alone and beside a longer one: largest difference "
            << alone_or_in_a_batch(tagger, ids, tokens(1, generator)) << '\n';
  const tutorial::Table mistakes = probes(tagger, ids, generator);
  std::cout << "\nhow far a state moves that should not, and with the mistake\n" << tutorial::text(mistakes) << '\n';

  // 4. Pictures.
  const double largest = *std::max_element(map.both.begin(), map.both.end());
  const std::string svg = plot::strip({heatmap("→h_j", map.forward, largest), heatmap("←h_j", map.backward, largest),
                                       heatmap("[→h_j; ←h_j]", map.both, largest)});
  out.write("sensitivity.svg", svg);
  out.write("results.json", tutorial::json("tutorial_08", options, {known, mistakes}));
  const plot::Page page{
      .title = "Tutorial 08: annotations",
      .intro = {"A vector for every token, from a network that reads forward and one that reads backward."},
      .sections = {{.heading = "How much annotation j moves with token k", .svgs = {svg}},
                   {.heading = "What can be read from it", .preformatted = tutorial::text(known)},
                   {.heading = "Mistakes", .preformatted = tutorial::text(mistakes)}}};
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --hidden 4: what is given up first? Then ./run tutorial 09\n";
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 08: bidirectional annotations, and what each of them knows",
                       {.steps = 300, .out = "out/tutorial-08"}, run,
                       {{"--hidden", &hidden, "numbers of each direction's state, H"}});
}
