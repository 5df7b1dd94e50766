#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>

/// The task of tutorial 03: two intertwined spirals of one turn each. Which of them does a point belong to?
namespace tutorial {

struct Points {
  gradus::Tensor x, t;  ///< (N, 2), the coordinates; (N, 1), the spiral: 0 or 1
};

/// n points, alternately from the two spirals, with a little noise.
Points spirals(std::int64_t n, gradus::Generator& generator);

/// Some of the points, drawn at random with replacement.
Points batch_of(const Points& all, gradus::Generator& generator, std::int64_t batch_size = 32);

}  // namespace tutorial
