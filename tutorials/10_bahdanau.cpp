// Tutorial 10: Bahdanau attention: how far it gets in reversal, compared with two decoders without attention.
//
// Tutorials 06 and 07 compressed the source into one vector, and failed on longer sequences. Here the decoder attends
// to the source again for every token that it writes, and learns where to attend. Three models are trained on the same
// batches, with the same encoder. Only the decoder's context differs. Equation numbers refer to Bahdanau, Cho and
// Bengio, "Neural machine translation by jointly learning to align and translate" (2015),
// https://arxiv.org/abs/1409.0473.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/reversal_alignment.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/plot/animation.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>
#include <gradus/plot/terminal.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "support/pictures/alignment.hpp"
#include "support/pictures/training_curves.hpp"
#include "support/training/numbers.hpp"

using namespace gradus;

namespace {

constexpr std::int64_t longest_trained = 12;
constexpr std::array<std::int64_t, 6> watched = {20, 30, 40, 50, 100, 300};  // updates at which alignments are drawn

// The decoder's first step, written out for one sequence of T tokens (B = 1). Returns the largest difference between
// its logits and the library's.
double first_step_by_hand(const models::Seq2Seq& model, const data::Pair& pair) {
  const NoGrad no_grad;
  const auto& decoder = dynamic_cast<const models::BahdanauDecoder&>(*model.decoder);
  const auto& attention = dynamic_cast<const nn::AdditiveAttention&>(*decoder.attention);
  const auto T = static_cast<std::int64_t>(pair.source.size());

  // The annotations h_j = [→h_j; ←h_j] describe token j and its surroundings on both sides (section 3.2).
  const auto annotations = model.encoder.forward(tensor(pair.source, {T, 1}), tensor({double(T)}, Dtype::i64));
  const Tensor h = annotations.h;                                                     // (T, 1, 2H)

  // s_0 = tanh(W_s ←h_1) (appendix A.2.2).
  const Tensor s_0 = tanh(decoder.W_s->forward(annotations.first_backward));          // (1, H)

  // e_1j = v_a · tanh(W_a s_0 + U_a h_j): how well token j fits the next output (A.1.2). The query is s_{t−1}, the
  // state *before* this step.
  const Tensor query = linear(s_0, attention.W_a.weight);                             // (1, A)
  const Tensor keys = linear(h, attention.U_a.weight);                                // (T, 1, A): once per sentence
  const Tensor e = sum(attention.v_a * tanh(query + keys), 2);                        // (T, 1)

  // α_1j = exp(e_1j) / Σ_k exp(e_1k) (eq. 6): the weights. They sum to 1.
  const Tensor alpha = softmax(transpose(e, 0, 1));                                   // (1, T)

  // c_1 = Σ_j α_1j h_j (eq. 5): the context.
  const Tensor c = matmul(alpha, h.reshape({T, -1}));                                 // (1, 2H)

  // s_1 = f(s_0, y_0, c_1) (section 3.1), with y_0 = <bos>; f is a GRU.
  const Tensor bos = tensor({double(data::bos)}, Dtype::i64);                         // (1)
  const Tensor y = decoder.embedding.forward(bos);                                    // (1, E)
  const Tensor s_1 = decoder.rnn->step(concat({y, c}, 1), {s_0})[0];                  // (1, H)

  // p(y_1 | x) = softmax(g(y_0, s_1, c_1)) (eq. 4).
  const Tensor logits = decoder.readout.forward(concat({s_1, c, y}, 1));              // (1, V)

  const auto [state, memory] = decoder.start(annotations);
  return tutorial::largest_difference(logits, decoder.step(bos, state, memory).logits);
}

// The alignment for `pair` with teacher forcing, as in training. The true tokens make alignments comparable from the
// first update on; early on, the model's own output is still noise.
plot::Heatmap look(const models::Seq2Seq& model, const data::Pair& pair, const data::Reversal& task,
                   std::int64_t updates) {
  const models::Decoded forced = models::force_decode(model, {&pair, 1})[0];
  return tutorial::alignment_map("after " + std::to_string(updates) + " updates", forced, pair.source, task);
}

// How close each alignment is to the anti-diagonal. The step that writes <eos> is excluded.
tutorial::Table forming_table(const std::vector<plot::Heatmap>& alignments) {
  tutorial::Table table{.name = "forming",
                        .rows_are = "alignment",
                        .columns = {"largest on token L − t + 1", "mean weight there"},
                        .rows = {}};
  for (const plot::Heatmap& map : alignments) {
    const auto L = static_cast<std::int64_t>(map.columns.size());
    const std::vector<float> weights(map.values.begin(), map.values.begin() + L * L);
    const data::AlignmentScore score = data::reversal_alignment(weights, L, L);
    table.rows.push_back({map.title, {score.accuracy(), score.mean_weight()}});
  }
  return table;
}

struct Sizes {
  std::int64_t embedding = 32, hidden = 64, energy = 64;  // E; H of each direction and of the decoder; A
};

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const data::Reversal task(/*symbols=*/10, /*min_length=*/3, longest_trained);

  // 1. Three models with the same sizes and the same encoder.
  gradus::seed(options.seed);
  const auto make = [&](const std::string& decoder) {
    return models::make_model(
        {.decoder = decoder, .embedding = sizes.embedding, .hidden = sizes.hidden, .energy = sizes.energy},
        {task.vocabulary_size(), task.vocabulary_size()});
  };
  const auto fixed = make("fixed"), cho = make("cho"), bahdanau = make("bahdanau");
  std::cout << "sequence reversal: " << task.text(task.make({3, 4, 5}).source) << " becomes "
            << task.text(task.make({3, 4, 5}).target) << "\nparameters: fixed context " << fixed->parameter_count()
            << ", Cho " << cho->parameter_count() << ", Bahdanau " << bahdanau->parameter_count()
            << "\nfirst decoder step by hand: largest difference from the library's "
            << first_step_by_hand(*bahdanau, task.make({3, 4, 5, 6})) << "\n\n";

  // 2. Train them on the same batches. Measure them on held-out sources, some longer than all training sources. During
  // the training of Bahdanau's model, record its alignment for one held-out source.
  std::vector<std::int64_t> lengths = tutorial::range(3, longest_trained + 3);
  lengths.push_back(20);
  Generator generator(options.seed);
  const std::vector<data::Pair> examples = tutorial::held_out(task, longest_trained, 3, generator);
  std::vector<plot::Heatmap> forming = {look(*bahdanau, examples[0], task, 0)};
  const auto watch = [&](const models::TrainStep& update) {
    const bool chosen = std::find(watched.begin(), watched.end(), update.step) != watched.end();
    if (chosen || update.step == options.steps) forming.push_back(look(*bahdanau, examples[0], task, update.step));
  };
  const std::vector<tutorial::Result> results = {
      tutorial::train_and_measure("fixed context", *fixed, task, options, lengths),
      tutorial::train_and_measure("Cho", *cho, task, options, lengths),
      tutorial::train_and_measure("Bahdanau", *bahdanau, task, options, lengths, watch)};
  const tutorial::Table exact_match = tutorial::exact_match(results), as_it_forms = forming_table(forming),
                        formed = tutorial::alignment(results, longest_trained), time = tutorial::training_time(results);
  std::cout << "exact match on held-out sources after " << options.steps << " updates (trained on lengths 3 to "
            << longest_trained << ")\n" << tutorial::text(exact_match)
            << "\nwhere Bahdanau's model attends in one source of length " << longest_trained << " as it learns\n"
            << tutorial::text(as_it_forms) << "\nand in all sources of lengths 3 to " << longest_trained
            << " after training\n" << tutorial::text(formed) << '\n' << tutorial::text(time) << '\n';

  // 3. The outputs of each model for a few held-out sources.
  const auto by_fixed = models::greedy(*fixed, examples), by_cho = models::greedy(*cho, examples),
             by_bahdanau = models::greedy(*bahdanau, examples);
  std::string decoded;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    decoded += "source         " + task.text(examples[i].source) + "\nfixed context  " + task.text(by_fixed[i].tokens) +
               "\nCho            " + task.text(by_cho[i].tokens) + "\nBahdanau       " +
               task.text(by_bahdanau[i].tokens) + "\n\n";
  }
  const plot::Heatmap alignment =
      tutorial::alignment_map("Alignment: where the decoder looked", by_bahdanau[0], examples[0].source, task);
  std::cout << decoded << plot::terminal(alignment, plot::colour_of(STDOUT_FILENO)) << '\n';

  // 4. Pictures.
  const std::string alignment_svg = plot::svg(alignment), animated = plot::animation(forming);
  for (plot::Heatmap& panel : forming) {
    panel.side = 210;  // three beside each other fit a page
    panel.x_label = panel.y_label = "";
  }
  const std::string strip = plot::strip(forming, 3);
  const std::string by_length = tutorial::exact_match_curves(results), loss = tutorial::loss_curves(results);
  const std::vector<std::string> steps = tutorial::weight_bars(alignment);
  const plot::Page page{
      .title = "Tutorial 10: Bahdanau attention on reversal",
      .intro = {"Three models of the same sizes, trained on the same batches; one attends to the source."},
      .sections = {{.heading = "Alignment", .svgs = {alignment_svg, animated}, .preformatted = decoded},
                   {.heading = "As it formed", .svgs = {strip}},
                   {.heading = "Exact match by length", .svgs = {by_length}, .preformatted = tutorial::text(exact_match)},
                   {.heading = "Training", .svgs = {loss}},
                   {.heading = "The alignment, step by step", .svgs = steps}}};
  out.write("alignment.svg", alignment_svg);
  out.write("forming.svg", strip);
  out.write("forming_animated.svg", animated);
  out.write("first_step.svg", steps.front());
  out.write("last_step.svg", steps.back());
  out.write("exact_match.svg", by_length);
  out.write("loss.svg", loss);
  out.write("results.json", tutorial::json("tutorial_10", options, {exact_match, as_it_forms, formed, time}));
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --seed 2; --steps 300, and look at the alignment before it is done; then ./run tutorial 11\n";
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 10: Bahdanau attention against a fixed context, on reversal",
                       {.steps = 1000, .out = "out/tutorial-10"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--embedding", &sizes.embedding, "size of an embedding, E"},
                        {"--hidden", &sizes.hidden, "size of a state, H"},
                        {"--energy", &sizes.energy, "A, the size of the vector inside the tanh"}});
}
