#include "files/run_corpus.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "files/run_folder.hpp"
#include "settings/streams.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> out_of(const fs::path& settings) {
  const std::string text = content_if_there(settings);
  if (text.empty()) return std::nullopt;
  try {
    return settings_from_text(text).run.out;
  } catch (const Error&) {  // the settings were edited by hand
    return std::nullopt;
  }
}

std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path.lexically_normal()) {
    if (!part.empty() && part != ".") parts.push_back(part.string());
  }
  return parts;
}

// Replaces a missing relative path by the same path below `start`. Throws an Error
// if that path does not exist either.
void find(fs::path& path, const std::optional<fs::path>& start) {
  std::error_code ignored;
  path = found_from(path, start);
  if (path.empty() || is_stream(path) || path.is_absolute() || fs::exists(path, ignored)) return;
  fail("corpus", "'", path.string(),
       "' does not exist; the path is relative to the folder in which training was "
       "started; start the command there, or name the text with --pairs or --source and --target");
}

// True if `all` has every token of `some`.
bool contains(const data::Vocabulary& all, const data::Vocabulary& some) {
  for (std::int64_t id = data::unk + 1; id < some.size(); ++id) {
    if (!all.contains(some.token(id))) return false;
  }
  return true;
}

}  // namespace

Sides with_vocabularies_of(const Sides& model, const DataSettings& of_model, Sides sides,
                           const DataSettings& now) {
  const auto options = [](const DataSettings& data) {
    return std::tuple(data.shared_vocabulary, data.min_count, data.words);
  };
  if (options(of_model) != options(now)) return sides;
  for (const auto& [own, theirs] :
       {std::pair{&sides.source, &model.source}, {&sides.target, &model.target}}) {
    if (own->tokeniser == theirs->tokeniser && contains(theirs->vocabulary, own->vocabulary))
      own->vocabulary = theirs->vocabulary;
  }
  return sides;
}

fs::path found_from(const fs::path& path, const std::optional<fs::path>& start) {
  std::error_code ignored;
  const bool is_missing = path.is_relative() && !path.empty() && !fs::exists(path, ignored);
  return is_missing && start && fs::exists(*start / path, ignored) ? *start / path : path;
}

std::optional<fs::path> start_of_run(const fs::path& folder) {
  const std::optional<fs::path> out = out_of(folder / run_file::settings);
  if (!out || out->is_absolute()) return std::nullopt;
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(folder), error);
  const std::vector<std::string> own = parts_of(place), end = parts_of(*out);
  if (error || own.size() <= end.size() || !std::equal(end.rbegin(), end.rend(), own.rbegin()))
    return std::nullopt;
  fs::path start = "/";
  for (std::size_t i = 0; i + end.size() < own.size(); ++i) start /= own[i];
  return start;
}

Sides make_run_sides(const Settings& settings, const Origin& run, std::span<const data::SentencePair> train) {
  const DataSettings &now = settings.data, &before = run.settings.data;
  Pieces kept;
  if (now.source_pieces == before.source_pieces) kept.source = run.sides.source.tokeniser.sentence_piece();
  if (now.target_pieces == before.target_pieces) kept.target = run.sides.target.tokeniser.sentence_piece();
  return with_vocabularies_of(run.sides, before, make_sides(now, train, kept), now);
}

Corpus read_run_corpus(const Settings& settings, const fs::path& checkpoint) {
  const fs::path folder = checkpoint.parent_path();
  const std::optional<fs::path> start = start_of_run(folder);
  for (const auto& [option, file] : inputs_of(settings.data)) {
    if (!is_stream(found_from(file, start))) continue;
    fail(
        "corpus", "the model was trained on a pipe, ", option, ' ', file.string(),
        ", which cannot be read again; gradus evaluate takes a text by --pairs, or by --source and --target");
  }
  try {
    return read_resumed_corpus(settings, folder);
  } catch (const UsageError& error) {  // the message names options of gradus train, not of this command
    const std::string_view text = error.what();  // after "; " comes advice about these options, cut off below
    fail("corpus", "'", checkpoint.string(), "' has wrong settings: ", text.substr(0, text.find("; ")),
         "; give a checkpoint written by gradus train");
  }
}

Corpus read_resumed_corpus(const Settings& settings, const fs::path& folder) {
  std::error_code ignored;
  for (const auto& [option, file] : inputs_of(settings.data)) {
    if (file == "-" || !is_stream(file) || fs::exists(file, ignored)) continue;
    fail("corpus", "the run was trained on a pipe, ", option, ' ', file.string(),
         ", which is gone; give its text again with ", option);
  }
  DataSettings data = settings.data;
  const std::optional<fs::path> start = start_of_run(folder);
  for (PairFiles* files : {&data.train, &data.dev, &data.test}) {
    for (fs::path* path : {&files->pairs, &files->source, &files->target}) find(*path, start);
  }
  return read_corpus(data, settings.run.seed);
}

}  // namespace gradus::tools
