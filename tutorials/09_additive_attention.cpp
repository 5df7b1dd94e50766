// Tutorial 09: additive attention alone: a query, keys, values, a mask.
//
// Tutorial 08 made an annotation for every token. Attention takes one vector out of them, for a question that is asked:
// it scores each annotation, turns scores into weights, and takes the mean by these weights. There is no decoder here,
// and no encoder either. Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
// translate" (2015), https://arxiv.org/abs/1409.0473, eq. 5 and 6 and appendix A.1.2.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/plot/bars.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <iostream>
#include <limits>
#include <numeric>

#include "support/numbers.hpp"
#include "support/table.hpp"

using namespace gradus;
using tutorial::largest_difference;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// e_j = v_a · tanh(W_a q + U_a h_j): how well annotation j answers the query. q (B, Q), h (T, B, D).
Tensor energies(const nn::AdditiveAttention& a, const Tensor& q, const Tensor& h) {
  const Tensor keys = linear(h, a.U_a.weight);                                          // (T, B, A): without the query
  const Tensor query = linear(q, a.W_a.weight);                                         // (B, A)
  return transpose(sum(a.v_a * tanh(query + keys), 2), 0, 1);                           // (B, T)
}

// The same without the tanh.
Tensor linear_energies(const nn::AdditiveAttention& a, const Tensor& q, const Tensor& h) {
  return transpose(sum(a.v_a * (linear(q, a.W_a.weight) + linear(h, a.U_a.weight)), 2), 0, 1);  // (B, T)
}

// 1 where position j is padding.
Tensor padding(const Tensor& lengths, std::int64_t T) {
  return greater_equal(unsqueeze(arange(T), 0), unsqueeze(lengths, 1));                 // (B, T)
}

// α_j = exp(e_j) / Σ_k exp(e_k) (eq. 6), with e = −∞ on padding, since exp(−∞) = 0.
Tensor weights(const Tensor& e, const Tensor& is_padding) {
  return softmax(masked_fill(e, is_padding, -infinity));                                // (B, T)
}

// c = Σ_j α_j h_j (eq. 5).
Tensor context(const Tensor& alpha, const Tensor& h) {
  return sum(unsqueeze(transpose(alpha, 0, 1), 2) * h, 0);                              // (B, D)
}

struct Looked {
  tutorial::Table properties;
  plot::GroupedBars bars;
};

// What holds of the weights whatever the parameters are, and what mistakes make of them.
Looked look(Generator& generator) {
  const NoGrad no_grad;
  constexpr std::int64_t T = 6, B = 2, Q = 3, D = 5, A = 4;  // all different: a transposed weight cannot go unnoticed
  nn::AdditiveAttention attention(Q, D, A);
  Tensor(attention.v_a).replace(normal({A}, 0, 2, generator));  // larger than at first, so that the weights differ
  const Tensor q = normal({B, Q}, 0, 1, generator), other_q = normal({B, Q}, 0, 1, generator);  // (B, Q)
  const Tensor h = normal({T, B, D}, 0, 1, generator);                                  // (T, B, D)
  const Tensor lengths = tensor({double(T), 4}, Dtype::i64), is_padding = padding(lengths, T);  // (B), (B, T)

  const Tensor e = energies(attention, q, h), alpha = weights(e, is_padding);           // (B, T)
  const auto library = attention.attend(q, attention.prepare(h, lengths), 0, Tensor());
  std::cout << "by hand against nn::AdditiveAttention, largest difference: weights "
            << largest_difference(alpha, library.weights) << ", context "
            << largest_difference(context(alpha, h), library.context) << "\n\n";

  const Tensor real = 1.0 - is_padding.to(Dtype::f32);                                  // (B, T)
  const Tensor times_zero = softmax(e * real), unmasked = softmax(e);                   // (B, T): both mistaken
  const auto on_padding = [&](const Tensor& w) { return max(sum(w * (1.0 - real), 1)).item(); };
  const Tensor order = tensor({3, 0, 5, 1, 4, 2}, Dtype::i64), first = h.slice(0, 1);   // (T), (1, B, D)
  const Tensor permuted = softmax(energies(attention, q, index_select(h, order)));      // (B, T)
  const auto moves = [&](const auto& score) {
    return largest_difference(softmax(score(attention, q, h)), softmax(score(attention, other_q, h)));
  };
  nn::AdditiveAttention zero(Q, D, A);
  Tensor(zero.v_a).replace(zeros({A}));
  const Tensor uniform = weights(energies(zero, q, h), is_padding);                     // (B, T)

  Looked looked{
      .properties = {.name = "properties", .rows_are = "what", .columns = {"measured"}, .rows = {}, .digits = 4},
      .bars = {}};
  looked.properties.rows = {
      {"v_a = 0: largest difference of α_j from 1/length", {largest_difference(uniform, real / sum(real, 1, true))}},
      {"one key alone: largest difference of c from h_1",
       {largest_difference(context(softmax(energies(attention, q, first)), first), first[0])}},
      {"keys permuted: largest difference from α permuted",
       {largest_difference(permuted, transpose(index_select(transpose(unmasked, 0, 1), order), 0, 1))}},
      {"weight on padding, energy −∞ there", {on_padding(alpha)}},
      {"weight on padding, energy · 0 there", {on_padding(times_zero)}},
      {"weight on padding, no mask", {on_padding(unmasked)}},
      {"another query: how far α moves", {moves(energies)}},
      {"another query, no tanh", {moves(linear_energies)}}};

  looked.bars = {.title = "Weights over 4 keys and 2 of padding", .x_label = "key", .y_label = "weight"};
  for (std::int64_t j = 1; j <= T; ++j) looked.bars.groups.push_back(j <= 4 ? std::to_string(j) : "padding");
  looked.bars.series = {{.name = "masked by −∞", .values = alpha[1].to_vector<double>()},
                        {.name = "v_a = 0", .values = uniform[1].to_vector<double>()},
                        {.name = "energy · 0", .values = times_zero[1].to_vector<double>()},
                        {.name = "no mask", .values = unmasked[1].to_vector<double>()}};
  return looked;
}

// Look-up: T pairs of a key and a value, all keys different; asked for one key, name its value.
constexpr std::int64_t keys = 20, values = 10;
struct Question {
  Tensor key, value;  // (T, B), i64
  Tensor asked;       // (B), i64: the key
  Tensor position;    // (B), i64: where it stands
  Tensor answer;      // (B), i64: its value
};

Question ask(std::int64_t T, std::int64_t B, Generator& generator) {
  std::vector<std::int64_t> key(static_cast<std::size_t>(T * B)), value(key.size()), asked, position, answer;
  for (std::int64_t b = 0; b < B; ++b) {
    std::vector<std::int64_t> shuffled(keys);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    for (std::int64_t t = 0; t < T; ++t) {
      const auto i = static_cast<std::size_t>(t), pair = static_cast<std::size_t>(t * B + b);
      std::swap(shuffled[i], shuffled[i + generator.below(shuffled.size() - i)]);
      key[pair] = shuffled[i];
      value[pair] = static_cast<std::int64_t>(generator.below(values));
    }
    position.push_back(static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(T))));
    asked.push_back(key[static_cast<std::size_t>(position.back() * B + b)]);
    answer.push_back(value[static_cast<std::size_t>(position.back() * B + b)]);
  }
  return {tensor(key, {T, B}), tensor(value, {T, B}), tensor(asked), tensor(position), tensor(answer)};
}

// Nothing but embeddings, attention, and one linear layer: Q 12, D 16 + 8.
class LookUp : public nn::Module {
 public:
  explicit LookUp(std::int64_t A) : attention(12, 24, A) {
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
  nn::Embedding of_query{keys, 12}, of_key{keys, 16}, of_value{values, 8};
  nn::AdditiveAttention attention;
  nn::Linear readout{24, values};
};

void train(LookUp& model, std::int64_t steps, Generator& generator) {
  nn::Adam adam(model.parameters(), {.learning_rate = 1e-2});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, 0.1, steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const Question q = ask(2 + static_cast<std::int64_t>(generator.below(7)), 64, generator);  // T = 2 … 8
    const Tensor c = model.attend(q.asked, q.key, q.value).context;                     // (B, D)
    adam.zero_grad();
    cross_entropy(model.readout.forward(c), q.answer).backward();
    adam.step();
    scheduler.step();
  }
}

tutorial::Table by_length(const LookUp& model, Generator& generator) {
  const NoGrad no_grad;
  tutorial::Table table{
      .name = "look_up", .rows_are = "pairs", .columns = {"accuracy", "weight on the right key"}, .rows = {}};
  for (const std::int64_t T : {2, 4, 8, 12, 16, 20}) {
    const Question q = ask(T, 1000, generator);
    const auto [c, alpha] = model.attend(q.asked, q.key, q.value);                      // (B, D), (B, T)
    const Tensor right = equal(argmax(model.readout.forward(c)), q.answer);             // (B)
    table.rows.push_back({std::to_string(T), {mean(right.to(Dtype::f32)).item(),
                                              mean(gather(alpha, 1, unsqueeze(q.position, 1))).item()}});
  }
  return table;
}

// Eight pairs, each asked for in turn: a row a question, a column a key.
plot::Heatmap asked_in_turn(const LookUp& model, const std::string& title) {
  const NoGrad no_grad;
  constexpr std::int64_t T = 8;
  const Tensor key = arange(T), value = arange(T);                                      // (T)
  const auto for_each = [](const Tensor& x) { return transpose(stack(std::vector<Tensor>(T, x)), 0, 1); };  // (T, T)
  plot::Heatmap map{.title = title, .x_label = "key", .y_label = "key asked for"};
  map.values = model.attend(key, for_each(key), for_each(value)).weights.to_vector<double>();
  for (std::int64_t k = 1; k <= T; ++k) map.rows.push_back(std::to_string(k));
  map.columns = map.rows;
  return map;
}

// Thousands of multiply-adds, and of tanh. Additive: U_a h_j for all j once, then for each query W_a q and a product of
// v_a with T vectors of tanh. Dot product: q · h_j.
tutorial::Table cost(std::int64_t A) {
  struct Sizes {
    std::string name;
    double Q, D, A, T;
  };
  tutorial::Table table{.name = "cost",
                        .rows_are = "sizes",
                        .columns = {"additive: once", "a query", "tanh a query", "dot: a query"},
                        .rows = {},
                        .digits = 1};
  for (const Sizes& s : {Sizes{"here: Q 12, D 24, A " + std::to_string(A) + ", T 8", 12, 24, double(A), 8},
                         Sizes{"tutorial 10: Q 64, D 128, A 64, T 12", 64, 128, 64, 12},
                         Sizes{"the paper: Q 1000, D 2000, A 1000, T 30", 1000, 2000, 1000, 30}}) {
    const double once = s.T * s.A * s.D, query = s.A * s.Q + s.T * s.A, tanhs = s.T * s.A, dot = s.T * s.D;
    table.rows.push_back({s.name, {once / 1000, query / 1000, tanhs / 1000, dot / 1000}});
  }
  return table;
}

void run(const tutorial::Options& options, std::int64_t A) {
  const plot::OutputFolder out(options.out);
  gradus::seed(options.seed);
  Generator generator(options.seed);

  // 1. By hand and by the library, what always holds, and what mistakes change.
  const Looked looked = look(generator);
  std::cout << tutorial::text(looked.properties) << '\n';

  // 2. Trained on a task that needs nothing else.
  LookUp model(A);
  const plot::Heatmap before = asked_in_turn(model, "before training");
  train(model, options.steps, generator);
  const plot::Heatmap after = asked_in_turn(model, "after " + std::to_string(options.steps) + " updates");
  const tutorial::Table look_up = by_length(model, generator);
  std::cout << "look-up among pairs, trained with 2 to 8 of them (guessing: " << 1.0 / values << ")\n"
            << tutorial::text(look_up) << '\n';

  // 3. What it costs beside a dot product, which needs Q = D.
  const tutorial::Table costs = cost(A);
  std::cout << "thousands of multiply-adds for the scores\n" << tutorial::text(costs) << '\n';

  // 4. Pictures.
  const std::string bars = plot::svg(looked.bars), maps = plot::strip({before, after});
  out.write("weights.svg", bars);
  out.write("look_up.svg", maps);
  out.write("results.json", tutorial::json("tutorial_09", options, {looked.properties, look_up, costs}));
  const plot::Page page{.title = "Tutorial 09: additive attention alone",
                        .intro = {"A query, keys, values, a mask."},
                        .sections = {{.heading = "Weights",
                                      .svgs = {bars},
                                      .preformatted = tutorial::text(looked.properties)},
                                     {.heading = "Look-up", .svgs = {maps}, .preformatted = tutorial::text(look_up)}}};
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 100, and see where the weights are then; then ./run tutorial 10\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t A = 32;
  return tutorial::run(argc, argv, "Tutorial 09: additive attention alone, and a look-up that it learns",
                       {.steps = 1000, .out = "out/tutorial-09"},
                       [&](const tutorial::Options& options) { run(options, A); },
                       {{"--energy", &A, "A, the numbers that a score is computed from"}});
}
