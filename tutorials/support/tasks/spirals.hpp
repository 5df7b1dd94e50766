#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>

/// The task of tutorial 03: two intertwined spirals of one turn each. To which spiral does a point belong?
namespace tutorial {

struct Points {
  gradus::Tensor x, t;  ///< coordinates (N, 2); spiral (N, 1), 0 or 1
};

/// n points that alternate between the two spirals, with a little noise.
Points spirals(std::int64_t n, gradus::Generator& generator);

/// Draws some of the points at random, with replacement.
Points batch_of(const Points& all, gradus::Generator& generator, std::int64_t batch_size = 32);

}  // namespace tutorial
