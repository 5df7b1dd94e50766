#include "language.hpp"

#include <gradus/data/bleu.hpp>
#include <gradus/data/match_count.hpp>

#include <algorithm>
#include <cstddef>

namespace tutorial {

namespace data = gradus::data;

namespace {

double unknown_percent(const std::vector<Words>& sentences, const Language& language) {
  data::MatchCount unknown;
  for (const Words& words : sentences) {
    for (const std::string& word : words) unknown.add(!language.vocabulary.contains(word));
  }
  return 100 * static_cast<double>(unknown.right) / static_cast<double>(unknown.count);
}

}  // namespace

double Language::bleu(std::vector<Words> written, const std::vector<Words>& references) const {
  const bool chinese = tokeniser.options().unit == data::TokenUnit::chinese;
  const auto words = chinese ? data::BleuTokeniser::chinese : data::BleuTokeniser::mteval_13a;
  data::BleuCounts counts;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::ranges::replace(written[i], "<unk>", "unk");
    const std::vector<std::string> reference = {text(references[i])};
    counts += data::bleu_counts(text(written[i]), reference, {.tokeniser = words});
  }
  return data::bleu_score(counts).score;
}

Table unknown_words(const Language& source, const Language& target, const data::TokenisedPairs& training,
                    const data::TokenisedPairs& held_out) {
  return {.name = "unknown",
          .rows_are = "unknown, %",
          .columns = {"training", "held out"},
          .rows = {{"source",
                    {unknown_percent(training.source, source), unknown_percent(held_out.source, source)}},
                   {"target",
                    {unknown_percent(training.target, target), unknown_percent(held_out.target, target)}}},
          .digits = 1};
}

}  // namespace tutorial
