#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>

/// The task of tutorial 09, which needs only attention. Given T pairs of a key and a value, and one of
/// the keys, name its value. The keys are distinct. A random guess is right with probability 1/10.
namespace tutorial {

constexpr std::int64_t look_up_keys = 20, look_up_values = 10;

struct LookUpBatch {
  gradus::Tensor key, value;  ///< (T, B), i64
  gradus::Tensor asked;       ///< (B), i64: the key in question
  gradus::Tensor position;    ///< (B), i64: its position
  gradus::Tensor answer;      ///< (B), i64: its value
};

LookUpBatch look_up_batch(std::int64_t T, std::int64_t batch_size, gradus::Generator& generator);

}  // namespace tutorial
