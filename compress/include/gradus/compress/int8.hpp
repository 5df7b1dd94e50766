#pragma once

#include <gradus/autograd/weight_product.hpp>
#include <gradus/nn/module.hpp>

#include <list>
#include <set>
#include <string>

#pragma GCC visibility push(default)
/// Models whose weight matrices are int8.
namespace gradus::compress {

/// Rounds every f32 matrix of the model's state, including embeddings, to int8 with one scale per row, in
/// place: W ← dequantised(quantise_rows(W)), see nn/int8.hpp. Vectors, such as biases, stay f32. A matrix may
/// have at most 65,536 columns, so that the sums in products fit in i32.
/// @return the names of the rounded matrices, for nn::save_safetensors()
/// @throws Error as nn::quantise_rows() does, or for too many columns.
std::set<std::string> round_to_int8(nn::Module& model);

/// While an Int8Products exists, linear() and the fused recurrences multiply in int8 with each f32 matrix W
/// (N, K) among the model's parameters. If the values of a matrix change, it is multiplied in f32 again. As
/// in nn/int8.hpp, W_il ≈ s_i q_il. For each row x of the input,
///     s_x = max_l |x_l| / 127,   p_l = x_l / s_x rounded to nearest
///     y_i = s_x s_i Σ_l p_l q_il + b_i                       Jacob et al. 2018, eq. 4, with zero-points 0
///
/// The sum is an exact i32. oneDNN computes it if gradus was built with oneDNN, the processor has AVX512-VNNI
/// or AMX, and the product is not small; otherwise a plain loop does. Both give the same bits. Outputs stay
/// f32, so the multiplier M of eq. 5 is the float s_x s_i.
///
/// Now let W be the matrix before round_to_int8(). Apart from f32 rounding, the errors |x_l − s_x p_l| and
/// |W_il − s_i q_il| are at most s_x/2 and s_i/2. So the error of y_i is at most
///
///     Σ_l (s_x |W_il| + s_i |x_l|) / 2 + K s_x s_i / 4
///
/// If the rounding errors are independent and uniform, the standard deviation of y_i's error is about √(Σ_l
/// (s_x² W_il² + s_i² x_l²) / 12). This neglects the product of the two errors.
class Int8Products {
 public:
  /// @throws Error unless every matrix has the values that round_to_int8() gave it.
  explicit Int8Products(const nn::Module& model);

 private:
  std::list<UseWeightProduct> products_;
};

}  // namespace gradus::compress
#pragma GCC visibility pop
