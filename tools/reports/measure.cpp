#include "reports/measure.hpp"

#include <gradus/data/d2l_bleu.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <array>

namespace gradus::tools {
namespace {

using Words = std::vector<std::string>;

// The words of a tokenised sentence: joins pieces of words.
Words words(const Side& side, const Words& tokens) {
  if (!side.tokeniser.bpe() && !side.tokeniser.sentence_piece()) return tokens;
  return data::Tokeniser(side.tokeniser.options()).split(side.tokeniser.join(tokens));
}

void count_output(Scores& scores, const Side& side, const std::string& target, const Translation& output,
                  const data::BleuOptions& bleu) {
  const std::array reference{target};
  const Words written = words(side, output.target),
              right = data::Tokeniser(side.tokeniser.options()).split(side.tokeniser.normalise(target));
  const bool ended = !output.decoded.tokens.empty() && output.decoded.tokens.back() == data::eos;
  scores.bleu_counts = data::bleu_counts(output.text, reference, bleu);
  scores.chrf_counts = data::chrf_counts(output.text, target, bleu.lowercase);
  scores.d2l_bleu_sum = data::d2l_bleu(written, right, 2);
  scores.exact.add(ended && written == right);
  scores.errors.add(written, right);
  if (!output.decoded.weights.defined()) return;
  for (std::int64_t t = 0; t < output.decoded.weights.size(0); ++t) {
    scores.sharpness.add(output.decoded.weights[t].values<float>());
  }
}

void count_target(Scores& scores, const models::Forced& forced) {
  scores.nats = -forced.log_probability;
  for (const bool likeliest : forced.likeliest) scores.tokens.add(likeliest);
}

}  // namespace

Scores& Scores::operator+=(const Scores& other) {
  pairs += other.pairs;
  source_tokens += other.source_tokens;
  bleu_counts += other.bleu_counts;
  chrf_counts += other.chrf_counts;
  d2l_bleu_sum += other.d2l_bleu_sum;
  exact += other.exact;
  errors += other.errors;
  nats += other.nats;
  tokens += other.tokens;
  sharpness += other.sharpness;
  return *this;
}

double Scores::d2l_bleu() const { return d2l_bleu_sum / static_cast<double>(pairs); }

double Scores::loss() const { return nats / static_cast<double>(tokens.count); }

double Scores::perplexity() const { return data::perplexity(nats, tokens.count); }

data::BleuOptions bleu_options(const Side& target, data::BleuTokeniser tokeniser) {
  return {.tokeniser = tokeniser, .lowercase = target.tokeniser.options().lower};
}

data::BleuTokeniser default_bleu_tokeniser(const Side& target) {
  return target.tokeniser.options().unit == data::TokenUnit::chinese ? data::BleuTokeniser::chinese
                                                                     : data::BleuTokeniser::mteval_13a;
}

std::vector<Scores> measure_each(const models::Ensemble& model, const Sides& sides,
                                 std::span<const data::SentencePair> pairs,
                                 std::span<const std::vector<Translation>> outputs,
                                 data::BleuTokeniser tokeniser) {
  const data::BleuOptions bleu = bleu_options(sides.target, tokeniser);
  const std::vector<data::Pair> encoded = encode(pairs, sides);
  std::vector<Scores> scores(pairs.size());
  std::vector<data::Pair> readable;
  std::vector<std::size_t> places;  // the index in `pairs` of each pair in `readable`
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    scores[i].pairs = 1;
    scores[i].source_tokens = std::ssize(encoded[i].source);
    count_output(scores[i], sides.target, pairs[i].target,
                 outputs[i].empty() ? Translation{} : outputs[i].front(), bleu);
    if (encoded[i].source.empty()) continue;
    readable.push_back(encoded[i]);
    places.push_back(i);
  }
  const std::vector<models::Forced> forced = models::force_decode(model, readable);
  for (std::size_t i = 0; i < forced.size(); ++i) count_target(scores[places[i]], forced[i]);
  return scores;
}

Scores measure(const models::Ensemble& model, const Sides& sides, std::span<const data::SentencePair> pairs,
               const models::Search& search) {
  std::vector<std::string> sources;
  for (const data::SentencePair& pair : pairs) sources.push_back(pair.source);
  const auto outputs = translate_sentences(model, sides, sources, search);
  Scores total;
  for (const Scores& scores :
       measure_each(model, sides, pairs, outputs, default_bleu_tokeniser(sides.target))) {
    total += scores;
  }
  return total;
}

}  // namespace gradus::tools
