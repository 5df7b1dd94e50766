// Fuzzes the settings in a checkpoint with arbitrary text.
// The checkpoint holds 1000 weights, so settings of a larger model must be refused before the model is built.

#include <nlohmann/json.hpp>

#include "fuzz.hpp"
#include "reports/description.hpp"

namespace {

constexpr std::size_t weights = 1000;

std::string checkpoint_with(std::string_view settings) {
  const nlohmann::json header{
      {"__metadata__",
       {{"gradus.format", "1"},
        {"settings", settings},
        {"source.vocabulary", "a\nb\n"},
        {"target.vocabulary", "a\nb\n"}}},
      {"model.w", {{"dtype", "F32"}, {"shape", {weights}}, {"data_offsets", {0, 4 * weights}}}}};
  const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text +
         std::string(4 * weights, '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  static const gradus::models::Registry registry = gradus::models::Registry::standard();
  const auto path = file.with(checkpoint_with(fuzz::text_of(data, size)));
  fuzz::read([&] { gradus::tools::load_saved_model(path, registry); });
  fuzz::read([&] { gradus::tools::text_of(gradus::tools::describe(path, registry)); });
  return 0;
}
