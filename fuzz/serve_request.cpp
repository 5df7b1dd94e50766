// Fuzzes the readers of requests to gradus serve.

#include "fuzz.hpp"
#include "serving/request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace tools = gradus::tools;
  const std::string_view text = fuzz::text_of(data, size);
  const tools::RequestLimits limits;
  fuzz::read([&] {
    const tools::TranslateRequest request = tools::read_translate_request(text, limits);
    fuzz::expect(!request.texts.empty() && std::ssize(request.texts) <= limits.texts, "the number of texts");
    fuzz::expect(request.search.beam.width <= limits.beam, "the width of the beam");
    request.search.steps();  // must accept every option that was read
  });
  fuzz::read([&] { tools::read_align_request(text, limits); });
  return 0;
}
