#include <gradus/data/phrases.hpp>
#include <gradus/data/tasks.hpp>

#include <CLI/CLI.hpp>

#include "settings/add_option.hpp"
#include "settings/choices.hpp"
#include "settings/options.hpp"
#include "settings/ranges.hpp"
#include "settings/shortest.hpp"

namespace gradus::tools {
namespace {

void add_files(CLI::App& app, const std::string& prefix, PairFiles& files, const std::string& what) {
  app.add_option(prefix + "pairs", files.pairs, what + ": source TAB target lines")->type_name("FILE");
  app.add_option(prefix + "source", files.source, what + ": sources, one per line")->type_name("FILE");
  app.add_option(prefix + "target", files.target, what + ": their targets, one per line")->type_name("FILE");
}

CLI::Validator speed_from(double least, double most) {
  return real("a number from " + shortest(least) + " to " + shortest(most),
              [=](double value) { return least <= value && value <= most; });
}

std::vector<std::string> or_none(std::vector<std::string> names) {
  names.insert(names.begin(), "");
  return names;
}

}  // namespace

void add_data_options(CLI::App& app, DataSettings& data) {
  app.option_defaults()->always_capture_default()->group("Training data");
  app.add_option("--task", data.task, "a task with generated examples")
      ->check(CLI::IsMember(or_none(data::task_names())));
  app.add_option("--phrases", data.phrases, "a phrase set shipped with gradus")
      ->check(CLI::IsMember(or_none(data::phrase_set_names())));
  add_files(app, "--", data.train, "training text");
  add_files(app, "--dev-", data.dev, "dev text [a fraction of the training text]");
  add_files(app, "--test-", data.test, "test text [a fraction of the training text]");
  app.add_option("--dev-percent", data.dev_percent, "percentage held out for dev, by a hash of the source")
      ->transform(between(0, 90));
  app.add_option("--test-percent", data.test_percent, "percentage held out for test, likewise")
      ->transform(between(0, 90));
  add_switch(app, "--swap", data.swap, "translate from the second language to the first");
  add_switch(app, "--frames", data.frames,
             "the sources are paths of WAV files, or of .npy files of gradus features, relative to the list; "
             "--source may be a folder");
  app.add_option("--bands", data.bands, "bands of the features of WAV files")->transform(between(1, 1000));
  app.add_option("--min-speed", data.speeds.min,
                 "lowest speed: training plays each recording at a random speed, by leaving out or repeating "
                 "frames")
      ->transform(speed_from(speech::slowest_speed, 1));
  app.add_option("--max-speed", data.speeds.max, "highest speed")
      ->transform(speed_from(1, speech::fastest_speed));
  app.add_option("--limit", data.limit, "maximum number of text pairs, selected by a hash [0: all]")
      ->transform(from_0);

  app.option_defaults()->group("Tasks");
  app.add_option("--symbols", data.task_options.symbols, "number of symbols")->transform(between(2, 1000000));
  app.add_option("--min-length", data.task_options.min_length, "shortest source")
      ->transform(between(1, 1000000));
  app.add_option("--max-length", data.task_options.max_length, "longest source")
      ->transform(between(1, 1000000));
  app.add_option("--test-max-length", data.test_max_length, "longest held-out source [0: as in training]")
      ->transform(from_0);
  app.add_option("--examples", data.examples, "training examples")->transform(between(1, 1000000));
  app.add_option("--held-out", data.held_out, "examples in dev, and in test")->transform(between(1, 1000000));
  app.add_option("--min-year", data.task_options.min_year, "earliest year of a date")
      ->transform(between(1000, 9999));
  app.add_option("--max-year", data.task_options.max_year, "latest year of a date")
      ->transform(between(1000, 9999));

  app.option_defaults()->group("Tokens");
  add_choice(app, "--source-unit", data.source_unit, unit_names, "unit of a source token");
  add_choice(app, "--target-unit", data.target_unit, unit_names, "unit of a target token");
  add_switch(app, "--lower,!--no-lower", data.lower, "lower-case the text");
  add_switch(app, "--nfkc,!--no-nfkc", data.nfkc, "normalise Unicode to NFKC");
  add_switch(app, "--french-spacing", data.french_spacing, "write « oui ! », not «oui!»");
  app.add_option("--bpe", data.bpe, "number of byte-pair merges [0: keep whole words]")->transform(from_0);
  app.add_option("--source-sentencepiece", data.source_pieces,
                 "SentencePiece model that splits the sources; it replaces the options above")
      ->type_name("FILE");
  app.add_option("--target-sentencepiece", data.target_pieces, "the same for the targets")->type_name("FILE");
  add_switch(app, "--shared-vocabulary", data.shared_vocabulary, "one vocabulary for both languages");
  app.add_option("--min-count", data.min_count, "minimum count of a vocabulary token")->transform(from_1);
  app.add_option("--words", data.words, "number of most frequent tokens in a vocabulary [0: all]")
      ->transform(from_0);
  app.add_option("--min-tokens", data.min_tokens, "drop text pairs with a shorter source")->transform(from_1);
  app.add_option("--max-tokens", data.max_tokens, "drop text pairs with a longer source")->transform(from_1);
  app.add_option("--max-target-tokens", data.max_target_tokens, "drop text pairs with a longer target")
      ->transform(from_1);
}

}  // namespace gradus::tools
