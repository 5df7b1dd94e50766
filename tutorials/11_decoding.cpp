// Tutorial 11: decoding and measuring: greedy, sampling, and beam search by hand.
//
// A model says how likely each next token is; which one is written is for a search to say. Where a model is sure, all
// searches find the same; so here they search in one that is not: a fixed context, as in tutorial 06. Beam search
// scores by eq. 14 of Wu et al., "Google's neural machine translation system" (2016),
// https://arxiv.org/abs/1609.08144, without its penalty for coverage.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/data/bleu.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/force.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/plot/bars.hpp>
#include <gradus/plot/output.hpp>
#include <gradus/plot/page.hpp>
#include <gradus/plot/search_tree.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "support/reversal.hpp"
#include "support/table.hpp"

using namespace gradus;

namespace {

using Tokens = std::vector<std::int64_t>;

constexpr double alpha = 0.6;  // of the length penalty

double length_penalty(std::int64_t length) { return std::pow((5 + static_cast<double>(length)) / 6, alpha); }

// A beginning of an output.
struct Hypothesis {
  Tokens y;               // y_1 … y_t
  double log_p;           // ln p(y_1 … y_t | x)
  nn::State state;        // the decoder's, before it is given y_t: s (1, H)
  std::int64_t node = 0;  // in the picture of the search

  // s(y, x) = ln p(y | x) / lp(y) (eq. 14): each token more makes the sum smaller, so that sums of outputs of different
  // lengths cannot be compared as they are.
  double score() const { return log_p / length_penalty(std::ssize(y)); }
};

// ln p(· | y_1 … y_t, x): V numbers. Takes the hypothesis' state one step on.
std::vector<double> predict(const nn::DecoderStep& decoder, const nn::Memory& memory, Hypothesis& hypothesis) {
  const Tokens previous = {hypothesis.y.empty() ? data::bos : hypothesis.y.back()};
  const auto output = decoder.step(tensor(previous), hypothesis.state, memory);      // (1) in, logits (1, V) out
  hypothesis.state = output.state;
  return log_softmax(output.logits).to_vector<double>();
}

// Before anything is written: <bos>, and s_0 from the encoder.
std::pair<Hypothesis, nn::Memory> start(const models::Seq2Seq& model, const Tokens& x) {
  const std::int64_t T = std::ssize(x);
  const auto at = model.decoder->start(model.encoder.forward(tensor(x, {T, 1}), tensor(Tokens{T})));  // s_0: (1, H)
  return {{.y = {}, .log_p = 0, .state = at.state}, at.memory};
}

// p(· | y_1 … y_t, x) of the tokens that may be written: <pad> and <bos>, the ids before <eos>, may not.
std::vector<double> next_token(const models::Seq2Seq& model, const Tokens& x, const Tokens& y) {
  const NoGrad no_grad;
  auto [hypothesis, memory] = start(model, x);
  std::vector<double> log_p = predict(*model.decoder, memory, hypothesis);
  for (const std::int64_t token : y) {
    hypothesis.y.push_back(token);
    log_p = predict(*model.decoder, memory, hypothesis);
  }
  std::vector<double> p;
  for (std::size_t token = data::eos; token < log_p.size(); ++token) p.push_back(std::exp(log_p[token]));
  return p;
}

// A way to go on with a hypothesis.
struct Continuation {
  double log_p;  // ln p(y_1 … y_t | x), with the new token
  std::size_t of;
  std::int64_t token;
};

// Every way to go on: K hypotheses with V tokens each, the likeliest first.
std::vector<Continuation> continuations(const nn::DecoderStep& decoder, const nn::Memory& memory,
                                        std::vector<Hypothesis>& alive) {
  std::vector<Continuation> all;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    const std::vector<double> log_p = predict(decoder, memory, alive[i]);
    for (std::size_t token = data::eos; token < log_p.size(); ++token) {  // never <pad>, <bos>
      all.push_back({alive[i].log_p + log_p[token], i, static_cast<std::int64_t>(token)});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Continuation::log_p);
  return all;
}

// Adds a hypothesis to the picture; gives its node.
std::int64_t draw(plot::SearchTree& tree, std::int64_t parent, const Hypothesis& hypothesis, plot::Fate fate) {
  const double number = fate == plot::Fate::ended ? hypothesis.score() : hypothesis.log_p;
  tree.nodes.push_back({parent, data::Reversal().token_text(hypothesis.y.back()), tutorial::decimals(number, 2), fate});
  return std::ssize(tree.nodes) - 1;
}

// Marks in the picture how the best output came to be.
void mark(plot::SearchTree& tree, std::int64_t node) {
  for (; node >= 0; node = tree.nodes[static_cast<std::size_t>(node)].parent) {
    tree.nodes[static_cast<std::size_t>(node)].fate = plot::Fate::best;
  }
}

// Beam search for one source: the hypotheses that ended, best first; if none did, those that are alive.
std::vector<Hypothesis> beam_by_hand(const models::Seq2Seq& model, const Tokens& x, std::int64_t K,
                                     plot::SearchTree& tree) {
  const NoGrad no_grad;
  constexpr std::int64_t dropped_shown = 2;  // of those that just miss the beam, in the picture
  const std::int64_t max_steps = models::MaxSteps().of(std::ssize(x));
  const auto [nothing, memory] = start(model, x);
  std::vector<Hypothesis> alive = {nothing}, ended;
  tree.nodes = {{.label = "<bos>"}};

  for (std::int64_t t = 1; t <= max_steps && !alive.empty(); ++t) {
    // The K likeliest of all are kept, whichever hypothesis they continue: all have length t, and may be compared. One
    // that ends is frozen: it is set aside, and never continued.
    const std::vector<Continuation> all = continuations(*model.decoder, memory, alive);
    const std::vector<Hypothesis> before = std::exchange(alive, {});
    for (std::int64_t rank = 0; rank < std::min(std::ssize(all), K + dropped_shown); ++rank) {
      const auto [log_p, of, token] = all[static_cast<std::size_t>(rank)];
      Hypothesis longer = before[of];
      longer.y.push_back(token);
      longer.log_p = log_p;
      const bool is_kept = rank < K, ends = token == data::eos;
      longer.node = draw(tree, before[of].node, longer,
                         !is_kept ? plot::Fate::dropped : ends ? plot::Fate::ended : plot::Fate::kept);
      if (is_kept) (ends ? ended : alive).push_back(longer);
    }

    // It is over when nothing better can come: a sum only falls, and no lp is larger than that of the longest output.
    std::ranges::stable_sort(ended, std::ranges::greater(), &Hypothesis::score);
    if (ended.empty() || alive.empty()) continue;
    if (ended.front().score() >= alive.front().log_p / length_penalty(max_steps)) break;
  }
  return ended.empty() ? alive : ended;
}

// What sampling draws from: p^(1/temperature), of which the k likeliest are kept, and of these the nucleus: the fewest
// likeliest that have top_p of the probability.
std::vector<double> reshaped(std::vector<double> p, const models::SamplingOptions& how) {
  const auto normalise = [&p] {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
  };
  std::vector<std::size_t> order(p.size());  // the likeliest first
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&p](std::size_t i) { return p[i]; });

  for (double& x : p) x = std::pow(x, 1 / how.temperature);
  if (how.top_k > 0) {
    for (std::size_t rank = static_cast<std::size_t>(how.top_k); rank < p.size(); ++rank) p[order[rank]] = 0;
  }
  normalise();
  double likelier = 0;  // the probability of those before
  for (const std::size_t i : order) {
    const double here = p[i];
    if (likelier >= how.top_p) p[i] = 0;
    likelier += here;
  }
  normalise();
  return p;
}

// Without <eos>, for BLEU.
std::string words(Tokens tokens, const data::Reversal& task) {
  std::erase(tokens, data::eos);
  return task.text(tokens);
}

// The best output for each source, by a search of the library.
std::vector<models::Decoded> outputs(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                                     const models::Search& search, const models::MaxSteps& max_steps = {}) {
  std::vector<Tokens> sources;
  for (const data::Pair& pair : pairs) sources.push_back(pair.source);
  std::vector<models::Decoded> best;
  for (const auto& found : models::decode(model, sources, search, {.max_steps = max_steps})) best.push_back(found[0]);
  return best;
}

// What is measured of outputs, beside the true targets and what the model says of those.
std::vector<double> measured(const std::vector<models::Decoded>& written, const std::vector<data::Pair>& pairs,
                             const std::vector<models::Forced>& truth, const data::Reversal& task) {
  data::MatchCount exact, missed;
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> references;
  double log_p = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    exact.add(data::matches_exactly(written[i].tokens, pairs[i].target));
    missed.add(written[i].log_probability < truth[i].log_probability - 1e-4);  // more than rounding
    texts.push_back(words(written[i].tokens, task));
    references.push_back({words(pairs[i].target, task)});
    log_p += written[i].log_probability;
    tokens += std::ssize(written[i].tokens);
  }
  return {exact.fraction(), data::corpus_bleu(texts, references).score, log_p / static_cast<double>(pairs.size()),
          data::perplexity(-log_p, tokens), missed.fraction()};
}

struct Sizes {
  std::int64_t embedding = 32, hidden = 64;  // E, H
};

// A model that is not sure: a fixed context, not trained for long.
std::unique_ptr<models::Seq2Seq> trained(const data::Reversal& task, const Sizes& sizes, std::uint64_t seed,
                                         std::int64_t steps) {
  gradus::seed(seed);
  auto model = models::make_model({.decoder = "fixed", .embedding = sizes.embedding, .hidden = sizes.hidden},
                                  {task.vocabulary_size(), task.vocabulary_size()});
  tutorial::train("fixed context", *model, tutorial::training_batches(task, seed), {.steps = steps});
  return model;
}

// 1. Beam search by hand, beside the library: a beam of 1 must be greedy decoding.
void beside_the_library(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs) {
  const auto compare = [&](const std::string& name, std::int64_t K, const models::Search& search) {
    const auto library = outputs(model, pairs, search);
    std::int64_t same = 0;
    double difference = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      plot::SearchTree unseen;
      const Hypothesis best = beam_by_hand(model, pairs[i].source, K, unseen).front();
      same += best.y == library[i].tokens;
      difference = std::max(difference, std::abs(best.log_p - library[i].log_probability));
    }
    std::cout << "a beam of " << K << " by hand, beside the library's " << name << ": the same output for " << same
              << " of " << pairs.size() << " sources, largest difference of ln p " << difference << '\n';
  };
  compare("greedy decoding", 1, models::greedy());
  compare("beam search", 5, models::beam_search({.width = 5, .length_penalty = alpha}));
}

// 2. A search to look at: the first in which a beam of 3 corrects greedy decoding, if there is one.
plot::SearchTree a_correction(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                              const data::Reversal& task) {
  const auto greedily = outputs(model, pairs, models::greedy());
  const auto by_beam = outputs(model, pairs, models::beam_search({.width = 3, .length_penalty = alpha}));
  const auto is_corrected = [&](std::size_t i) {
    return !data::matches_exactly(greedily[i].tokens, pairs[i].target) &&
           data::matches_exactly(by_beam[i].tokens, pairs[i].target);
  };
  std::size_t i = 0;
  while (i + 1 < pairs.size() && !is_corrected(i)) ++i;
  std::cout << "\nsource     " << task.text(pairs[i].source) << '\n';
  for (const auto& [name, decoded] : {std::pair{"greedy     ", greedily[i]}, {"beam of 3  ", by_beam[i]}}) {
    std::cout << name << task.text(decoded.tokens) << "  ln p " << tutorial::decimals(decoded.log_probability) << '\n';
  }
  plot::SearchTree tree{.title = "A beam of 3 on the source " + task.text(pairs[i].source)};
  const Hypothesis best = beam_by_hand(model, pairs[i].source, 3, tree).front();
  mark(tree, best.node);
  return tree;
}

const std::vector<std::pair<std::string, models::SamplingOptions>> sampling = {
    {"temperature 1", {}},
    {"temperature 0.5", {.temperature = 0.5}},
    {"top-k 3", {.top_k = 3}},
    {"top-p 0.9", {.top_p = 0.9}}};

// 3. What sampling draws from, at the step of a source at which greedy decoding is the least sure.
plot::GroupedBars an_unsure_step(const models::Seq2Seq& model, const Tokens& x, const data::Reversal& task) {
  const models::Decoded written = models::decode(model, {&x, 1}, models::greedy())[0][0];
  const auto& log_p = written.token_log_probabilities;
  const Tokens y(written.tokens.begin(), written.tokens.begin() + (std::ranges::min_element(log_p) - log_p.begin()));
  plot::GroupedBars bars{.title = "Source " + task.text(x) + ", written so far: " + (y.empty() ? "–" : task.text(y)),
                         .x_label = "next token",
                         .y_label = "probability"};
  for (std::int64_t token = data::eos; token < task.vocabulary_size(); ++token) {
    bars.groups.push_back(task.token_text(token));
  }
  const std::vector<double> p = next_token(model, x, y);
  for (const auto& [name, how] : sampling) bars.series.push_back({name, reshaped(p, how)});
  return bars;
}

// 4. All methods on the same sources.
tutorial::Table all_methods(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
                            const data::Reversal& task, std::uint64_t seed) {
  tutorial::Table table{.name = "methods",
                        .rows_are = "method",
                        .columns = {"exact match", "BLEU", "mean ln p", "perplexity", "less likely than the truth"}};
  const std::vector<models::Forced> truth = models::force(model, pairs);
  const auto add = [&](const std::string& name, const models::Search& search) {
    table.rows.push_back({name, measured(outputs(model, pairs, search), pairs, truth, task)});
  };
  add("greedy", models::greedy());
  for (const auto& [name, how] : sampling) add(name, models::sample(how, Generator(seed)));
  for (const std::int64_t width : {2, 5, 20}) {
    add("beam " + std::to_string(width), models::beam_search({.width = width, .length_penalty = alpha}));
  }
  table.rows.push_back({"the truth", measured({truth.begin(), truth.end()}, pairs, truth, task)});
  return table;
}

// All outputs of at most `longest` symbols, each with its <eos>.
std::vector<Tokens> all_outputs(const data::Reversal& task, std::size_t longest) {
  std::vector<Tokens> all = {{data::eos}};
  for (std::size_t i = 0; all[i].size() <= longest; ++i) {  // in the order of their lengths
    for (std::int64_t symbol = data::first_symbol; symbol < task.vocabulary_size(); ++symbol) {
      all.push_back(all[i]);
      all.back().insert(all.back().begin(), symbol);
    }
  }
  return all;
}

// 5. With 3 symbols and outputs of at most 5 there are few enough to ask the model about all of them. How often does a
// beam find the one with the best score?
tutorial::Table beside_all_outputs(const tutorial::Options& options, const Sizes& sizes) {
  const data::Reversal task(3, 2, 4);
  const auto model = trained(task, sizes, options.seed, options.steps / 10 + 1);

  const std::vector<Tokens> all = all_outputs(task, 5);  // 364
  std::vector<data::Pair> pairs;                         // all sources of length 4: 81
  for (const Tokens& y : all) {
    if (y.size() == 5) pairs.push_back(task.make({y.begin(), y.end() - 1}));
  }
  std::vector<double> best;
  for (const data::Pair& pair : pairs) {
    std::vector<data::Pair> asked;
    for (const Tokens& y : all) asked.push_back({pair.source, y});
    std::vector<double> scores;
    for (const models::Forced& y : models::force(*model, asked)) {
      scores.push_back(y.log_probability / length_penalty(std::ssize(y.tokens)));
    }
    best.push_back(std::ranges::max(scores));
  }

  tutorial::Table table{.name = "exhaustive", .rows_are = "width", .columns = {"found the best", "mean score"}};
  for (const std::int64_t width : {1, 2, 3, 5, 10, 1093}) {  // 1093: all 364, and the 3⁶ that have not ended
    const auto found = outputs(*model, pairs, models::beam_search({.width = width, .length_penalty = alpha}), 6);
    data::MatchCount is_best;
    double sum = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      is_best.add(found[i].score > best[i] - 1e-4);  // but for rounding
      sum += found[i].score / static_cast<double>(pairs.size());
    }
    table.rows.push_back({std::to_string(width), {is_best.fraction(), sum}});
  }
  const double mean = std::accumulate(best.begin(), best.end(), 0.0) / static_cast<double>(best.size());
  table.rows.push_back({"all outputs", {1, mean}});
  return table;
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // says now, not after training, when it cannot be written
  const data::Reversal task;                  // 10 symbols, lengths 3 … 12
  const auto model = trained(task, sizes, options.seed, options.steps);

  Generator generator(options.seed);
  const auto held_out = [&](std::int64_t length, std::int64_t count) {
    return task.held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, count);
  };
  const std::vector<data::Pair> short_pairs = held_out(6, 300), pairs = held_out(8, 300);
  beside_the_library(*model, held_out(8, 50));
  const std::string tree = plot::svg(a_correction(*model, short_pairs, task)),
                    bars = plot::svg(an_unsure_step(*model, pairs[0].source, task));
  const tutorial::Table methods = all_methods(*model, pairs, task, options.seed);
  std::cout << "\n300 held-out sources of length 8\n" << text(methods);
  const tutorial::Table exhaustive = beside_all_outputs(options, sizes);
  std::cout << "\n81 sources of length 4 from 3 symbols, 364 possible outputs\n" << text(exhaustive);

  const plot::Page page{.title = "Tutorial 11: decoding and measuring",
                        .intro = {"One model, several ways to write what it says."},
                        .sections = {{.heading = "Beam search", .svgs = {tree}},
                                     {.heading = "Sampling", .svgs = {bars}},
                                     {.heading = "All methods", .preformatted = text(methods)},
                                     {.heading = "Beside all outputs", .preformatted = text(exhaustive)}}};
  out.write("tree.svg", tree);
  out.write("sampling.svg", bars);
  out.write("results.json", tutorial::json("tutorial_11", options, {methods, exhaustive}));
  std::cout << "\npictures: " << out.write("index.html", plot::html(page)).string() << '\n'
            << "try next: --steps 4000: which differences remain when the model is surer? Then ./run tutorial 12\n";
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 11: decoding and measuring, with a model that is not sure",
                       {.steps = 1000, .out = "out/tutorial-11"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--embedding", &sizes.embedding, "E, the numbers of an embedding"},
                        {"--hidden", &sizes.hidden, "H, the numbers of a state"}});
}
