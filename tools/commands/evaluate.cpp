#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <span>
#include <utility>

#include "commands/run_command.hpp"
#include "files/output_file.hpp"
#include "files/run_corpus.hpp"
#include "files/run_folder.hpp"
#include "files/saved_ensemble.hpp"
#include "reports/evaluation_report.hpp"
#include "reports/text_scores.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/streams.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<data::SentencePair>;

struct Options {
  std::vector<std::string> models;
  std::string part = "test";
  PairFiles files;
  EvaluationOptions evaluation;
  bool ensemble = false, json = false, by_length = false;
  fs::path svg, out, hypotheses;
  bool lowercase = false;  // used only for --hypotheses without a model
};

constexpr const char* examples =
    "Measures models on held-out pairs.\n\n"
    "  gradus evaluate --model run                               # the test part of its corpus\n"
    "  gradus evaluate --model run --beam 5 --pairs more.tsv --json\n"
    "  gradus evaluate --model attention --model fixed --by-length --svg by-length.svg\n"
    "  gradus evaluate --model run1 --model run2 --model run3 --ensemble\n"
    "  gradus evaluate --hypotheses output.txt --target reference.txt    # a file of translations, no "
    "model\n\n"
    "BLEU compares the output with the untokenised targets; if the model lower-cases, so does BLEU, and\n"
    "its signature says case:lc. BLEU, d2l's BLEU, exact match and token error rate score the model's\n"
    "output; perplexity and token accuracy are computed on the targets with teacher forcing.";

void add_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.models,
                 "the folder of a run of gradus train, or a checkpoint; repeat to compare models")
      ->type_name("RUN")
      ->allow_extra_args(false);
  app.add_flag("--ensemble", options.ensemble,
               "evaluate the given models together: the mean of their probabilities at each token");

  app.option_defaults()->always_capture_default()->group("Evaluation pairs");
  CLI::Option* part = app.add_option("--part", options.part, "part of the model's corpus")
                          ->type_name("PART")
                          ->check(CLI::IsMember({"train", "dev", "test"}));
  CLI::Option* pairs =
      app.add_option("--pairs", options.files.pairs,
                     "a file of source TAB target lines; swapped if the model was trained with --swap")
          ->type_name("FILE")
          ->excludes(part);
  CLI::Option* source = app.add_option("--source", options.files.source, "a file of sources, one per line")
                            ->type_name("FILE")
                            ->excludes(part, pairs);
  CLI::Option* target =
      app.add_option("--target", options.files.target, "the file of their targets, one per line")
          ->type_name("FILE");
  source->needs(target);
  app.add_option(
         "--hypotheses", options.hypotheses,
         "score this file, one translation per line, instead of translating: BLEU and chrF against the "
         "targets of the pairs; without --model, --target is enough")
      ->type_name("FILE");
  app.add_flag("--lowercase", options.lowercase, "with --hypotheses and without --model: ignore case");

  app.option_defaults()->group("Metrics");
  app.add_option_function<std::string>(
         "--bleu-tokeniser",
         [&options](const std::string& name) {
           options.evaluation.bleu_tokeniser = data::bleu_tokeniser(name);
         },
         "BLEU's tokeniser [zh if --target-unit was chinese, else 13a]")
      ->type_name("NAME")
      ->check(CLI::IsMember({"13a", "none", "char", "zh", "intl"}));
  app.add_flag("--any-reference", options.evaluation.any_reference,
               "fraction of distinct sources whose output equals any of their targets");
  app.add_option("--gold", options.evaluation.gold,
                 "alignment error rate: a file with one line per pair of sure 0-0 and possible 1?2 links "
                 "between source and target tokens, from 0")
      ->type_name("FILE");
  app.add_flag("--by-length", options.by_length, "BLEU and exact match by source length");
  app.add_option("--bucket", options.evaluation.bucket, "number of source lengths per row")
      ->type_name("N")
      ->transform(between(1, 1000000));

  app.option_defaults()->group("Output");
  app.add_flag("--json", options.json, "print one JSON object instead of tables");
  app.add_option("--svg", options.svg, "a chart of BLEU by source length")
      ->type_name("FILE")
      ->check(no_standard_output("which receives the metrics"));
  app.add_option("--out", options.out, "the translations, one per line")
      ->type_name("FILE")
      ->check(no_standard_output("which receives the metrics"));
  add_search_options(app, options.evaluation.search);
}

Pairs pairs_for(const Options& options, const SavedModel& saved) {
  if (options.files.given()) {
    Pairs pairs = read_pairs(options.files, saved.settings.data.swap && !options.files.pairs.empty());
    if (saved.settings.data.frames) locate_frames(pairs, options.files);
    return pairs;
  }
  const Corpus corpus = read_run_corpus(saved.settings, saved.path);
  const Pairs& part = options.part == "train" ? corpus.train
                      : options.part == "dev" ? corpus.dev
                                              : corpus.test;
  if (part.empty()) {
    fail("corpus", "the ", options.part, " part of the model's corpus is empty; give --pairs");
  }
  return part;
}

// The option of `gradus train` that only one of two models has, if it makes them read the given files
// differently; otherwise null.
const char* difference(const Options& options, const DataSettings& one, const DataSettings& other) {
  if (one.swap != other.swap && !options.files.pairs.empty()) return "--swap";
  return one.frames != other.frames ? "--frames" : nullptr;
}

// The pairs to evaluate. All models must have the same pairs; otherwise their scores are not comparable.
Pairs common_pairs(const Options& options, std::span<const SavedModel> models) {
  Pairs common = pairs_for(options, models.front());
  for (std::size_t i = 1; i < models.size(); ++i) {
    if (options.files.given()) {  // read only once, because a file may be a pipe
      const char* const option = difference(options, models.front().settings.data, models[i].settings.data);
      if (option == nullptr) continue;
      fail("corpus", "'", options.models.front(), "' and '", options.models[i],
           "' read the given pairs differently, because only one was trained with ", option,
           "; evaluate one at a time");
    }
    if (pairs_for(options, models[i]) == common) continue;
    fail("corpus", "'", options.models.front(), "' and '", options.models[i], "' have different ",
         options.part, " parts; give --pairs for both");
  }
  return common;
}

void check_outputs(const Options& options, std::span<const SavedModel> models) {
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

// The name of an ensemble in tables: its models' names.
std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " + ") + name;
  return all;
}

Effects effects_of(const Options& options, std::span<const SavedModel> models) {
  const bool any_attends =
      std::ranges::any_of(models, [](const SavedModel& one) { return attends(*one.model); });
  Effects effects = search_effects(options.evaluation.search, any_attends);
  effects.push_back({"--bucket", options.by_length || options.json || !options.svg.empty(),
                     "without --by-length, --json or --svg"});
  effects.push_back({"--by-length", !options.json, "with --json, which always has these numbers"});
  return effects;
}

std::vector<Evaluation> evaluate_models(const CommandLine& line, const Options& options,
                                        const models::Registry& registry) {
  SavedEnsemble saved;
  for (const std::string& name : options.models) saved.members.push_back(load_saved_model(name, registry));
  if (options.ensemble) {
    check_same_sides(options.models, saved);
    share_frames(options.models, saved);
  }
  for (const SavedModel& member : saved.members) {
    options.evaluation.search.check_fits(member.sides.target.vocabulary.size());
  }
  check_effects(line, effects_of(options, saved.members));
  check_precision(saved.members, options.evaluation.search.precision);
  use_top_k_attention(saved.members, options.evaluation.search.attention_top_k);
  check_outputs(options, saved.members);
  const Pairs pairs = common_pairs(options, saved.members);
  if (options.ensemble) {
    return {evaluate_pairs(joined(options.models), saved.model(), saved.sides(), pairs, options.evaluation)};
  }
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < saved.members.size(); ++i) {
    const SavedModel& one = saved.members[i];
    evaluations.push_back(
        evaluate_pairs(options.models[i], *one.model, one.sides, pairs, options.evaluation));
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
    std::cout << printable(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace), "\n") << '\n';
  } else {
    std::cout << pairs << ' ' << of << " pairs, " << search << "\n\n" << printable(table(evaluations), "\n");
    if (options.by_length) std::cout << '\n' << printable(table_by_length(evaluations), "\n");
  }
  flush_standard_output();
}

// The reference translations for --hypotheses. If a model is given, sets `text` to this model's options, but
// --bleu-tokeniser has priority.
std::vector<std::string> targets_for(const Options& options, const models::Registry& registry,
                                     TextOptions& text) {
  Pairs pairs;
  const bool only_targets = options.files.source.empty() && !options.files.target.empty();
  if (options.models.empty()) {
    if (only_targets) return data::read_lines(options.files.target);
    pairs = read_pairs(options.files, false);
  } else {
    const SavedModel saved = load_saved_model(options.models.front(), registry);
    text.lowercase = saved.sides.target.tokeniser.options().lower;
    text.tokeniser = options.evaluation.bleu_tokeniser.value_or(default_bleu_tokeniser(saved.sides.target));
    if (only_targets) return data::read_lines(options.files.target);
    pairs = pairs_for(options, saved);
  }
  std::vector<std::string> targets;
  for (data::SentencePair& pair : pairs) targets.push_back(std::move(pair.target));
  return targets;
}

int score_hypotheses(const Options& options, const models::Registry& registry) {
  TextOptions text{.tokeniser = options.evaluation.bleu_tokeniser.value_or(data::BleuTokeniser::mteval_13a),
                   .lowercase = options.lowercase};
  const std::vector<std::string> targets = targets_for(options, registry, text);
  const TextScores scores = score_text(options.hypotheses, targets, text);
  std::cout << (options.json ? to_json(scores).dump(2) + '\n' : text_of(scores));
  return 0;
}

// Without --hypotheses, requires --model and refuses options that need --hypotheses. With --hypotheses,
// requires references, and refuses a second --model and options without effect.
void check_hypotheses(const CLI::App& app, const Options& options) {
  if (options.hypotheses.empty()) {
    if (options.models.empty()) throw CLI::RequiredError("--model");
    if (options.lowercase) throw CLI::ValidationError("--lowercase", "needs --hypotheses");
    if (!options.files.target.empty() && options.files.source.empty()) {
      throw CLI::RequiresError("--target", "--source");
    }
    return;
  }
  if (options.models.empty() && !options.files.given()) {
    throw CLI::ValidationError("--hypotheses",
                               "needs references; give --target FILE, or --model RUN for its test part");
  }
  if (options.models.size() > 1) throw CLI::ValidationError("--hypotheses", "takes at most one --model");
  if (options.lowercase && !options.models.empty()) {
    throw CLI::ValidationError("--lowercase", "has no effect with --model, whose options decide; omit it");
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    const bool used = name == "model" || name == "part" || name == "pairs" || name == "source" ||
                      name == "target" || name == "hypotheses" || name == "lowercase" || name == "json" ||
                      name == "bleu-tokeniser" || option->count() == 0;
    if (!used) throw CLI::ExcludesError("--" + name, "--hypotheses");
  }
  if (options.models.empty() && app.count("--part") > 0) throw CLI::RequiresError("--part", "--model");
}

int run(const CommandLine& line, const Options& options, const models::Registry& registry) {
  std::vector<Input> inputs = inputs_of("--", options.files);
  inputs.push_back({"--hypotheses", options.hypotheses});
  inputs.push_back({"--gold", options.evaluation.gold});
  check_streams(inputs);
  if (!options.hypotheses.empty()) return score_hypotheses(options, registry);
  check_distinct(std::array{Output{"--svg", options.svg}, Output{"--out", options.out}});
  options.evaluation.search.use_threads();
  const std::vector<Evaluation> evaluations = evaluate_models(line, options, registry);
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
  app.final_callback([&] {
    check_hypotheses(app, options);
    if (options.ensemble && options.models.size() == 1) {
      throw CLI::ValidationError("--ensemble", "needs more than one --model");
    }
    if (options.out.empty() || options.models.size() == 1 || options.ensemble) return;
    throw CLI::ValidationError("--out", "needs exactly one --model, or --ensemble");
  });
  return run_command(app, argc, argv, [&] { return run({app, argc, argv}, options, registry); });
}

}  // namespace gradus::tools
