// Tutorial 12: score functions: additive, dot, scaled dot, and one of your own.
//
// In tutorial 10 a small network computed the energy e_tj: how well annotation h_j fits the state s_{t−1}. Any score of
// two vectors can replace this network; the rest of the model stays the same. Here four scores are trained on the same
// batches, and compared by accuracy and cost. Scaled dot is from Vaswani et al., "Attention is all you need" (2017),
// section 3.2.1, https://arxiv.org/abs/1706.03762. Dot and your own score, which is called general, are from Luong et
// al., "Effective approaches to attention-based neural machine translation" (2015), https://arxiv.org/abs/1508.04025.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

#include <cmath>
#include <iostream>

#include "support/measures/attention_measures.hpp"
#include "support/page/report.hpp"
#include "support/pictures/alignment.hpp"
#include "support/pictures/training_curves.hpp"

using namespace gradus;

namespace {

// Your own score, "general": e_tj = s_{t−1} · W_a h_j. The class only defines the energies. It computes W_a h_j once
// per sentence, because W_a h_j needs no query. ScoredAttention adds mask, softmax and context.
class GeneralAttention : public nn::ScoredAttention {
 public:
  GeneralAttention(std::int64_t query_size, std::int64_t value_size)
      : W_a(value_size, query_size, /*with_bias=*/false) {
    add_module("W_a", W_a);
  }
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = ScoredAttention::prepare(values, lengths);
    memory.keys = W_a.forward(values);                                   // W_a h_j: (T, B, H)
    return memory;
  }

  nn::Linear W_a;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(memory.keys * query, 2), 0, 1);                 // (T, B, H) · (B, H), summed: (B, T)
  }
};

// The dot product needs states and annotations of equal size: H = D, twice the size of each encoder direction.
struct Sizes {
  std::int64_t direction = 32, A = 64;
  std::int64_t D() const { return 2 * direction; }
};

const std::vector<std::string> scores = {"additive", "dot", "scaled dot", "general"};

std::unique_ptr<nn::Attention> make_attention(const std::string& score, const Sizes& sizes) {
  const std::int64_t D = sizes.D(), H = D, A = sizes.A;
  if (score == "additive") return std::make_unique<nn::AdditiveAttention>(H, D, A);     // v_a · tanh(W_a s + U_a h_j)
  if (score == "dot") return std::make_unique<nn::DotProductAttention>();               // s · h_j
  if (score == "scaled dot") return std::make_unique<nn::ScaledDotProductAttention>();  // s · h_j / √D
  return std::make_unique<GeneralAttention>(H, D);                                      // s · W_a h_j
}

std::unique_ptr<models::Seq2Seq> make_model(const std::string& score, const Sizes& sizes, const data::Reversal& task,
                                            std::uint64_t seed) {
  gradus::seed(seed);
  return std::make_unique<models::Seq2Seq>(
      models::EncoderOptions{.vocabulary = task.vocabulary_size(), .hidden = sizes.direction},
      std::make_unique<models::BahdanauDecoder>(
          models::DecoderOptions{.vocabulary = task.vocabulary_size(), .annotation = sizes.D(), .hidden = sizes.D()},
          make_attention(score, sizes)));
}

// 1. Checks all gradients of the new class against finite differences, in double precision. The two sources have
// different lengths.
GradcheckReport check_gradients(std::uint64_t seed) {
  Generator generator(seed);
  GeneralAttention general(3, 4);
  const Tensor lengths = tensor({5, 2}, Dtype::i64);                     // (B)
  const auto attend = [&](const std::vector<Tensor>& x) {
    return nn::concat_flat(general.attend(x[0], general.prepare(x[1], lengths), 0, Tensor()).tensors());
  };
  return nn::gradcheck(general, attend, {normal({2, 3}, 0, 1, generator), normal({5, 2, 4}, 0, 1, generator)});
}

// 2. Why √d? States and annotations are random; their elements have variance 1. Then the variance of s · h_j is d. If d is
// large, the softmax of these energies has almost no gradient.
std::pair<tutorial::Table, std::vector<plot::Heatmap>> saturation(std::uint64_t seed) {
  constexpr std::int64_t T = 12, N = 500;
  const std::string rank = "weight, the largest first";
  std::vector<plot::Heatmap> maps = {{.title = "dot", .x_label = rank}, {.title = "scaled dot", .x_label = rank}};
  tutorial::Table table{.name = "saturation",
                        .rows_are = "d",
                        .columns = {"var e", "largest α", "Σ ∂α/∂e", "scaled: var e", "scaled: largest α",
                                    "scaled: Σ ∂α/∂e"}};
  for (const std::int64_t d : {1, 4, 16, 64, 256, 1024}) {
    Generator generator(seed);
    const Tensor s = normal({N, d}, 0, 1, generator);                    // (N, d)
    const Tensor h = normal({T, N, d}, 0, 1, generator);                 // (T, N, d)
    const Tensor dot = transpose(sum(h * s, 2), 0, 1);                   // (N, T)
    const std::vector<Tensor> energies = {dot, dot / std::sqrt(static_cast<double>(d))};
    std::vector<double> values;
    for (std::size_t i = 0; i < energies.size(); ++i) {
      const Tensor& e = energies[i];
      const Tensor alpha = softmax(e);                                   // (N, T)
      values.push_back(variance(e).item());
      values.push_back(mean(max(alpha, -1)).item());                     // 1: all weight on one position
      values.push_back(1 - mean(sum(alpha * alpha, -1)).item());         // Σ_j ∂α_j/∂e_j = Σ_j α_j (1 − α_j)
      tutorial::add_sorted_row(maps[i], "d = " + std::to_string(d), alpha);
    }
    table.rows.push_back({std::to_string(d), values});
  }
  return {table, maps};
}

// 3. The same model with each of the scores, trained on the same batches.
struct Trained {
  std::vector<tutorial::Result> results;
  std::vector<plot::Heatmap> alignments;
  tutorial::Table spreads{.name = "spread", .rows_are = "score", .columns = {"before training", "after"}};
};

Trained train_all(const Sizes& sizes, const data::Reversal& task, const tutorial::Options& options) {
  Generator generator(options.seed);
  const std::vector<data::Pair> examples = tutorial::held_out(task, task.max_length(), 100, generator);
  const data::Pair example = tutorial::held_out(task, 8, 1, generator)[0];
  Trained trained;
  for (const std::string& score : scores) {
    const auto model = make_model(score, sizes, task, options.seed);
    const double spread_before = tutorial::energy_spread(*model, examples);
    trained.results.push_back(tutorial::train_and_measure(score, *model, task, options,
                                                          tutorial::range(3, task.max_length() + 3)));
    trained.alignments.push_back(
        tutorial::alignment_map(score, models::greedy(*model, {&example, 1})[0], example.source, task));
    trained.alignments.back().side = 207;  // pixels: two such heatmaps fit on a phone
    trained.spreads.rows.push_back({score, {spread_before, tutorial::energy_spread(*model, examples)}});
  }
  return trained;
}

// 4. The cost of each score for one sentence. With every score, the context costs T · D more multiply-adds per step.
tutorial::Table counted(const Sizes& sizes, std::int64_t tokens) {
  const auto T = double(tokens), D = double(sizes.D()), H = D, A = double(sizes.A);
  tutorial::Table table{.name = "cost",
                        .rows_are = "T = " + std::to_string(tokens),
                        .columns = {"parameters", "multiply-adds once", "each step", "tanh each step"},
                        .digits = 0};
  const auto add = [&](const std::string& score, double once, double each_step, double tanh) {
    const auto parameters = make_attention(score, sizes)->parameter_count();
    table.rows.push_back({score, {double(parameters), once, each_step, tanh}});
  };
  add("additive", T * A * D, A * H + T * A, T * A);
  add("dot", 0, T * D, 0);
  add("scaled dot", 0, T * D, 0);
  add("general", T * H * D, T * H, 0);
  return table;
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const data::Reversal task;                  // 10 symbols, lengths 3 to 12
  std::cout << "gradient check of GeneralAttention\n" << check_gradients(options.seed) << '\n';
  const auto [saturated, sorted_weights] = saturation(options.seed);
  std::cout << "random states and annotations, 12 positions\n" << text(saturated) << '\n';
  const Trained trained = train_all(sizes, task, options);
  const tutorial::Table exact = tutorial::exact_match(trained.results);
  std::cout << "exact match on held-out sources after " << options.steps << " updates\n" << text(exact) << '\n'
            << "standard deviation of the energies, sources of length 12\n" << text(trained.spreads) << '\n';
  const tutorial::Table costs = counted(sizes, task.max_length());
  std::cout << text(costs) << '\n';

  publish({.number = "12",
           .title = "score functions",
           .intro = "The same model with four scores, trained on the same batches.",
           .sections = {{"Where each looks", {{"alignments", plot::strip(trained.alignments, 2)}}},
                        {"Exact match by length",
                         {{"exact_match", tutorial::exact_match_curves(trained.results, /*last_is_dashed=*/true)}},
                         text(exact)},
                        {"Training", {{"loss", tutorial::loss_curves(trained.results)}}},
                        {"Scaling", {{"scaling", plot::strip(sorted_weights, 1)}}, text(saturated) + '\n' + text(trained.spreads)},
                        {"Cost", {}, text(costs)}},
           .tables = {exact, trained.spreads, saturated, costs},
           .try_next = "--steps 1000; a score of your own in place of the general one; then ./run tutorial 13"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 12: score functions: additive, dot, scaled dot, and one of your own",
                       {.steps = 400, .out = "out/tutorial-12"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--hidden", &sizes.direction,
                         "size of the state of each direction; the decoder's is twice as large"},
                        {"--energy", &sizes.A, "A, the size of the vector inside the additive score's tanh"}});
}
