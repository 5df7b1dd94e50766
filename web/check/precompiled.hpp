// The headers that the exercises include. library.mjs compiles them once for all exercises.
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

#include "kit/attention.hpp"
#include "kit/check.hpp"
#include "kit/decoder.hpp"
#include "kit/plain.hpp"
