
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/scope.hpp>

#include "onednn.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {

MixedPrecision::MixedPrecision(Precision precision) : before_(thread_state().precision) {
  if (!supports(precision)) {
    fail("MixedPrecision",
         onednn::is_used() ? "this processor has no instructions for bf16"
                           : "gradus was built without oneDNN, which multiplies bf16",
         "; use bf16_emulated, which rounds the same way and multiplies in f32, or f32");
  }
  thread_state().precision = precision;
}
MixedPrecision::~MixedPrecision() { thread_state().precision = before_; }

Precision precision() { return thread_state().precision; }

bool supports(Precision precision) { return precision != Precision::bf16 || onednn::has_bf16(); }

}  // namespace gradus
