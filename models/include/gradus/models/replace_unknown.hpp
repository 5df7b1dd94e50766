#pragma once

#include <gradus/autograd/tensor.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Replaces each target word that equals `unknown`. The new word is the source word with the largest weight,
/// or the first such word on ties (Luong et al. 2015b, but without their dictionary; Jean et al. 2015).
/// @param weights f32, as in Decoded: row t for target word t, column j for source word j; further rows are
/// ignored
/// @throws Error if the weights have another shape or are undefined, or if `source` is empty.
std::vector<std::string> replace_unknown(std::vector<std::string> target, const Tensor& weights,
                                         std::span<const std::string> source, std::string_view unknown);

}  // namespace gradus::models
#pragma GCC visibility pop
