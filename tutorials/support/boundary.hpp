#pragma once

#include <gradus/plot/curves.hpp>

#include <functional>
#include <string>

#include "spirals.hpp"

/// The plane of tutorial 03: the points, and the boundary where a model changes its answer.
namespace tutorial {

/// The points of one spiral; `spiral` is 0 or 1.
gradus::plot::Series points_of(const std::string& name, const Points& points, float spiral);

/// The line where logits(x (N, 2)) (N, 1) is 0, in the square |x_1|, |x_2| ≤ size. Marching squares on a
/// grid: in each cell, the line crosses each side whose ends differ in sign. Linear interpolation gives the
/// point of crossing.
gradus::plot::Series boundary(const std::string& name,
                              const std::function<gradus::Tensor(const gradus::Tensor& x)>& logits,
                              double size);

}  // namespace tutorial
