#pragma once

#include <gradus/nn/attention.hpp>

#include <cstdint>
#include <functional>
#include <memory>

#include "kit/check.hpp"

/// The answer to exercise 09: makes a scaled dot-product attention. Queries have size Q, values have size D;
/// both are projected to size d.
using MakeScaledDot = std::function<std::unique_ptr<gradus::nn::Attention>(
    std::int64_t query_size, std::int64_t value_size, std::int64_t d)>;

exercise::Exercise scaled_dot_exercise(const MakeScaledDot& answer);
