#pragma once

#include <functional>

#include "kit/check.hpp"
#include "tape.hpp"

/// What exercise 01 asks for: y = tanh x, recorded on x's tape with its way back.
using ScalarTanh = std::function<scalar::Value(scalar::Value x)>;

exercise::Exercise scalar_tanh_exercise(const ScalarTanh& answer);
