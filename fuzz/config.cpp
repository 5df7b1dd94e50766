// Fuzzes the reader of configurations with arbitrary text.
// Every checkpoint contains a configuration.

#include "fuzz.hpp"
#include "settings/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace tools = gradus::tools;
  fuzz::read([&] {
    const std::string text =
        tools::to_text(tools::settings_from_text(std::string(fuzz::text_of(data, size))));
    std::string again;
    fuzz::read([&] { again = tools::to_text(tools::settings_from_text(text)); });
    fuzz::expect(again == text, "settings are read as written");
  });
  return 0;
}
