// Tutorial 06: a fixed context: how much of a sequence one vector can hold.
//
// The task is to write a sequence backwards: "a b c" becomes "c b a <eos>". An encoder reads the source into one
// vector. A decoder must write everything from that vector. What happens as sequences get longer? The model follows
// Sutskever, Vinyals and Le, "Sequence to sequence learning with neural networks" (2014),
// https://arxiv.org/abs/1409.3215, but with GRUs instead of LSTMs.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/loss.hpp>

#include <iostream>
#include <memory>

#include "support/page/report.hpp"
#include "support/pictures/training_curves.hpp"

using namespace gradus;

namespace {

// The loss of a batch, written out; models::loss() computes the same. T and Ty are the lengths of the longest source
// and target, B is the number of sequences. E, H and V are the sizes of an embedding, a state and the vocabulary.
Tensor loss_by_hand(const models::Seq2Seq& model, const data::Batch& batch) {
  const auto& decoder = dynamic_cast<const models::FixedContextDecoder&>(*model.decoder);
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size});        // (T, B)
  const Tensor source_lengths = tensor(batch.source_lengths, {batch.size});            // (B)
  const Tensor target_in = tensor(batch.target_in, {batch.target_steps, batch.size});  // (Ty, B)

  // The encoder: h_j = GRU(E x_j, h_{j−1}). After the last real token of a source, the state does not change. So h_T is
  // the state after that token. This one vector is the context.
  const Tensor x = model.encoder.embedding->forward(source);                         // (T, B, E)
  const Tensor h_T = model.encoder.rnn->run(x, source_lengths).last[0][0];           // (B, H)

  // The decoder starts from the context. At each step it reads the *true* previous token (teacher forcing). So the
  // inputs are <bos> y_1 … y_{n−1}, and the targets are y_1 … y_n = <eos>.
  Tensor s = tanh(decoder.W_s->forward(h_T));                                        // (B, H)
  std::vector<Tensor> logits;
  for (std::int64_t t = 0; t < target_in.size(0); ++t) {
    const Tensor y = decoder.embedding.forward(target_in[t]);                        // (B, E)
    s = decoder.rnn->step(y, {s})[0];                                                // (B, H)
    logits.push_back(decoder.readout.forward(s));                                    // (B, V)
  }

  // −ln p(y_t), averaged over the real tokens. Padding does not count.
  return nn::masked_cross_entropy(stack(logits), tensor(batch.target_out, {batch.target_steps, batch.size}),
                                  tensor(batch.target_lengths, {batch.size}));
}

struct Sizes {
  std::int64_t embedding = 32;   // E
  std::int64_t hidden = 64;      // H: size of the context
  std::int64_t min_length = 3;
  std::int64_t max_length = 20;
};

std::unique_ptr<models::Seq2Seq> make_model(const Sizes& sizes, const data::Reversal& task, std::uint64_t seed) {
  gradus::seed(seed);
  return models::make_model(
      {.decoder = "fixed", .embedding = sizes.embedding, .hidden = sizes.hidden, .bidirectional = false},
      {.source = task.vocabulary_size(), .target = task.vocabulary_size()});
}

// Prints the model's outputs for three held-out sources: a short, a medium and a long one.
void show_outputs(const models::Seq2Seq& model, const data::Reversal& task, const Sizes& sizes, Generator generator) {
  for (const std::int64_t length : {sizes.min_length, (sizes.min_length + sizes.max_length) / 2, sizes.max_length}) {
    for (const data::Pair& pair : tutorial::held_out(task, length, 1, generator)) {
      std::cout << "  source   " << task.text(pair.source) << "\n  target   " << task.text(pair.target)
                << "\n  written  " << task.text(models::greedy(model, std::vector{pair}).front().tokens) << '\n';
    }
  }
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const data::Reversal task(/*symbols=*/10, sizes.min_length, sizes.max_length);

  // 1. The untrained model's loss, by hand and by the library.
  const auto model = make_model(sizes, task, options.seed);
  std::cout << "parameters: " << model->parameter_count() << '\n';
  const data::Batch batch = tutorial::training_batches(task, options.seed)();
  const double ours = loss_by_hand(*model, batch).item();
  const double library = models::loss(*model, batch).total.item();
  std::cout << "loss before training: " << tutorial::decimals(ours, 6) << " by hand, "
            << tutorial::decimals(library, 6) << " by the library\n\n";

  // 2. Train a model. Then train another from the same initial weights, four times as long.
  std::vector<tutorial::Result> results;
  std::unique_ptr<models::Seq2Seq> trained;
  for (const std::int64_t steps : {options.steps, 4 * options.steps}) {
    tutorial::Options longer = options;
    longer.steps = steps;
    trained = make_model(sizes, task, options.seed);
    results.push_back(tutorial::train_and_measure(std::to_string(steps) + " updates", *trained, task, longer,
                                                  tutorial::range(sizes.min_length, sizes.max_length)));
  }

  // 3. Three outputs of the second model. Then the exact match of both models on held-out sources.
  std::cout << "what the model writes after " << 4 * options.steps << " updates\n";
  show_outputs(*trained, task, sizes, Generator(options.seed));
  std::cout << '\n';
  const tutorial::Table exact_match = tutorial::exact_match(results), time = tutorial::training_time(results);
  std::cout << "exact match on held-out sources\n" << text(exact_match) << '\n' << text(time) << '\n';

  publish({.number = "06",
           .title = "a fixed context",
           .intro = "A GRU reads the source into one vector; another writes it backwards from there.",
           .sections = {{"Exact match by length", {{"exact_match", tutorial::exact_match_curves(results)}}},
                        {"Training", {{"loss", tutorial::loss_curves(results)}}}},
           .tables = {exact_match, time},
           .try_next = "--max-length 12; --hidden 128; then ./run tutorial 07"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 06: a fixed-context sequence-to-sequence model on reversal",
                       {.steps = 600, .out = "out/tutorial-06"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--embedding", &sizes.embedding, "size of an embedding, E"},
                        {"--hidden", &sizes.hidden, "size of a state, H"},
                        {"--min-length", &sizes.min_length, "length of the shortest sequences"},
                        {"--max-length", &sizes.max_length, "length of the longest sequences"}});
}
