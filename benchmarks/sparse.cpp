// bench_sparse: trains models with several kinds of attention on reversed sequences. The attention weights
// are soft, sparse, limited to a window, or drawn at random. Models with the same batch size get the same
// batches.
// Prints one JSON object: exact match, mean number of non-zero weights per step, how much the gradient of the
// attention's parameters varies between random draws, and the weights of one source.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/data/reversal.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/train.hpp>
#include <gradus/nn/normaliser.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using namespace gradus;
using Json = nlohmann::ordered_json;
using Model = std::unique_ptr<models::Seq2Seq>;
using Pairs = std::vector<data::Pair>;

struct Options {
  std::uint64_t seed = 1;
  std::int64_t early = 100, steps = 600, draws = 200;
};

const data::Reversal task(10, 3, 8);
constexpr std::array<std::int64_t, 2> longer = {10, 12};

// A way to train a model. The output has one row for the trained model, and one more row for each number in
// `top_k`.
struct Method {
  std::string name;
  models::ModelOptions model = {};
  models::LossOptions loss = {};
  std::int64_t batch = 64;
  double energies = 1;                   // v_a, and so all energies, are multiplied by this before training
  std::vector<std::int64_t> top_k = {};  // also measured with only the k largest weights, for each k
};

std::vector<Method> methods() {
  const auto drawn = [](double temperature) {
    return models::ModelOptions{.attention = "gumbel", .attention_temperature = temperature};
  };
  const auto top = [](std::int64_t k) {
    return models::ModelOptions{.attention = "top_k", .attention_top_k = k};
  };
  return {{.name = "soft", .top_k = {1, 2, 4}},
          {.name = "sparsemax", .model = {.attention = "sparsemax"}},
          {.name = "top-1", .model = top(1)},
          {.name = "top-2", .model = top(2)},
          {.name = "top-4", .model = top(4)},
          {.name = "local-p", .model = {.attention = "local_p"}},
          {.name = "hard", .model = {.attention = "hard"}},
          {.name = "Gumbel", .model = drawn(1)},
          // Methods from above with other settings, for comparison.
          {.name = "soft, smoothed", .loss = {.attention_entropy = -0.3}, .top_k = {1, 2, 4}},
          {.name = "Gumbel, temperature 0.1", .model = drawn(0.1)},
          {.name = "Gumbel, temperature 10", .model = drawn(10)},
          {.name = "soft, batches of 4", .batch = 4},
          {.name = "hard, batches of 4", .model = {.attention = "hard"}, .batch = 4},
          {.name = "Gumbel, batches of 4", .model = drawn(1), .batch = 4},
          {.name = "soft, large energies", .energies = 1000},
          {.name = "sparsemax, large energies", .model = {.attention = "sparsemax"}, .energies = 1000}};
}

Pairs held_out(std::int64_t length) {
  Generator generator(2014);
  return task.held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, 200);
}

Pairs training_pairs(std::int64_t count, Generator& generator) {
  Pairs pairs;
  while (std::ssize(pairs) < count) {
    pairs.push_back(task.sample_training([&](std::uint64_t n) { return generator.below(n); }));
  }
  return pairs;
}

struct Score {
  double exact, non_zero;  // fraction of exact matches; mean number of non-zero weights per step
};

Score score(const models::Seq2Seq& model, const Pairs& pairs) {
  const data::Batch batch = data::make_batch(pairs);
  const auto outputs =
      models::greedy(model, tensor(batch.source, {batch.source_steps, batch.size}),
                     tensor(batch.source_lengths, {batch.size}), 2 * batch.source_steps + 10);
  double right = 0, non_zero = 0, steps = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    right += outputs[i].tokens == pairs[i].target;
    steps += static_cast<double>(outputs[i].weights.size(0));
    for (const float weight : outputs[i].weights.values<float>()) non_zero += weight != 0;
  }
  return {right / static_cast<double>(pairs.size()), non_zero / steps};
}

Json scores(const models::Seq2Seq& model) {
  double exact = 0, non_zero = 0, lengths = 0;
  for (std::int64_t length = task.min_length(); length <= task.max_length(); ++length, ++lengths) {
    const Score at = score(model, held_out(length));
    exact += at.exact;
    non_zero += at.non_zero;
  }
  Json row{{"exact", exact / lengths}, {"non_zero", non_zero / lengths}};
  for (const std::int64_t length : longer) {
    row["exact_" + std::to_string(length)] = score(model, held_out(length)).exact;
  }
  return row;
}

// The attention weights for the source a b c d e f, with teacher forcing: one row per target token.
Json alignment(const std::string& name, const models::Seq2Seq& model) {
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < 6; ++i) source.push_back(data::first_symbol + i);
  const data::Pair pair = task.make(source);
  const data::Batch batch = data::make_batch({&pair, 1});
  const auto output =
      model.forward(tensor(batch.source, {batch.source_steps, 1}), tensor(batch.source_lengths, {1}),
                    tensor(batch.target_in, {batch.target_steps, 1}));
  Json map{{"name", name}, {"source", Json::array()}, {"target", Json::array()}, {"weights", Json::array()}};
  for (const std::int64_t id : pair.source) map["source"].push_back(task.token_text(id));
  for (const std::int64_t id : pair.target) map["target"].push_back(task.token_text(id));
  for (const Tensor& weights : output.weights) map["weights"].push_back(weights.to_vector<double>());
  return map;
}

nn::AdditiveAttention& attention_of(const models::Seq2Seq& model) {
  return dynamic_cast<nn::AdditiveAttention&>(
      *dynamic_cast<models::BahdanauDecoder&>(*model.decoder).attention);
}

Model trained(const Method& method, const Options& options, std::int64_t steps) {
  gradus::seed(options.seed);
  Model model =
      models::make_model(method.model, {.source = task.vocabulary_size(), .target = task.vocabulary_size()});
  if (method.energies != 1) {
    Tensor v_a = attention_of(*model).v_a;
    for (float& v : v_a.mutable_values<float>()) v *= static_cast<float>(method.energies);
  }
  Generator generator(options.seed);
  const auto next = [&] { return data::make_batch(training_pairs(method.batch, generator)); };
  models::train(*model, next, {.steps = steps, .learning_rate = 0.003, .loss = method.loss});
  return model;
}

// ---- The variance of the gradient of the attention's parameters ----

std::vector<double> score_gradient(models::Seq2Seq& model, const Tensor& loss) {
  model.zero_grad();
  loss.backward();
  std::vector<double> all;
  for (const Tensor& parameter : attention_of(model).parameters()) {
    const auto one = parameter.grad().to_vector<double>();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The mean loss per token, with a separate batch for each pair. In a batch of one, REINFORCE has no baseline.
Tensor loss_one_by_one(const models::Seq2Seq& model, const Pairs& pairs, std::int64_t tokens) {
  Tensor total = zeros({});
  for (const data::Pair& pair : pairs) {
    const models::Loss one = models::loss(model, data::make_batch({&pair, 1}));
    total = total + one.total * (static_cast<double>(one.tokens) / static_cast<double>(tokens));
  }
  return total;
}

struct Moments {
  std::vector<double> mean;
  double variance;  // the sum of the variances of all elements of the gradient
};

template <class Loss>
Moments moments(models::Seq2Seq& model, std::int64_t draws, Loss loss) {
  gradus::seed(99);
  std::vector<double> sum, squares;
  for (std::int64_t i = 0; i < draws; ++i) {
    const std::vector<double> g = score_gradient(model, loss());
    sum.resize(g.size());
    squares.resize(g.size());
    for (std::size_t j = 0; j < g.size(); ++j) {
      sum[j] += g[j];
      squares[j] += g[j] * g[j];
    }
  }
  const auto n = static_cast<double>(draws);
  Moments result{sum, 0};
  for (std::size_t j = 0; j < sum.size(); ++j) {
    result.mean[j] /= n;
    result.variance += (squares[j] - n * result.mean[j] * result.mean[j]) / std::max(n - 1, 1.0);
  }
  return result;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Statistics of each estimator's gradient, on one batch of 16, for a hard-attention model after `steps`
// updates. `norm` estimates the norm of the expected gradient. Let m be the mean of the samples. ‖m‖² is too
// large by the variance of m. So norm² is ‖m‖² minus this variance, or 0 if the difference is negative.
Json variances(const Options& options, std::int64_t steps) {
  const Model model = trained({.name = "hard", .model = {.attention = "hard"}}, options, steps);
  Generator generator(77);
  const Pairs pairs = training_pairs(16, generator);
  const data::Batch batch = data::make_batch(pairs);
  model->train();
  const auto whole = [&] { return models::loss(*model, batch).total; };
  const auto one_by_one = [&] { return loss_one_by_one(*model, pairs, batch.target_tokens()); };
  Json rows = Json::array();
  std::vector<double> unbiased;
  const auto add = [&](const std::string& name, std::int64_t draws, const auto& loss) {
    const auto [mean, variance] = moments(*model, draws, loss);
    if (unbiased.empty()) unbiased = mean;
    const double noise = variance / static_cast<double>(draws);
    rows.push_back({{"name", name},
                    {"updates", steps},
                    {"norm", std::sqrt(std::max(dot(mean, mean) - noise, 0.0))},
                    {"deviation", std::sqrt(variance)},
                    {"cosine", dot(mean, unbiased) / std::sqrt(dot(mean, mean) * dot(unbiased, unbiased))}});
  };
  add("REINFORCE", options.draws, whole);
  add("REINFORCE without a baseline", options.draws, one_by_one);
  for (const auto& [name, temperature] :
       {std::pair{"Gumbel, temperature 0.1", 0.1}, {"Gumbel", 1.0}, {"Gumbel, temperature 10", 10.0}}) {
    attention_of(*model).set_normaliser(nn::normaliser::gumbel(temperature));
    add(name, options.draws, whole);
  }
  attention_of(*model).set_normaliser({});
  add("soft", 1, whole);
  return rows;
}

// Trains a model by one method. Appends its rows and its weights.
void measure(const Method& method, const Options& options, Json& rows, Json& alignments) {
  std::cerr << method.name << '\n';
  const double early = scores(*trained(method, options, options.early))["exact"];
  const Model model = trained(method, options, options.steps);
  Json row{{"name", method.name}, {"exact_early", early}};
  row.update(scores(*model));
  rows.push_back(row);
  alignments.push_back(alignment(method.name, *model));
  for (const std::int64_t k : method.top_k) {
    attention_of(*model).set_normaliser(nn::normaliser::top_k(k));
    row = {{"name", method.name + ", then top-" + std::to_string(k)}};
    row.update(scores(*model));
    rows.push_back(row);
  }
}

Json measured(const Options& options) {
  Json rows = Json::array(), gradients = Json::array(), alignments = Json::array();
  for (const Method& method : methods()) measure(method, options, rows, alignments);
  for (const std::int64_t steps : {options.early / 4, options.early}) {
    for (const Json& row : variances(options, steps)) gradients.push_back(row);
  }
  return {{"seed", options.seed},    {"early", options.early}, {"steps", options.steps},
          {"draws", options.draws},  {"rows", rows},           {"gradients", gradients},
          {"alignments", alignments}};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains attention with sparse, local and drawn weights on reversal, and prints JSON.");
  app.option_defaults()->always_capture_default();
  app.add_option("--seed", options.seed, "seed of parameters, batches and draws");
  app.add_option("--early", options.early, "updates before the first measurement")
      ->check(CLI::Range(4, 1000000));
  app.add_option("--steps", options.steps, "updates before the last measurement")
      ->check(CLI::Range(4, 1000000));
  app.add_option("--draws", options.draws, "gradients for the variance")->check(CLI::Range(2, 1000000));
  CLI11_PARSE(app, argc, argv);
  set_threads(1);
  std::cout << measured(options).dump() << '\n';
  return 0;
}
