#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

/// Int8 products by oneDNN, each on the calling thread.
namespace gradus::compress::onednn {

/// True if gradus was built with oneDNN, and oneDNN can use AVX512-VNNI or AMX. Without these instructions,
/// oneDNN would sum pairs of products in i16, which can saturate.
bool has_int8();

/// A weight q (n, k), packed once.
class Int8Weight {
 public:
  /// @param q row-major, with row stride `stride`; copied
  Int8Weight(std::int64_t n, std::int64_t k, const std::int8_t* q, std::int64_t stride);
  ~Int8Weight();
  Int8Weight(const Int8Weight&) = delete;
  Int8Weight& operator=(const Int8Weight&) = delete;

  /// sums (m, n) ← p·qᵀ for p (m, k). The constructor generates code for m = 1 and m = 64. For any other m,
  /// the first call generates code.
  void multiply(std::int64_t m, const std::int8_t* p, std::int32_t* sums) const;

 private:
  struct Made;
  Made& made(std::int64_t m) const;

  std::int64_t n_, k_;
  std::unique_ptr<Made> one_, many_;  // one_: m = 1; many_: m = 64; others_ share many_'s weight
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, std::unique_ptr<Made>> others_;
};

}  // namespace gradus::compress::onednn
