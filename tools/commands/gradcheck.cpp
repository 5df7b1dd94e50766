#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "commands/run_command.hpp"
#include "reports/progress.hpp"
#include "settings/check_settings.hpp"
#include "settings/fits.hpp"
#include "settings/numbers.hpp"
#include "settings/options.hpp"
#include "settings/ranges.hpp"
#include "settings/settings.hpp"
#include "settings/settings_effects.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

// Sizes small enough to perturb every element. No two sizes are equal, so that a mix-up of sizes is detected.
models::ModelOptions small(models::ModelOptions options) {
  options.embedding = 7;
  options.hidden = 6;
  options.energy = 5;
  options.maxout = 8;
  // The papers' initial values are so near 0 that they hide errors.
  options.initial = models::Initial::pytorch;
  options.dropout = options.attention_dropout = 0;
  return options;
}

models::Vocabularies small_vocabularies(models::Tied tied) {
  return {.source = 13, .target = tied == models::Tied::all ? 13 : 11};
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

template <class Holds>
std::string names_of(const GradcheckReport& report, Holds holds) {
  std::string names;
  for (const GradcheckEntry& entry : report.entries) {
    if (holds(entry)) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

// The number of elements to check: at most `elements` of each parameter, or all elements if `elements` is 0.
std::int64_t checked_elements(const models::Seq2Seq& model, std::int64_t elements) {
  std::int64_t sum = 0;
  for (const Tensor& parameter : model.parameters()) {
    sum += elements == 0 ? parameter.numel() : std::min(parameter.numel(), elements);
  }
  return sum;
}

// Checks the gradients of the training loss. Each evaluation of the loss uses the same random numbers, and
// calls the function `called`.
GradcheckReport check(models::Seq2Seq& model, const data::Batch& batch, const GradcheckOptions& options,
                      const std::function<void()>& called) {
  const auto loss = [&](const auto&) {
    model.train();  // nn::gradcheck() sets eval mode, in which monotonic attention has no gradient
    called();
    gradus::seed(options.seed);
    return models::loss(model, batch).total;
  };
  return nn::gradcheck(model, loss, {}, options);
}

struct Cost {
  std::int64_t evaluations;
  double seconds;
};

// Estimates how many evaluations of the loss, and how many seconds, a check of `elements` elements takes.
// To do so, checks one element of each parameter. An element takes 4 evaluations, and more if the first step
// size is not accurate enough.
Cost cost(models::Seq2Seq& model, const data::Batch& batch, GradcheckOptions options, std::int64_t elements) {
  options.elements = 1;
  std::int64_t calls = 0;
  models::loss(model, batch);  // warm-up: allocates memory
  const auto start = std::chrono::steady_clock::now();
  check(model, batch, options, [&] { ++calls; });
  const double seconds = seconds_since(start);
  const auto parameters = std::ssize(model.parameters());
  const std::int64_t once = 2 + 2 * parameters;  // evaluations of the loss that any check needs
  const double each = static_cast<double>(calls - once) / static_cast<double>(parameters),
               all = static_cast<double>(once) + each * static_cast<double>(elements);
  return {std::llround(all), seconds / static_cast<double>(calls) * all};
}

int run(const models::ModelOptions& options, std::uint64_t seed, std::int64_t elements,
        const models::Registry& registry) {
  const models::Vocabularies vocabularies = small_vocabularies(options.tied);
  check_gradcheck_fits(options, vocabularies, registry);
  gradus::seed(seed);
  const auto model = models::make_model(options, vocabularies, registry);
  if (model->decoder->estimator() != nn::Estimator::none) {
    throw UsageError(
        "--attention " + options.attention +
        " draws positions at random; its gradient is an estimate, which finite differences cannot "
        "check; give another --attention");
  }
  if (options.attention == "top_k" && options.attention_top_k == 1) {
    throw UsageError(
        "--attention-top-k 1 gives one position the weight 1, so the gradient of the energies is always 0; "
        "give 2 or more");
  }
  const data::Batch batch = random_batch(vocabularies, default_generator());
  const std::int64_t checked = checked_elements(*model, elements);
  const GradcheckOptions how{.seed = seed, .elements = elements};
  const Cost expected = cost(*model, batch, how, checked);
  std::cout << checked << " of " << model->parameter_count() << " elements: about " << expected.evaluations
            << " evaluations of the loss, " << std::ceil(expected.seconds) << " s\n"
            << std::flush;
  Progress progress("checking", expected.evaluations, "evaluations");
  std::int64_t calls = 0;
  const GradcheckReport report =
      check(*model, batch, how, [&] { progress.update(std::min(++calls, expected.evaluations - 1)); });
  progress.finish();
  std::cout << report;
  if (!report) {
    fail("gradcheck", "gradients disagree with finite differences: ",
         names_of(report, [](const GradcheckEntry& entry) { return !entry.passed(); }));
  }
  const std::string unchecked = names_of(report, std::mem_fn(&GradcheckEntry::all_zero));
  if (!unchecked.empty()) {
    fail("gradcheck", "every gradient is 0, so nothing was checked: ", unchecked,
         "; does the loss depend on it? If so, try another --seed",
         elements > 0 ? " or more --elements" : "");
  }
  std::cout << (elements == 0 ? "all gradients are right: " : "all drawn gradients are right: ") << checked
            << " elements of " << report.entries.size() << " parameters\n";
  return 0;
}

// The value of --preset, read early because a preset sets the defaults of other options. Empty if the command
// line does not parse; run_command() then reports the error.
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
  std::int64_t elements = 0;
  CLI::App app(
      "Builds a small model in double precision and checks the gradient of its loss for every parameter\n"
      "against finite differences, on a batch of random sentences. Exits with 1 if a gradient is wrong.\n"
      "A program of your own checks the attentions and decoders that it registers:\n\n"
      "  gradus gradcheck --attention dot --cell lstm --layers 2\n"
      "  gradus gradcheck --hidden 256 --elements 5\n"
      "  ./my_gradus gradcheck --attention mine",
      "gradus gradcheck");
  app.add_option("--preset", preset, "a paper's model, with small sizes")
      ->check(CLI::IsMember(models::preset_names()));
  app.add_option("--seed", seed, "seed of parameters, sentences and drawn elements")
      ->capture_default_str()
      ->transform(any_seed);
  app.add_option("--elements", elements, "check only N elements of each parameter, drawn at random [0: all]")
      ->type_name("N")
      ->transform(from_0);
  add_model_options(app, options);
  allow_only(app, registry);
  return run_command(app, argc, argv, [&] {
    check_model(options, registry);
    check_effects({app, argc, argv}, model_effects(options, registry));
    if (options.dropout > 0 || options.attention_dropout > 0) {
      throw UsageError(
          "dropout changes the loss at each call, which makes finite differences meaningless; omit --dropout "
          "and --attention-dropout");
    }
    return run(options, seed, elements, registry);
  });
}

}  // namespace gradus::tools
