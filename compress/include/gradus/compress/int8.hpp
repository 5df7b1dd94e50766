#pragma once

#include <gradus/autograd/weight_product.hpp>
#include <gradus/nn/module.hpp>

#include <list>
#include <set>
#include <string>

#pragma GCC visibility push(default)
/// Models whose weight matrices are int8.
namespace gradus::compress {

/// Rounds every f32 matrix of the model's state, embeddings included, to int8 with one scale per row, in
/// place: W ← dequantised(quantise_rows(W)), see nn/int8.hpp. Vectors, such as biases, stay f32. A matrix
/// with more than 65,536 columns is refused, because sums of its products may not fit in i32.
/// @return the names of the matrices, for nn::save_safetensors(). @throws Error as nn::quantise_rows.
std::set<std::string> round_to_int8(nn::Module& model);

/// While an Int8Products exists, linear() and the fused recurrences multiply in int8 with those of the
/// model's parameters W (N, K) whose values have not changed. For each row x of the input,
///
///     s_x = max_l |x_l| / 127,   p_l = x_l / s_x rounded to nearest
///     y_i = s_x s_i Σ_l p_l q_il + b_i                       Jacob et al. 2018, eq. 4, with zero-points 0
///
/// The sum is i32 and exact. It is computed by oneDNN where the processor has AVX512-VNNI or AMX, else by a
/// plain loop; both give the same bits. Outputs stay f32, so eq. 5's multiplier M is a float, s_x s_i.
///
/// Since |x_l − s_x p_l| ≤ s_x/2 and |W_il − s_i q_il| ≤ s_i/2, the error of y_i is at most
///
///     Σ_l (s_x |W_il| + s_i |x_l|) / 2 + K s_x s_i / 4
///
/// If the rounding errors are independent and uniform, its standard deviation is about √(Σ_l (s_x² W_il² +
/// s_i² x_l²) / 12); this neglects the product of both errors.
class Int8Products {
 public:
  /// @throws Error unless each matrix is as round_to_int8() leaves it: mixed or trained weights are refused.
  explicit Int8Products(const nn::Module& model);

 private:
  std::list<UseWeightProduct> products_;
};

}  // namespace gradus::compress
#pragma GCC visibility pop
