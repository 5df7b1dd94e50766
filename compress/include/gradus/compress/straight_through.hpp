#pragma once

#include <gradus/nn/module.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
/// Training of weights that will be rounded to int8.
namespace gradus::compress {

/// Rounds W (N, K), f32 or f64, to int8 with one scale per row, and converts back: s_i round(W_ij / s_i),
/// with the s_i of nn::quantise_rows().
///
/// The backward pass copies the gradient of the result to W. This is the straight-through estimator of Bengio
/// et al. 2013, "Estimating or propagating gradients through stochastic neurons", section 4. For a
/// fixed s_i, fake_quantise() is a staircase function: its derivative is undefined at the jumps, and 0
/// everywhere else. (The largest weight of a row also sets s_i. But s_i is rounded to bf16, so s_i is a
/// staircase function of this weight, too.) The true gradient would therefore leave all weights unchanged.
/// The estimator uses the derivative of the identity, 1, which is also the staircase's mean slope.
/// gradcheck() compares this gradient with the true one, and therefore reports an error.
/// @throws Error as nn::quantise_rows() does.
Tensor fake_quantise(const Tensor& W);

/// Quantisation-aware training of a whole model (Jacob et al. 2018, section 3). The model's f32 matrices hold
/// rounded weights Ŵ, which every forward and backward pass uses. Updates are added to an exact copy W of
/// each matrix (Courbariaux et al. 2015, "BinaryConnect"): most updates are smaller than a rounding step, and
/// would be lost in the rounded weights.
///
///     W ← W + ΔW,   Ŵ ← fake_quantise(W)
///
/// where ΔW is the optimiser's update of Ŵ. The gradient with respect to Ŵ is used as the gradient with
/// respect to W (straight-through, as in fake_quantise()). Only weights are rounded: during training, the
/// inputs of products stay f32.
///
///     RoundedTraining rounded(model);
///     options.after_update = [&](std::int64_t) { rounded.after_update(); };   // of models::TrainerOptions
///
/// The model can be evaluated and saved at any time, because its matrices are always rounded.
class RoundedTraining {
 public:
  /// Rounds the matrices. The model must outlive this object. @throws Error as nn::quantise_rows() does.
  explicit RoundedTraining(nn::Module& model);
  /// W ← W + ΔW, Ŵ ← fake_quantise(W). Call this after each update by the optimiser. @throws Error as
  /// nn::quantise_rows() does.
  void after_update();

  /// Copies of the exact matrices W, named like the parameters. The model's state does not contain them.
  NamedTensors state() const;
  /// W ← the matrices of a state(), Ŵ ← fake_quantise(W). After an error, nothing has changed.
  /// @throws Error if an entry is missing, unexpected, given twice, or has another shape or dtype, and as
  /// nn::quantise_rows() does.
  void load_state(const NamedTensors& state);

 private:
  struct Matrix {
    std::string name;
    Tensor weight;   // the model's matrix: Ŵ, and Ŵ + ΔW after an update
    Tensor exact;    // W
    Tensor rounded;  // Ŵ before the update
  };
  static void round(Matrix& matrix);
  std::vector<Matrix> matrices_;
};

}  // namespace gradus::compress
#pragma GCC visibility pop
