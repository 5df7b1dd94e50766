#pragma once

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
/// What a user can see and switch of the engine's process-wide and per-thread state: recording, the search
/// for anomalies, fused operations, packed weights, the names of the running modules, memory, and the
/// linear algebra library's kernels. The default generator is in random.hpp.
namespace gradus {

/// Sets whether this thread records operations on the tape, as long as it lives. Nests, and is
/// exception-safe.
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
/// Whether this thread records operations on the tape; it does from its start.
bool is_recording();

/// While it lives, every result and every gradient that this thread computes is searched for NaN and
/// infinity. The first is an Error that names the operation, its module path, the shapes, and the inputs with
/// the operations that they came from, so that what went wrong is found where it did. An infinity that is
/// meant, as in masked_fill(x, mask, −∞), is found as well: masked_softmax does without. Slow; nests.
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

/// While it lives, modules on this thread compose primitive operations instead of calling the fused ones
/// (fused.hpp): slower, and to be read and watched step by step. Nests.
class Composed {
 public:
  Composed();
  ~Composed();
  Composed(const Composed&) = delete;
  Composed& operator=(const Composed&) = delete;

 private:
  bool was_fused_;
};
bool uses_fused_operations();

/// What the two inputs of a product of f32 are rounded to.
enum class Precision {
  f32,            ///< nothing
  bf16,           ///< bfloat16, and multiplied by the processor's instructions for it
  bf16_emulated,  ///< bfloat16, and multiplied in f32, on any processor: the same but for denormals and the
                  ///< order of sums
};

/// While it lives, large enough products on this thread round their two inputs to bf16 (8 bits of precision;
/// to nearest, ties to even) and add up in f32 (P. Micikevicius et al., "Mixed precision training", ICLR
/// 2018; D. Kalamkar et al., "A study of bfloat16 for deep learning training", 2019). Large enough is an
/// m×n×k product with m ≥ 8, n ≥ 32, k ≥ 32 and n·k ≥ 2¹⁴; in the fused recurrences m is the batch. All else
/// stays f32: parameters, gradients, optimisers, reductions, softmax and losses. backward() rounds if it runs
/// in such a scope, so let the scope contain both. Nests.
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

class PackedWeights;  // the engine's own
/// While it lives, this thread packs a parameter once for all products of linear() and the fused recurrences
/// with it: for many small steps with the same weights, as in decoding. A parameter is packed again after its
/// values were changed in place. Takes as much memory again as those parameters. Nests; the outermost one
/// keeps the packed copies.
class PackWeights {
 public:
  PackWeights();
  ~PackWeights();
  PackWeights(const PackWeights&) = delete;
  PackWeights& operator=(const PackWeights&) = delete;

 private:
  std::unique_ptr<PackedWeights> kept_;  // null inside another
};

/// A node of the tree of names that have been entered; the root has no name.
struct ScopePath {
  const ScopePath* parent;
  std::string name;
  /// "decoder.attention"; empty at the root.
  std::string text() const;
};

/// While it lives, this thread's operations and errors carry `name` as one more part of their path. Modules
/// push their names here; an empty name adds nothing.
class Scope {
 public:
  explicit Scope(std::string_view name);
  /// The same, for a name that is entered again and again: `last` remembers where it led to, null at first,
  /// which saves finding it. Every name has a `last` of its own, that threads may share.
  Scope(std::string_view name, std::atomic<const ScopePath*>& last);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const ScopePath* outer_;
};

/// The path that this thread is in. Paths live as long as the program.
const ScopePath* current_scope();

/// Throws Error("<operation>: <message> [in <module path>]"); the parts are put together by message().
[[noreturn]] void fail(std::string_view operation, const std::string& message);
template <class... Parts>
[[noreturn]] void fail(std::string_view operation, const Parts&... parts) {
  fail(operation, message(parts...));
}

/// Memory held by tensors, in bytes. Freed buffers stay in a pool for the next tensor of about the same size;
/// new ones are cut from blocks of 16 MB or more of the system's memory, which it gives a page at a time,
/// when first written. Memory that was taken over from others (adopt(), from_xtensor()) is live like any, and
/// goes back to them.
struct MemoryStats {
  std::int64_t live_bytes = 0;         ///< in use by tensors now
  std::int64_t peak_bytes = 0;         ///< the most that was ever in use
  std::int64_t pooled_bytes = 0;       ///< kept for reuse
  std::int64_t live_buffers = 0;       ///< buffers in use now
  std::int64_t buffers_allocated = 0;  ///< times that the system gave a block, since the start
  std::int64_t live_nodes = 0;         ///< recorded operations and leaves now alive
};
MemoryStats memory_stats();

/// Gives the pooled memory back to the system, but for pages that buffers in use have a part of. With glibc,
/// also the memory of freed tapes and whatever else the general allocator keeps.
void release_pooled_memory();

/// Chooses the OpenBLAS kernels for this processor, and sets OpenBLAS to one thread: products are split among
/// threads() instead. The first product, or build_info(), does the same, once. A program in which other
/// threads use OpenBLAS must call this before they start, because the choice rebuilds OpenBLAS's table of
/// kernels and sets OPENBLAS_CORETYPE while it does. Nothing is changed when the library is loaded, and the
/// choice of kernels never if OPENBLAS_CORETYPE is set.
void initialise();

/// How this library was built, and which libraries make its matrix products.
struct BuildInfo {
  std::string compiler;
  /// What the library's own loops were compiled for, and what runs of those that are compiled several times
  /// (kernels/clones.hpp): "x86-64 with AVX-512", "x86-64, and x86-64-v3 (AVX2) for rows" …
  std::string instructions;
  /// What makes products of f32, with its version and instruction set: "oneDNN 2.6.3, avx512_core"; empty if
  /// that is the BLAS. Single rows, small products and f64 are the BLAS's in any case.
  std::string onednn;
  std::string blas;           ///< the BLAS, with its version
  std::string blas_kernels;   ///< the kernels that it runs: "SkylakeX", "Haswell" …
  std::string blas_detected;  ///< the kernels that it had chosen by itself
  int threads = 1;            ///< threads() (parallel.hpp), among which products and loops are shared
  std::string warning;        ///< why faster kernels could not be chosen; empty when all is well
};
BuildInfo build_info();

}  // namespace gradus
#pragma GCC visibility pop
