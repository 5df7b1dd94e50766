#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gradus::tools {

/// Base64 of RFC 4648, section 4: A–Z, a–z, 0–9, + and /, padded with =. A checkpoint's metadata is text, so
/// it keeps binary files in this form.
std::string to_base64(std::string_view bytes);
/// The bytes; empty if the text is not padded base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gradus::tools
