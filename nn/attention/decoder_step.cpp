#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <sstream>
#include <utility>
#include <vector>

namespace gradus::nn {

State::State(std::initializer_list<std::pair<std::string, Tensor>> tensors, std::int64_t step)
    : tensors_(tensors), step_(step) {}

State::State(NamedTensors tensors, std::int64_t step) : tensors_(std::move(tensors)), step_(step) {}

const Tensor& State::operator[](std::string_view name) const {
  for (const auto& [known, tensor] : tensors_) {
    if (known == name) return tensor;
  }
  std::ostringstream names;
  for (const auto& [known, tensor] : tensors_) names << (names.tellp() == 0 ? "'" : ", '") << known << '\'';
  fail("State", "unknown entry '", name,
       "' of this state; available: ", tensors_.empty() ? "none" : names.str());
}

Tensor State::find(std::string_view name) const {
  for (const auto& [known, tensor] : tensors_) {
    if (known == name) return tensor;
  }
  return {};
}

State State::select(const Tensor& rows) const {
  State selected = *this;
  for (auto& [name, tensor] : selected.tensors_) {
    if (tensor.defined()) tensor = index_select(tensor, rows);
  }
  return selected;
}

Tensor DecoderStep::forward(const Start& start, const Tensor& target_in, const Packing& targets) const {
  std::vector<Tensor> logits;
  for_each_step(*this, start, target_in.slice(0, targets.steps()),
                [&](std::int64_t /*t*/, Output& output) { logits.push_back(std::move(output.logits)); });
  return pack(stack(logits), targets);
}

void for_each_step(const DecoderStep& decoder, DecoderStep::Start at,
                   const std::function<Tensor(std::int64_t t, DecoderStep::Start& at)>& input,
                   const std::function<void(std::int64_t t, DecoderStep::Output& output)>& visit) {
  const DrawsOfSteps draws(decoder.is_training());
  for (std::int64_t t = 0;; ++t) {
    const Tensor previous = input(t, at);
    if (!previous.defined()) return;
    DecoderStep::Output output = [&] {
      const auto guard = draws.at(t);
      return decoder.step(previous, at.state, at.memory);
    }();
    at.state = output.state;
    visit(t, output);
  }
}

void for_each_step(const DecoderStep& decoder, DecoderStep::Start at, const Tensor& tokens,
                   const std::function<void(std::int64_t t, DecoderStep::Output& output)>& visit) {
  const auto given = [&](std::int64_t t, DecoderStep::Start& /*at*/) {
    return t < tokens.size(0) ? tokens[t] : Tensor();
  };
  for_each_step(decoder, std::move(at), given, visit);
}

}  // namespace gradus::nn
