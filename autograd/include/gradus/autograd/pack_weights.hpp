#pragma once

#include <memory>

#pragma GCC visibility push(default)
namespace gradus {

class PackedWeights;  // internal
/// For the lifetime of a PackWeights, linear() and the fused recurrences on this thread pack each trained
/// parameter once: they keep a copy in the layout that products with few rows read fastest. A trained
/// parameter is a leaf that requires a gradient. Parameters of more than 2²⁴ elements are not packed.
/// linear() uses this copy for inputs of 8 to 256 rows, and the recurrences use it for batches of at least 8
/// sequences. Use PackWeights for many small steps with the same weights, as in decoding. A parameter is
/// packed again after an in-place change. The packed copies take as much memory as the parameters. Scopes may
/// be nested; the outermost one owns the copies.
class PackWeights {
 public:
  PackWeights();
  ~PackWeights();
  PackWeights(const PackWeights&) = delete;
  PackWeights& operator=(const PackWeights&) = delete;

 private:
  std::unique_ptr<PackedWeights> kept_;  // null inside another PackWeights
};

}  // namespace gradus
#pragma GCC visibility pop
