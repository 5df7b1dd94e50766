#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "settings/check_settings.hpp"
#include "settings/ranges.hpp"
#include "settings/settings.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

// Sizes small enough to perturb every element, and all different, so that a confusion of two is detected.
models::ModelOptions small(models::ModelOptions options) {
  options.embedding = 7;
  options.hidden = 6;
  options.energy = 5;
  options.maxout = 8;
  options.initial = models::Initial::pytorch;  // the papers' values are too near 0 to reveal errors
  options.dropout = options.attention_dropout = 0;
  return options;
}

models::Vocabularies small_vocabularies(models::Tied tied) {
  return {.source = 12, .target = tied == models::Tied::all ? 12 : 11};
}

// Sentences of different lengths, not sorted by length.
data::Batch random_batch(const models::Vocabularies& vocabularies, Generator& generator) {
  const auto sentence = [&](int length, std::int64_t vocabulary) {
    std::vector<std::int64_t> ids;
    while (std::ssize(ids) < length) {
      const auto symbols = static_cast<std::uint64_t>(vocabulary - data::first_symbol);
      ids.push_back(data::first_symbol + static_cast<std::int64_t>(generator.below(symbols)));
    }
    return ids;
  };
  std::vector<data::Pair> pairs;
  for (const auto& [source, target] : {std::pair(4, 2), std::pair(1, 5), std::pair(3, 0)}) {
    pairs.push_back({sentence(source, vocabularies.source), sentence(target, vocabularies.target)});
    pairs.back().target.push_back(data::eos);
  }
  return data::make_batch(pairs);
}

std::string wrong_names(const GradcheckReport& report) {
  std::string names;
  for (const GradcheckEntry& entry : report.entries) {
    if (!entry.passed()) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

int run(const models::ModelOptions& options, std::uint64_t seed, const models::Registry& registry) {
  gradus::seed(seed);
  const models::Vocabularies vocabularies = small_vocabularies(options.tied);
  const auto model = models::make_model(options, vocabularies, registry);
  const data::Batch batch = random_batch(vocabularies, default_generator());
  const GradcheckReport report =
      nn::gradcheck(*model, [&](const auto&) { return models::loss(*model, batch).total; }, {});
  std::cout << report;
  if (!report) fail("gradcheck", "gradients disagree with finite differences: ", wrong_names(report));
  std::cout << "all gradients are right: " << model->parameter_count() << " elements of "
            << report.entries.size() << " parameters\n";
  return 0;
}

// The value of --preset, which sets the defaults of the other options. Empty if it does not parse;
// run_command() then reports the error.
std::string preset_of(int argc, char** argv) {
  std::string name;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("--preset", name)->check(CLI::IsMember(models::preset_names()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return "";
  }
  return name;
}

}  // namespace

int gradcheck(int argc, char** argv, const models::Registry& registry) {
  std::string preset = preset_of(argc, argv);
  models::ModelOptions options = small(preset.empty() ? models::ModelOptions{} : models::preset(preset));
  std::uint64_t seed = 1;
  CLI::App app(
      "Builds a small model in double precision and checks the gradient of its loss for every parameter\n"
      "against finite differences, on a batch of random sentences. Exits with 1 if a gradient is wrong.\n"
      "A program of your own checks the attentions and decoders that it registers:\n\n"
      "  gradus gradcheck --attention dot --cell lstm --layers 2\n"
      "  ./my_gradus gradcheck --attention mine",
      "gradus gradcheck");
  app.add_option("--preset", preset, "a paper's model, with the small sizes below")
      ->check(CLI::IsMember(models::preset_names()));
  app.add_option("--seed", seed, "seed of parameters and sentences")
      ->capture_default_str()
      ->transform(any_seed);
  add_model_options(app, options);
  allow_only(app, registry);
  return run_command(app, argc, argv, [&] {
    check_model(options);
    if (options.dropout > 0 || options.attention_dropout > 0) {
      throw UsageError(
          "dropout changes the loss at each call, which makes finite differences meaningless; omit --dropout "
          "and --attention-dropout");
    }
    return run(options, seed, registry);
  });
}

}  // namespace gradus::tools
