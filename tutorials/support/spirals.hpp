#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>

/// The task of tutorial 03: points on two spirals, one turn each, wound into each other. Which of the two is
/// a point from?
namespace tutorial {

struct Points {
  gradus::Tensor x, t;  ///< (N, 2), the coordinates; (N, 1), the spiral: 0 or 1
};

/// n points, by turns from one spiral and the other, a little beside it.
Points spirals(std::int64_t n, gradus::Generator& generator);

/// Some of the points, drawn at random; one may be drawn twice.
Points batch_of(const Points& all, gradus::Generator& generator, std::int64_t batch_size = 32);

}  // namespace tutorial
