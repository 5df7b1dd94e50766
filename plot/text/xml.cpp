#include "text/xml.hpp"

#include "text/unicode.hpp"

namespace gradus::plot {

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t code : decode(text)) {
    switch (code) {
      case U'&':
        out += "&amp;";
        break;
      case U'<':
        out += "&lt;";
        break;
      case U'>':
        out += "&gt;";
        break;
      case U'"':
        out += "&quot;";
        break;
      case U'\t':
      case U'\n':
        out += static_cast<char>(code);
        break;
      default:
        append_utf8(out, code < 0x20 || code == 0xFFFE || code == 0xFFFF ? char32_t{0xFFFD} : code);
    }
  }
  return out;
}

}  // namespace gradus::plot
