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
  State state = start.state;
  std::vector<Tensor> logits;
  DrawsOfSteps draws(is_training());
  for (std::int64_t t = 0; t < targets.steps(); ++t) {
    draws.at(t);
    Output output = step(target_in[t], state, start.memory);
    logits.push_back(std::move(output.logits));
    state = std::move(output.state);
  }
  return pack(stack(logits), targets);
}

}  // namespace gradus::nn
