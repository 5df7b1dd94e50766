#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "commands/run_command.hpp"
#include "files/line_reader.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_ensemble.hpp"
#include "reports/pharaoh.hpp"
#include "reports/search_meter.hpp"
#include "reports/translation.hpp"
#include "settings/ranges.hpp"
#include "settings/search_options.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> models;
  fs::path input, output, alignments;
  SearchOptions search;
  bool n_best = false, scores = false;

  bool writes_as_it_goes() const { return output.empty() || is_standard_output(output); }
};

constexpr const char* examples =
    "Translates one sentence per line, as soon as it can be read; a blank line gives an empty translation. "
    "Sentences, source and\n"
    "target tokens count from 0. With 100 sentences or more, prints its speed to standard error.\n\n"
    "  echo 'where is the red book?' | gradus translate --model run\n"
    "  gradus translate --model run --beam 5 --input english.txt --output french.txt\n"
    "  gradus translate --model run --sample --temperature 0.7 --seed 3 < english.txt\n"
    "  gradus translate --model run --beam 5 --n-best 3 < english.txt      # number, score, translation\n"
    "  gradus translate --model run1 --model run2 --model run3 < english.txt         # an ensemble\n"
    "  gradus translate --model run --input speech.wav     # of gradus train --frames; or a list of files";

void add_options(CLI::App& app, Options& options) {
  app.add_option(
         "--model", options.models,
         "the folder of a run of gradus train, or a checkpoint; repeat for an ensemble: each token is "
         "chosen by the mean of the models' probabilities")
      ->type_name("RUN")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--input", options.input, "sentences, one per line [- for standard input]")
      ->type_name("FILE");
  app.add_option("--output", options.output,
                 "output file, written after the last sentence [- for standard output]")
      ->type_name("FILE");
  app.add_option(
         "--alignments", options.alignments,
         "file, or - with --output FILE. One line per output: for each target token, the source token "
         "with the largest weight, as source-target, counted from 0, for example 0-0 1-2")
      ->type_name("FILE");
  app.add_flag("--scores", options.scores, "prefix each translation with log-probability TAB score TAB");
  add_search_options(app, options.search);
  app.add_option("--n-best", options.search.beam.n_best,
                 "beam search: write the best N outputs, one per line: sentence number (from 0) TAB score "
                 "TAB translation")
      ->type_name("N")
      ->transform(between(1, 1000000))
      ->needs("--beam")
      ->each([&options](const std::string&) { options.n_best = true; })
      ->group("Search");
}

/// Writes the output lines of the sentences in order, and collects their alignments.
class Writer {
 public:
  Writer(const Options& options, std::ostream& out) : options_(options), out_(out) {}

  void write(const std::vector<Translation>& translations) {
    if (translations.empty()) {  // a blank line
      write({}, "");
      links_ << '\n';
    }
    for (const Translation& translation : translations) {
      write(translation.decoded, translation.text);
      if (options_.alignments.empty()) continue;
      links_ << to_pharaoh(links_of(translation.decoded, std::ssize(translation.target))) << '\n';
    }
    sentences_ += 1;
  }

  std::string links() const { return links_.str(); }

 private:
  void write(const models::Decoded& decoded, const std::string& text) {
    if (options_.n_best) out_ << sentences_ << '\t';
    if (options_.scores) out_ << decoded.log_probability << '\t';
    if (options_.scores || options_.n_best) out_ << decoded.score << '\t';
    out_ << (options_.writes_as_it_goes() ? for_output(text) : text) << '\n';
  }

  const Options& options_;
  std::ostream& out_;
  std::ostringstream links_;
  std::int64_t sentences_ = 0;  // number written so far
};

// The lines of the input. For a model that reads sound, the input is a single sound file, or a list of paths
// that are relative to the list's folder.
LineReader lines_for(const Options& options, bool frames) {
  if (!frames) return lines_of(options.input);
  if (is_frames_file(options.input)) {
    return {.next =
                [path = options.input.string()]() mutable {
                  return path.empty() ? std::vector<std::string>() : std::vector{std::exchange(path, "")};
                },
            .total = 1};
  }
  const LineReader lines = lines_of(options.input);
  return {.next =
              [lines, folder = folder_of_list(options.input)] {
                std::vector<std::string> paths = lines();
                for (std::string& path : paths) {
                  if (!path.empty()) path = (folder / path).string();
                }
                return paths;
              },
          .total = lines.total};
}

int run(const CommandLine& line, const Options& options, const models::Registry& registry) {
  options.search.use_threads();
  check_distinct(std::array{Output{"--output", options.output}, Output{"--alignments", options.alignments}});
  std::vector<fs::path> read{options.input};
  for (const std::string& model : options.models) read.push_back(checkpoint_of(model));
  check_output("output", options.output, read);
  check_output("alignments", options.alignments, read);
  const SavedEnsemble saved = load_ensemble(options.models, registry);
  options.search.check_fits(saved.sides().target.vocabulary.size());
  check_effects(line, search_effects(options.search, attends(saved.model())));
  check_precision(saved.members, options.search.precision);
  use_top_k_attention(saved.members, options.search.attention_top_k);
  if (!options.alignments.empty()) check_attends("alignments", saved);
  std::optional<SameBits> same_bits;  // makes a sentence's scores independent of the other sentences
  if (options.search.precision == Precision::f32) same_bits.emplace(saved);
  SearchMeter meter;
  const LineReader next = lines_for(options, saved.sides().source.frames != nullptr);
  // If standard output is a terminal and gets the translations, shows no progress: it would appear between
  // the translations.
  if (!options.writes_as_it_goes() || ::isatty(STDOUT_FILENO) == 0) meter.show("translating", next.total);
  std::ostringstream whole;
  std::ostream& out = options.writes_as_it_goes() ? std::cout : whole;
  Writer writer(options, out);
  std::int64_t decoded = 0;  // sentences so far, without blank lines
  for (auto lines = next(); !lines.empty(); lines = next()) {
    const models::SearchOfBatch search = meter.measured(options.search.search(decoded));
    for (const auto& translations :
         translate_sentences(saved.model(), saved.sides(), lines, search, options.search.translation())) {
      writer.write(translations);
      decoded += translations.empty() ? 0 : 1;
    }
    flush_standard_output();
  }
  if (!options.writes_as_it_goes()) write_output("output", options.output, whole.str());
  write_output("alignments", options.alignments, writer.links());
  meter.report(std::cerr);
  return 0;
}

}  // namespace

int translate(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Translates sentences.", "gradus translate");
  app.footer(examples);
  Options options;
  add_options(app, options);
  app.final_callback([&options] {
    if (!is_standard_output(options.alignments) || !options.writes_as_it_goes()) return;
    throw CLI::ValidationError(
        "--alignments",
        "standard output already receives the translations; name a file, or add --output FILE");
  });
  return run_command(app, argc, argv, [&] { return run({app, argc, argv}, options, registry); });
}

}  // namespace gradus::tools
