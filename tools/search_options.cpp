#include "search_options.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/models/greedy.hpp>

#include <CLI/App.hpp>
#include <sstream>

#include "choices.hpp"
#include "ranges.hpp"

namespace gradus::tools {

namespace {

models::Search in_precision(Precision precision, const models::Search& search) {
  return [=](const models::Seq2Seq& model, const Tensor& source, const Tensor& lengths,
             const models::MaxSteps& max_steps) {
    const MixedPrecision scope(precision);
    return search(model, source, lengths, max_steps);
  };
}

}  // namespace

models::Search SearchOptions::search() const {
  if (sampling) return in_precision(precision, models::sample(sample, Generator(seed)));
  const bool is_greedy = beam.width == 1 && beam.n_best == 1;
  return in_precision(precision, is_greedy ? models::greedy() : models::beam_search(beam));
}

TranslationOptions SearchOptions::translation() const {
  TranslationOptions options{.replace_unknown = replace_unknown};
  if (max_steps > 0) options.max_steps = max_steps;
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
  if (precision != Precision::f32) text << ", in " << name_of(precision, precision_names);
  return text.str();
}

void SearchOptions::use_threads() const {
  if (threads > 0) set_threads(static_cast<int>(threads));
}

void add_search_options(CLI::App& app, SearchOptions& options) {
  app.option_defaults()->always_capture_default()->group("How outputs are searched for");
  CLI::Option* beam = app.add_option("--beam", options.beam.width,
                                     "beam search: how many outputs are followed at once [1: greedily]")
                          ->type_name("K")
                          ->check(between(1, 1000000));
  app.add_option("--length-penalty", options.beam.length_penalty,
                 "of beam search: 0 likes short outputs, 1 goes by the mean of a token")
      ->type_name("X")
      ->check(from_0)
      ->needs(beam);
  app.add_option("--coverage-penalty", options.beam.coverage_penalty,
                 "of beam search: for words that were not looked at")
      ->type_name("X")
      ->check(from_0)
      ->needs(beam);
  CLI::Option* sample =
      app.add_flag("--sample", options.sampling, "draw each token by its probability")->excludes(beam);
  app.add_option("--temperature", options.sample.temperature, "of sampling: below 1 more careful")
      ->type_name("X")
      ->check(finite_above_0)
      ->needs(sample);
  app.add_option("--top-k", options.sample.top_k, "of sampling: among the K likeliest tokens [0: all]")
      ->type_name("K")
      ->check(from_0)
      ->needs(sample);
  app.add_option("--top-p", options.sample.top_p,
                 "of sampling: among the likeliest that have this probability together")
      ->type_name("P")
      ->check(share_above_0)
      ->needs(sample);
  app.add_option("--seed", options.seed, "of sampling; the same seed and input give the same lines")
      ->type_name("N")
      ->needs(sample);

  app.option_defaults()->group("Outputs");
  app.add_option("--max-steps", options.max_steps,
                 "the most tokens of an output [0: twice as many as the source has, and 10]")
      ->type_name("N")
      ->check(from_0);
  app.add_flag("--replace-unknown,!--no-replace-unknown", options.replace_unknown,
               "write the source's word that the model looks at where it writes <unk> [on]");
  add_precision(app, options.precision, "precision of the inputs of products; all else is f32");
  app.add_option("--threads", options.threads, "[0: as many as there are cores]")
      ->type_name("N")
      ->check(between(0, 256));
  app.parse_complete_callback([&beam = options.beam] {
    if (beam.n_best <= beam.width) return;
    throw CLI::ValidationError("--n-best", std::to_string(beam.n_best) + " is more than the --beam of " +
                                               std::to_string(beam.width));
  });
}

}  // namespace gradus::tools
