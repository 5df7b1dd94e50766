#pragma once

#include <string>
#include <string_view>

namespace gradus::data {

// The UTF-8 text in lower case. Invalid bytes stay unchanged.
std::string lowered(std::string_view text);

}  // namespace gradus::data
