// Fuzzes the reader of checkpoints with arbitrary bytes.
// The reader also parses the settings, vocabularies and merges in the file, and loads the model.

#include "files/saved_model.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  static const gradus::models::Registry registry = gradus::models::Registry::standard();
  fuzz::read([&] { gradus::tools::load_saved_model(file.with(fuzz::text_of(data, size)), registry); });
  return 0;
}
