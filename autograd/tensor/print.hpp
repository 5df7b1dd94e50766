#pragma once

#include <gradus/autograd/tensor.hpp>

#include <string>

namespace gradus {

/// The values as text, such as "[[1, 2, 3], [4, 5, 6]]", to 4 significant digits. "…" shortens long axes.
std::string values_text(const Tensor& tensor);

}  // namespace gradus
