#pragma once

#include <gradus/plot/curves.hpp>

#include <functional>
#include <string>

#include "support/tasks/spirals.hpp"

/// The plane of tutorial 03: the points, and the boundary where a model changes its answer.
namespace tutorial {

/// The points of one spiral; `spiral` is 0 or 1.
gradus::plot::Series points_of(const std::string& name, const Points& points, float spiral);

/// The line where the logit is 0, in the square |x_1|, |x_2| ≤ size. `logits` maps points (N, 2) to (N, 1).
/// Marching squares on a grid: the line crosses a cell's side if the logits at the side's ends differ in
/// sign. Linear interpolation gives the crossing point.
gradus::plot::Series boundary(const std::string& name,
                              const std::function<gradus::Tensor(const gradus::Tensor& x)>& logits,
                              double size);

}  // namespace tutorial
