#include <gradus/autograd/random.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/running_batch.hpp>
#include <gradus/nn/row_products.hpp>

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "catch.hpp"

using namespace gradus;
using namespace gradus::models;

namespace {

constexpr std::int64_t vocabulary = 23;

using Kept = std::vector<Decoded>;

// A source and its search. The search has two forms: `steps` for a running batch, `search` for decode().
struct Request {
  std::vector<std::int64_t> source;
  SearchSteps steps;
  Search search;  // copy before each use: a search that samples has a generator
  MaxSteps max_steps;
};

Request random_request(Generator& random, bool attends) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.uniform() * static_cast<double>(n));
  };
  Request request;
  for (std::int64_t n = 1 + below(12); n > 0; --n)
    request.source.push_back(data::first_symbol + below(vocabulary - 4));
  request.max_steps = 1 + below(20);
  const Constraints constraints{.min_length = below(3), .no_repeat_ngram = below(3)};
  if (const auto kind = below(4); kind == 0) {
    request.steps = greedy_steps(constraints);
    request.search = greedy(constraints);
  } else if (kind == 1) {
    const SamplingOptions options{
        .temperature = 0.5 + random.uniform(), .top_k = below(5), .constraints = constraints};
    const Generator generator(static_cast<std::uint64_t>(below(1000)));
    request.steps = sample_steps(options, generator);
    request.search = sample(options, generator);
  } else {
    const std::int64_t width = 1 + below(5);
    const BeamOptions options{.width = width,
                              .n_best = 1 + below(width),
                              .coverage_penalty = attends ? 0.2 : 0,
                              .constraints = constraints};
    request.steps = beam_search_steps(options);
    request.search = beam_search(options);
  }
  return request;
}

void check_same(const Kept& found, const Kept& alone) {
  REQUIRE(found.size() == alone.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tokens == alone[i].tokens);
    CHECK(found[i].token_log_probabilities == alone[i].token_log_probabilities);  // bit for bit
    CHECK(found[i].score == alone[i].score);
    REQUIRE(found[i].weights.defined() == alone[i].weights.defined());
    if (!found[i].weights.defined()) continue;
    CHECK(found[i].weights.shape() == alone[i].weights.shape());
    CHECK(std::ranges::equal(found[i].weights.values<float>(), alone[i].weights.values<float>()));
  }
}

// Decodes the requests in a running batch. Requests join at random steps, and some of them are cancelled.
std::map<RunningBatch::Id, Kept> run_mixed(const Ensemble& model, const std::vector<Request>& requests,
                                           Generator& random, StartCache* cache = nullptr) {
  RunningBatch batch(model, cache);
  std::map<RunningBatch::Id, Kept> found;
  std::size_t next = 0;
  while (next < requests.size() || !batch.empty()) {
    std::vector<RunningBatch::Newcomer> newcomers;
    while (next < requests.size() && random.uniform() < 0.4) {
      const Request& one = requests[next];
      newcomers.push_back({next++, one.source, one.steps, one.max_steps});
    }
    batch.join(newcomers);
    batch.step();
    if (random.uniform() < 0.02) batch.cancel(next / 2);
    for (auto& [id, outputs] : batch.take_finished()) found[id] = std::move(outputs);
  }
  return found;
}

void check_mixture(const ModelOptions& options, std::uint64_t seed) {
  INFO(options.decoder << ", " << options.attention << ", layers " << options.layers << ", seed " << seed);
  gradus::seed(seed);
  const auto model = make_model(options, {.source = vocabulary, .target = vocabulary});
  model->eval();
  const nn::RowProducts same_bits(*model);
  Generator random(seed);
  std::vector<Request> requests;
  const bool attends = options.decoder == "bahdanau";
  for (int i = 0; i < 40; ++i) requests.push_back(random_request(random, attends));
  const auto found = run_mixed(*model, requests, random);
  CHECK(found.size() >= 30);  // the others were cancelled
  for (const auto& [id, outputs] : found) {
    const Request& one = requests[id];
    check_same(outputs, decode(*model, std::vector<std::decay_t<decltype(one.source)>>{one.source},
                               Search(one.search), {.max_steps = one.max_steps})[0]);
  }
}

}  // namespace

TEST_CASE("sources that join and leave a running batch get the bits that they get on their own",
          "[models][search][threads]") {
  for (const auto& [name, kind] : Registry::standard().attentions) {
    check_mixture({.attention = name, .embedding = 10, .hidden = 20, .energy = 12}, 3);
  }
  check_mixture({.decoder = "fixed", .embedding = 10, .hidden = 20}, 5);
  check_mixture({.decoder = "cho", .embedding = 10, .hidden = 20}, 6);
  check_mixture({.cell = Cell::lstm, .embedding = 10, .hidden = 20, .energy = 12}, 7);
  check_mixture({.embedding = 10, .hidden = 20, .energy = 12, .layers = 2}, 8);
  check_mixture({.embedding = 10, .hidden = 20, .energy = 12, .convolution = true}, 10);
  check_mixture({.embedding = 20, .hidden = 20, .energy = 12, .tied = Tied::output}, 9);
}

TEST_CASE("running batches of one model in several threads do not disturb each other",
          "[models][search][threads]") {
  gradus::seed(1);
  const auto model =
      make_model({.embedding = 10, .hidden = 20, .energy = 12}, {.source = vocabulary, .target = vocabulary});
  model->eval();
  const nn::RowProducts same_bits(*model);
  Generator random(2);
  std::vector<Request> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(random_request(random, true));
  std::vector<std::map<RunningBatch::Id, Kept>> found(3);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      Generator order(t);
      found[t] = run_mixed(*model, requests, order);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& results : found) {
    for (const auto& [id, outputs] : results) {
      const Request& one = requests[id];
      check_same(outputs, decode(*model, std::vector<std::decay_t<decltype(one.source)>>{one.source},
                                 Search(one.search), {.max_steps = one.max_steps})[0]);
    }
  }
}

TEST_CASE("a running batch writes given targets as force_decode does", "[models][search]") {
  gradus::seed(1);
  const auto model =
      make_model({.embedding = 10, .hidden = 20, .energy = 12}, {.source = vocabulary, .target = vocabulary});
  model->eval();
  const nn::RowProducts same_bits(*model);
  const std::vector<data::Pair> pairs{{{5, 6, 7}, {8, 9, data::eos}}, {{4}, {10, data::eos}}};
  RunningBatch batch(*model);
  std::vector<RunningBatch::Newcomer> newcomers;
  for (const data::Pair& pair : pairs)
    newcomers.push_back({newcomers.size(), pair.source, forced_steps(pair.target), {}});
  batch.join(newcomers);
  std::size_t finished = 0;
  while (!batch.empty()) {
    for (const auto& [id, outputs] : batch.take_finished()) {
      check_same(outputs,
                 {force_decode(*model, std::vector<std::decay_t<decltype(pairs[id])>>{pairs[id]})[0]});
      ++finished;
    }
    batch.step();
  }
  CHECK(finished == 2);
  CHECK_THROWS_WITH(forced_steps({data::bos}),
                    Catch::Matchers::ContainsSubstring("ordinary tokens start at 3"));
}

TEST_CASE("all sources leave a running batch if a search throws", "[models][search][errors]") {
  gradus::seed(1);
  const auto model =
      make_model({.embedding = 10, .hidden = 20}, {.source = vocabulary, .target = vocabulary});
  model->eval();
  RunningBatch batch(*model);
  const std::vector<std::int64_t> source{5, 6};
  const std::vector<RunningBatch::Newcomer> newcomers{
      {1, source, forced_steps({5, 6, 7, data::eos}), {}},
      {2, source, forced_steps({5, vocabulary, 7, data::eos}), {}},
      {3, source, forced_steps({5, 6, 7, data::eos}), {}}};
  batch.join(newcomers);
  CHECK_THROWS_WITH(batch.step(), Catch::Matchers::ContainsSubstring("outside the vocabulary"));
  CHECK(batch.empty());
  batch.join({&newcomers[0], 1});
  while (batch.size() > 0) {
    batch.step();
    for (const auto& [id, outputs] : batch.take_finished()) {
      CHECK(id == 1);
      CHECK(outputs[0].tokens == std::vector<std::int64_t>{5, 6, 7, data::eos});
    }
  }
}

TEST_CASE("a cancelled source leaves a running batch without results", "[models][search]") {
  gradus::seed(1);
  const auto model =
      make_model({.embedding = 10, .hidden = 20}, {.source = vocabulary, .target = vocabulary});
  model->eval();
  RunningBatch batch(*model);
  const std::vector<std::int64_t> source{5, 6};
  batch.join(std::vector<RunningBatch::Newcomer>{{7, source, greedy_steps(), 20},
                                                 {8, source, beam_search_steps({.width = 3}), 20}});
  CHECK(batch.size() == 2);
  batch.cancel(7);
  batch.cancel(99);
  CHECK(batch.size() == 1);
  while (!batch.empty()) {
    batch.step();
    for (const auto& finished : batch.take_finished()) CHECK(finished.id == 8);
  }
}

TEST_CASE("a running batch refuses empty sources and models in training mode", "[models][search][errors]") {
  const auto model =
      make_model({.embedding = 10, .hidden = 20}, {.source = vocabulary, .target = vocabulary});
  CHECK_THROWS_WITH(RunningBatch(*model),
                    Catch::Matchers::ContainsSubstring("training mode; call eval() first"));
  model->eval();
  RunningBatch batch(*model);
  const std::vector<std::int64_t> source{5, 6};
  CHECK_THROWS_WITH(batch.join(std::vector<RunningBatch::Newcomer>{{1, source, greedy_steps(), 20},
                                                                   {2, {}, greedy_steps(), 20}}),
                    Catch::Matchers::ContainsSubstring("source 1 is empty"));
  CHECK(batch.empty());
}

namespace {

// A start whose memory has `annotations` annotations of size 1, all equal to `value`.
StartCache::Starts start_of(std::int64_t annotations, double value) {
  return {{.state = {},
           .memory = {.values = full({annotations, 1, 1}, value), .keys = Tensor(), .lengths = Tensor()}}};
}

// Decodes with an ensemble of models that have these options, and with a cache. Every third source is new,
// and the others repeat earlier sources. So new sources and sources from the cache join together.
void check_cached(const std::vector<ModelOptions>& members) {
  gradus::seed(4);
  std::vector<std::unique_ptr<Seq2Seq>> models;
  std::vector<const Seq2Seq*> pointers;
  std::list<nn::RowProducts> same_bits;
  bool attends = true;
  for (const ModelOptions& options : members) {
    INFO(options.decoder << ", " << options.attention << ", layers " << options.layers);
    models.push_back(make_model(options, {.source = vocabulary, .target = vocabulary}));
    models.back()->eval();
    pointers.push_back(models.back().get());
    same_bits.emplace_back(*models.back());
    attends = attends && options.decoder == "bahdanau";
  }
  const Ensemble model(pointers);
  Generator random(4);
  std::vector<Request> requests;
  for (int i = 0; i < 60; ++i) {
    requests.push_back(random_request(random, attends));
    if (i % 3 != 0) requests.back().source = requests[static_cast<std::size_t>(i / 6 * 3)].source;
  }
  StartCache cache(1 << 20);
  const auto found = run_mixed(model, requests, random, &cache);
  CHECK(cache.use().hits >= 30);
  CHECK(cache.use().misses >= 20);
  for (const auto& [id, outputs] : found) {
    const Request& one = requests[id];
    check_same(outputs, decode(model, std::vector<std::decay_t<decltype(one.source)>>{one.source},
                               Search(one.search), {.max_steps = one.max_steps})[0]);
  }
}

double value_of(const std::optional<StartCache::Starts>& starts) {
  REQUIRE(starts);
  return starts->front().memory.values.values<float>()[0];
}

}  // namespace

TEST_CASE("a cache of starts does not change the bits of sources that return", "[models][search]") {
  check_cached({{.embedding = 10, .hidden = 20, .energy = 12}});
  check_cached({{.cell = Cell::lstm, .embedding = 10, .hidden = 20, .energy = 12, .layers = 2}});
  check_cached({{.decoder = "cho", .embedding = 10, .hidden = 20}});
  check_cached({{.embedding = 10, .hidden = 20, .energy = 12, .convolution = true}});
  check_cached({{.attention = "location", .embedding = 10, .hidden = 20, .energy = 12},
                {.embedding = 12, .hidden = 16, .energy = 10}});
}

TEST_CASE("a cache of starts drops the source that was not used for the longest time", "[models][search]") {
  const std::vector<std::int64_t> a{4}, b{5}, c{4, 5}, d{6};
  StartCache cache(100);  // a start of 10 f32 numbers and a source of one token have 48 bytes
  cache.insert(a, start_of(10, 1));
  cache.insert(b, start_of(10, 2));
  CHECK(cache.use().bytes == 96);
  CHECK(value_of(cache.find(a)) == 1);
  cache.insert(d, start_of(10, 3));
  CHECK(value_of(cache.find(a)) == 1);
  CHECK(value_of(cache.find(d)) == 3);
  CHECK_FALSE(cache.find(b));
  CHECK(cache.use().bytes == 96);

  cache.insert(a, start_of(10, 4));  // known: the first start stays
  CHECK(value_of(cache.find(a)) == 1);
  cache.insert(c, start_of(22, 5));  // 104 bytes: too large
  CHECK_FALSE(cache.find(c));
  cache.insert(c, start_of(21, 6));  // 100 bytes: takes the place of both others
  CHECK(value_of(cache.find(c)) == 6);
  CHECK(cache.use().bytes == 100);
  CHECK(cache.use().hits == 5);
  CHECK(cache.use().misses == 2);
}
