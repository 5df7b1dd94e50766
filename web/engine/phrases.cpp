#include "phrases.hpp"

#include <gradus/data/batches.hpp>
#include <gradus/data/bleu.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/data/phrases.hpp>
#include <gradus/data/split.hpp>
#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace gradus::web {
namespace {

using Ids = std::vector<std::int64_t>;
using Text = decltype(&data::SentencePair::source);

struct Set {
  std::string_view name, settings;
  data::TokeniserOptions target;
  data::BleuTokeniser bleu;
};
const std::array sets{Set{"eng-fra",
                          "phrases=\"eng-fra\"\nfrench-spacing=true\n",
                          {.french_spacing = true},
                          data::BleuTokeniser::mteval_13a},
                      Set{"eng-cmn",
                          "phrases=\"eng-cmn\"\ntarget-unit=\"chinese\"\n",
                          {.unit = data::TokenUnit::chinese},
                          data::BleuTokeniser::chinese}};

constexpr std::int64_t percent = 5;  // size of dev, and also of test, as in `gradus train`

struct Side {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;

  Side(const data::TokeniserOptions& options, std::span<const data::SentencePair> train, Text text)
      : tokeniser(options), vocabulary(make_vocabulary(train, text)) {}

  data::Vocabulary make_vocabulary(std::span<const data::SentencePair> train, Text text) const {
    std::vector<std::vector<std::string>> sentences;
    for (const data::SentencePair& pair : train) sentences.push_back(tokeniser.split(pair.*text));
    return data::Vocabulary::build(sentences);
  }

  std::vector<std::string> tokens() const {
    std::vector<std::string> tokens;
    for (std::int64_t id = 0; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
    return tokens;
  }

  // At most 8 known words, for a message: those that have the longest possible beginning in common with
  // `word`.
  std::string similar(std::string_view word) const {
    constexpr int most = 8;
    std::string list;
    for (; list.empty() && !word.empty(); word.remove_suffix(1)) {
      int found = 0;
      for (std::int64_t id = data::unk + 1; id < vocabulary.size() && found < most; ++id) {
        if (!vocabulary.token(id).starts_with(word)) continue;
        list += (list.empty() ? "" : ", ") + vocabulary.token(id);
        ++found;
      }
    }
    return list;
  }

  Ids encode(std::string_view text) const {
    // Phones write ’ where the phrases have '.
    std::string straight(text);
    for (std::size_t at = 0; (at = straight.find("’", at)) != straight.npos;) {
      straight.erase(at, 2);
      straight[at] = '\'';
    }
    const std::vector<std::string> tokens = tokeniser.split(straight);
    if (tokens.empty()) throw Error("the input is empty; type a phrase");
    for (const std::string& token : tokens) {
      if (vocabulary.contains(token)) continue;
      const std::string known = similar(token);
      throw Error("unknown word '" + token + "': it is in no training phrase; " +
                  (known.empty() ? "use another word" : "similar known words: " + known));
    }
    return vocabulary.encode(tokens);
  }
};

std::optional<Phrases> make(std::string_view name, std::int64_t batch, std::uint64_t seed) {
  const auto found = std::ranges::find(sets, name, &Set::name);
  if (found == sets.end()) return std::nullopt;
  const Set& set = *found;
  const data::Split split = data::split_by_source(data::phrases(name), percent, percent);
  const auto source = std::make_shared<const Side>(data::TokeniserOptions{}, split.train,
                                                   &data::SentencePair::source),
             target = std::make_shared<const Side>(set.target, split.train, &data::SentencePair::target);
  const auto encode = [&](std::span<const data::SentencePair> pairs) {
    return data::encode(data::tokenise(pairs, source->tokeniser, target->tokeniser), source->vocabulary,
                        target->vocabulary);
  };

  std::vector<Phrase> all;
  std::vector<std::pair<std::uint64_t, std::string>>
      references;  // of the held-out phrases, with their hashes
  for (const auto* const part : {&split.train, &split.dev, &split.test}) {
    const std::vector<data::Pair> pairs = encode(*part);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [from, to] = (*part)[i];
      all.push_back({from, pairs[i], part != &split.train});
      if (part != &split.train) references.emplace_back(data::stable_hash(from), to);
    }
  }
  std::ranges::sort(all, {}, [](const Phrase& phrase) { return data::stable_hash(phrase.text); });
  std::ranges::sort(references);

  const auto batches = std::make_shared<data::Batches>(
      encode(split.train), data::BatchesOptions{.sentences = batch, .seed = seed});
  const data::BleuOptions options{.tokeniser = set.bleu, .lowercase = true};
  return Phrases{
      .settings = std::string(set.settings),
      .source = {source->tokens(), [source](std::string_view text) { return source->encode(text); }},
      .target = {target->tokens(), [target](std::string_view text) { return target->encode(text); }},
      .all = std::move(all),
      .next = [batches] { return batches->next(); },
      .bleu =
          [target, references, options](std::span<const models::Decoded> translations) {
            std::vector<std::string> written;
            std::vector<std::vector<std::string>> right;
            for (const models::Decoded& translation : translations)
              written.push_back(target->tokeniser.join(target->vocabulary.decode(translation.tokens)));
            for (const auto& [hash, text] : references) right.push_back({text});
            return data::corpus_bleu(written, right, options).score;
          }};
}

}  // namespace

bool offer_phrases() {
  make_phrases = make;
  return true;
}

}  // namespace gradus::web
