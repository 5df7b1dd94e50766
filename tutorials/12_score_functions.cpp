// Tutorial 12: score functions: additive, dot, scaled dot, and one of your own.
//
// In tutorial 10 the energy e_tj, how well annotation h_j fits the state s_{t−1}, came from a small network. Any score
// of two vectors will do, and nothing else of the model changes. Four are trained on the same batches here, and
// measured: how well they do, how fast, at what cost. Scaled dot is of Vaswani et al., "Attention is all you need"
// (2017), section 3.2.1, https://arxiv.org/abs/1706.03762; dot and general are of Luong et al., "Effective approaches
// to attention-based neural machine translation" (2015), https://arxiv.org/abs/1508.04025.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/force.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "support/pictures.hpp"
#include "support/table.hpp"

using namespace gradus;

namespace {

// A score of one's own, "general": e_tj = s_{t−1} · W_a h_j. A class says what its energies are, and does once a
// sentence what needs no query; mask, softmax and context are ScoredAttention's.
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

// The dot product needs states and annotations of one size: H = D, twice that of each direction of the encoder.
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

// Energies of random states and annotations whose elements have variance 1, and what the softmax makes of them.
std::vector<double> saturation(std::int64_t d, std::uint64_t seed) {
  constexpr std::int64_t T = 12, N = 500;
  Generator generator(seed);
  const Tensor s = normal({N, d}, 0, 1, generator);                      // (N, d)
  const Tensor h = normal({T, N, d}, 0, 1, generator);                   // (T, N, d)
  const Tensor dot = transpose(sum(h * s, 2), 0, 1);                     // (N, T)
  std::vector<double> row;
  for (const Tensor& e : {dot, dot / std::sqrt(static_cast<double>(d))}) {
    const Tensor alpha = softmax(e);                                     // (N, T)
    row.push_back(variance(e).item());
    row.push_back(mean(max(alpha, -1)).item());                          // 1: all on one position
    row.push_back(1 - mean(sum(alpha * alpha, -1)).item());              // Σ_j ∂α_j/∂e_j = Σ_j α_j (1 − α_j)
  }
  return row;
}

// Multiply-adds for one sentence of T tokens, and parameters. Every score also pays T · D a step for the context.
std::vector<double> cost(const std::string& score, const Sizes& sizes, std::int64_t T) {
  const std::int64_t D = sizes.D(), H = D, A = sizes.A;
  const auto parameters = static_cast<double>(make_attention(score, sizes)->parameter_count());
  if (score == "additive") return {parameters, double(T * A * D), double(A * H + T * A), double(T * A)};
  if (score == "general") return {parameters, double(T * H * D), double(T * H), 0};
  return {parameters, 0, double(T * D), 0};
}

// The median time of an update, on batches of one length.
double milliseconds(const std::string& score, const Sizes& sizes, std::int64_t length, std::int64_t updates,
                    std::uint64_t seed) {
  const data::Reversal task(10, length, length);
  const auto model = make_model(score, sizes, task, seed);
  models::Trainer trainer(*model, {tutorial::training_batches(task, seed)}, {.steps = updates});
  std::vector<double> times;
  while (!trainer.finished()) {
    const auto start = std::chrono::steady_clock::now();
    trainer.step();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// How far apart the energies of a model are: their standard deviation over a source's tokens, in the mean of all steps.
// Weights tell it, too: ln α_tj is e_tj less the same for all j.
double spread(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs) {
  const NoGrad no_grad;
  double total = 0;
  for (const models::Forced& forced : models::force(model, pairs)) {
    const Tensor e = log(clamp(forced.weights, 1e-30, 1));               // (steps, T), but for a constant a row
    total += mean(sqrt(variance(e, {1}, false, 0))).item();
  }
  return total / static_cast<double>(pairs.size());
}

// 1. The new class, checked as any module: all gradients against differences, in double, with a row that is shorter.
GradcheckReport check_gradients(std::uint64_t seed) {
  Generator generator(seed);
  GeneralAttention general(3, 4);
  const Tensor lengths = tensor({5, 2}, Dtype::i64);                     // (B)
  const auto attend = [&](const std::vector<Tensor>& x) {
    return nn::concat_flat(general.attend(x[0], general.prepare(x[1], lengths), 0, Tensor()).tensors());
  };
  return nn::gradcheck(general, attend, {normal({2, 3}, 0, 1, generator), normal({5, 2, 4}, 0, 1, generator)});
}

// 2. Why √d: the variance of s · h_j is d, and energies that far apart leave the softmax nothing to learn from.
tutorial::Table saturation_by_size(std::uint64_t seed) {
  tutorial::Table table{.name = "saturation",
                        .rows_are = "d",
                        .columns = {"var e", "largest α", "Σ ∂α/∂e", "scaled: var e", "scaled: largest α",
                                    "scaled: Σ ∂α/∂e"}};
  for (const std::int64_t d : {1, 4, 16, 64, 256, 1024}) table.rows.push_back({std::to_string(d), saturation(d, seed)});
  return table;
}

// 3. The same model with each score, trained on the same batches.
struct Trained {
  std::vector<tutorial::Result> results;
  std::vector<plot::Heatmap> alignments;
  tutorial::Table spreads{.name = "spread", .rows_are = "score", .columns = {"before training", "after"}};
};

Trained train_all(const Sizes& sizes, const data::Reversal& task, const tutorial::Options& options) {
  Generator generator(options.seed);
  const auto held_out = [&](std::int64_t length, std::int64_t count) {
    return task.held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, count);
  };
  const std::vector<data::Pair> examples = held_out(task.max_length(), 100);
  const data::Pair example = held_out(8, 1)[0];
  Trained trained;
  for (const std::string& score : scores) {
    const auto model = make_model(score, sizes, task, options.seed);
    const double spread_before = spread(*model, examples);
    trained.results.push_back(tutorial::train_and_measure(score, *model, task, options,
                                                          tutorial::range(3, task.max_length() + 3)));
    trained.alignments.push_back(
        tutorial::alignment_map(score, models::greedy(*model, {&example, 1})[0], example.source, task));
    trained.spreads.rows.push_back({score, {spread_before, spread(*model, examples)}});
  }
  return trained;
}

// 4. What each costs: counted, and timed.
tutorial::Table counted(const Sizes& sizes, std::int64_t T) {
  tutorial::Table table{.name = "cost",
                        .rows_are = "T = " + std::to_string(T),
                        .columns = {"parameters", "multiply-adds once", "each step", "tanh each step"},
                        .digits = 0};
  for (const std::string& score : scores) table.rows.push_back({score, cost(score, sizes, T)});
  return table;
}

tutorial::Table timed(const Sizes& sizes, const tutorial::Options& options) {
  tutorial::Table table{.name = "time",
                        .rows_are = "ms an update",
                        .columns = {"T = 12", "T = 50", "T = 12, composed", "T = 50, composed"},
                        .digits = 1};
  const std::int64_t updates = std::min<std::int64_t>(options.steps, 9);
  for (const std::string& score : scores) {
    std::vector<double> times;
    for (const std::int64_t T : {12, 50}) times.push_back(milliseconds(score, sizes, T, updates, options.seed));
    const Composed composed;  // operation by operation: the additive score has a fused one, which the others have not
    for (const std::int64_t T : {12, 50}) times.push_back(milliseconds(score, sizes, T, updates, options.seed));
    table.rows.push_back({score, times});
  }
  return table;
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // says now, not after training, when it cannot be written
  const data::Reversal task;                  // 10 symbols, lengths 3 … 12
  std::cout << "gradients of the class above\n" << check_gradients(options.seed) << '\n';
  const tutorial::Table saturated = saturation_by_size(options.seed);
  std::cout << "random states and annotations, 12 positions\n" << text(saturated) << '\n';
  const Trained trained = train_all(sizes, task, options);
  const tutorial::Table exact = tutorial::exact_match(trained.results);
  std::cout << "exact match on held-out sources after " << options.steps << " updates\n" << text(exact) << '\n'
            << "standard deviation of the energies, sources of length 12\n" << text(trained.spreads) << '\n';
  const tutorial::Table costs = counted(sizes, task.max_length()), times = timed(sizes, options);
  std::cout << text(costs) << '\n' << text(times) << '\n';

  const std::string alignments = plot::strip(trained.alignments), bars = tutorial::exact_match_bars(trained.results),
                    losses = tutorial::loss_curves(trained.results);
  const plot::Page page{.title = "Tutorial 12: score functions",
                        .intro = {"The same model with four scores, trained on the same batches."},
                        .sections = {{.heading = "Where each looks", .svgs = {alignments}},
                                     {.heading = "Exact match by length", .svgs = {bars}, .preformatted = text(exact)},
                                     {.heading = "Training", .svgs = {losses}},
                                     {.heading = "Scaling",
                                      .preformatted = text(saturated) + '\n' + text(trained.spreads)},
                                     {.heading = "Cost", .preformatted = text(costs) + '\n' + text(times)}}};
  out.write("alignments.svg", alignments);
  out.write("exact_match.svg", bars);
  out.write("loss.svg", losses);
  out.write("results.json", tutorial::json("tutorial_12", options, {exact, trained.spreads, saturated, costs, times}));
  std::cout << "pictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 1000; a score of your own in place of the general one; then ./run tutorial 13\n";
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 12: score functions: additive, dot, scaled dot, and one of your own",
                       {.steps = 400, .out = "out/tutorial-12"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--hidden", &sizes.direction, "numbers of a state of each direction; the decoder's has twice as many"},
                        {"--energy", &sizes.A, "A, the numbers that the additive score is computed from"}});
}
