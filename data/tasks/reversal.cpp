#include <gradus/data/hash.hpp>
#include <gradus/data/reversal.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include "check.hpp"
#include "patience.hpp"

namespace gradus::data {
namespace {

using Source = std::vector<std::int64_t>;

constexpr std::int64_t held_out_share = 5;  // one string in five is held out

// True if symbols^length > most.
bool more_strings_than(std::int64_t most, std::int64_t symbols, std::int64_t length) {
  std::int64_t strings = 1;
  for (std::int64_t i = 0; i < length; ++i) {
    if (strings > most / symbols) return true;
    strings *= symbols;
  }
  return false;
}

// Advances to the next string in lexicographic order; returns false after the last.
bool advance(Source& source, std::int64_t symbols) {
  for (auto id = source.rbegin(); id != source.rend(); ++id) {
    if (++*id < first_symbol + symbols) return true;
    *id = first_symbol;
  }
  return false;
}

std::vector<Source> enumerate_held_out(std::int64_t symbols, std::int64_t length) {
  std::vector<Source> sources;
  Source source(length, first_symbol);
  do {
    if (Reversal::held_out(source)) sources.push_back(source);
  } while (advance(source, symbols));
  return sources;
}

// Keeps a random sample of `count` sources, drawn by the first `count` steps of a Fisher-Yates shuffle.
void keep_some(std::vector<Source>& sources, std::int64_t count, const UniformIndex& uniform) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::swap(sources[i], sources[i + draw_index(uniform, sources.size() - i)]);
  }
  sources.resize(count);
}

Source draw_source(std::int64_t symbols, std::int64_t length, const UniformIndex& uniform) {
  Source source(length);
  for (std::int64_t& id : source) {
    id = first_symbol + static_cast<std::int64_t>(draw_index(uniform, symbols));
  }
  return source;
}

std::vector<Source> draw_held_out(std::int64_t symbols, std::int64_t length, std::int64_t count,
                                  const UniformIndex& uniform) {
  std::vector<Source> sources;
  std::set<Source> seen;
  for (int rejected = 0; std::ssize(sources) < count;) {
    Source source = draw_source(symbols, length, uniform);
    if (Reversal::held_out(source) && seen.insert(source).second) {
      sources.push_back(std::move(source));
      rejected = 0;
    } else if (++rejected == patience) {
      fail("Reversal::held_out_pairs: ", patience, " draws in a row gave no new held-out source of length ",
           length, " after ", sources.size(), " of ", count, "; check that `uniform` is uniform");
    }
  }
  return sources;
}

}  // namespace

Reversal::Reversal(std::int64_t symbols, std::int64_t min_length, std::int64_t max_length)
    : symbols_(symbols), min_length_(min_length), max_length_(max_length) {
  check_range("Reversal", "symbols", symbols, 2, "reversing needs at least two");
  check_range("Reversal", "min_length", min_length, 1, "attention needs at least one position");
  check_range("Reversal", "max_length", max_length, min_length, "raise it or lower min_length");
}

Pair Reversal::make(Source source) const {
  if (source.empty()) fail("Reversal::make: the source is empty; give it at least one symbol");
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] < first_symbol || source[i] >= vocabulary_size()) {
      fail("Reversal::make: source[", i, "] is ", source[i], ", but symbols are ", first_symbol, " to ",
           vocabulary_size() - 1, "; number symbols from first_symbol, and omit BOS and EOS");
    }
  }
  Source target(source.rbegin(), source.rend());
  target.push_back(eos);
  return {std::move(source), std::move(target)};
}

Pair Reversal::sample_training(const UniformIndex& uniform) const {
  // Draws the length only once. Redrawing the length would favour lengths with fewer held-out strings.
  const std::uint64_t lengths = max_length_ - min_length_ + 1;
  const auto length = min_length_ + static_cast<std::int64_t>(draw_index(uniform, lengths));
  for (int attempt = 0; attempt < patience; ++attempt) {
    Source source = draw_source(symbols_, length, uniform);
    if (!held_out(source)) return make(std::move(source));
  }
  fail("Reversal::sample_training: ", patience, " sources of length ", length,
       " in a row were held out; check that `uniform` is uniform");
}

bool Reversal::held_out(std::span<const std::int64_t> source) {
  return stable_hash(source) % held_out_share == 0;
}

std::vector<Pair> Reversal::held_out_pairs(std::int64_t length, const UniformIndex& uniform,
                                           std::int64_t limit) const {
  check_range("Reversal::held_out_pairs", "length", length, 1, "a source needs at least one symbol");
  check_range("Reversal::held_out_pairs", "limit", limit, 1, "request at least one pair");

  // Enumerates the strings if there are at most `enumerable`. Otherwise draws random ones. The held-out
  // strings, about a fifth of all, are then more than twice `limit`, so enough draws are new.
  const std::int64_t enumerable = std::max<std::int64_t>(100'000, limit * 2 * held_out_share);
  std::vector<Source> sources;
  if (more_strings_than(enumerable, symbols_, length)) {
    sources = draw_held_out(symbols_, length, limit, uniform);
  } else {
    sources = enumerate_held_out(symbols_, length);
    if (std::ssize(sources) > limit) keep_some(sources, limit, uniform);
  }

  std::vector<Pair> pairs;
  pairs.reserve(sources.size());
  for (Source& source : sources) pairs.push_back(make(std::move(source)));
  return pairs;
}

std::string Reversal::token_text(std::int64_t id) const {
  if (id < 0 || id >= vocabulary_size()) {
    fail("Reversal::token_text: the id is ", id, ", but must be 0 to ", vocabulary_size() - 1,
         "; use a model with vocabulary_size() tokens");
  }
  if (id == pad) return "<pad>";
  if (id == bos) return "<bos>";
  if (id == eos) return "<eos>";
  const std::int64_t symbol = id - first_symbol;
  if (symbol < 26) return std::string(1, static_cast<char>('a' + symbol));
  return std::string("s").append(std::to_string(symbol));  // "s" + … triggers a false warning in g++ 12
}

std::string Reversal::text(std::span<const std::int64_t> ids) const {
  std::string joined;
  for (const std::int64_t id : ids) {
    if (!joined.empty()) joined += ' ';
    joined += token_text(id);
  }
  return joined;
}

}  // namespace gradus::data
