// Fuzzes the reader of checkpoints with any bytes.
// This includes the settings, vocabularies, merges and model in the file.

#include "files/saved_model.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  static const gradus::models::Registry registry = gradus::models::Registry::standard();
  fuzz::read([&] { gradus::tools::load_saved_model(file.with(fuzz::text_of(data, size)), registry); });
  return 0;
}
