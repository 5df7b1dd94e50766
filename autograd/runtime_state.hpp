#pragma once

#include <atomic>
#include <cstdint>

namespace gradus {

extern std::atomic<std::int64_t> live_nodes;

}  // namespace gradus
