#include "reports/alignment.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>
#include <cstdio>

namespace gradus::tools {
namespace {

std::vector<std::string> tokens_of(const Side& side, const std::string& text, std::size_t number,
                                   const char* what) {
  std::vector<std::string> tokens;
  try {
    tokens = side.split(text);
  } catch (const Error& error) {
    fail("alignment", what, " sentence ", number, ": ", error.what());
  }
  if (tokens.empty())
    fail("alignment", what, " sentence ", number, " has no tokens; add words or remove the sentence");
  return tokens;
}

// The sentence's alignment before decoding: texts and tokens, but no weights. Tokens are those of the text,
// so an unknown word does not become <unk>.
Alignment given(const Sides& sides, const SentenceToAlign& sentence, std::size_t number) {
  Alignment alignment{.text = {sentence.source, ""},
                      .source_tokens = tokens_of(sides.source, sentence.source, number, "source"),
                      .target_tokens = {},
                      .decoded = {}};
  if (sentence.target) {
    alignment.text.target = *sentence.target;
    alignment.target_tokens = tokens_of(sides.target, *sentence.target, number, "target");
    alignment.target_tokens.push_back(sides.target.vocabulary.token(data::eos));
  }
  return alignment;
}

data::Pair ids_of(const Sides& sides, const Alignment& alignment) {
  data::Pair pair{sides.source.encode(alignment.source_tokens), {}};
  if (alignment.target_tokens.empty()) return pair;
  pair.target = sides.target.vocabulary.encode(alignment.target_tokens);
  pair.target.back() = data::eos;
  return pair;
}

void take_output(Alignment& alignment, const Side& target, models::Decoded decoded) {
  for (const std::int64_t id : decoded.tokens) alignment.target_tokens.push_back(target.vocabulary.token(id));
  alignment.text.target = target.tokeniser.join(target.vocabulary.decode(decoded.tokens));
  alignment.decoded = std::move(decoded);
}

std::string seconds_text(double seconds) {
  std::string text(32, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.2f", seconds)));
  return text;
}

// Names each annotation by the second at which it begins. The encoder has halved the number of frames zero or
// more times. The loop computes `each`, the number of frames per annotation.
void name_annotations(Alignment& alignment, const Frames& frames, const std::vector<std::int64_t>& ids) {
  alignment.frames = frames.plain(ids);
  if (!alignment.decoded.weights.defined()) return;
  std::int64_t each = 1;
  const std::int64_t T = std::ssize(ids), J = alignment.decoded.weights.size(1);
  while ((T + each - 1) / each > J) each *= 2;
  alignment.source_tokens.clear();
  for (std::int64_t j = 0; j < J; ++j) {
    alignment.source_tokens.push_back(
        seconds_text(frames.settings().features.step * static_cast<double>(j * each)));
  }
}

// Puts the weights into the order of the source. An encoder with `silence` has moved the annotations of
// silence behind the others. Other encoders keep the order.
void restore_order(models::Decoded& decoded, const models::Encoder& encoder,
                   const std::vector<std::int64_t>& ids) {
  if (encoder.silence() == 0 || !decoded.weights.defined()) return;
  const std::int64_t T = std::ssize(ids);
  const Tensor order = encoder.order(tensor(ids, {T, 1}), tensor(std::vector{T}));  // (J, 1)
  const Shape& shape = decoded.weights.shape();
  const Tensor columns = expand(order.reshape({1, order.size(0)}), shape);
  decoded.weights = scatter_add(zeros(shape), 1, columns, decoded.weights);
}

}  // namespace

std::vector<Alignment> make_alignments(const models::Ensemble& model, const Sides& sides,
                                       std::span<const SentenceToAlign> sentences) {
  std::vector<Alignment> alignments;
  std::vector<data::Pair> to_force, to_decode;
  for (const SentenceToAlign& sentence : sentences) {
    alignments.push_back(given(sides, sentence, alignments.size() + 1));
    (sentence.target ? to_force : to_decode).push_back(ids_of(sides, alignments.back()));
  }
  const auto forced = models::force_decode(model, to_force);
  const auto decoded = models::greedy(model, to_decode);
  auto next_forced = forced.begin();
  auto next_decoded = decoded.begin();
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    if (sentences[i].target) {
      alignments[i].decoded = *next_forced++;
    } else {
      take_output(alignments[i], sides.target, *next_decoded++);
    }
    if (const auto& frames = sides.source.frames) {
      const std::vector<std::int64_t> ids = sides.source.encode(alignments[i].source_tokens);
      restore_order(alignments[i].decoded, model.members().front()->encoder, ids);
      name_annotations(alignments[i], *frames, ids);
    }
  }
  return alignments;
}

}  // namespace gradus::tools
