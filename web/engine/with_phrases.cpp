// Makes a WebAssembly trainer with phrases: phrases.wasm.

#include "phrases.hpp"

namespace {
[[maybe_unused]] const bool offered = gradus::web::offer_phrases();
}
