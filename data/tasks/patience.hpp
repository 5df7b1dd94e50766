#pragma once

namespace gradus::data {

inline constexpr int patience = 1000;  // rejected draws in a row before giving up

}  // namespace gradus::data
