#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/plot/terminal.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

#include "kit/expect.hpp"
#include "parts.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using namespace gradus;
using copy_and_sort::Symbols;

constexpr std::int64_t symbols = 10, updates = 400, measured_sources = 300;

std::vector<std::int64_t> ids(const std::string& numbers) {
  std::istringstream in(numbers);
  std::vector<std::int64_t> out;
  for (std::int64_t number = 0; in >> number;) out.push_back(data::first_symbol + number);
  return out;
}

data::Pair pair_of(const data::SentencePair& text) {
  data::Pair pair{ids(text.source), ids(text.target)};
  pair.target.push_back(data::eos);
  return pair;
}

std::vector<data::Pair> draw(const data::Task& task, Generator& generator, std::int64_t count) {
  std::vector<data::Pair> pairs;
  for (std::int64_t i = 0; i < count; ++i)
    pairs.push_back(pair_of(task.sample([&](std::uint64_t n) { return generator.below(n); })));
  return pairs;
}

std::unique_ptr<models::Seq2Seq> trained(const data::Task& task) {
  seed(1);
  auto model = models::make_bahdanau({.vocabulary = data::first_symbol + symbols});
  Generator generator(1);
  tutorial::train(task.name(), *model, [&] { return data::make_batch(draw(task, generator, 64)); },
                  {.steps = updates});
  return model;
}

// `exact` is the fraction of exact matches. `copy`, `reverse` and `sort` are the fractions of steps that
// attend to the position that is right for the task of this name. `sort_symbol` is the fraction of steps that
// attend to a symbol that is right for sorting.
struct Shares {
  double exact = 0, copy = 0, reverse = 0, sort = 0, sort_symbol = 0;
};

Shares measure(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
               const CopyAndSort& answer) {
  const std::vector<models::Decoded> written = models::greedy(model, pairs);
  const std::vector<models::Forced> forced = models::force_decode(model, pairs);
  Shares sums;
  double steps = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Symbols& x = pairs[i].source;
    const Tensor& weights = forced[i].weights;  // (L + 1, L)
    const auto L = static_cast<double>(x.size());
    sums.exact += data::matches_exactly(written[i].tokens, pairs[i].target) ? 1 : 0;
    sums.copy += L * answer.on_position(weights, answer.copy(x));
    sums.reverse += L * answer.on_position(weights, answer.reverse(x));
    sums.sort += L * answer.on_position(weights, answer.sort(x));
    sums.sort_symbol += L * answer.on_symbol(weights, answer.sort(x), x);
    steps += L;
  }
  return {sums.exact / static_cast<double>(pairs.size()), sums.copy / steps, sums.reverse / steps,
          sums.sort / steps, sums.sort_symbol / steps};
}

std::string token_text(std::int64_t id) {
  return id == data::eos ? "<eos>" : std::to_string(id - data::first_symbol);
}

std::string alignment(const std::string& title, const models::Seq2Seq& model, const data::Pair& pair) {
  const models::Forced forced = models::force_decode(model, std::span(&pair, 1)).front();
  plot::Heatmap heatmap{.title = title, .values = forced.weights.to_vector<double>()};
  for (const std::int64_t token : pair.source) heatmap.columns.push_back(token_text(token));
  for (const std::int64_t token : pair.target) heatmap.rows.push_back(token_text(token));
  return plot::terminal(heatmap, plot::colour_of(STDOUT_FILENO));
}

void expect_found(const std::string& what, double got, double least) {
  exercise::expect(
      got >= least,
      {"not-found", "", "Your functions passed the other stages: compare with the alignment above."},
      "The trained model's largest weights are not where " + what + " reads.", tutorial::decimals(got),
      "at least " + tutorial::decimals(least));
}

void trained_models(const CopyAndSort& answer) {
  const data::TaskOptions sizes{.symbols = symbols, .min_length = 3, .max_length = 8};
  tutorial::Table table{.name = "shares",
                        .rows_are = "trained to",
                        .columns = {"exact match", "copy", "reverse", "sort", "sort, by symbol"},
                        .rows = {}};
  std::ostringstream pictures;
  std::map<std::string, Shares> found;
  for (const std::string name : {"copy", "reverse", "sort"}) {
    const auto task = data::make_task(name, sizes);
    const auto model = trained(*task);
    Generator generator(2);  // the same sources for all three tasks
    const std::vector<data::Pair> pairs = draw(*task, generator, measured_sources);
    const Shares s = found[name] = measure(*model, pairs, answer);
    table.rows.push_back({name, {s.exact, s.copy, s.reverse, s.sort, s.sort_symbol}});
    const auto longest = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return a.source.size() < b.source.size();
    });
    pictures << '\n' << alignment(name, *model, *longest);
  }
  std::cout << "\n  " << measured_sources << " new sources, after " << updates
            << " updates: exact match, and the fraction of steps whose largest weight is\n"
               "  at the position that each task reads\n"
            << tutorial::text(table) << pictures.str() << '\n';
  expect_found("copying", found["copy"].copy, 0.8);
  expect_found("reversing", found["reverse"].reverse, 0.8);
  expect_found("sorting", found["sort"].sort_symbol, 0.75);
}

}  // namespace

exercise::Exercise copy_and_sort_exercise(const CopyAndSort& answer) {
  return {.name = "copy_and_sort",
          .stages = {{"positions to copy and to reverse", [=] { copy_and_sort::copy_and_reverse(answer); }},
                     {"positions to sort", [=] { copy_and_sort::sort(answer); }},
                     {"fractions of an alignment", [=] { copy_and_sort::fractions(answer); }},
                     {"trained models", [=] { trained_models(answer); }, true}}};
}
