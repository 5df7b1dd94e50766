#include "settings/search_options.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/models/greedy.hpp>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstddef>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "settings/choices.hpp"
#include "settings/fits.hpp"
#include "settings/ranges.hpp"

namespace gradus::tools {
namespace {

models::Search in_precision(Precision precision, const models::Search& search) {
  return [=](const models::Ensemble& model, const Tensor& source, const Tensor& lengths,
             const models::MaxSteps& max_steps) {
    const MixedPrecision scope(precision);
    return search(model, source, lengths, max_steps);
  };
}

// The generator of a sampled sentence. Generator(seed) makes one by split() for each sentence. `sentence`
// counts the sentences from 0. steps() uses the generator of sentence 0.
Generator generator_of(std::uint64_t seed, std::int64_t sentence) {
  Generator all(seed);
  all.set_state({.seed = seed, .position = static_cast<std::uint64_t>(sentence)});
  return all.split();
}

}  // namespace

models::SearchOfBatch SearchOptions::search(std::int64_t first) const {
  models::SamplingOptions sampled = sample;
  models::BeamOptions wide = beam;
  sampled.constraints = wide.constraints = constraints;
  if (sampling) {
    return [sampled, first, seed = seed, precision = precision](std::span<const std::size_t> sources) {
      std::vector<Generator> generators;
      for (const std::size_t source : sources) {
        generators.push_back(generator_of(seed, first + static_cast<std::int64_t>(source)));
      }
      return in_precision(precision, models::sample(sampled, std::move(generators)));
    };
  }
  const bool is_greedy = beam.width == 1 && beam.n_best == 1;
  const models::Search search =
      in_precision(precision, is_greedy ? models::greedy(constraints) : models::beam_search(wide));
  return [search](std::span<const std::size_t> /*sources*/) { return search; };
}

models::SearchSteps SearchOptions::steps() const {
  models::SamplingOptions sampled = sample;
  models::BeamOptions wide = beam;
  sampled.constraints = wide.constraints = constraints;
  if (sampling) return models::sample_steps(sampled, Generator(seed));
  const bool is_greedy = beam.width == 1 && beam.n_best == 1;
  return is_greedy ? models::greedy_steps(constraints) : models::beam_search_steps(wide);
}

TranslationOptions SearchOptions::translation() const {
  TranslationOptions options{.replace_unknown = replace_unknown};
  // A beam wider than 16 decodes fewer sentences at a time, so that the number of hypotheses stays bounded.
  constexpr std::int64_t usual_width = 16;
  options.batch_tokens = std::max<std::int64_t>(
      1, options.batch_tokens * usual_width / std::max(sampling ? 1 : beam.width, usual_width));
  if (max_steps > 0) {
    options.max_steps = max_steps;
  } else if (constraints.min_length > 0) {
    options.max_steps = options.max_steps.at_least(constraints.min_length + 1);
  }
  return options;
}

std::string SearchOptions::description() const {
  std::ostringstream text;
  if (sampling) {
    text << "sampled with seed " << seed;
    if (sample.temperature != 1) text << ", temperature " << sample.temperature;
    if (sample.top_k > 0) text << ", top " << sample.top_k;
    if (sample.top_p < 1) text << ", top p " << sample.top_p;
  } else if (beam.width > 1) {
    text << "beam " << beam.width << ", length penalty " << beam.length_penalty;
    if (beam.coverage_penalty > 0) text << ", coverage penalty " << beam.coverage_penalty;
  } else {
    text << "greedy";
  }
  if (constraints.min_length > 0) text << ", at least " << constraints.min_length << " tokens";
  if (constraints.no_repeat_ngram > 0) text << ", no repeated " << constraints.no_repeat_ngram << "-gram";
  if (attention_top_k > 0) text << ", top-" << attention_top_k << " attention";
  if (precision != Precision::f32) text << ", in " << name_of(precision, precision_names);
  return text.str();
}

void SearchOptions::check_fits(std::int64_t vocabulary) const {
  if (!sampling) check_beam_fits(beam.width, vocabulary);
}

void SearchOptions::use_threads() const {
  if (threads > 0) set_threads(static_cast<int>(threads));
}

void add_computing_options(CLI::App& app, SearchOptions& options) {
  add_precision(app, options.precision, "precision of matrix-product inputs; all else is f32");
  app.add_option("--threads", options.threads, "number of threads [0: one per core, at most 16]")
      ->type_name("N")
      ->transform(between(0, 256));
}

void add_top_k_attention(CLI::App& app, std::int64_t& k) {
  app.add_option("--attention-top-k", k,
                 "attend only to the K source tokens with the largest weights at each step [0: all]")
      ->type_name("K")
      ->transform(from_0);
}

void add_search_options(CLI::App& app, SearchOptions& options) {
  app.option_defaults()->always_capture_default()->group("Search");
  CLI::Option* beam = app.add_option("--beam", options.beam.width,
                                     "beam search: number of hypotheses kept per step [1: greedy]")
                          ->type_name("K")
                          ->transform(between(1, widest_beam));
  app.add_option("--length-penalty", options.beam.length_penalty,
                 "beam search: 0 favours short outputs, 1 ranks roughly by mean token log-probability")
      ->type_name("X")
      ->transform(finite_from_0)
      ->needs(beam);
  app.add_option("--coverage-penalty", options.beam.coverage_penalty,
                 "beam search: penalty for unattended source tokens")
      ->type_name("X")
      ->transform(finite_from_0)
      ->needs(beam);
  CLI::Option* sample =
      app.add_flag("--sample", options.sampling, "sample each token from the model's distribution")
          ->excludes(beam);
  app.add_option("--temperature", options.sample.temperature, "sampling: values below 1 favour likely tokens")
      ->type_name("X")
      ->transform(finite_above_0)
      ->needs(sample);
  app.add_option("--top-k", options.sample.top_k, "sampling: restrict to the K likeliest tokens [0: all]")
      ->type_name("K")
      ->transform(from_0)
      ->needs(sample);
  app.add_option("--top-p", options.sample.top_p,
                 "sampling: restrict to the likeliest tokens that together reach probability P")
      ->type_name("P")
      ->transform(fraction_above_0)
      ->needs(sample);
  app.add_option("--seed", options.seed, "sampling: the same seed and input give the same output")
      ->type_name("N")
      ->transform(any_seed)
      ->needs(sample);

  app.option_defaults()->group("Outputs");
  app.add_option("--max-steps", options.max_steps,
                 "maximum tokens of an output [0: twice the source length plus 10]")
      ->type_name("N")
      ->transform(from_0);
  app.add_option("--min-length", options.constraints.min_length,
                 "minimum tokens of an output, without the end of the sentence")
      ->type_name("N")
      ->transform(between(0, 1000000));
  app.add_option("--no-repeat-ngram", options.constraints.no_repeat_ngram,
                 "never write the same N successive tokens twice in an output [0: off]")
      ->type_name("N")
      ->transform(between(0, 1000000));
  app.add_flag("--replace-unknown,!--no-replace-unknown", options.replace_unknown,
               "replace <unk> in the output by the source word with the largest attention weight [on]");
  add_top_k_attention(app, options.attention_top_k);
  add_computing_options(app, options);
  app.parse_complete_callback([&options] {
    const std::int64_t least = options.constraints.min_length, most = options.max_steps;
    if (most > 0 && least >= most) {
      throw CLI::ValidationError("--min-length", std::to_string(least) + " does not fit into --max-steps " +
                                                     std::to_string(most) +
                                                     ", which counts the end of the sentence; lower "
                                                     "--min-length or raise --max-steps");
    }
    if (options.beam.n_best <= options.beam.width) return;
    throw CLI::ValidationError("--n-best", std::to_string(options.beam.n_best) + " exceeds --beam " +
                                               std::to_string(options.beam.width) +
                                               "; lower --n-best or raise --beam");
  });
}

Effects search_effects(const SearchOptions& options, bool attends) {
  const bool is_greedy = options.beam.width == 1, is_likeliest = options.sample.top_k == 1;
  constexpr const char *greedy = "with --beam 1, which is greedy",
                       *likeliest = "with --top-k 1, which is the likeliest token",
                       *blind = "with a model without attention";
  return {{"--length-penalty", !is_greedy, greedy},
          {"--coverage-penalty", !is_greedy, greedy},
          {"--coverage-penalty", attends, blind},
          {"--replace-unknown", attends || !options.replace_unknown, blind},
          {"--temperature", !is_likeliest, likeliest},
          {"--top-p", !is_likeliest, likeliest},
          {"--seed", !is_likeliest, likeliest}};
}

}  // namespace gradus::tools
