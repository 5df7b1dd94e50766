#pragma once

#include <functional>
#include <vector>

#include "graph.hpp"
#include "kit/check.hpp"

/// The answer to exercise 02: L and all nodes that L depends on, each after all nodes that use it.
using TopologicalOrder = std::function<std::vector<scalar::Node*>(scalar::Node* L)>;

exercise::Exercise topological_order_exercise(const TopologicalOrder& answer);
