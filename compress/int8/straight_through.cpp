#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/compress/straight_through.hpp>
#include <gradus/nn/int8.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <cstddef>

namespace gradus::compress {
namespace {

Tensor rounded(const Tensor& W) {
  const NoGrad no_grad;
  return nn::dequantised(nn::quantise_rows(W.to(Dtype::f32))).to(W.dtype());
}

}  // namespace

Tensor fake_quantise(const Tensor& W) {
  return record("fake_quantise", rounded(W), {W}, {}, [](Gradients& g) { g.add(0, g.out()); });
}

RoundedTraining::RoundedTraining(nn::Module& model) {
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (parameter.rank() != 2 || parameter.dtype() != Dtype::f32) continue;
    const auto same = [&p = parameter](const Matrix& matrix) { return matrix.weight.is(p); };
    if (std::ranges::any_of(matrices_, same)) continue;  // a shared parameter
    matrices_.push_back({name, parameter, parameter.detach().clone(), {}});
  }
  for (Matrix& matrix : matrices_) round(matrix);
}

void RoundedTraining::round(Matrix& matrix) {
  matrix.rounded = rounded(matrix.exact);
  std::ranges::copy(matrix.rounded.values<float>(),
                    matrix.weight.mutable_values<float>("fake_quantise").begin());
}

void RoundedTraining::after_update() {
  for (Matrix& matrix : matrices_) {
    const auto now = matrix.weight.values<float>(), before = matrix.rounded.values<float>();
    const auto exact = matrix.exact.mutable_values<float>("fake_quantise");
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] += now[i] - before[i];
    round(matrix);
  }
}

NamedTensors RoundedTraining::state() const {
  NamedTensors state;
  for (const Matrix& matrix : matrices_) state.emplace_back(matrix.name, matrix.exact.clone());
  return state;
}

void RoundedTraining::load_state(const NamedTensors& state) {
  nn::StateReader reader(state);
  std::vector<Tensor> exact;
  for (const Matrix& matrix : matrices_)
    exact.push_back(reader.copy(matrix.name, matrix.exact.shape(), Dtype::f32));
  reader.finish("RoundedTraining", "load the state of a model with the same parameters");
  for (const Tensor& W : exact) rounded(W);  // throws before a matrix is replaced
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    matrices_[i].exact = exact[i];
    round(matrices_[i]);
  }
}

}  // namespace gradus::compress
