// Tutorial 10: Bahdanau attention on reversal.
//
// Tutorial 06 squeezed the source into one vector, and failed as sequences grew. Here the decoder looks at the source
// again for every token it writes, and learns where to look. Both models are trained side by side on the same batches,
// with the same encoder; the one difference is attention. Equation numbers are those of Bahdanau, Cho and Bengio,
// "Neural machine translation by jointly learning to align and translate" (2015), https://arxiv.org/abs/1409.0473.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/plot/bars.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>
#include <gradus/plot/terminal.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "support/pictures.hpp"

using namespace gradus;

namespace {

constexpr std::int64_t longest_trained = 12;

double largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

// The first step of the decoder, written out for one sequence of T tokens (so B = 1). Returns how far the logits are from
// those of the library's step.
double first_step_by_hand(const models::Seq2Seq& model, const data::Pair& pair) {
  const NoGrad no_grad;
  const auto& decoder = dynamic_cast<const models::BahdanauDecoder&>(*model.decoder);
  const auto& attention = dynamic_cast<const nn::AdditiveAttention&>(*decoder.attention);
  const auto T = static_cast<std::int64_t>(pair.source.size());

  // Annotations h_j = [→h_j; ←h_j]: what the encoder knows at token j from both sides (section 3.2).
  const auto annotations = model.encoder.forward(tensor(pair.source, {T, 1}), tensor({double(T)}, Dtype::i64));
  const Tensor h = annotations.h;                                                     // (T, 1, 2H)

  // s_0 = tanh(W_s ←h_1) (appendix A.2.2).
  const Tensor s_0 = tanh(decoder.W_s->forward(annotations.first_backward));           // (1, H)

  // e_1j = v_a · tanh(W_a s_0 + U_a h_j): how well token j fits what the decoder is about to write (A.1.2). The state
  // is the one *before* this step: s_{t−1} asks.
  const Tensor query = linear(s_0, attention.W_a.weight);                             // (1, A)
  const Tensor keys = linear(h, attention.U_a.weight);                                // (T, 1, A): once a sentence
  const Tensor e = sum(attention.v_a * tanh(query + keys), 2);                        // (T, 1)

  // α_1j = exp(e_1j) / Σ_k exp(e_1k) (eq. 6): where to look; they sum to 1.
  const Tensor alpha = softmax(transpose(e, 0, 1));                                   // (1, T)

  // c_1 = Σ_j α_1j h_j (eq. 5): what is seen there.
  const Tensor c = matmul(alpha, h.reshape({T, -1}));                                 // (1, 2H)

  // s_1 = f(s_0, y_0, c_1) (section 3.1), with y_0 = <bos>; f is a GRU.
  const Tensor bos = tensor({double(data::bos)}, Dtype::i64);                         // (1)
  const Tensor y = decoder.embedding.forward(bos);                                    // (1, E)
  const Tensor s_1 = decoder.rnn->step(concat({y, c}, 1), {s_0})[0];                  // (1, H)

  // p(y_1 | x) = softmax(g(y_0, s_1, c_1)) (eq. 4).
  const Tensor logits = decoder.readout.forward(concat({s_1, c, y}, 1));              // (1, V)

  const auto [state, memory] = decoder.start(annotations);
  return largest_difference(logits, decoder.step(bos, state, memory).logits);
}

tutorial::Result train_and_measure(const std::string& name, models::Seq2Seq& model, const data::Reversal& task,
                                   const tutorial::Options& options) {
  const auto next_batch = tutorial::training_batches(task, options.seed);
  tutorial::Training training = tutorial::train(name, model, next_batch, {.steps = options.steps});
  // Longer than it was ever trained on, too: 13 to 15, and 20.
  std::vector<std::int64_t> lengths = tutorial::range(3, longest_trained + 3);
  lengths.push_back(20);
  return {name, std::move(training), tutorial::measure(model, task, lengths)};
}

// One decoded sequence as a matrix: a row a token written, a column a token read.
plot::Heatmap alignment_of(const models::Decoded& decoded, const data::Pair& pair, const data::Reversal& task) {
  plot::Heatmap heatmap{.title = "Alignment: where the decoder looked",
                        .x_label = "source, read",
                        .y_label = "output, written",
                        .values = decoded.weights.to_vector<double>()};
  for (const std::int64_t token : pair.source) heatmap.columns.push_back(task.token_text(token));
  for (const std::int64_t token : decoded.tokens) heatmap.rows.push_back(task.token_text(token));
  return heatmap;
}

// The same weights as bars, one chart a step.
std::vector<std::string> bars_of(const plot::Heatmap& alignment) {
  std::vector<std::string> charts;
  const std::size_t T = alignment.columns.size();
  for (std::size_t t = 0; t < alignment.rows.size(); ++t) {
    const auto row = alignment.values.begin() + static_cast<std::ptrdiff_t>(t * T);
    charts.push_back(plot::svg(plot::GroupedBars{
        .title = "step " + std::to_string(t + 1) + ": writes " + alignment.rows[t],
        .x_label = "source",
        .y_label = "weight",
        .groups = alignment.columns,
        .series = {{.name = "", .values = {row, row + static_cast<std::ptrdiff_t>(T)}}}}));
  }
  return charts;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);  // says now, not after training, when it cannot be written
  const data::Reversal task;                  // 10 symbols, lengths 3 … 12

  // 1. Two models of the same sizes: E 32, H 64 in each direction, A 64.
  gradus::seed(options.seed);
  const auto fixed = models::make_fixed_context({.vocabulary = task.vocabulary_size()});
  const auto bahdanau = models::make_bahdanau({.vocabulary = task.vocabulary_size()});
  std::cout << "sequence reversal: " << task.text(task.make({3, 4, 5}).source) << " becomes "
            << task.text(task.make({3, 4, 5}).target) << "\n"
            << "parameters: fixed context " << fixed->parameter_count() << ", Bahdanau " << bahdanau->parameter_count()
            << "\nfirst decoder step by hand: largest difference from the library's "
            << first_step_by_hand(*bahdanau, task.make({3, 4, 5, 6})) << "\n\n";

  // 2. Train both on the same batches, and measure them on sources that they never saw.
  const std::vector<tutorial::Result> results = {train_and_measure("fixed context", *fixed, task, options),
                                                 train_and_measure("Bahdanau", *bahdanau, task, options)};
  std::cout << "exact match on held-out sources after " << options.steps << " updates (trained on lengths 3 to "
            << longest_trained << ")\n"
            << tutorial::table(results);
  for (const tutorial::Result& result : results) {
    std::cout << result.name << ": trained in " << tutorial::decimals(result.training.seconds, 1) << " s\n";
  }
  const data::AlignmentScore alignment = tutorial::alignment(results[1].scores, longest_trained);
  std::cout << "alignment: the largest weight of step t is on source token L - t + 1 in "
            << tutorial::decimals(100 * alignment.accuracy(), 2) << " % of " << alignment.steps
            << " steps; the mean weight there is " << tutorial::decimals(alignment.mean_weight()) << "\n\n";

  // 3. A few held-out sources, as each model reverses them.
  Generator generator(options.seed);
  const auto examples =
      task.held_out_pairs(longest_trained, [&](std::uint64_t n) { return generator.below(n); }, 3);
  const auto by_fixed = models::greedy(*fixed, examples);
  const auto by_bahdanau = models::greedy(*bahdanau, examples);
  std::string decoded;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    decoded += "source         " + task.text(examples[i].source) + "\nfixed context  " + task.text(by_fixed[i].tokens) +
               "\nBahdanau       " + task.text(by_bahdanau[i].tokens) + "\n\n";
  }
  const plot::Heatmap heatmap = alignment_of(by_bahdanau[0], examples[0], task);
  std::cout << decoded << plot::terminal(heatmap, plot::colour_of(STDOUT_FILENO)) << '\n';

  // 4. Pictures.
  const std::string alignment_svg = plot::svg(heatmap);
  const std::string bars = tutorial::exact_match_bars(results);
  const std::string curves = tutorial::loss_curves(results);
  const plot::Page page{
      .title = "Tutorial 10: Bahdanau attention on reversal",
      .intro = {"Two models of the same sizes, trained on the same batches; one looks back at the source."},
      .sections = {{.heading = "Alignment", .svgs = {alignment_svg}, .preformatted = decoded},
                   {.heading = "Exact match by length", .svgs = {bars}, .preformatted = tutorial::table(results)},
                   {.heading = "Training", .svgs = {curves}},
                   {.heading = "The alignment, step by step", .svgs = bars_of(heatmap)}}};
  out.write("alignment.svg", alignment_svg);
  out.write("exact_match.svg", bars);
  out.write("loss.svg", curves);
  out.write("results.json", tutorial::json("tutorial_10", options, results));
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --seed 2; --steps 300, and look at the alignment before it is done\n";
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 10: Bahdanau attention against a fixed context, on reversal",
                       {.steps = 1000, .out = "out/tutorial-10"}, run);
}
