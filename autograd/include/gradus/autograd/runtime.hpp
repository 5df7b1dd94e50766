#pragma once

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
/// The engine's process-wide and per-thread state: recording, anomaly detection, fused operations, mixed
/// precision, packed weights, module paths, memory, and the BLAS kernels. The default generator is in
/// random.hpp.
namespace gradus {

/// While it lives, this thread's recording on the tape is on or off. Nests; exception-safe.
class Recording {
 public:
  explicit Recording(bool on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool was_on_;
};
/// While it lives, this thread records no operations: results need no gradient.
struct NoGrad : Recording {
  NoGrad() : Recording(false) {}
};
/// While it lives, this thread records operations, inside a NoGrad too.
struct EnableGrad : Recording {
  EnableGrad() : Recording(true) {}
};
/// Whether this thread records operations on the tape; true by default.
bool is_recording();

/// While it lives, checks every result and gradient that this thread computes for NaN and infinity. The first
/// one found throws an Error that names the operation, its module path, the shapes, and the inputs with the
/// operations that produced them. Intended infinities, as in masked_fill(x, mask, −∞), throw too; use
/// masked_softmax instead. Slow; nests.
class DetectAnomaly {
 public:
  DetectAnomaly();
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  bool was_on_;
};
bool detects_anomaly();

/// While it lives, the fused operations (fused.hpp) on this thread run as their twins, composed of simple
/// operations: slower, but each step is a separate operation that can be inspected. Nests.
class Composed {
 public:
  Composed();
  ~Composed();
  Composed(const Composed&) = delete;
  Composed& operator=(const Composed&) = delete;

 private:
  bool was_fused_;
};

/// The format to which the two inputs of an f32 product are rounded.
enum class Precision {
  f32,            ///< no rounding
  bf16,           ///< bfloat16, multiplied by the processor's bf16 instructions
  bf16_emulated,  ///< bfloat16, multiplied in f32 on any processor; differs from bf16 only in denormals and
                  ///< the order of sums
};

/// While it lives, large products on this thread round their two inputs to bf16 (8 bits of precision; to
/// nearest, ties to even) and accumulate in f32 (P. Micikevicius et al., "Mixed precision training", ICLR
/// 2018; D. Kalamkar et al., "A study of bfloat16 for deep learning training", 2019). An m×n×k product is
/// large if m ≥ 8, n ≥ 32, k ≥ 32 and n·k ≥ 2¹⁴; in the fused recurrences m is the batch. Everything else
/// stays f32: parameters, gradients, optimisers, reductions, softmax and losses. backward() rounds only if it
/// runs in such a scope, so keep it inside as well. Nests.
/// @throws Error for Precision::bf16 if the processor has no such instructions (AVX512-BF16 or AMX-BF16), or
/// gradus was built without oneDNN.
class MixedPrecision {
 public:
  explicit MixedPrecision(Precision precision);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  Precision before_;
};
/// This thread's precision; f32 at its start.
Precision precision();
/// False for Precision::bf16 where MixedPrecision refuses it.
bool supports(Precision precision);

class PackedWeights;  // internal
/// While it lives, linear() and the fused recurrences on this thread pack each parameter once and reuse the
/// packed copy for products of 8 to 256 rows. Use it for many small steps with the same weights, as in
/// decoding. A parameter is packed again after an in-place change. The copies take as much memory as the
/// parameters. Nests; the outermost one owns the copies.
class PackWeights {
 public:
  PackWeights();
  ~PackWeights();
  PackWeights(const PackWeights&) = delete;
  PackWeights& operator=(const PackWeights&) = delete;

 private:
  std::unique_ptr<PackedWeights> kept_;  // null inside another
};

/// A module path: a node in the tree of scope names. The root has no name.
struct ScopePath {
  const ScopePath* parent;
  std::string name;
  /// "decoder.attention"; empty at the root.
  std::string text() const;
};

/// While it lives, `name` is appended to the module path of this thread's operations and errors. Modules push
/// their names here; an empty name adds nothing.
class Scope {
 public:
  explicit Scope(std::string_view name);
  /// The same, for a name that is entered often: `last`, initially null, caches the path that the name led
  /// to. Use one `last` per name; threads may share it.
  Scope(std::string_view name, std::atomic<const ScopePath*>& last);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const ScopePath* outer_;
};

/// This thread's module path. Paths live as long as the program.
const ScopePath* current_scope();

/// Throws Error("<operation>: <message> [in <module path>]"); message() concatenates the parts.
[[noreturn]] void fail(std::string_view operation, const std::string& message);
template <class... Parts>
[[noreturn]] void fail(std::string_view operation, const Parts&... parts) {
  fail(operation, message(parts...));
}

/// Tensor memory. Freed buffers stay in a pool for later tensors of similar size. New buffers are cut from
/// mapped blocks of at least 16 MB, whose pages are committed on first write. Adopted memory (adopt(),
/// from_xtensor()) counts as live, and goes back to its owner.
struct MemoryStats {
  std::int64_t live_bytes = 0;         ///< in use by tensors now
  std::int64_t peak_bytes = 0;         ///< the maximum so far
  std::int64_t pooled_bytes = 0;       ///< kept for reuse
  std::int64_t live_buffers = 0;       ///< buffers in use now
  std::int64_t buffers_allocated = 0;  ///< blocks mapped since the start
  std::int64_t live_nodes = 0;         ///< recorded operations and leaves in memory now
};
MemoryStats memory_stats();

/// Returns pooled memory to the system, except pages that buffers in use overlap. With glibc, also trims the
/// heap, which holds the memory of freed tapes.
void release_pooled_memory();

/// Chooses the OpenBLAS kernels for this processor, and sets OpenBLAS to one thread: products are split among
/// threads() instead. The first product or build_info() calls it implicitly. A program whose own threads use
/// OpenBLAS must call it before they start, because it rebuilds OpenBLAS's kernel table and sets
/// OPENBLAS_CORETYPE for the duration of the call. Loading the library changes nothing. If OPENBLAS_CORETYPE
/// is set, the kernels are left as they are.
void initialise();

/// How this library was built, and which libraries compute its matrix products.
struct BuildInfo {
  std::string compiler;
  /// The target of the library's own loops, and the variant in use of those that are compiled for several
  /// targets (kernels/clones.hpp): "x86-64 with AVX-512", "x86-64, and x86-64-v3 (AVX2) for rows" …
  std::string instructions;
  /// The library for f32 products, with its version and instruction set: "oneDNN 2.6.3, avx512_core"; empty
  /// if that is the BLAS. The BLAS computes f64 products, and the f32 products at which it is faster.
  std::string onednn;
  std::string blas;          ///< the BLAS, with its version
  std::string blas_kernels;  ///< the kernels in use: "SkylakeX", "Haswell" …
  std::string
      blas_detected;    ///< the kernels that the BLAS chose by itself; initialise() may have replaced them
  int threads = 1;      ///< threads() (parallel.hpp)
  std::string warning;  ///< why faster kernels could not be chosen; else empty
};
BuildInfo build_info();

}  // namespace gradus
#pragma GCC visibility pop
