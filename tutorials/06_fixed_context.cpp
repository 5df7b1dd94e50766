// Tutorial 06: a sequence-to-sequence model with a fixed context, and its bottleneck.
//
// The task is to write a sequence backwards: "a b c" becomes "c b a <eos>". An encoder reads the source into one vector;
// a decoder must write everything from that vector. How does that go as sequences get longer?

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/nn/loss.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <iostream>

#include "support/pictures.hpp"

using namespace gradus;

namespace {

// The loss of a batch, written out: what Seq2Seq::loss does. Shapes: T source steps, B sequences, E, H and V as below.
Tensor loss_by_hand(const models::Seq2Seq& model, const data::Batch& batch) {
  const auto& decoder = dynamic_cast<const models::FixedContextDecoder&>(*model.decoder);
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});        // (T, B)
  const Tensor source_lengths = tensor(batch.source_lengths, {batch.size});            // (B)
  const Tensor target_in = tensor(batch.target_in, {batch.target_steps, batch.size});  // (Ty, B)

  // The encoder: h_j = GRU(E x_j, h_{j−1}). A row shorter than T keeps its last state, so h_n is the state after its
  // last real token, whatever padding follows. This one vector is the context.
  const Tensor x = model.encoder.embedding->forward(source);                         // (T, B, E)
  const Tensor summary = model.encoder.rnn->run(x, source_lengths).last[0][0];       // (B, H)

  // The decoder starts from it, and is given the *true* previous token at each step (teacher forcing):
  // <bos> y_1 … y_{n−1} go in, y_1 … y_n = <eos> should come out.
  Tensor s = tanh(decoder.W_s->forward(summary));                                    // (B, H)
  std::vector<Tensor> logits;
  for (std::int64_t t = 0; t < target_in.size(0); ++t) {
    const Tensor y = decoder.embedding.forward(target_in[t]);                        // (B, E)
    s = decoder.rnn->step(y, {s})[0];                                                // (B, H)
    logits.push_back(decoder.readout.forward(s));                                    // (B, V)
  }

  // −ln p(y_t), averaged over the real tokens alone: padding is neither right nor wrong.
  return nn::masked_cross_entropy(stack(logits), tensor(batch.target_out, {batch.target_steps, batch.size}),
                                  tensor(batch.target_lengths, {batch.size}));
}

tutorial::Result train_and_measure(const std::string& name, const data::Reversal& task, std::int64_t steps,
                                   std::uint64_t seed) {
  gradus::seed(seed);
  const auto model = models::make_fixed_context({.vocabulary = task.vocabulary_size()}, /*bidirectional=*/false);
  const auto next_batch = tutorial::training_batches(task, seed);
  tutorial::Training training = tutorial::train(name, *model, next_batch, {.steps = steps});
  return {name, std::move(training), tutorial::measure(*model, task, tutorial::range(3, 12))};
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);  // says now, not after training, when it cannot be written
  const data::Reversal task;                  // 10 symbols, lengths 3 … 12

  // 1. The model, untrained, and its loss by hand: both ways of computing it are one.
  gradus::seed(options.seed);
  const auto model = models::make_fixed_context({.vocabulary = task.vocabulary_size()}, /*bidirectional=*/false);
  std::cout << *model;
  const data::Batch batch = tutorial::training_batches(task, options.seed)();
  const double ours = loss_by_hand(*model, batch).item();
  const double library = model->loss(batch).item();
  std::cout << "loss before training: " << tutorial::decimals(ours, 6) << " by hand, "
            << tutorial::decimals(library, 6) << " by the library\n\n";

  // 2. Train it, and train it again for four times as long.
  const std::vector<tutorial::Result> results = {
      train_and_measure(std::to_string(options.steps) + " updates", task, options.steps, options.seed),
      train_and_measure(std::to_string(4 * options.steps) + " updates", task, 4 * options.steps, options.seed)};

  // 3. Whole sequences reversed without a mistake, among sources that were never trained on.
  std::cout << "exact match on held-out sources\n" << tutorial::table(results);
  for (const tutorial::Result& result : results) {
    std::cout << result.name << " took " << tutorial::decimals(result.training.seconds, 1) << " s\n";
  }

  // 4. Pictures.
  const std::string bars = tutorial::exact_match_bars(results);
  const std::string curves = tutorial::loss_curves(results);
  const plot::Page page{.title = "Tutorial 06: a fixed context",
                        .intro = {"A GRU reads the source into one vector, and another writes it backwards from there."},
                        .sections = {{.heading = "Exact match by length", .svgs = {bars}},
                                     {.heading = "Training", .svgs = {curves}}}};
  out.write("exact_match.svg", bars);
  out.write("loss.svg", curves);
  out.write("results.json", tutorial::json("tutorial_06", options, results));
  std::cout << "\npictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 4000, and see how far the longest sequences come; then ./run tutorial 10\n";
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 06: a fixed-context sequence-to-sequence model on reversal",
                       {.steps = 1000, .out = "out/tutorial-06"}, run);
}
