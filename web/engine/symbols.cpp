#include "symbols.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace gradus::web {
namespace {

constexpr std::int64_t first_token = data::first_symbol + 1;  // the first id after <unk> = 3
constexpr const char* visible_space = "▁";                    // as in data::Tokeniser

std::string character_token(char c) { return c == ' ' ? visible_space : std::string(1, c); }

// The characters of a task of dates: digits, letters of months and weekdays, separators. A sample of 3000
// random pairs contains all of them.
std::set<char> characters(const data::Task& task) {
  constexpr int enough = 3000;
  std::set<char> found;
  Generator draws(20140902);
  for (int i = 0; i < enough; ++i) {
    const auto [source, target] = task.sample([&](std::uint64_t n) { return draws.below(n); });
    found.insert(source.begin(), source.end());
    found.insert(target.begin(), target.end());
  }
  return found;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> words;
  bool begins = true;
  for (const char c : text) {
    if (c == ' ' || c == ',') {
      begins = true;
      continue;
    }
    if (begins) words.emplace_back();
    begins = false;
    words.back() += c;
  }
  return words;
}

std::vector<std::string> split_characters(std::string_view text) {
  std::vector<std::string> tokens;
  for (const char c : text)
    tokens.push_back(character_token(static_cast<char>(std::tolower(static_cast<unsigned char>(c)))));
  return tokens;
}

}  // namespace

Symbols::Symbols(std::string_view task, const data::TaskOptions& options)
    : tokens_{"<pad>", "<bos>", "<eos>", "<unk>"} {
  const auto made = data::make_task(task, options);
  by_character_ = made->by_character();
  if (by_character_) {
    for (const char c : characters(*made)) tokens_.push_back(character_token(c));
  } else {
    for (std::int64_t i = 0; i < options.symbols; ++i) tokens_.push_back(std::to_string(i));
  }
}

Symbols::Symbols(std::vector<std::string> tokens, Encode encode)
    : tokens_(std::move(tokens)), encode_(std::move(encode)) {}

std::vector<std::int64_t> Symbols::encode(std::string_view text) const {
  if (encode_) return encode_(text);
  std::vector<std::string> tokens = by_character_ ? split_characters(text) : words(text);
  if (!by_character_ && tokens.size() == 1 && size() <= first_token + 10)
    tokens = split_characters(tokens[0]);
  if (tokens.empty()) throw Error("the input is empty; type at least one token");
  std::vector<std::int64_t> ids;
  for (const std::string& token : tokens) {
    const auto found = std::find(tokens_.begin() + first_token, tokens_.end(), token);
    if (found == tokens_.end()) {
      throw Error("unknown token '" + token + "'; the task's tokens are " + listed());
    }
    ids.push_back(found - tokens_.begin());
  }
  return ids;
}

std::string Symbols::listed() const {
  if (!by_character_) return tokens_[first_token] + " to " + tokens_.back();
  std::string all;
  for (auto token = tokens_.begin() + first_token; token != tokens_.end(); ++token) all += *token;
  return all;
}

std::string Symbols::text(std::span<const std::int64_t> ids) const {
  std::string joined;
  for (const std::int64_t id : ids) {
    if (id == data::eos) break;
    if (!joined.empty() && !by_character_) joined += ' ';
    joined += token(id) == visible_space ? " " : token(id);
  }
  return joined;
}

std::string Symbols::lines() const {
  std::string text;
  for (auto token = tokens_.begin() + first_token; token != tokens_.end(); ++token) text += *token + '\n';
  return text;
}

}  // namespace gradus::web
