// Tutorial 11: decoding and measuring: greedy, sampling, and beam search by hand.
//
// A model gives the probability of each next token. A search chooses the output. If a model is sure, all searches find
// the same output. So this program uses a model that is not sure: one with a fixed context, as in tutorial 06. Beam
// search uses the score of eq. 14 of Wu et al., "Google's neural machine translation system" (2016),
// https://arxiv.org/abs/1609.08144, without its coverage penalty.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/plot/bars.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "support/measures/exhaustive.hpp"
#include "support/measures/outputs.hpp"
#include "support/page/report.hpp"
#include "support/pictures/search_tree.hpp"
#include "support/training/reversal.hpp"

using namespace gradus;

namespace {

using Tokens = std::vector<std::int64_t>;

constexpr double alpha = 0.6;  // exponent of the length penalty

double length_penalty(std::int64_t length) { return std::pow((5 + static_cast<double>(length)) / 6, alpha); }

// A beginning of an output.
struct Hypothesis {
  Tokens y;         // y_1 … y_t
  double log_p;     // ln p(y_1 … y_t | x)
  nn::State state;  // the decoder's state before it reads y_t; holds s (1, H)

  // s(y, x) = ln p(y | x) / lp(y) (eq. 14). Every further token makes the sum ln p smaller, so sums of outputs with
  // different lengths cannot be compared directly.
  double score() const { return log_p / length_penalty(std::ssize(y)); }
};

// Continues each live hypothesis with each possible token. The most likely continuations come first.
std::vector<Hypothesis> continuations(const nn::DecoderStep& decoder, const nn::Memory& memory,
                                      const std::vector<Hypothesis>& alive) {
  std::vector<Hypothesis> all;
  for (const auto& [y, log_p, state] : alive) {
    const Tensor previous = tensor(Tokens{y.empty() ? data::bos : y.back()});           // (1)
    const auto next = decoder.step(previous, state, memory);                            // logits (1, V)
    const auto log_p_next = log_softmax(next.logits).to_vector<double>();               // ln p(· | y_1 … y_t, x): V
    for (std::int64_t token = data::eos; token < std::ssize(log_p_next); ++token) {     // never <pad>, <bos>
      all.push_back({y, log_p + log_p_next[static_cast<std::size_t>(token)], next.state});
      all.back().y.push_back(token);
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Hypothesis::log_p);
  return all;
}

struct Beam {
  std::vector<Hypothesis> found;             // finished hypotheses, best first; live ones if none finished
  std::vector<tutorial::Considered> course;  // what the search considered, for the picture
};

// Beam search for one source.
Beam beam_by_hand(const models::Seq2Seq& model, const Tokens& x, std::int64_t K) {
  const NoGrad no_grad;
  const std::int64_t T = std::ssize(x), max_steps = models::MaxSteps().of(T);
  const auto [s_0, memory] = model.decoder->start(model.encoder.forward(tensor(x, {T, 1}), tensor(Tokens{T})));
  std::vector<Hypothesis> alive = {{.y = {}, .log_p = 0, .state = s_0}}, ended;         // s_0: (1, H)
  std::vector<tutorial::Considered> course;

  for (std::int64_t t = 1; t <= max_steps && !alive.empty(); ++t) {
    // Keep the K most likely continuations of all hypotheses. All have length t, so their sums can be compared. A
    // finished hypothesis is set aside; the search never continues it.
    const std::vector<Hypothesis> all = continuations(*model.decoder, memory, alive);
    alive.clear();
    for (std::int64_t rank = 0; rank < std::min(std::ssize(all), K + 2); ++rank) {      // the picture shows two more
      const Hypothesis& longer = all[static_cast<std::size_t>(rank)];
      const bool is_kept = rank < K, ends = longer.y.back() == data::eos;
      if (is_kept) (ends ? ended : alive).push_back(longer);
      course.push_back({longer.y, is_kept && ends ? longer.score() : longer.log_p, is_kept});
    }

    // Stop when no live hypothesis can beat the best finished one. A live sum can only fall. So no live
    // score can exceed the current sum divided by the largest lp, lp(max_steps).
    std::ranges::stable_sort(ended, std::ranges::greater(), &Hypothesis::score);
    if (ended.empty() || alive.empty()) continue;
    if (ended.front().score() >= alive.front().log_p / length_penalty(max_steps)) break;
  }
  return {ended.empty() ? alive : ended, course};
}

// The distribution that sampling draws from: p^(1/temperature), limited to the k most likely tokens and then to the nucleus.
// The nucleus is the smallest set of most likely tokens that has at least the fraction top_p of the remaining probability.
std::vector<double> reshaped(std::vector<double> p, const models::SamplingOptions& how) {
  for (double& x : p) x = std::pow(x, 1 / how.temperature);
  std::vector<double> kept = p;  // sorted, the most likely first
  std::ranges::sort(kept, std::ranges::greater());
  if (how.top_k > 0) kept.resize(static_cast<std::size_t>(how.top_k));
  const double enough = how.top_p * std::accumulate(kept.begin(), kept.end(), 0.0);
  double sum = 0, least = 0;  // total and smallest probability of the nucleus
  for (std::size_t rank = 0; sum < enough; ++rank) {
    least = kept[rank];
    sum += least;
  }
  for (double& x : p) x = x < least ? 0 : x / sum;
  return p;
}

const std::vector<std::pair<std::string, models::SamplingOptions>> sampling = {
    {"temperature 1", {}}, {"temperature 0.5", {.temperature = 0.5}}, {"top-k 3", {.top_k = 3}},
    {"top-p 0.9", {.top_p = 0.9}}};

// The three most likely tokens of one step, with their probabilities in the distribution that each method draws from.
plot::GroupedBars drawn_from(const tutorial::Step& step) {
  plot::GroupedBars bars{.title = step.title, .x_label = "next token", .y_label = "probability"};
  for (const auto& [name, how] : sampling) bars.series.push_back({.name = name});
  std::vector<double> sorted = step.p;
  std::ranges::sort(sorted, std::ranges::greater());
  for (std::size_t token = 0; token < step.next.size(); ++token) {
    if (step.p[token] < sorted[2]) continue;
    bars.groups.push_back(step.next[token]);
    for (std::size_t i = 0; i < sampling.size(); ++i)
      bars.series[i].values.push_back(reshaped(step.p, sampling[i].second)[token]);
  }
  return bars;
}

models::Search beam_of(std::int64_t width) { return models::beam_search({.width = width, .length_penalty = alpha}); }

// 1. Compares the hand-written beam search with a search of the library.
void compare(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs, std::int64_t K,
             const std::string& name, const models::Search& search) {
  const auto library = tutorial::best_outputs(model, pairs, search);
  std::int64_t same = 0;
  double difference = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Hypothesis best = beam_by_hand(model, pairs[i].source, K).found.front();
    same += best.y == library[i].tokens;
    difference = std::max(difference, std::abs(best.log_p - library[i].log_probability));
  }
  std::cout << "a beam of " << K << " by hand against the library's " << name << ": the same output for " << same
            << " of " << pairs.size() << " sources, largest difference of ln p " << difference << '\n';
}

// 2. A search tree to look at. Takes the first source on which a beam of 3 corrects greedy decoding. If there is no such
// source, takes the last one.
plot::SearchTree a_correction(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                              const data::Reversal& task) {
  const auto greedily = models::greedy(model, pairs), by_beam = tutorial::best_outputs(model, pairs, beam_of(3));
  std::size_t i = 0;
  while (i + 1 < pairs.size() && (greedily[i].tokens == pairs[i].target || by_beam[i].tokens != pairs[i].target)) ++i;
  const std::string source = task.text(pairs[i].source);
  std::cout << "\nsource     " << source << '\n';
  for (const auto& [name, output] : {std::pair{"greedy     ", greedily[i]}, {"beam of 3  ", by_beam[i]}}) {
    std::cout << name << task.text(output.tokens) << "  ln p " << tutorial::decimals(output.log_probability) << '\n';
  }
  const Beam beam = beam_by_hand(model, pairs[i].source, 3);
  return tutorial::search_tree("A beam of 3 on the source " + source, beam.course, beam.found.front().y, greedily[i].tokens,
                               task);
}

// 4. All methods on the same sources.
tutorial::Table all_methods(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                            const data::Reversal& task, std::uint64_t seed) {
  tutorial::Table table{.name = "methods", .rows_are = "method", .columns = tutorial::qualities};
  const std::vector<models::Forced> truth = models::force_decode(model, pairs);
  const auto add = [&](const std::string& name, const models::Search& search) {
    table.rows.push_back({name, tutorial::quality(tutorial::best_outputs(model, pairs, search), pairs, truth, task)});
  };
  add("greedy", models::greedy());
  for (const auto& [name, how] : sampling) add(name, models::sample(how, Generator(seed)));
  for (const std::int64_t width : {2, 5, 20}) add("beam " + std::to_string(width), beam_of(width));
  table.rows.push_back({"the truth", tutorial::quality({truth.begin(), truth.end()}, pairs, truth, task)});
  return table;
}

// A model that is not sure, because its context is fixed and its training is short.
std::unique_ptr<models::Seq2Seq> trained(const data::Reversal& task, const models::ModelOptions& sizes,
                                         std::uint64_t seed, std::int64_t steps) {
  gradus::seed(seed);
  auto model = models::make_model(sizes, {task.vocabulary_size(), task.vocabulary_size()});
  tutorial::train("fixed context", *model, tutorial::training_batches(task, seed), {.steps = steps});
  return model;
}

void run(const tutorial::Options& options, const models::ModelOptions& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const data::Reversal task;                  // 10 symbols, lengths 3 to 12
  const auto model = trained(task, sizes, options.seed, options.steps);
  Generator generator(options.seed);
  const auto short_pairs = tutorial::held_out(task, 6, 300, generator),
             pairs = tutorial::held_out(task, 8, 300, generator), few = tutorial::held_out(task, 8, 50, generator);

  compare(*model, few, 1, "greedy decoding", models::greedy());  // the outputs must be equal
  compare(*model, few, 5, "beam search", beam_of(5));
  const plot::SearchTree tree = a_correction(*model, short_pairs, task);

  // 3. The distributions that sampling draws from, at two steps of greedy decoding: the least sure one, and one at which
  // top-p keeps a single token. If there is no such step, the surest one.
  const std::vector<tutorial::Step> steps = tutorial::steps_by_sureness(*model, pairs[0], task);
  const auto sure = std::ranges::find_if(steps, [](const auto& step) { return step.largest() >= 0.9; });
  const std::string unsure_bars = plot::svg(drawn_from(steps.front())),
                    sure_bars = plot::svg(drawn_from(sure == steps.end() ? steps.back() : *sure));

  const tutorial::Table methods = all_methods(*model, pairs, task, options.seed);
  std::cout << "\n300 held-out sources of length 8\n" << text(methods);

  // 5. With 3 symbols there are only 364 outputs of at most 5 symbols, so the model can score them all. How often does
  // a beam find the best output? After 6 steps, 364 outputs have ended and 3⁶ = 729 have not. So a beam of 1093 drops
  // nothing.
  const data::Reversal small(/*symbols=*/3, /*min_length=*/2, /*max_length=*/4);
  const auto other = trained(small, sizes, options.seed, options.steps / 10 + 1);
  const auto score = [](const models::Decoded& y) { return y.log_probability / length_penalty(std::ssize(y.tokens)); };
  const auto exhaustive = tutorial::beside_all_outputs(*other, small, score, {1, 2, 3, 5, 10, 1093}, beam_of);
  std::cout << "\n81 sources of length 4 from 3 symbols, 364 possible outputs\n" << text(exhaustive) << '\n';

  publish({.number = "11",
           .title = "decoding and measuring",
           .intro = "One model, several searches for its output.",
           .sections = {{"Beam search", {{"tree", plot::svg(tree)}}},
                        {"Sampling", {{"sampling_unsure", unsure_bars}, {"sampling_sure", sure_bars}}},
                        {"All methods", {}, text(methods)},
                        {"Beside all outputs", {}, text(exhaustive)}},
           .tables = {methods, exhaustive},
           .try_next = "--steps 4000: which differences remain when the model is surer? Then ./run tutorial 12"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  models::ModelOptions sizes{.decoder = "fixed", .embedding = 32, .hidden = 64};
  return tutorial::run(argc, argv, "Tutorial 11: decoding and measuring, with a model that is not sure",
                       {.steps = 1000, .out = "out/tutorial-11"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--embedding", &sizes.embedding, "size of an embedding, E"},
                        {"--hidden", &sizes.hidden, "size of a state, H"}});
}
