#include "files/corpus.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/byte_pair_encoding.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/data/parallel_text.hpp>
#include <gradus/data/phrases.hpp>
#include <gradus/data/split.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/data/token_counts.hpp>
#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "files/columns.hpp"
#include "files/line_ends.hpp"
#include "settings/check_settings.hpp"
#include "settings/fits.hpp"
#include "settings/streams.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

using Pairs = std::vector<data::SentencePair>;
using Sentences = std::vector<std::vector<std::string>>;

// Refuses a --min-count that would leave the vocabulary empty.
void check_occurs(const DataSettings& settings, const char* side, const Sentences& sentences) {
  if (settings.min_count == 1) return;
  std::int64_t most = 0;
  for (const auto& [token, count] : data::count_tokens(sentences)) most = std::max(most, count);
  if (most >= settings.min_count) return;
  fail("corpus", "no ", side, " token reaches --min-count ", settings.min_count, " (maximum ", most,
       "); lower --min-count");
}

// Advice on how to get more sources from the task.
std::string more_sources(const DataSettings& settings) {
  return settings.task == "dates" ? "raise --max-year" : "raise --symbols or --max-length";
}

Corpus make_task_corpus(const DataSettings& settings, std::uint64_t seed) {
  check_task_fits(settings);
  data::TaskOptions options = settings.task_options;
  const auto training = data::make_task(settings.task, options);
  options.max_length = settings.test_max_length > 0 ? settings.test_max_length : options.max_length;
  const auto held_out = data::make_task(settings.task, options);
  Generator generator(seed);
  const auto uniform = [&](std::uint64_t n) { return generator.below(n); };
  const auto part = [&](const data::Task& task, std::int64_t count, data::Part wanted, const char* name) {
    try {
      return data::generate(task, count, uniform, [&](std::string_view source) {
        return data::part_of(source, settings.dev_percent, settings.test_percent) == wanted;
      });
    } catch (const Error&) {  // 1000 sources in a row belong to other parts
      throw UsageError(
          message("--task ", settings.task, " has too few different sources to split by --dev-percent ",
                  settings.dev_percent, " and --test-percent ", settings.test_percent, ": none for ", name,
                  "; ", more_sources(settings), ", or change the percentages"));
    }
  };
  return {.train = part(*training, settings.examples, data::Part::train, "training"),
          .dev = part(*held_out, settings.held_out, data::Part::dev, "dev"),
          .test = part(*held_out, settings.held_out, data::Part::test, "test")};
}

void swap_sides(Pairs& pairs) {
  for (data::SentencePair& pair : pairs) std::swap(pair.source, pair.target);
}

// The `limit` pairs with the smallest hashes, in their original order; all pairs if `limit` is 0.
Pairs drawn(Pairs pairs, std::int64_t limit) {
  if (limit == 0 || limit >= std::ssize(pairs)) return pairs;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    order.emplace_back(data::stable_hash(pairs[i].source + '\t' + pairs[i].target), i);
  std::nth_element(order.begin(), order.begin() + limit, order.end());
  order.resize(static_cast<std::size_t>(limit));
  std::ranges::sort(order, {}, &std::pair<std::uint64_t, std::size_t>::second);
  Pairs some;
  for (const auto& [hash, i] : order) some.push_back(std::move(pairs[i]));
  return some;
}

data::Tokeniser make_tokeniser(const DataSettings& settings, data::TokenUnit unit, bool french,
                               std::optional<data::BytePairEncoding> bpe = {}) {
  return data::Tokeniser(
      {.unit = unit, .lower = settings.lower, .nfkc = settings.nfkc, .french_spacing = french},
      std::move(bpe));
}

// Tracks the smallest and the largest length.
struct Lengths {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;

  std::int64_t add(std::int64_t length) {
    least = std::min(least, length);
    most = std::max(most, length);
    return length;
  }
};

// Keeps the pairs within the length limits.
Pairs of_lengths(Pairs pairs, const DataSettings& settings) {
  const data::Tokeniser source = make_tokeniser(settings, settings.source_unit, false),
                        target = make_tokeniser(settings, settings.target_unit, false);
  Lengths sources, targets;
  std::erase_if(pairs, [&](const data::SentencePair& pair) {
    const std::int64_t from = settings.frames ? settings.min_tokens  // sound has no tokens yet
                                              : sources.add(std::ssize(source.split(pair.source))),
                       to = targets.add(std::ssize(target.split(pair.target)));
    return from < settings.min_tokens || from > settings.max_tokens || to > settings.max_target_tokens;
  });
  if (pairs.empty() && settings.frames) {
    fail("corpus", "--max-target-tokens ", settings.max_target_tokens, " removes every pair: targets have ",
         targets.least, " to ", targets.most, " tokens; raise it");
  }
  if (pairs.empty()) {
    fail("corpus", "the length limits remove every pair: sources have ", sources.least, " to ", sources.most,
         " tokens (--min-tokens ", settings.min_tokens, ", --max-tokens ", settings.max_tokens, "), targets ",
         targets.least, " to ", targets.most, " (--max-target-tokens ", settings.max_target_tokens,
         "); change these options");
  }
  return pairs;
}

Corpus read_text_corpus(const DataSettings& settings) {
  std::vector<std::string> notes;
  Pairs all =
      settings.phrases.empty() ? read_pairs(settings.train, false, &notes) : data::phrases(settings.phrases);
  if (settings.swap) swap_sides(all);
  const auto read = std::ssize(all);
  all = of_lengths(std::move(all), settings);
  const std::int64_t dropped = read - std::ssize(all);
  all = drawn(std::move(all), settings.limit);
  data::Split split = data::split_by_source(std::move(all), settings.dev.given() ? 0 : settings.dev_percent,
                                            settings.test.given() ? 0 : settings.test_percent);
  if (settings.dev.given()) split.dev = read_pairs(settings.dev, settings.swap, &notes);
  if (settings.test.given()) split.test = read_pairs(settings.test, settings.swap, &notes);
  if (settings.frames) {  // after the split, which hashes the paths as they are in the list
    locate_frames(split.train, settings.train);
    locate_frames(split.dev, settings.dev.given() ? settings.dev : settings.train);
    locate_frames(split.test, settings.test.given() ? settings.test : settings.train);
  }
  return {std::move(split.train), std::move(split.dev), std::move(split.test), dropped, std::move(notes)};
}

// Prints a note about a file that may have the line ends of old Macs.
void note_line_ends(const PairFiles& files, const Pairs& pairs) {
  const bool in_source = std::ranges::any_of(pairs, has_carriage_return, &data::SentencePair::source),
             in_target = std::ranges::any_of(pairs, has_carriage_return, &data::SentencePair::target);
  if (!files.pairs.empty()) {
    if (in_source || in_target) note_carriage_returns(files.pairs.string());
    return;
  }
  if (in_source) note_carriage_returns(files.source.string());
  if (in_target) note_carriage_returns(files.target.string());
}

Sentences split_all(const data::Tokeniser& tokeniser, const Sentences& lines) {
  Sentences split;
  for (const auto& side : lines) {
    for (const std::string& line : side) split.push_back(tokeniser.split(line));
  }
  return split;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Pairs each file of frames in a folder with a line of the target file. The files are sorted by name.
Pairs read_folder(const PairFiles& files) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(files.source)) {
    if (is_frames_file(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  std::vector<std::string> targets = data::read_lines(files.target);
  if (names.size() != targets.size()) {
    fail("corpus", "'", files.source.string(), "' has ", names.size(), " .wav and .npy files and '",
         files.target.string(), "' has ", targets.size(), " lines; give one line per file, sorted by name");
  }
  Pairs pairs;
  for (std::size_t i = 0; i < names.size(); ++i) pairs.push_back({names[i], std::move(targets[i])});
  return pairs;
}

}  // namespace

std::vector<std::string> Side::split(const std::string& text) const {
  std::vector<std::string> tokens = tokeniser.split(text);
  if (frames && !tokens.empty()) return {text};
  return tokens;
}

std::vector<std::int64_t> Side::encode(std::span<const std::string> tokens) const {
  if (!frames) return vocabulary.encode(tokens);
  return tokens.empty() ? std::vector<std::int64_t>() : frames->read(tokens.front());
}

models::Vocabularies vocabularies_of(const Sides& sides) {
  const auto& frames = sides.source.frames;
  return {.source = frames ? 0 : sides.source.vocabulary.size(),
          .target = sides.target.vocabulary.size(),
          .vectors = frames ? frames->size() : 0};
}

fs::path folder_of_list(const fs::path& list) { return is_stream(list) ? fs::path() : list.parent_path(); }

void locate_frames(std::vector<data::SentencePair>& pairs, const PairFiles& files) {
  const fs::path& list = files.pairs.empty() ? files.source : files.pairs;
  const fs::path folder = is_folder(list) ? list : folder_of_list(list);
  for (data::SentencePair& pair : pairs) {
    if (pair.source.find_first_not_of(' ') != std::string::npos)
      pair.source = (folder / pair.source).string();
  }
}

std::vector<data::SentencePair> read_pairs(const PairFiles& files, bool swap,
                                           std::vector<std::string>* notes) {
  check_streams(inputs_of("--", files));
  std::int64_t with_more = 0;
  Pairs pairs = !files.pairs.empty()      ? data::read_tab_separated(files.pairs, &with_more)
                : is_folder(files.source) ? read_folder(files)
                                          : data::read_parallel(files.source, files.target);
  note_line_ends(files, pairs);
  if (notes == nullptr) {
    note_columns(files.pairs.string(), with_more);
  } else if (with_more > 0) {
    notes->push_back(note_of_columns(files.pairs.string(), with_more));
  }
  if (swap) swap_sides(pairs);
  return pairs;
}

Corpus read_corpus(const DataSettings& settings, std::uint64_t seed) {
  check_data(settings);
  Corpus corpus = settings.task.empty() ? read_text_corpus(settings) : make_task_corpus(settings, seed);
  if (corpus.train.empty())
    fail("corpus", "no training pairs left after the split; lower --dev-percent and --test-percent");
  return corpus;
}

Sides make_sides(const DataSettings& settings, std::span<const data::SentencePair> train,
                 const Pieces& kept) {
  Sentences lines(2);  // [0]: sources, [1]: targets
  for (const data::SentencePair& pair : train) {
    lines[0].push_back(pair.source);
    lines[1].push_back(pair.target);
  }
  const data::VocabularyOptions limits{.min_count = settings.min_count, .limit = settings.words};
  const auto make = [&](const char* side, data::TokenUnit unit, bool french, const fs::path& pieces,
                        const std::optional<data::SentencePiece>& of_run, const Sentences& of) {
    data::Tokeniser tokeniser = of_run           ? data::Tokeniser(*of_run)
                                : pieces.empty() ? make_tokeniser(settings, unit, french)
                                                 : data::Tokeniser(data::SentencePiece::read(pieces));
    if (settings.bpe > 0) {
      auto bpe = data::BytePairEncoding::learn(data::count_tokens(split_all(tokeniser, of)), settings.bpe);
      tokeniser = make_tokeniser(settings, unit, french, std::move(bpe));
    }
    const Sentences tokens = split_all(tokeniser, of);
    check_occurs(settings, side, tokens);
    data::Vocabulary vocabulary = data::Vocabulary::build(tokens, limits);
    return Side{std::move(tokeniser), std::move(vocabulary)};
  };
  if (settings.frames) {
    const Side sound{make_tokeniser(settings, data::TokenUnit::word, false),
                     data::Vocabulary(std::vector<std::string>{}),
                     std::make_shared<Frames>(Frames::learn(lines[0], settings.bands))};
    return {sound, make("target", settings.target_unit, settings.french_spacing, settings.target_pieces,
                        kept.target, Sentences{lines[1]})};
  }
  const bool shared = settings.shared_vocabulary;
  return {make("source", settings.source_unit, false, settings.source_pieces, kept.source,
               shared ? lines : Sentences{lines[0]}),
          make("target", settings.target_unit, settings.french_spacing, settings.target_pieces, kept.target,
               shared ? lines : Sentences{lines[1]})};
}

std::vector<data::Pair> encode(std::span<const data::SentencePair> pairs, const Sides& sides) {
  if (sides.source.frames) {
    std::vector<data::Pair> encoded;
    for (const data::SentencePair& pair : pairs) {
      encoded.push_back({sides.source.encode(sides.source.split(pair.source)),
                         sides.target.encode(sides.target.split(pair.target))});
      encoded.back().target.push_back(data::eos);
    }
    return encoded;
  }
  return data::encode(data::tokenise(pairs, sides.source.tokeniser, sides.target.tokeniser),
                      sides.source.vocabulary, sides.target.vocabulary);
}

void check_frames(std::span<const data::SentencePair> pairs, const Sides& sides) {
  if (!sides.source.frames) return;
  for (const data::SentencePair& pair : pairs) sides.source.frames->check(pair.source);
}

}  // namespace gradus::tools
