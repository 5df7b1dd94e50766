#pragma once

#include <nlohmann/json.hpp>

#include "inside.hpp"

namespace gradus::web {

/// {"before": {"value": [number, …], "gradient": […]}, "annotations": {"value": [h_1, …], …}, "energies",
/// "weights", "context", "gates": [{"name", "value", "gradient"}, …], "after", "logits", "probabilities":
/// […], "loss", "difference", "gradient_difference", "parameters": [{"name", "shape", "norm", "cells"}, …]}.
/// "cells" is a matrix of at most 16 rows and 32 columns. Each cell is the root mean square of one block of
/// the gradient.
nlohmann::json to_json(const Inside& inside);

/// Reads {"state": […], "annotations": {"0": […], …}}; both members are optional.
/// @throws Error that quotes the whole object if a member is invalid.
Replaced replaced_from(const nlohmann::json& json);

}  // namespace gradus::web
