#pragma once

#include <string>
#include <string_view>

namespace gradus::web {

/// Answers a request, both JSON. The requests are documented in answer.cpp. There is one session, which
/// "create" replaces. An exception becomes {"error": message}.
std::string answer(std::string_view request);

}  // namespace gradus::web
