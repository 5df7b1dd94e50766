#include "workload.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "catch.hpp"

using bench::Config;
using gradus::data::Batch;

namespace {

const Config& config_of(std::string_view name) {
  return *std::ranges::find(bench::configs(), name, &Config::name);
}

std::set<std::int64_t> values(const std::vector<std::int64_t>& of) { return {of.begin(), of.end()}; }

std::vector<float> initial_weights(std::string_view name, std::size_t count, std::uint64_t seed) {
  std::vector<float> weights(count);
  bench::set_initial_weights(weights, name, seed);
  return weights;
}

}  // namespace

TEST_CASE("a workload's lengths take every value from half of the longest to the longest", "[benchmarks]") {
  for (const Config& config : bench::configs()) {
    CAPTURE(config.name);
    std::set<std::int64_t> sources, targets;
    for (const Batch& batch : bench::make_batches(config, config.B, 1)) {
      CHECK(batch.size == config.B);
      sources.merge(values(batch.source_lengths));
      targets.merge(values(batch.target_lengths));
    }
    CHECK(*sources.begin() == config.Tx / 2);
    CHECK(*sources.rbegin() == config.Tx);
    CHECK(std::ssize(sources) == config.Tx - config.Tx / 2 + 1);
    CHECK(*targets.begin() == config.Ty / 2);
    CHECK(*targets.rbegin() == config.Ty);
    CHECK(std::ssize(targets) == config.Ty - config.Ty / 2 + 1);
  }
}

TEST_CASE("a workload's ids take every value from the first symbol to the last", "[benchmarks]") {
  const Config& tiny = config_of("tiny");
  std::set<std::int64_t> ids;
  for (const Batch& batch : bench::make_batches(tiny, tiny.B, 1)) ids.merge(values(batch.source));
  ids.erase(gradus::data::pad);
  CHECK(*ids.begin() == gradus::data::first_symbol);
  CHECK(*ids.rbegin() == tiny.V - 1);
  CHECK(std::ssize(ids) == tiny.V - gradus::data::first_symbol);
}

TEST_CASE("a seed determines a workload, on any machine", "[benchmarks]") {
  const Config& tiny = config_of("tiny");
  const auto batches = bench::make_batches(tiny, 3, 1);
  CHECK(batches.size() == bench::batch_count);
  CHECK(batches[7].source == bench::make_batches(tiny, 3, 1)[7].source);
  CHECK(batches[7].source != bench::make_batches(tiny, 3, 2)[7].source);
  CHECK(batches[0].source != batches[1].source);
  CHECK(batches[0].source_lengths == std::vector<std::int64_t>{8, 10, 8});
  const auto weights = initial_weights("decoder.W_s.weight", 2, 1);
  CHECK(weights == std::vector<float>{-0x1.da7accp-5F, 0x1.3473aep-6F});
}

TEST_CASE("first weights fill their range, and differ by name", "[benchmarks]") {
  const auto weights = initial_weights("encoder.embedding.weight", 10000, 1);
  CHECK(std::ranges::max(weights) <= 0.08F);
  CHECK(std::ranges::max(weights) > 0.0799F);
  CHECK(std::ranges::min(weights) >= -0.08F);
  CHECK(std::ranges::min(weights) < -0.0799F);
  CHECK(weights != initial_weights("decoder.embedding.weight", 10000, 1));
  CHECK(weights != initial_weights("encoder.embedding.weight", 10000, 2));
}

TEST_CASE("the useful work of a step", "[benchmarks]") {
  // One sentence of two source tokens and three target tokens. Every size is 1 except V = 5. Multiply-adds by
  // the formula: encoder 2·2·3·2 = 24, keys 2·2 = 4, s_0 1, query 3, attention 6·3 = 18, decoder 3·3·4 = 36,
  // readout 3·4·5 = 60.
  const Config one{
      .name = "one", .V = 5, .E = 1, .H = 1, .A = 1, .B = 1, .Tx = 2, .Ty = 3, .steps = 1, .warmup = 0};
  const std::vector<gradus::data::Pair> pairs = {{.source = {3, 4}, .target = {3, 4, gradus::data::eos}}};
  const Batch batch = gradus::data::make_batch(pairs);
  CHECK(bench::train_flop(one, batch) == 6 * (24 + 4 + 1 + 3 + 18 + 36 + 60));
  CHECK(bench::decode_flop(one, batch, 3) == 2 * (24 + 4 + 1 + 3 + 18 + 36 + 60));

  // With a maxout of size 2, the readout is 3·(4·2·2 + 2·5) = 78 instead of 60.
  Config with_maxout = one;
  with_maxout.preset = "bahdanau";
  with_maxout.maxout = 2;
  CHECK(bench::train_flop(with_maxout, batch) == 6 * (24 + 4 + 1 + 3 + 18 + 36 + 78));

  // Two layers, one direction, and logits that depend on s only: encoder 2·3·(2 + 2) = 24, keys 2, query 3,
  // attention 6·2 = 12, decoder 3·3·(3 + 2) = 45, readout 3·5 = 15.
  Config d2l = one;
  d2l.preset = "d2l";
  d2l.layers = 2;
  d2l.directions = 1;
  CHECK(bench::train_flop(d2l, batch) == 6 * (24 + 2 + 3 + 12 + 45 + 15));
}

TEST_CASE("the exact configurations have the sizes of the others of that name", "[benchmarks]") {
  for (const std::string name : {"d2l", "paper"}) {
    CAPTURE(name);
    const Config &plain = config_of(name), &exact = config_of(name + "-exact");
    const auto sizes = [](const Config& c) {
      return std::vector{c.V, c.E, c.H, c.A, c.B, c.Tx, c.Ty, c.steps, c.warmup};
    };
    CHECK(sizes(exact) == sizes(plain));
    CHECK(plain.preset.empty());
    CHECK(!exact.preset.empty());
  }
}
