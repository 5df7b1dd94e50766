// Tutorial 09: additive attention: a query, keys, values, a mask.
//
// Tutorial 08 computed an annotation for every token. Given a query, attention scores each annotation, turns the scores
// into weights, and returns the weighted mean. This program has no encoder and no decoder. The equations are those of
// Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and translate" (2015),
// https://arxiv.org/abs/1409.0473: eq. 5 and 6 and appendix A.1.2.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/plot/bars.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>
#include <utility>

#include "support/measures/attention_cost.hpp"
#include "support/page/report.hpp"
#include "support/pictures/charts.hpp"
#include "support/tasks/look_up.hpp"
#include "support/tasks/three_keys.hpp"
#include "support/training/descent.hpp"
#include "support/training/numbers.hpp"

using namespace gradus;
using tutorial::largest_difference;

namespace {

std::int64_t energy = 32;  // A, size of the energies' hidden layer in the look-up
constexpr double infinity = std::numeric_limits<double>::infinity();

// e_j = v_a · tanh(W_a q + U_a h_j): how well annotation j answers the query. q (B, Q), h (T, B, D).
Tensor energies(const nn::AdditiveAttention& a, const Tensor& q, const Tensor& h) {
  const Tensor keys = linear(h, a.U_a.weight);                                          // (T, B, A): needs no query
  const Tensor query = linear(q, a.W_a.weight);                                         // (B, A)
  return transpose(sum(a.v_a * tanh(query + keys), 2), 0, 1);                           // (B, T)
}

// The energies without the tanh.
Tensor linear_energies(const nn::AdditiveAttention& a, const Tensor& q, const Tensor& h) {
  return transpose(sum(a.v_a * (linear(q, a.W_a.weight) + linear(h, a.U_a.weight)), 2), 0, 1);  // (B, T)
}

// α_j = exp(e_j) / Σ_k exp(e_k) (eq. 6). Padding gets e = −∞, because exp(−∞) = 0.
Tensor weights(const Tensor& e, const Tensor& is_padding) {
  return softmax(masked_fill(e, is_padding, -infinity));                                // (B, T)
}

// c = Σ_j α_j h_j (eq. 5).
Tensor context(const Tensor& alpha, const Tensor& h) {
  return sum(unsqueeze(transpose(alpha, 0, 1), 2) * h, 0);                              // (B, D)
}

// Three keys on paper, checked against nn::AdditiveAttention and the tape. Returns tables of all numbers.
std::vector<tutorial::Table> three_keys() {
  const tutorial::ThreeKeys in;
  const tutorial::ThreeKeysByHand out = tutorial::by_hand(in);
  const auto row = [](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); };
  const auto rows = [&row](const auto& pairs) {
    std::vector<double> all;
    for (const auto& pair : pairs) std::ranges::copy(row(pair), std::back_inserter(all));
    return all;
  };

  nn::AdditiveAttention attention(1, 2, 2);
  attention.to(Dtype::f64);
  Tensor(attention.W_a.weight).replace(tensor(row(in.W_a), {2, 1}));
  Tensor(attention.U_a.weight).replace(tensor(rows(in.U_a), {2, 2}));
  Tensor(attention.v_a).replace(tensor(row(in.v_a)));
  const Tensor q = full({1, 1}, in.q, Dtype::f64), h = tensor(rows(in.h), {3, 1, 2});   // (B, Q), (T, B, D)
  const auto library = attention.attend(q, attention.prepare(h, Tensor()), 0, Tensor());
  const Tensor e = energies(attention, q, h);                                           // (B, T)
  const Tensor e_bar = grad({context(softmax(e), h)}, {e}, {tensor(row(in.c_bar), {1, 2})})[0];  // (B, T)
  std::cout << "three keys by hand, largest difference: weights "
            << largest_difference(tensor(row(out.alpha), {1, 3}), library.weights) << ", context "
            << largest_difference(tensor(row(out.c), {1, 2}), library.context) << ", gradient of the energies "
            << largest_difference(tensor(row(out.e_bar), {1, 3}), e_bar) << '\n';
  return tutorial::tables(in, out);
}

// Measures properties of the weights that hold for any parameters, and the effect of mistakes on the weights.
std::pair<tutorial::Table, plot::GroupedBars> look(Generator& generator) {
  const NoGrad no_grad;
  constexpr std::int64_t T = 6, B = 2, Q = 3, D = 5, A = 4;  // all different: a transposed weight raises an error
  nn::AdditiveAttention attention(Q, D, A), zero(Q, D, A);
  Tensor(attention.v_a).replace(normal({A}, 0, 2, generator));  // large, so that the weights differ clearly
  Tensor(zero.v_a).replace(zeros({A}));
  const Tensor q = normal({B, Q}, 0, 1, generator), other_q = normal({B, Q}, 0, 1, generator);  // (B, Q)
  const Tensor h = normal({T, B, D}, 0, 1, generator);                                  // (T, B, D)
  const Tensor lengths = tensor({double(T), 4}, Dtype::i64);                            // (B)
  const Tensor is_padding = greater_equal(unsqueeze(arange(T), 0), unsqueeze(lengths, 1));  // (B, T): j ≥ length

  const Tensor e = energies(attention, q, h), alpha = weights(e, is_padding);           // (B, T)
  const auto library = attention.attend(q, attention.prepare(h, lengths), 0, Tensor());
  std::cout << "by hand against nn::AdditiveAttention, largest difference: weights "
            << largest_difference(alpha, library.weights) << ", context "
            << largest_difference(context(alpha, h), library.context) << "\n\n";

  const Tensor real = 1.0 - is_padding.to(Dtype::f32);                                  // (B, T)
  const Tensor times_zero = softmax(e * real), unmasked = softmax(e);                   // (B, T): two mistakes
  const auto on_padding = [&](const Tensor& w) { return max(sum(w * (1.0 - real), 1)).item(); };
  const Tensor order = tensor({3, 0, 5, 1, 4, 2}, Dtype::i64), first = h.slice(0, 1);   // (T), (1, B, D)
  const Tensor permuted = softmax(energies(attention, q, index_select(h, order)));      // (B, T)
  const auto moves = [&](const auto& score) {
    return largest_difference(softmax(score(attention, q, h)), softmax(score(attention, other_q, h)));
  };
  const Tensor uniform = weights(energies(zero, q, h), is_padding);                     // (B, T)

  tutorial::Table properties{.name = "properties", .rows_are = "what", .columns = {"measured"}, .digits = 4};
  properties.rows = {
      {"v_a = 0: largest difference of α_j from 1/length", {largest_difference(uniform, real / sum(real, 1, true))}},
      {"a single key: largest difference of c from h_1",
       {largest_difference(context(softmax(energies(attention, q, first)), first), first[0])}},
      {"keys permuted: largest difference from α permuted",
       {largest_difference(permuted, transpose(index_select(transpose(unmasked, 0, 1), order), 0, 1))}},
      {"weight on padding, energy −∞ there", {on_padding(alpha)}},
      {"weight on padding, energy · 0 there", {on_padding(times_zero)}},
      {"weight on padding, no mask", {on_padding(unmasked)}},
      {"another query: how far α moves", {moves(energies)}},
      {"another query, no tanh", {moves(linear_energies)}}};
  plot::GroupedBars bars{.title = "Weights over 4 keys and 2 of padding",
                         .x_label = "position",
                         .y_label = "weight",
                         .groups = {"key 1", "key 2", "key 3", "key 4", "", "pad", "pad"}};
  const std::vector<std::pair<std::string, Tensor>> masks = {
      {"masked by −∞", alpha}, {"energy · 0", times_zero}, {"no mask", unmasked}};
  for (const auto& [name, w] : masks) {
    bars.series.push_back({name, w[1].to_vector<double>()});
    auto& values = bars.series.back().values;
    values.insert(values.begin() + 4, 0);                                // an empty bar before the padding
  }
  return {properties, bars};
}

// Look-up among pairs of a key and a value: embeddings, attention, one linear layer. Q = 12, D = 16 + 8.
struct LookUp : nn::Module {
  LookUp() {
    add_module("of_query", of_query);
    add_module("of_key", of_key);
    add_module("of_value", of_value);
    add_module("attention", attention);
    add_module("readout", readout);
  }
  nn::Attention::Result attend(const Tensor& asked, const Tensor& key, const Tensor& value) const {
    const Tensor h = concat({of_key.forward(key), of_value.forward(value)}, 2);         // (T, B, D)
    return attention.attend(of_query.forward(asked), attention.prepare(h, Tensor()), 0, Tensor());
  }
  nn::Embedding of_query{tutorial::look_up_keys, 12}, of_key{tutorial::look_up_keys, 16},
      of_value{tutorial::look_up_values, 8};
  nn::AdditiveAttention attention{12, 24, energy};
  nn::Linear readout{24, tutorial::look_up_values};
};

void train(LookUp& model, std::int64_t steps, Generator& generator) {
  tutorial::descend(model.parameters(), {.learning_rate = 1e-2, .steps = steps}, [&] {
    const std::int64_t T = 2 + static_cast<std::int64_t>(generator.below(7));           // 2 … 8
    const auto batch = tutorial::look_up_batch(T, 64, generator);
    const Tensor c = model.attend(batch.asked, batch.key, batch.value).context;         // (B, D)
    return cross_entropy(model.readout.forward(c), batch.answer);                       // ()
  });
}

tutorial::Table by_length(const LookUp& model, Generator& generator) {
  const NoGrad no_grad;
  tutorial::Table table{.name = "look_up", .rows_are = "pairs", .columns = {"accuracy", "weight on the right key"}};
  for (const std::int64_t T : {2, 4, 8, 12, 16, 20}) {
    const auto batch = tutorial::look_up_batch(T, 1000, generator);
    const auto [c, alpha] = model.attend(batch.asked, batch.key, batch.value);          // (B, D), (B, T)
    const Tensor at_position = gather(alpha, 1, unsqueeze(batch.position, 1));          // (B, 1)
    table.rows.push_back({std::to_string(T), {tutorial::accuracy(model.readout.forward(c), batch.answer),
                                              mean(at_position).item()}});
  }
  return table;
}

// The weights for eight pairs, with each key as the query once. One row per query, one column per key.
plot::Heatmap asked_in_turn(const LookUp& model, const std::string& title) {
  const NoGrad no_grad;
  constexpr std::int64_t T = 8;
  const Tensor key = arange(T);                                                         // (T)
  const Tensor for_each = transpose(stack(std::vector<Tensor>(T, key)), 0, 1);          // (T, T)
  const Tensor alpha = model.attend(key, for_each, for_each).weights;                   // (T, T): pair i is (i, i)
  plot::Heatmap map = tutorial::numbered_map(title, "key", "key asked for", alpha.to_vector<double>());
  map.side = 200;                                                                       // pixels: two such heatmaps fit on a phone
  return map;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);

  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. Attention by hand and by the library. Properties that always hold, and the effect of mistakes.
  const auto [properties, bars] = look(generator);
  std::cout << text(properties) << '\n';

  // 2. Training on a task that needs only attention.
  LookUp model;
  const plot::Heatmap before = asked_in_turn(model, "before training");
  train(model, options.steps, generator);
  const plot::Heatmap after = asked_in_turn(model, "after " + std::to_string(options.steps) + " updates");
  const tutorial::Table look_up = by_length(model, generator);
  std::cout << "look-up among pairs, trained with 2 to 8 of them (guessing: " << 1.0 / tutorial::look_up_values << ")\n"
            << text(look_up) << '\n';

  // 3. The cost of additive scores, compared with dot products, which need Q = D.
  const tutorial::Table costs = tutorial::attention_cost(energy);
  std::cout << "thousands of multiply-adds for the scores\n" << text(costs) << '\n';

  // 4. Three keys, calculated number by number.
  const std::vector<tutorial::Table> worked = three_keys();
  for (const tutorial::Table& table : worked) std::cout << text(table) << '\n';

  publish({.number = "09",
           .title = "additive attention",
           .intro = "A query, keys, values, a mask.",
           .sections = {{"Weights", {{"weights", plot::svg(bars)}}, text(properties)},
                        {"Look-up", {{"look_up", plot::strip({before, after})}}, text(look_up)}},
           .tables = {worked[0], worked[1], worked[2], properties, look_up, costs},
           .try_next = "--steps 100: where are the weights then? Then ./run tutorial 10"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 09: additive attention, and a look-up that it learns",
                       {.steps = 1000, .out = "out/tutorial-09"}, run,
                       {{"--energy", &energy, "A, the size of the vector inside the tanh"}});
}
