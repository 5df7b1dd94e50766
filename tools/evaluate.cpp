#include <gradus/autograd/checks.hpp>

#include <CLI/CLI.hpp>
#include <iostream>

#include "command.hpp"
#include "evaluation_report.hpp"
#include "output_file.hpp"
#include "ranges.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<data::SentencePair>;

struct Options {
  std::vector<std::string> models;
  std::string part = "test";
  PairFiles files;
  EvaluationOptions evaluation;
  bool json = false, by_length = false;
  fs::path svg, out;
};

constexpr const char* examples =
    "Measures what a model makes of pairs that it was not trained on.\n\n"
    "  gradus evaluate --model run                               # the test part of what it learned from\n"
    "  gradus evaluate --model run --beam 5 --pairs more.tsv --json\n"
    "  gradus evaluate --model attention --model fixed --by-length --svg by-length.svg\n\n"
    "BLEU compares the output with the targets' own lines; where the model lower-cases, they are\n"
    "lower-cased too, and the signature says case:lc. BLEU, d2l's BLEU, exact match and token error\n"
    "rate are of what the model writes; perplexity and token accuracy are of the targets, each token\n"
    "told after the right ones.";

void add_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.models,
                 "the folder of a run of gradus train, or a checkpoint; several are compared")
      ->type_name("RUN")
      ->required()
      ->allow_extra_args(false);

  app.option_defaults()->always_capture_default()->group("Pairs to measure by");
  CLI::Option* part = app.add_option("--part", options.part, "of what the model was trained on")
                          ->type_name("PART")
                          ->check(CLI::IsMember({"train", "dev", "test"}));
  CLI::Option* pairs =
      app.add_option("--pairs", options.files.pairs,
                     "a file of source TAB target lines; swapped where the model was trained with --swap")
          ->type_name("FILE")
          ->excludes(part);
  CLI::Option* source = app.add_option("--source", options.files.source, "a file of sources, line by line")
                            ->type_name("FILE")
                            ->excludes(part, pairs);
  CLI::Option* target =
      app.add_option("--target", options.files.target, "the file of their targets")->type_name("FILE");
  source->needs(target);
  target->needs(source);

  app.option_defaults()->group("Figures");
  app.add_option_function<std::string>(
         "--bleu-tokeniser",
         [&options](const std::string& name) {
           options.evaluation.bleu_tokeniser = data::bleu_tokeniser(name);
         },
         "what BLEU takes for words [zh where --target-unit was chinese, else 13a]")
      ->type_name("NAME")
      ->check(CLI::IsMember({"13a", "none", "char", "zh"}));
  app.add_flag("--any-reference", options.evaluation.any_reference,
               "how many distinct sources get an output that is one of their targets");
  app.add_option("--gold", options.evaluation.gold,
                 "alignment error rate: a file with a line a pair of sure 0-0 and possible 1?2 links, "
                 "source to target tokens from 0")
      ->type_name("FILE");
  app.add_flag("--by-length", options.by_length, "BLEU and exact match by the length of the source");
  app.add_option("--bucket", options.evaluation.bucket, "how many lengths are measured together")
      ->type_name("N")
      ->check(between(1, 1000000));

  app.option_defaults()->group("Written");
  app.add_flag("--json", options.json, "one JSON object in place of tables");
  app.add_option("--svg", options.svg, "a file: BLEU by source length, drawn")
      ->type_name("FILE")
      ->check(no_standard_output("which has the figures"));
  app.add_option("--out", options.out, "a file: the translations, line by line")
      ->type_name("FILE")
      ->check(no_standard_output("which has the figures"));
  add_search_options(app, options.evaluation.search);
}

Pairs pairs_for(const Options& options, const Settings& settings) {
  if (options.files.given()) {
    return read_pairs(options.files, settings.data.swap && !options.files.pairs.empty());
  }
  const Corpus corpus = read_corpus(settings.data, settings.run.seed);
  const Pairs& part = options.part == "train" ? corpus.train
                      : options.part == "dev" ? corpus.dev
                                              : corpus.test;
  if (part.empty()) {
    fail("corpus", "the ", options.part, " part of what the model was trained on is empty; give --pairs");
  }
  return part;
}

// The pairs of all models, which must be the same for a comparison.
Pairs common_pairs(const Options& options, const std::vector<SavedModel>& models) {
  Pairs common = pairs_for(options, models.front().settings);
  for (std::size_t i = 1; i < models.size(); ++i) {
    if (pairs_for(options, models[i].settings) == common) continue;
    fail("corpus", "'", options.models.front(), "' and '", options.models[i], "' have different ",
         options.part, " parts; give both the same --pairs");
  }
  return common;
}

void check_outputs(const Options& options, const std::vector<SavedModel>& models) {
  std::vector<fs::path> read{options.files.pairs, options.files.source, options.files.target,
                             options.evaluation.gold};
  for (const std::string& name : options.models) read.push_back(checkpoint_of(name));
  for (const SavedModel& saved : models) {
    const DataSettings& data = saved.settings.data;
    for (const PairFiles& files : {data.train, data.dev, data.test})
      read.insert(read.end(), {files.pairs, files.source, files.target});
  }
  check_output("svg", options.svg, read);
  check_output("out", options.out, read);
}

std::vector<Evaluation> evaluate_models(const Options& options, const models::Registry& registry) {
  std::vector<SavedModel> models;
  for (const std::string& name : options.models) models.push_back(load_saved_model(name, registry));
  check_outputs(options, models);
  const Pairs pairs = common_pairs(options, models);
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < models.size(); ++i) {
    evaluations.push_back(evaluate_pairs(options.models[i], models[i], pairs, options.evaluation));
  }
  return evaluations;
}

void print(const Options& options, Evaluations evaluations) {
  const std::string of = options.files.given() ? "given" : options.part;
  const std::string search = options.evaluation.search.description();
  const std::int64_t pairs = evaluations.front().total.pairs;
  if (options.json) {
    nlohmann::ordered_json json = {{"part", of}, {"pairs", pairs}, {"search", search}};
    for (const Evaluation& evaluation : evaluations) json["models"].push_back(to_json(evaluation));
    std::cout << json.dump(2) << '\n';
  } else {
    std::cout << pairs << ' ' << of << " pairs, " << search << "\n\n" << table(evaluations);
    if (options.by_length) std::cout << '\n' << table_by_length(evaluations);
  }
  flush_standard_output();
}

int run(const Options& options, const models::Registry& registry) {
  options.evaluation.search.use_threads();
  const std::vector<Evaluation> evaluations = evaluate_models(options, registry);
  if (!options.svg.empty()) write_output("svg", options.svg, svg(curves_by_length(evaluations)));
  if (!options.out.empty()) {
    std::string lines;
    for (const std::string& output : evaluations.front().outputs) lines += output + '\n';
    write_output("out", options.out, lines);
  }
  print(options, evaluations);
  return 0;
}

}  // namespace

int evaluate(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Measures models.", "gradus evaluate");
  app.footer(examples);
  Options options;
  add_options(app, options);
  app.final_callback([&options] {
    if (options.out.empty() || options.models.size() == 1) return;
    throw CLI::ValidationError("--out", "the translations of one model are written; give one --model");
  });
  return run_command(app, argc, argv, [&] { return run(options, registry); });
}

}  // namespace gradus::tools
