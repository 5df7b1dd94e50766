#include <gradus/data/token_counts.hpp>
#include <gradus/data/utf8.hpp>
#include <gradus/data/vocabulary.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "check.hpp"
#include "text/lines.hpp"

namespace gradus::data {
namespace {

const std::vector<std::string>& special_tokens() {
  static const std::vector<std::string> names = {"<pad>", "<bos>", "<eos>", "<unk>"};
  return names;
}

bool special(std::string_view token) { return std::ranges::count(special_tokens(), token) > 0; }

}  // namespace

Vocabulary::Vocabulary() : tokens_(special_tokens()) {}

Vocabulary::Vocabulary(std::vector<std::string> tokens) : Vocabulary() {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    add("Vocabulary: token " + std::to_string(i + 1), std::move(tokens[i]));
  }
}

void Vocabulary::add(std::string_view where, std::string token) {
  if (token.empty()) fail(where, ": the token is empty; remove it");
  check_utf8(where, token);
  if (token.find_first_of("\r\n") != std::string::npos) {
    fail(where, ": the token has a line break; remove it, since a vocabulary has one token per line");
  }
  // Refuses a leading byte order mark, because a reader skips this mark at the start of a file.
  if (token.starts_with("\xef\xbb\xbf")) {
    fail(where, ": the token begins with a byte order mark; remove the mark");
  }
  if (special(token)) {
    fail(where, ": ", token,
         " is a special token; give only ordinary tokens, special ones are added automatically");
  }
  const auto [place, is_new] = ids_.emplace(token, size());
  if (!is_new) fail(where, ": '", token, "' occurs twice; give each token once");
  tokens_.push_back(std::move(token));
}

Vocabulary Vocabulary::build(std::span<const std::vector<std::string>> sentences, VocabularyOptions options) {
  if (options.min_count < 1) {
    fail("Vocabulary::build: min_count is ", options.min_count,
         ", but must be at least 1; 1 keeps every token");
  }
  if (options.limit < 0) {
    fail("Vocabulary::build: limit is ", options.limit, ", but must be at least 0; 0 keeps every token");
  }
  std::vector<std::pair<std::string, std::int64_t>> counted;
  for (const auto& [token, count] : count_tokens(sentences)) {
    if (count >= options.min_count && !special(token)) counted.emplace_back(token, count);
  }
  if (counted.empty()) {
    fail("Vocabulary::build: no token occurs ", options.min_count,
         " or more times; lower min_count, or give more text");
  }
  std::ranges::stable_sort(counted, std::ranges::greater(), &std::pair<std::string, std::int64_t>::second);
  if (options.limit > 0 && std::ssize(counted) > options.limit) counted.resize(options.limit);

  std::vector<std::string> tokens;
  for (auto& [token, count] : counted) tokens.push_back(std::move(token));
  return Vocabulary(std::move(tokens));
}

Vocabulary Vocabulary::from_text(std::string_view text, std::string_view source_name) {
  constexpr std::string_view operation = "Vocabulary::from_text";
  Vocabulary vocabulary;
  const std::vector<std::string_view> lines = split_lines(operation, source_name, text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    vocabulary.add(at_line(operation, source_name, i + 1), std::string(lines[i]));
  }
  return vocabulary;
}

std::string Vocabulary::to_text() const {
  std::string text;
  for (const std::string& token : std::span(tokens_).subspan(special_tokens().size())) text += token + '\n';
  return text;
}

std::int64_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? unk : found->second;
}

const std::string& Vocabulary::token(std::int64_t id) const {
  if (id < 0 || id >= size()) {
    fail("Vocabulary::token: the id is ", id, ", but must be 0 to ", size() - 1,
         "; use a model with size() tokens");
  }
  return tokens_[id];
}

std::vector<std::int64_t> Vocabulary::encode(std::span<const std::string> tokens) const {
  std::vector<std::int64_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) ids.push_back(id(token));
  return ids;
}

std::vector<std::string> Vocabulary::decode(std::span<const std::int64_t> ids) const {
  std::vector<std::string> tokens;
  for (const std::int64_t id : ids) {
    if (id != pad && id != bos && id != eos) tokens.push_back(token(id));
  }
  return tokens;
}

}  // namespace gradus::data
