#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "commands/run_command.hpp"
#include "files/columns.hpp"
#include "files/input_name.hpp"
#include "files/line_reader.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_ensemble.hpp"
#include "settings/effects.hpp"
#include "settings/printable.hpp"
#include "settings/search_options.hpp"
#include "settings/streams.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<data::SentencePair>;

struct Options {
  std::vector<std::string> models;
  PairFiles files;
  bool swap = false, tokens = false, summary = false;
  fs::path output;
  SearchOptions computing;  // only threads, precision and attention_top_k

  bool writes_as_it_goes() const { return output.empty() || is_standard_output(output); }
};

constexpr const char* examples =
    "Prints the model's log-probability of given translations, in nats: one line per pair,\n"
    "LOG-PROBABILITY TAB TOKENS, where TOKENS counts the end of the sentence too. A line without a source "
    "or\n"
    "a target gives an empty line. A word outside the vocabulary is scored as <unk>.\n\n"
    "  gradus score --model run --pairs pairs.tsv\n"
    "  gradus score --model run --source test.en --target test.fr --summary\n"
    "  paste test.en test.fr | gradus score --model run --tokens\n"
    "  gradus score --model run1 --model run2 --pairs pairs.tsv              # an ensemble";

void add_options(CLI::App& app, Options& options) {
  app.add_option(
         "--model", options.models,
         "the folder of a run of gradus train, or a checkpoint; repeat for an ensemble: the mean of the "
         "models' probabilities")
      ->type_name("RUN")
      ->required()
      ->allow_extra_args(false);
  app.option_defaults()->group("Pairs");
  auto* const pairs =
      app.add_option("--pairs", options.files.pairs, "SOURCE TAB TARGET lines [- for standard input]")
          ->type_name("FILE");
  auto* const source = app.add_option("--source", options.files.source, "sources, one per line")
                           ->type_name("FILE")
                           ->excludes(pairs);
  auto* const target =
      app.add_option("--target", options.files.target, "their targets, one per line")->type_name("FILE");
  source->needs(target);
  target->needs(source);
  app.add_flag("--swap", options.swap, "--pairs and standard input hold TARGET TAB SOURCE lines");
  app.option_defaults()->group("Output");
  auto* const tokens =
      app.add_flag("--tokens", options.tokens,
                   "one line per target token instead: number of the pair's line and of the token (from 0), "
                   "token, log-probability, separated by tabs");
  app.add_flag("--summary", options.summary,
               "only the totals: pairs, tokens, log-probability, cross-entropy per token, perplexity")
      ->excludes(tokens);
  app.add_option("--output", options.output,
                 "output file, written after the last pair [- for standard output]")
      ->type_name("FILE");
  app.option_defaults()->group("Computing");
  add_top_k_attention(app, options.computing.attention_top_k);
  add_computing_options(app, options.computing);
}

// Reads pairs from lines with tabs: one pair per line.
class PairLines {
 public:
  PairLines(std::string name, bool swap) : name_(std::move(name)), swap_(swap) {}

  data::SentencePair pair_of(const std::string& line) {
    ++line_;
    const data::Columns columns = data::columns_of(line);
    if (!columns.second && line.find_first_not_of(' ') != std::string::npos) {
      fail("pairs", input_name(name_), " line ", line_, ": expected ",
           swap_ ? "TARGET TAB SOURCE" : "SOURCE TAB TARGET",
           ", found no tab; add the missing side, or give --source and --target");
    }
    if (!columns.second) return {};
    with_more_ += columns.has_more ? 1 : 0;
    data::SentencePair pair{std::string(columns.first), std::string(*columns.second)};
    if (swap_) std::swap(pair.source, pair.target);
    return pair;
  }
  // Call this after the last line. Prints a note if lines had more than two columns.
  void note() const { note_columns(name_, with_more_); }

 private:
  std::string name_;
  bool swap_;
  std::int64_t line_ = 0, with_more_ = 0;
};

// The lines of one side, source or target, that have been read but not yet taken. They wait here if this side
// is faster to read than the other, for example if this side is a file and the other a pipe.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path) : next_(lines_of(path)) {}

  // Reads more lines if none is left. Returns the number of lines that can be taken; 0 at the end.
  std::size_t fill() {
    if (lines_.empty()) {
      const std::vector<std::string> some = next_();
      lines_.assign(some.begin(), some.end());
    }
    return lines_.size();
  }
  std::string take() {
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  LineReader next_;
  std::deque<std::string> lines_;
};

// A function that returns the next pairs, and an empty vector at the end.
std::function<Pairs()> reader_of(const Options& options) {
  if (options.files.source.empty()) {
    const std::string name = options.files.pairs.empty() ? "-" : options.files.pairs.string();
    return [next = lines_of(name), lines = PairLines(name, options.swap)]() mutable {
      Pairs pairs;
      for (const std::string& line : next()) pairs.push_back(lines.pair_of(line));
      if (pairs.empty()) lines.note();
      return pairs;
    };
  }
  check_streams(inputs_of("--", options.files));
  return [source = Lines(options.files.source), target = Lines(options.files.target),
          files = options.files]() mutable {
    const std::size_t count = std::min(source.fill(), target.fill());
    if (count == 0 && source.fill() + target.fill() > 0) {
      fail("pairs", "'", files.source.string(), "' and '", files.target.string(),
           "' have different numbers of lines; line i of the second file must translate line i of the first");
    }
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.push_back({source.take(), target.take()});
    return pairs;
  };
}

/// Scores pairs, and writes the lines that the options request.
class Scorer {
 public:
  Scorer(const Options& options, const SavedEnsemble& saved, std::ostream& out)
      : options_(options), model_(saved.model()), sides_(saved.sides()), out_(out) {}

  void score(const Pairs& pairs) {
    // For each pair, the target's tokens and EOS; empty if the source or the target has no token.
    std::vector<std::vector<std::string>> targets;
    std::vector<data::Pair> ids;
    for (const auto& [source, target] : pairs) {
      const std::vector<std::string> read = sides_.source.split(source);
      targets.push_back(sides_.target.tokeniser.split(target));
      if (read.empty()) targets.back().clear();
      if (targets.back().empty()) continue;
      ids.push_back({sides_.source.encode(read), sides_.target.vocabulary.encode(targets.back())});
      ids.back().target.push_back(data::eos);
      targets.back().push_back(sides_.target.vocabulary.token(data::eos));
    }
    const std::vector<models::Forced> forced = models::force_decode(model_, ids);
    auto next = forced.begin();
    for (const std::vector<std::string>& target : targets) {
      ++line_;
      if (!target.empty()) {
        write(*next++, target);
      } else if (!options_.summary && !options_.tokens) {
        out_ << '\n';
      }
    }
  }

  void finish() const {
    if (!options_.summary) return;
    if (pairs_ == 0) fail("pairs", "there is no pair with a source and a target to score; give some");
    out_ << "pairs            " << pairs_ << "\ntokens           " << tokens_ << "\nlog-probability  "
         << log_probability_ << "\ncross-entropy    " << -log_probability_ / static_cast<double>(tokens_)
         << "\nperplexity       " << data::perplexity(-log_probability_, tokens_) << '\n';
  }

 private:
  void write(const models::Forced& forced, const std::vector<std::string>& target) {
    ++pairs_;
    tokens_ += std::ssize(target);
    log_probability_ += forced.log_probability;
    if (options_.summary) return;
    if (!options_.tokens) {
      out_ << forced.log_probability << '\t' << target.size() << '\n';
      return;
    }
    for (std::size_t t = 0; t < target.size(); ++t) {
      out_ << line_ - 1 << '\t' << t << '\t' << printable(target[t]) << '\t'
           << forced.token_log_probabilities[t] << '\n';
    }
  }

  const Options& options_;
  models::Ensemble model_;
  const Sides& sides_;
  std::ostream& out_;
  std::int64_t line_ = 0, pairs_ = 0, tokens_ = 0;
  double log_probability_ = 0;
};

int run(const Options& options, const models::Registry& registry) {
  options.computing.use_threads();
  std::vector<fs::path> read{options.files.pairs, options.files.source, options.files.target};
  for (const std::string& model : options.models) read.push_back(checkpoint_of(model));
  check_output("output", options.output, read);
  const SavedEnsemble saved = load_ensemble(options.models, registry);
  check_precision(saved.members, options.computing.precision);
  use_top_k_attention(saved.members, options.computing.attention_top_k);
  const auto next = reader_of(options);
  std::ostringstream whole;
  std::ostream& out = options.writes_as_it_goes() ? std::cout : whole;
  Scorer scorer(options, saved, out);
  const MixedPrecision precision(options.computing.precision);
  for (Pairs pairs = next(); !pairs.empty(); pairs = next()) {
    if (saved.sides().source.frames) locate_frames(pairs, options.files);
    scorer.score(pairs);
    flush_standard_output();
  }
  scorer.finish();
  if (!options.writes_as_it_goes()) write_output("output", options.output, whole.str());
  return 0;
}

}  // namespace

int score(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Scores given translations.", "gradus score");
  app.footer(examples);
  Options options;
  add_options(app, options);
  return run_command(app, argc, argv, [&] {
    check_effects({app, argc, argv},
                  {{"--swap", options.files.source.empty(), "with --source and --target"}});
    return run(options, registry);
  });
}

}  // namespace gradus::tools
