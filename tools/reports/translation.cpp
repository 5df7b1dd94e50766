#include "reports/translation.hpp"

#include <gradus/models/replace_unknown.hpp>

#include <utility>

namespace gradus::tools {

Translation to_text(models::Decoded decoded, std::vector<std::string> source, const Side& side,
                    bool replace_unknown) {
  std::vector<std::string> target = side.vocabulary.decode(decoded.tokens);
  if (replace_unknown && decoded.weights.defined()) {
    target =
        models::replace_unknown(std::move(target), decoded.weights, source, side.vocabulary.token(data::unk));
  }
  std::string text = side.tokeniser.join(target);
  return {std::move(source), std::move(target), std::move(text), std::move(decoded)};
}

std::vector<std::vector<Translation>> translate_sentences(const models::Ensemble& model, const Sides& sides,
                                                          std::span<const std::string> sentences,
                                                          const models::Search& search,
                                                          const TranslationOptions& options) {
  const models::SearchOfBatch of_batch = [&](std::span<const std::size_t> /*sources*/) { return search; };
  return translate_sentences(model, sides, sentences, of_batch, options);
}

std::vector<std::vector<Translation>> translate_sentences(const models::Ensemble& model, const Sides& sides,
                                                          std::span<const std::string> sentences,
                                                          const models::SearchOfBatch& search,
                                                          const TranslationOptions& options) {
  std::vector<std::vector<std::string>> sources;  // sentences that have tokens
  std::vector<std::vector<std::int64_t>> ids;
  std::vector<std::size_t> places;  // their indices in `sentences`
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::vector<std::string> tokens = sides.source.split(sentences[i]);
    if (tokens.empty()) continue;
    ids.push_back(sides.source.encode(tokens));
    sources.push_back(std::move(tokens));
    places.push_back(i);
  }
  auto found = models::decode(model, ids, search,
                              {.max_steps = options.max_steps, .batch_tokens = options.batch_tokens});
  std::vector<std::vector<Translation>> translations(sentences.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (models::Decoded& decoded : found[i]) {
      translations[places[i]].push_back(to_text(std::move(decoded), sources[i], sides.target,
                                                options.replace_unknown && !sides.source.frames));
    }
  }
  return translations;
}

}  // namespace gradus::tools
