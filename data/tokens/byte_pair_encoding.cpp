#include <gradus/data/byte_pair_encoding.hpp>

#include <functional>
#include <optional>
#include <queue>

#include "check.hpp"
#include "text/lines.hpp"
#include "tokens/byte_pair_learner.hpp"
#include "tokens/byte_pair_symbols.hpp"

namespace gradus::data {
namespace {

constexpr std::string_view version = "#version: 0.2";

void check_word(std::string_view operation, const std::string& word, std::int64_t count) {
  if (word.empty()) fail(operation, ": a word is empty; remove it");
  if (word.find_first_of(" \t\r\n") != std::string::npos) {
    fail(operation, ": the word '", word, "' has white space; split the text into words first");
  }
  if (count < 1) fail(operation, ": the word '", word, "' has count ", count, "; remove it");
}

}  // namespace

BytePairEncoding BytePairEncoding::learn(const std::map<std::string, std::int64_t>& word_counts,
                                         std::int64_t merges) {
  constexpr std::string_view operation = "BytePairEncoding::learn";
  if (merges < 1)
    fail(operation, ": merges is ", merges, ", but must be at least 1; a few thousand are usual");
  BytePairLearner learner;
  for (const auto& [word, count] : word_counts) {
    check_word(operation, word, count);
    learner.add_word(characters(operation, word), count);
  }
  BytePairEncoding learned;
  for (std::int64_t i = 0; i < merges; ++i) {
    const std::optional<SymbolPair> pair = learner.most_frequent();
    if (!pair) break;
    learned.add(learner.text(pair->first), learner.text(pair->second));
    learner.merge(*pair);
  }
  return learned;
}

BytePairEncoding BytePairEncoding::from_text(std::string_view text, std::string_view source_name) {
  constexpr std::string_view operation = "BytePairEncoding::from_text";
  const std::vector<std::string_view> lines = split_lines(operation, source_name, text);
  if (lines.empty() || lines[0] != version) {
    fail(at_line(operation, source_name, 1), ": expected '", version,
         "'; give a file of merges written by subword-nmt or to_text");
  }
  BytePairEncoding read;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t space = lines[i].find(' ');
    if (space == 0 || space >= lines[i].size() - 1 ||
        lines[i].find(' ', space + 1) != std::string_view::npos ||
        lines[i].find_first_of("\t\r") != std::string_view::npos) {
      fail(at_line(operation, source_name, i + 1), ": '", lines[i],
           "' is not a merge; write two symbols separated by a space");
    }
    if (!read.add(std::string(lines[i].substr(0, space)), std::string(lines[i].substr(space + 1)))) {
      fail(at_line(operation, source_name, i + 1), ": the merge '", lines[i], "' occurs twice; remove one");
    }
  }
  return read;
}

std::string BytePairEncoding::to_text() const {
  std::string text = std::string(version) + '\n';
  for (const auto& [left, right] : merges_) text.append(left).append(" ").append(right).append("\n");
  return text;
}

std::vector<std::string> BytePairEncoding::split(std::string_view word) const {
  const std::vector<std::string> unmerged = characters("BytePairEncoding::split", word);
  std::vector<Symbol> symbols;
  for (const std::string& text : unmerged) {
    const auto known = symbols_.find(text);
    // If no merge contains the character at index i, its symbol is -1 - i.
    symbols.push_back(known == symbols_.end() ? ~static_cast<Symbol>(symbols.size()) : known->second);
  }

  // The symbols form a linked list. A merged symbol replaces the left one of its pair.
  const std::size_t size = symbols.size();
  std::vector<std::size_t> next(size), previous(size);
  for (std::size_t i = 0; i < size; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;  // at the start of the word: an index that is not below `size`
  }
  std::vector<bool> is_merged(size);
  const auto rule_at = [&](std::size_t i) -> const Rule* {
    if (i >= size || is_merged[i] || next[i] >= size) return nullptr;
    const auto rule = rules_.find(key({symbols[i], symbols[next[i]]}));
    return rule == rules_.end() ? nullptr : &rule->second;
  };
  using Place = std::pair<std::size_t, std::size_t>;  // the rank of a rule, and the index of its left symbol
  std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
  const auto look_at = [&](std::size_t i) {
    if (const Rule* rule = rule_at(i)) places.emplace(rule->rank, i);
  };
  for (std::size_t i = 0; i < size; ++i) look_at(i);
  std::vector<std::size_t> changed;
  while (!places.empty()) {
    // Applies one rule from left to right, before it looks for the rules of the merged symbols.
    const std::size_t rank = places.top().first;
    for (changed.clear(); !places.empty() && places.top().first == rank; places.pop()) {
      const std::size_t i = places.top().second;
      const Rule* rule = rule_at(i);
      if (rule == nullptr || rule->rank != rank) continue;  // an earlier merge took one of the symbols
      symbols[i] = rule->whole;
      is_merged[next[i]] = true;
      next[i] = next[next[i]];
      if (next[i] < size) previous[next[i]] = i;
      changed.push_back(i);
    }
    for (const std::size_t i : changed) {
      look_at(previous[i]);
      look_at(i);
    }
  }

  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < size; i = next[i]) {
    const std::string& text = symbols[i] < 0 ? unmerged[~symbols[i]] : texts_[symbols[i]];
    pieces.push_back(text + std::string(continued));
  }
  if (!pieces.empty()) pieces.back().resize(pieces.back().size() - end_of_word.size() - continued.size());
  return pieces;
}

bool BytePairEncoding::add(std::string left, std::string right) {
  const SymbolPair pair{symbol(left), symbol(right)};
  const bool is_new = rules_.emplace(key(pair), Rule{merges_.size(), symbol(left + right)}).second;
  if (is_new) merges_.emplace_back(std::move(left), std::move(right));
  return is_new;
}

std::int32_t BytePairEncoding::symbol(const std::string& text) {
  const auto [place, is_new] = symbols_.emplace(text, static_cast<std::int32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

}  // namespace gradus::data
