#include <gradus/autograd/random.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/row_products.hpp>
#include <gradus/serve/scheduler.hpp>

#include <thread>

#include "catch.hpp"
#include "no_threads.hpp"

using namespace gradus;
using namespace gradus::models;

namespace {

constexpr std::int64_t vocabulary = 23;

std::unique_ptr<Seq2Seq> small_model() {
  gradus::seed(1);
  auto model =
      make_model({.embedding = 10, .hidden = 20, .energy = 12}, {.source = vocabulary, .target = vocabulary});
  model->eval();
  return model;
}

std::vector<std::int64_t> random_source(Generator& random, std::int64_t most) {
  std::vector<std::int64_t> source(1 +
                                   static_cast<std::size_t>(random.uniform() * static_cast<double>(most)));
  for (std::int64_t& token : source)
    token = data::first_symbol + static_cast<std::int64_t>(random.uniform() * 19);
  return source;
}

}  // namespace

TEST_CASE("a scheduler gives every client of many the bits that decode gives", "[serve][threads]") {
  const auto model = small_model();
  const nn::RowProducts same_bits(*model);
  serve::Scheduler scheduler(*model, {.workers = 2, .most_rows = 16});
  struct Asked {
    std::vector<std::int64_t> source;
    std::int64_t width;
    std::vector<Decoded> found;
  };
  std::vector<std::vector<Asked>> asked(6);
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    clients.emplace_back([&, c] {
      Generator random(c);
      for (int i = 0; i < 12; ++i) {
        const std::int64_t width = 1 + static_cast<std::int64_t>(random.uniform() * 4);
        Asked one{random_source(random, i % 6 == 5 ? 90 : 10), width, {}};
        auto tickets = scheduler.submit({{.source = one.source,
                                          .search = beam_search_steps({.width = width, .n_best = width}),
                                          .max_steps = 12,
                                          .rows = width}});
        one.found = tickets.at(0).outputs.get();
        asked[c].push_back(std::move(one));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const auto& of_client : asked) {
    for (const Asked& one : of_client) {
      const auto alone = decode(*model, std::vector<std::decay_t<decltype(one.source)>>{one.source},
                                beam_search({.width = one.width, .n_best = one.width}), {.max_steps = 12})[0];
      REQUIRE(one.found.size() == alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        CHECK(one.found[i].tokens == alone[i].tokens);
        CHECK(one.found[i].score == alone[i].score);
        CHECK(std::ranges::equal(one.found[i].weights.values<float>(), alone[i].weights.values<float>()));
      }
    }
  }
  CHECK(scheduler.load().steps > 0);
}

TEST_CASE("a short job ends while a long one runs", "[serve][threads]") {
  const auto model = small_model();
  serve::Scheduler scheduler(*model, {.workers = 1});
  // A request that takes so long that it only ends when the test cancels it.
  const Constraints endless{.min_length = 1'000'000};
  auto slow = scheduler.submit({{.source = {5, 6}, .search = greedy_steps(endless), .max_steps = 1'000'001}});
  auto fast = scheduler.submit({{.source = {5, 6}, .search = greedy_steps(), .max_steps = 3}});
  CHECK(fast.at(0).outputs.get().size() == 1);
  CHECK(slow.at(0).outputs.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  *slow[0].cancelled = true;
  CHECK(slow[0].outputs.get().empty());
}

TEST_CASE("a scheduler refuses more jobs than its queue holds, and finishes those it took",
          "[serve][threads]") {
  const auto model = small_model();
  std::vector<serve::Ticket> taken;
  {
    serve::Scheduler scheduler(*model, {.workers = 1, .most_waiting = 3});
    const serve::Job job{.source = {5, 6}, .search = greedy_steps(), .max_steps = 5};
    CHECK(scheduler.submit({job, job, job, job}).empty());
    taken = scheduler.submit({job, job, job});
    CHECK(taken.size() == 3);
  }
  for (serve::Ticket& ticket : taken) CHECK(ticket.outputs.get().size() == 1);
}

TEST_CASE("a scheduler whose threads cannot be started is an error", "[serve][errors]") {
  const auto model = small_model();
  std::string error;
  try {
    const NoThreads no_threads;
    const serve::Scheduler scheduler(*model, {.workers = 3});
  } catch (const Error& found) {
    error = found.what();
  }
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring(" of 3 threads could be started ("));
}

TEST_CASE("a job that fails does not harm the others", "[serve][threads]") {
  const auto model = small_model();
  serve::Scheduler scheduler(*model, {.workers = 1});
  auto tickets = scheduler.submit({{.source = {5, 6}, .search = greedy_steps(), .max_steps = 5},
                                   {.source = {vocabulary}, .search = greedy_steps(), .max_steps = 5},
                                   {.source = {7}, .search = greedy_steps(), .max_steps = 5}});
  CHECK(tickets.at(0).outputs.get().size() == 1);
  CHECK_THROWS_AS(tickets.at(1).outputs.get(), Error);
  CHECK(tickets.at(2).outputs.get().size() == 1);
}

TEST_CASE("a scheduler with a cache gives a source that returns the same bits", "[serve][threads]") {
  const auto model = small_model();
  const nn::RowProducts same_bits(*model);
  serve::Scheduler scheduler(*model, {.workers = 2, .cache_bytes = 1 << 20});
  Generator random(1);
  const auto source = random_source(random, 10);
  const auto other = random_source(random, 20);
  const auto alone =
      decode(*model, std::vector<std::decay_t<decltype(source)>>{source}, greedy(), {.max_steps = 12})[0][0];
  for (int i = 0; i < 5; ++i) {
    auto tickets = scheduler.submit({{.source = source, .search = greedy_steps(), .max_steps = 12},
                                     {.source = other, .search = greedy_steps(), .max_steps = 12}});
    const Decoded found = tickets.at(0).outputs.get()[0];
    CHECK(found.tokens == alone.tokens);
    CHECK(found.token_log_probabilities == alone.token_log_probabilities);
    tickets.at(1).outputs.get();
  }
  const models::StartCache::Use use = scheduler.load().cache;
  CHECK(use.hits == 8);
  CHECK(use.misses == 2);
  CHECK(use.bytes > 0);
}
