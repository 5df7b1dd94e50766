#pragma once

#include <gradus/nn/module.hpp>

#include <set>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// Rounds every f32 tensor of the model's state to bf16, in place: to 8 significant bits, to nearest, ties to
/// even. The relative change of a value is at most 2⁻⁸, except for subnormal numbers. A file stores a rounded
/// tensor in half the bytes of f32. In memory and in products, the tensors stay f32.
/// @param except names of tensors that stay unchanged, such as the matrices of round_to_int8()
/// @return the names of the rounded tensors, for nn::save_safetensors()
/// @throws Error naming a tensor with a value that is not finite as bf16; the model is unchanged in that
/// case.
std::set<std::string> round_to_bf16(nn::Module& model, const std::set<std::string>& except = {});

}  // namespace gradus::compress
#pragma GCC visibility pop
