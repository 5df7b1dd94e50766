// Fuzzes the reader of a run's log.jsonl with arbitrary text.

#include <limits>

#include "fuzz.hpp"
#include "training/history.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  fuzz::read([&] {
    const auto path = file.with(fuzz::text_of(data, size));
    gradus::tools::History::read(path, std::numeric_limits<std::int64_t>::max()).text();
  });
  return 0;
}
