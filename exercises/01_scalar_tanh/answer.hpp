#pragma once

#include <functional>

#include "kit/check.hpp"
#include "tape.hpp"

/// The answer to exercise 01: y = tanh x, recorded on x's tape with its backward function.
using ScalarTanh = std::function<scalar::Value(scalar::Value x)>;

exercise::Exercise scalar_tanh_exercise(const ScalarTanh& answer);
