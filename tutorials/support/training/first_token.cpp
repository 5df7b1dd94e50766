#include "first_token.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/init.hpp>

#include <algorithm>
#include <numeric>

#include "descent.hpp"
#include "numbers.hpp"

namespace tutorial {

using gradus::Tensor;
namespace plot = gradus::plot;

FirstTokenBatch first_token_batch(std::int64_t delay, std::int64_t batch_size, gradus::Generator& generator) {
  const auto symbol = [&] { return static_cast<std::int64_t>(generator.below(first_token_symbols)); };
  std::vector<std::int64_t> target, tokens;
  for (std::int64_t b = 0; b < batch_size; ++b) target.push_back(symbol());
  tokens = target;
  for (std::int64_t i = 0; i < delay * batch_size; ++i) tokens.push_back(first_token_symbols + symbol());
  return {.x = gradus::one_hot(gradus::tensor(tokens, {1 + delay, batch_size}), first_token_inputs),
          .target = gradus::tensor(target)};
}

double learn_first_token(std::vector<Tensor> parameters, const std::function<Tensor(const Tensor& x)>& h_T,
                         std::int64_t H, std::int64_t delay, std::int64_t steps,
                         gradus::Generator& generator) {
  Tensor W_o = gradus::nn::uniform_fan_in({first_token_symbols, H}, H);  // (8, H)
  parameters.push_back(W_o.set_requires_grad());
  const auto logits = [&](const Tensor& x) { return gradus::linear(h_T(x), W_o); };  // (B, 8)
  descend(parameters, {.learning_rate = 2e-3, .steps = steps, .max_norm = 1}, [&] {
    const FirstTokenBatch batch = first_token_batch(delay, 32, generator);
    return gradus::cross_entropy(logits(batch.x), batch.target);
  });
  const gradus::NoGrad no_grad;
  const FirstTokenBatch test = first_token_batch(delay, 1000, generator);
  return accuracy(logits(test.x), test.target);
}

double learn_first_token(const gradus::nn::Recurrent& net, std::int64_t delay, std::int64_t steps,
                         gradus::Generator& generator) {
  const auto h_T = [&](const Tensor& x) { return net.run(x).last[0][0]; };  // (B, H)
  return learn_first_token(net.parameters(), h_T, net.hidden(), delay, steps, generator);
}

plot::Heatmap by_token(const std::string& title, const Tensor& units, const Tensor& x) {
  plot::Heatmap map{.title = title,
                    .x_label = "token read",
                    .y_label = "unit",
                    .values = gradus::transpose(units, 0, 1).to_vector<double>()};
  for (std::int64_t i = 1; i <= units.size(1); ++i) map.rows.push_back(std::to_string(i));
  for (const std::int64_t token : gradus::argmax(gradus::squeeze(x, 1)).to_vector<std::int64_t>()) {
    map.columns.emplace_back(1, "ABCDEFGHabcdefgh"[token]);
  }
  return map;
}

void FirstTokenModels::add(std::int64_t delay, const std::vector<double>& accuracies) {
  const auto count = static_cast<double>(accuracies.size());
  const double mean = std::reduce(accuracies.begin(), accuracies.end()) / count;
  const auto [lowest, highest] = std::ranges::minmax(accuracies);
  accuracy.rows.push_back({std::to_string(delay), {mean, lowest, highest}});

  const auto above =
      static_cast<double>(std::ranges::count_if(accuracies, [](double a) { return a > 0.95; }));
  const auto below = static_cast<double>(std::ranges::count_if(accuracies, [](double a) { return a < 0.2; }));
  counts.rows.push_back({std::to_string(delay), {above, count - above - below, below}});

  each.rows.push_back({std::to_string(delay), accuracies});
  std::ranges::sort(each.rows.back().values);
  for (std::size_t i = each.columns.size(); i < accuracies.size(); ++i)
    each.columns.push_back("model " + std::to_string(i + 1));

  constexpr double width = 3.2;  // width of a group of dots, in units of the delay
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    models.x.push_back(static_cast<double>(delay));
    models.offset.push_back(width * ((static_cast<double>(i) + 0.5) / count - 0.5));
    models.y.push_back(accuracies[i]);
  }
  means.x.push_back(static_cast<double>(delay));
  means.y.push_back(mean);
}

plot::Curves FirstTokenModels::dots() const {
  constexpr double chance = 1.0 / first_token_symbols;
  const plot::Series guessing{
      .name = "guessing", .x = {0, means.x.back()}, .y = {chance, chance}, .mark = plot::Mark::dashed};
  return {.title = "Naming the first token, by delay",
          .x_label = "delay: tokens after the first",
          .y_label = "accuracy",
          .series = {models, means, guessing}};
}

}  // namespace tutorial
