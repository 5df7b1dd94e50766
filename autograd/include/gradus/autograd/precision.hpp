#pragma once

#pragma GCC visibility push(default)
/// The precision of matrix products.
namespace gradus {

/// The format to which the two inputs of an f32 product are rounded.
enum class Precision {
  f32,            ///< no rounding
  bf16,           ///< bfloat16, multiplied by the processor's bf16 instructions
  bf16_emulated,  ///< bfloat16, multiplied in f32 on any processor; differs from bf16 only in denormals and
                  ///< the order of sums
};

/// For the lifetime of a MixedPrecision, large products on this thread round their two inputs to bf16 and
/// accumulate in f32 (P. Micikevicius et al., "Mixed precision training", ICLR 2018; D. Kalamkar et al., "A
/// study of bfloat16 for deep learning training", 2019). bf16 has 8 bits of precision; rounding is to
/// nearest, ties to even. An (m, k) by (k, n) product is large if m ≥ 8, n ≥ 32, k ≥ 32 and n·k ≥ 2¹⁴. In the
/// fused recurrences, m is the batch size at every step, even after sequences have ended, if there are at
/// least 4 steps or a PackWeights packs the weight. Everything else stays f32: parameters, gradients,
/// optimisers, reductions, softmax and losses. Call backward() within the lifetime too; otherwise the
/// products of the backward pass are not rounded. Scopes may be nested.
/// @throws Error for Precision::bf16 if the processor has no bf16 instructions (AVX512-BF16 or AMX-BF16), or
/// if gradus was built without oneDNN.
class MixedPrecision {
 public:
  explicit MixedPrecision(Precision precision);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  Precision before_;
};
/// The precision of this thread's products. It is Precision::f32 on a new thread.
Precision precision();
/// False if MixedPrecision would throw for `precision`.
bool supports(Precision precision);

}  // namespace gradus
#pragma GCC visibility pop
