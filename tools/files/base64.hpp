#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gradus::tools {

/// Base64 of RFC 4648, section 4: A–Z, a–z, 0–9, + and /, padded with =. A checkpoint stores binary files in
/// base64, because its metadata is text.
std::string to_base64(std::string_view bytes);
/// Returns the bytes; std::nullopt if the text is not padded base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gradus::tools
