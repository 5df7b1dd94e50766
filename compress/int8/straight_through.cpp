#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/compress/straight_through.hpp>
#include <gradus/nn/int8.hpp>

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
  for (const Tensor& parameter : model.parameters()) {
    if (parameter.rank() == 2 && parameter.dtype() == Dtype::f32) {
      matrices_.push_back({parameter, parameter.detach().clone(), {}});
    }
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

}  // namespace gradus::compress
