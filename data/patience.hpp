#pragma once

namespace gradus::data {

inline constexpr int patience = 1000;  // rejections in a row before a draw is given up

}  // namespace gradus::data
