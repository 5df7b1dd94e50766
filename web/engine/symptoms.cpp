#include "symptoms.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gradus::web {
namespace {

using Ids = std::vector<std::int64_t>;

double norm(const Tensor& x) { return std::sqrt(sum(x * x).item()); }

double effect_of_pads(const models::Seq2Seq& model, const data::Pair& pair, const models::Forced& alone) {
  constexpr int more = 6;
  data::Pair longer = pair;
  longer.source.insert(longer.source.end(), more, pair.source[0]);
  const auto beside = models::force_decode(model, std::array{pair, longer})[0].token_log_probabilities;
  double largest = 0;
  for (std::size_t t = 0; t < beside.size(); ++t)
    largest = std::max(largest, std::abs(std::exp(beside[t]) - std::exp(alone.token_log_probabilities[t])));
  return largest;
}

Tensor first_annotation(const models::Seq2Seq& model, const Ids& source) {
  const auto T = std::ssize(source);
  const Tensor h = model.start(tensor(source, {T, 1}), tensor(Ids{T})).memory.values;
  return h.defined() ? h[0] : h;
}

}  // namespace

Symptoms symptoms_of(const models::Seq2Seq& model, const data::Pair& pair) {
  const NoGrad no_grad;
  const models::Forced alone = models::force_decode(model, {&pair, 1})[0];
  Symptoms symptoms{.pads = effect_of_pads(model, pair, alone), .steps = {}, .later = {}, .query = {}};
  const Tensor& alpha = alone.weights;  // (steps, T)
  if (!alpha.defined()) return symptoms;
  symptoms.steps = max(max(alpha, 0) - min(alpha, 0)).item();
  if (pair.source.size() > 1) {
    constexpr std::int64_t some = data::first_symbol + 1;
    Ids other = pair.source;
    other.back() = other.back() == some ? some + 1 : some;
    const Tensor h_1 = first_annotation(model, pair.source);
    symptoms.later = norm(first_annotation(model, other) - h_1) / norm(h_1);
  }
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (name.find(".W_a.") == std::string_view::npos || !parameter.grad().defined()) continue;
    symptoms.query = norm(parameter.grad());
  }
  return symptoms;
}

}  // namespace gradus::web
