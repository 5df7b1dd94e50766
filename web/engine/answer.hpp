#pragma once

#include <string>
#include <string_view>

namespace gradus::web {

/// Answers a JSON request with JSON. answer.cpp documents the requests. There is one session; "create"
/// replaces it. An exception becomes {"error": message}.
std::string answer(std::string_view request);

}  // namespace gradus::web
