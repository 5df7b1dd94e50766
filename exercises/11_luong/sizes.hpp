#pragma once

#include <cstdint>

/// Sizes of Luong's decoder.
struct LuongSizes {
  std::int64_t vocabulary;   ///< V
  std::int64_t annotation;   ///< D, of h_j and of [→h_S; ←h_1]
  std::int64_t embedding;    ///< E
  std::int64_t hidden;       ///< H, of s_t
  std::int64_t attentional;  ///< K, of h̃_t
};
