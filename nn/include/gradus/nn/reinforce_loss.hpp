#pragma once

#include <gradus/autograd/tensor.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// A term to add to the loss. Its value is 0. Its gradient estimates the gradient of the expected loss with
/// respect to the distribution of drawn positions: REINFORCE with a baseline (Williams 1992; for attention,
/// Xu et al. 2015, section 4.1):
///
///     ∇ = −(1/N) Σ_b Σ_t A_tb ∇ ln π(s_tb),     A_tb = Σ_{k ≥ t} (r_kb − r̄_b)
///
/// s_tb is the drawn position, and π(s_tb) is its probability. r_tb = ln p(y_tb | …) is the log-likelihood of
/// the true token. The sums cover only the N real steps, t < lengths[b]. The position drawn at step t affects
/// only the tokens from step t on, so A_tb sums only the terms k ≥ t. The baseline r̄_b is the mean r over
/// the steps of the other sequences, or 0 if there are no such steps. It does not depend on the draws of row
/// b, so the estimate stays unbiased. (In Xu et al., the baseline is a moving average over earlier batches,
/// and A_tb sums the terms of all tokens.)
/// @param weights         the results of normaliser::hard() at all steps, (T_y, B, T_x). The sum
///                        over T_x is 1, and has the gradient of ln π(s_tb).
/// @param log_likelihoods r, (T_y, B); no gradient flows to them
/// @param target_lengths  (B), i64, or undefined if all are T_y
/// @throws Error if the shapes do not fit, or a length is outside [0, T_y].
Tensor reinforce_loss(const Tensor& weights, const Tensor& log_likelihoods, const Tensor& target_lengths);

}  // namespace gradus::nn
#pragma GCC visibility pop
