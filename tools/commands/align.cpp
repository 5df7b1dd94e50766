#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>
#include <gradus/nn/npy.hpp>
#include <gradus/plot/terminal.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "commands/run_command.hpp"
#include "files/columns.hpp"
#include "files/file_type.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_ensemble.hpp"
#include "reports/alignment.hpp"
#include "reports/alignment_data.hpp"
#include "settings/effects.hpp"
#include "settings/search_options.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> models, texts, targets;
  PairFiles files;
  bool swap = false;
  std::int64_t attention_top_k = 0;  // 0: all positions
  fs::path svg, html, tsv, json, npy;

  bool writes_files() const {
    return !svg.empty() || !html.empty() || !tsv.empty() || !json.empty() || !npy.empty();
  }
};

using SentencesToAlign = std::vector<SentenceToAlign>;

SentencesToAlign from_flags(const Options& options) {
  SentencesToAlign sentences;
  for (std::size_t i = 0; i < options.texts.size(); ++i) {
    sentences.push_back({options.texts[i], {}});
    if (!options.targets.empty()) sentences.back().target = options.targets[i];
  }
  return sentences;
}

SentencesToAlign from_files(const Options& options, bool frames) {
  SentencesToAlign sentences;
  std::vector<data::SentencePair> pairs = read_pairs(options.files, options.swap);
  if (frames) locate_frames(pairs, options.files);
  for (const data::SentencePair& pair : pairs) {
    sentences.push_back({pair.source, pair.target});
  }
  return sentences;
}

SentencesToAlign from_standard_input(bool swap) {
  SentencesToAlign sentences;
  std::int64_t with_more = 0;
  for (const std::string& line : data::read_lines("-")) {
    const data::Columns columns = data::columns_of(line);
    sentences.push_back({std::string(columns.first), {}});
    if (!columns.second) continue;
    with_more += columns.has_more ? 1 : 0;
    sentences.back().target = std::string(*columns.second);
    if (swap) std::swap(sentences.back().source, *sentences.back().target);
  }
  note_columns("-", with_more);
  if (sentences.empty()) {
    fail("standard input", "no sentences; write one per line, or give --text 'a sentence'");
  }
  return sentences;
}

SentencesToAlign read_sentences(const Options& options, bool frames) {
  if (!options.texts.empty()) return from_flags(options);
  return options.files.given() ? from_files(options, frames) : from_standard_input(options.swap);
}

// The file of alignment i: `path` itself for a single alignment, otherwise a numbered name such as
// "name-3.svg".
fs::path numbered(const fs::path& path, std::size_t i, std::size_t count) {
  if (count == 1) return path;
  const std::string name = path.stem().string() + "-" + std::to_string(i + 1) + path.extension().string();
  return path.parent_path() / name;
}

// The files to write for `count` alignments.
std::vector<Output> outputs_for(const Options& options, std::size_t count) {
  std::vector<Output> outputs{{"--html", options.html}, {"--tsv", options.tsv}, {"--json", options.json}};
  for (std::size_t i = 0; i < count; ++i) {
    if (!options.svg.empty()) outputs.push_back({"--svg", numbered(options.svg, i, count)});
    if (!options.npy.empty()) outputs.push_back({"--npy", numbered(options.npy, i, count)});
  }
  return outputs;
}

// `frames` is true if the sentences are the paths of recordings.
void check_outputs(const Options& options, const SentencesToAlign& sentences, bool frames) {
  std::vector<fs::path> read{options.files.pairs, options.files.source, options.files.target};
  for (const std::string& model : options.models) read.push_back(checkpoint_of(model));
  for (const SentenceToAlign& sentence : sentences) {
    if (frames) read.push_back(sentence.source);
  }
  const std::vector<Output> outputs = outputs_for(options, sentences.size());
  check_distinct(outputs);
  for (const Output& output : outputs) check_output("alignment", output.file, read);
}

// If there are several alignments, refuses "-" and any other path that exists and is not a regular file: only
// the name of a regular file can get a number.
void check_numbered(const Options& options, std::size_t count) {
  if (count == 1) return;
  for (const fs::path& path : {options.svg, options.npy}) {
    if (!is_standard_output(path) &&
        (type_of(path) == fs::file_type::not_found || type_of(path) == fs::file_type::regular))
      continue;
    fail("alignment", count, " sentences need ", count, " files, but '", path.string(),
         "' is not a file; give one sentence, or name a file");
  }
}

void write_files(const Options& options, const std::vector<Alignment>& alignments) {
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const auto of_this = [&](const fs::path& path) { return numbered(path, i, alignments.size()); };
    if (!options.svg.empty()) write_output("alignment", of_this(options.svg), picture_of(alignments[i]));
    if (!options.npy.empty()) nn::save_npy(of_this(options.npy), alignments[i].decoded.weights);
  }
  if (!options.html.empty()) write_output("alignment", options.html, html_of(alignments));
  if (!options.tsv.empty()) write_output("alignment", options.tsv, tsv_of(alignments));
  if (!options.json.empty()) write_output("alignment", options.json, json_of(alignments));
}

void draw(const std::vector<Alignment>& alignments) {
  for (const Alignment& alignment : alignments) {
    std::cout << plot::terminal(heatmap_of(alignment), plot::colour_of(STDOUT_FILENO),
                                plot::terminal_width(STDOUT_FILENO))
              << '\n';
  }
}

int run(const Options& options, const models::Registry& registry) {
  const SavedEnsemble saved = load_ensemble(options.models, registry);
  check_attends("alignment", saved);
  use_top_k_attention(saved.members, options.attention_top_k);
  const bool frames = saved.sides().source.frames != nullptr;
  const SentencesToAlign sentences = read_sentences(options, frames);
  check_numbered(options, sentences.size());
  check_outputs(options, sentences, frames);
  const std::vector<Alignment> alignments = make_alignments(saved.model(), saved.sides(), sentences);
  if (options.writes_files()) {
    write_files(options, alignments);
  } else {
    draw(alignments);
  }
  return 0;
}

// With --source, the value of --target is a file of targets, as in gradus evaluate. Without --source, the
// value is a translation.
void take_target_file(Options& options) {
  if (options.files.source.empty() || !options.files.target.empty()) return;
  if (options.targets.size() != 1) {
    throw CLI::ValidationError("--source", "needs one --target FILE with the targets, found " +
                                               std::to_string(options.targets.size()));
  }
  options.files.target = options.targets.front();
  options.targets.clear();
}

void check(const Options& options) {
  if (!options.targets.empty() && options.targets.size() != options.texts.size()) {
    throw CLI::ValidationError("found " + std::to_string(options.texts.size()) + " --text and " +
                               std::to_string(options.targets.size()) +
                               " --target; give one --target per --text, or none");
  }
  if (!options.texts.empty() && options.files.given()) {
    throw CLI::ValidationError("--text cannot be combined with files of sentences; give only one of them");
  }
  const std::array texts{options.svg, options.html, options.tsv, options.json};
  if (std::ranges::count_if(texts, is_standard_output) > 1) {
    throw CLI::ValidationError("only one output can be '-' (standard output); name files for the others");
  }
}

}  // namespace

int align(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Shows a model's attention weights over the source for each target token.\n\n"
      "  gradus align --model run --text 'where is the red book?'\n"
      "      draws the model's own translation in the terminal\n"
      "  gradus align --model run --text 'i lost.' --target \"j'ai perdu.\" --svg lost.svg\n"
      "      draws the given translation in a file\n"
      "  gradus align --model run --pairs some.tsv --html some.html --json some.json\n"
      "      writes a page of all pairs, and a file with tokens, weights and log-probabilities\n"
      "  gradus align --model run --text speech.wav --svg speech.svg\n"
      "      draws a recording above the weights, for a model of gradus train --frames\n\n"
      "Without sentence options, reads SOURCE or SOURCE TAB TARGET lines from standard input.\n"
      "For several sentences, --svg a.svg writes a-1.svg, a-2.svg and so on; --npy likewise.\n"
      "A text output file may be -, which means standard output.",
      "gradus align");
  Options options;
  app.add_option("--model", options.models,
                 "the folder of a run of gradus train, or a checkpoint; repeat for the mean weights of an "
                 "ensemble")
      ->type_name("RUN")
      ->required()
      ->allow_extra_args(false);
  app.option_defaults()->group("Sentences");
  app.add_option("--text", options.texts, "a source sentence; repeatable")->allow_extra_args(false);
  app.add_option("--target", options.targets,
                 "the translation of each --text, in order [the model's own]; with --source, "
                 "the file of the targets")
      ->allow_extra_args(false);
  auto* const pairs =
      app.add_option("--pairs", options.files.pairs, "a file of source TAB target lines")->type_name("FILE");
  auto* const source =
      app.add_option("--source,--source-file", options.files.source, "a file of sources, one per line")
          ->type_name("FILE");
  auto* const target =
      app.add_option("--target-file", options.files.target, "the file of their targets, one per line")
          ->type_name("FILE");
  source->excludes(pairs);
  target->needs(source);
  app.add_flag("--swap", options.swap, "--pairs and standard input hold TARGET TAB SOURCE lines");
  app.option_defaults()->group("Attention");
  add_top_k_attention(app, options.attention_top_k);
  app.option_defaults()->group("Output files (instead of a picture in the terminal)");
  app.add_option("--svg", options.svg, "a picture")->type_name("FILE");
  app.add_option("--html", options.html, "a page with all pictures")->type_name("FILE");
  app.add_option("--tsv", options.tsv, "the weights, one per line")->type_name("FILE");
  app.add_option("--json", options.json, "tokens, weights and log-probabilities")->type_name("FILE");
  app.add_option("--npy", options.npy, "the matrix (target tokens, source tokens) for NumPy")
      ->type_name("FILE")
      ->check(no_standard_output("but the matrix is binary"));
  app.callback([&] {
    take_target_file(options);
    check(options);
  });
  return run_command(app, argc, argv, [&] {
    check_effects({app, argc, argv},
                  {{"--swap", options.texts.empty(), "with --text"},
                   {"--swap", options.files.source.empty(), "with --source and --target"}});
    return run(options, registry);
  });
}

}  // namespace gradus::tools
