#pragma once

#include <functional>
#include <vector>

#include "graph.hpp"
#include "kit/check.hpp"

/// The answer to exercise 02: the nodes that L was computed from, each after all nodes that use it.
using TopologicalOrder = std::function<std::vector<scalar::Node*>(scalar::Node* L)>;

exercise::Exercise topological_order_exercise(const TopologicalOrder& answer);
