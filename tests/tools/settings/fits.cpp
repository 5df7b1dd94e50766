// The estimate of how much memory settings need, and the refusal of settings that need too much.

#include "settings/fits.hpp"

#include <gradus/autograd/memory.hpp>
#include <gradus/models/seq2seq.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograd/helpers.hpp"
#include "autograd/memory/sanitizers.hpp"
#include "settings/free_memory.hpp"
#include "settings/least_size.hpp"
#include "settings/search_options.hpp"
#include "settings/usage_error.hpp"
#include "tools/run.hpp"

namespace models = gradus::models;
namespace tools = gradus::tools;
using models::Cell;
using models::ModelOptions;

namespace {

// Sizes unlike the defaults, and so large that matrices dominate the memory.
ModelOptions sized(ModelOptions options) {
  options.embedding = 40;
  options.hidden = options.bridge == models::Bridge::copy ? 30 : 52;
  options.energy = 36;
  options.maxout = 44;
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the least size of a model is at most 5 % below its size", "[tools][fits]") {
  std::vector<ModelOptions> all = {
      sized({}),
      sized({.attention = "dot"}),
      sized({.attention = "location"}),
      sized({.attention = "location", .location = {.filters = 40, .width = 101}}),
      sized({.attention = "monotonic"}),
      sized({.attention = "scaled_dot", .bidirectional = false}),
      sized({.attention = "shared_additive"}),
      sized({.attention = "shared_additive", .bidirectional = false}),
      sized({.attention = "sparsemax"}),
      sized({.attention = "top_k"}),
      sized({.attention = "local_p", .bidirectional = false}),
      sized({.attention = "hard"}),
      sized({.attention = "gumbel"}),
      sized({.cell = Cell::lstm, .layers = 3}),
      sized({.pyramid = 1, .bidirectional = false, .bridge = models::Bridge::zeros}),
      sized({.pyramid = 3}),
      sized({.convolution = true}),
      sized({.attention = "local_p", .convolution = true, .bidirectional = false}),
      sized({.decoder = "fixed", .convolution = true}),
      sized({.cell = Cell::rnn, .bridge = models::Bridge::summary}),
      sized({.bridge = models::Bridge::zeros, .readout = models::ReadoutForm::maxout}),
      sized({.readout = models::ReadoutForm::state, .tied = models::Tied::output}),
      sized({.readout = models::ReadoutForm::maxout_earlier, .tied = models::Tied::all}),
      sized({.decoder = "cho"}),
      sized({.decoder = "cho", .cell = Cell::lstm, .bridge = models::Bridge::zeros}),
      sized({.decoder = "fixed", .bidirectional = false, .bridge = models::Bridge::copy}),
      sized({.decoder = "fixed", .layers = 2, .readout = models::ReadoutForm::linear}),
  };
  for (const std::string& name : models::preset_names()) {
    ModelOptions preset = models::preset(name);
    preset.hidden = std::min<std::int64_t>(preset.hidden, 60);  // makes the models faster to build
    preset.embedding = std::min<std::int64_t>(preset.embedding, 50);
    preset.maxout = std::min<std::int64_t>(preset.maxout, 40);
    preset.energy = std::min<std::int64_t>(preset.energy, 40);
    all.push_back(preset);
  }
  const models::Vocabularies vocabularies{.source = 90, .target = 90};
  const models::Registry standard = models::Registry::standard();
  for (const ModelOptions& options : all) {
    INFO(options.decoder << ' ' << options.attention << ' ' << options.layers);
    const double least = tools::least_size(options, vocabularies, standard).parameters;
    const auto parameters = static_cast<double>(models::make_model(options, vocabularies)->parameter_count());
    CHECK(least <= parameters);
    CHECK(least >= 0.95 * parameters);
  }
}

TEST_CASE("sizes beyond memory are refused before allocating, with an estimate", "[tools][fits][long]") {
  const Scratch scratch;
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"train", "--task", "reverse", "--out", scratch.path() / "run"};
    all.insert(all.end(), more.begin(), more.end());
    const auto before = gradus::memory_stats().live_bytes;
    const Ran ran = run(all);
    CHECK(ran.code == 1);
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "run"));
    CHECK(gradus::memory_stats().peak_bytes < before + (std::int64_t{1} << 30));
    INFO(ran.err);
    CHECK(contains(ran.err, " of memory"));
    CHECK(contains(ran.err, " are free"));
    CHECK(ran.err.find('\n') == ran.err.size() - 1);
    return ran.err;
  };
  const std::string wide = refusal({"--hidden", "10000000"});
  CHECK(contains(wide, "gradus train: a model of 1.6"));
  CHECK(contains(wide, " parameters needs at least 44.8 PB of memory"));
  CHECK(contains(wide, " are free; lower --hidden\n"));
  CHECK(contains(refusal({"--layers", "1000000000000"}), " are free; lower --layers\n"));
  CHECK(contains(refusal({"--hidden", "2", "--embedding", "2", "--energy", "2", "--layers", "1000000000"}),
                 " are free; lower --layers\n"));
  CHECK(contains(refusal({"--embedding", "1000000000000000"}), " are free; lower --embedding\n"));
  CHECK(contains(refusal({"--energy", "100000000000000"}), " are free; lower --energy\n"));
  CHECK(contains(refusal({"--examples", "1000000", "--max-length", "1000000"}),
                 "corpus: a task of 501001503000 symbols needs at least 50.1 TB of memory"));
  CHECK(contains(refusal({"--held-out", "1000000", "--test-max-length", "1000000"}), "corpus: a task of "));
}

TEST_CASE("a batch beyond memory is refused too", "[tools][fits]") {
  tools::Settings settings = tools::default_settings();
  settings.model.embedding = settings.model.hidden = settings.model.energy = 1;
  const std::vector<gradus::data::Pair> pairs(10,
                                              {.source = {5}, .target = std::vector<std::int64_t>(100, 5)});
  const auto check = [&](std::int64_t target) {
    tools::check_training_fits(settings, {.source = 9, .target = target}, pairs,
                               models::Registry::standard());
  };
  CHECK_NOTHROW(check(1000));
  CHECK_THROWS_WITH(check(1'000'000'000'000),
                    Catch::Matchers::ContainsSubstring("a batch of 10 pairs 4 PB, but ") &&
                        Catch::Matchers::EndsWith("are free; lower --words"));
}

TEST_CASE("a large batch of a usual model is what to lower", "[tools][fits]") {
  tools::Settings settings = tools::default_settings();
  const std::vector<gradus::data::Pair> pairs(
      50, {.source = {5}, .target = std::vector<std::int64_t>(100'000, 5)});
  const auto check = [&](const std::string& option) {
    CHECK_THROWS_WITH(tools::check_training_fits(settings, {.source = 100'000, .target = 100'000}, pairs,
                                                 models::Registry::standard()),
                      Catch::Matchers::EndsWith("are free; lower " + option));
  };
  settings.batches.sentences = 1'000'000;
  check("--batch");
  settings.batches.tokens = 100'000'000;
  check("--batch-tokens");
}

TEST_CASE("a batch in shards needs the memory of one shard", "[tools][fits]") {
  tools::Settings settings = tools::default_settings();
  settings.model.embedding = settings.model.hidden = settings.model.energy = 1;
  const std::vector<gradus::data::Pair> pairs(
      64, {.source = {5}, .target = std::vector<std::int64_t>(100'000, 5)});
  const auto twice_free = static_cast<std::int64_t>(tools::free_memory() / (4 * 64 * 100'000) * 2);
  const auto check = [&] {
    tools::check_training_fits(settings, {.source = 9, .target = twice_free}, pairs,
                               models::Registry::standard());
  };
  CHECK_THROWS_WITH(check(), Catch::Matchers::ContainsSubstring("a batch of 64 pairs "));
  settings.trainer.shards = 2;
  CHECK_THROWS_WITH(check(), Catch::Matchers::ContainsSubstring("a batch of 64 pairs in 2 shards "));
  settings.trainer.shards = 8;
  CHECK_NOTHROW(check());
}

TEST_CASE("frozen embeddings need no gradients and averages", "[tools][fits]") {
  tools::Settings settings = tools::default_settings();
  settings.model.embedding = 100;
  settings.model.tied = models::Tied::output;
  const std::vector<gradus::data::Pair> pairs(1, {.source = {5}, .target = {5}});
  // Adam needs 28 bytes for each number of a trained embedding, and 8 bytes if the embedding is frozen.
  const auto words = static_cast<std::int64_t>(tools::free_memory() / (16 * 100));
  const auto check = [&](const models::Vocabularies& vocabularies) {
    tools::check_training_fits(settings, vocabularies, pairs, models::Registry::standard());
  };
  settings.run.source_embeddings = "words.vec";
  CHECK_THROWS(check({.source = words, .target = 9}));
  settings.run.freeze_embeddings = true;
  CHECK_NOTHROW(check({.source = words, .target = 9}));
  CHECK_THROWS(check({.source = 4 * words, .target = 9}));
  CHECK_THROWS(check({.source = 9, .target = words}));  // only the source's embedding is frozen
  settings.model.tied = models::Tied::all;
  CHECK_NOTHROW(check({.source = words, .target = words}));
}

TEST_CASE("a gradient check beyond memory is refused before the model is built", "[tools][fits][gradcheck]") {
  const auto check = [](const std::string& option, const std::string& value) {
    const auto before = gradus::memory_stats().live_bytes;
    const Ran ran = run({"gradcheck", option, value});
    CHECK(ran.code == 1);
    CHECK(ran.out == "");
    CHECK(ran.err.starts_with("gradus gradcheck: a model of "));
    CHECK(contains(ran.err, " parameters needs at least "));
    CHECK(contains(ran.err, " of memory to check, but "));
    CHECK(ran.err.ends_with(" are free; lower " + option + "\n"));
    CHECK(gradus::memory_stats().peak_bytes < before + (std::int64_t{1} << 30));
  };
  check("--layers", "1000000000000");
  check("--hidden", "30000000");
  check("--embedding", "1000000000000");
  check("--energy", "1000000000000");
}

TEST_CASE("a beam that is too wide is refused with the largest that fits", "[tools][fits]") {
  const Scratch scratch;
  const std::string model = write_small_model(scratch.path());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"translate", "--model", model}, {"evaluate", "--model", model}}) {
    std::vector<std::string> wide = command;
    wide.insert(wide.end(), {"--beam", "10001"});
    CHECK(run(wide, "a\n").err ==
          "gradus " + command[0] +
              ": --beam: expected a whole number from 1 to 10000, found 10001; 'gradus " + command[0] +
              " --help' lists the options\n");
  }
  CHECK_NOTHROW(tools::check_beam_fits(10000, 100));
  try {
    tools::check_beam_fits(10000, 1'000'000'000'000);
    FAIL("too wide a beam is accepted");
  } catch (const tools::UsageError& error) {
    const std::string message = error.what();
    CHECK(message.starts_with("--beam 10000 needs at least 40 PB of memory for each sentence, but "));
    CHECK(contains(message, " are free; give at most --beam "));
  }
}

TEST_CASE("a wide beam takes fewer sentences at a time", "[tools][fits]") {
  tools::SearchOptions search;
  const std::int64_t usual = search.translation().batch_tokens;
  search.beam.width = 16;
  CHECK(search.translation().batch_tokens == usual);
  search.beam.width = 64;
  CHECK(search.translation().batch_tokens == usual / 4);
  search.beam.width = 10000;
  CHECK(search.translation().batch_tokens == usual * 16 / 10000);
  search.sampling = true;
  CHECK(search.translation().batch_tokens == usual);
}

TEST_CASE("free memory respects the limit of the process", "[tools][fits]") {
  if (gradus::sanitized) return;  // a sanitizer needs more address space than this test allows
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{rlim_t{1} << 50, rlim_t{1} << 50};
    const bool set = ::setrlimit(RLIMIT_AS, &limit) == 0;
    const double before = tools::free_memory();
    const rlimit none_left{4096, 4096};
    ::_exit(set && before > 0 && ::setrlimit(RLIMIT_AS, &none_left) == 0 && tools::free_memory() == 0 ? 0
                                                                                                      : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a checkpoint whose settings need a larger model than it holds is refused by every command",
          "[tools][fits][checkpoint]") {
  const Scratch scratch;
  const std::string folder = scratch.path(), path = scratch.path() / "last.safetensors";
  const std::vector<std::vector<std::string>> commands{
      {"info", path},
      {"info", path, "--json"},
      {"translate", "--model", path},
      {"evaluate", "--model", path},
      {"align", "--model", path, "--text", "a"},
      {"convert", "--model", path, "--to", folder + "/weights"},
      {"train", "--resume", folder}};
  for (const std::string setting : {"layers=99999999999", "hidden=1000000000000", "embedding=1000000",
                                    "energy=9999999", "readout=\"maxout\"\nmaxout=1000000000"}) {
    models::save_checkpoint(path, {{},
                                   {{"settings", "task=\"copy\"\n" + setting},
                                    {"source.vocabulary", "a\n"},
                                    {"target.vocabulary", "a\n"}}});
    for (const std::vector<std::string>& command : commands) {
      INFO(setting << ' ' << command.front());
      const auto before = gradus::memory_stats();
      const Ran ran = run(command, "a\n");
      CHECK(ran.code == 1);
      CHECK(ran.err.starts_with("gradus " + command.front() + ": checkpoint: '" + path +
                                "' has settings for a model of at least "));
      CHECK(ran.err.ends_with(" parameters but holds 0; give a checkpoint written by gradus train\n"));
      CHECK(gradus::memory_stats().peak_bytes < before.peak_bytes + 1'000'000);
    }
  }
}
