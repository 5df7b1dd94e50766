#pragma once

#include <string>
#include <string_view>

namespace gradus::data {

// lower_case() of UTF-8. Invalid bytes stay unchanged.
std::string lowered(std::string_view text);

}  // namespace gradus::data
