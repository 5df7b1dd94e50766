#pragma once

#include <gradus/nn/attention.hpp>

#include <functional>
#include <memory>

#include "kit/attention.hpp"
#include "kit/check.hpp"

/// The answer to exercise 08: makes an additive attention of these sizes.
using MakeAdditiveAttention =
    std::function<std::unique_ptr<gradus::nn::Attention>(const exercise::AttentionSizes& sizes)>;

exercise::Exercise additive_attention_exercise(const MakeAdditiveAttention& make);
