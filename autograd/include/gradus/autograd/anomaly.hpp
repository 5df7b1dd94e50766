#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// While a DetectAnomaly exists, every result and gradient that this thread computes is checked for NaN and
/// infinity. The first NaN or infinity throws an Error that names the operation, its module path, the shapes,
/// and the inputs with the operations that produced them. An intended infinity throws too. So avoid
/// infinities: call masked_softmax() instead of softmax(masked_fill(x, mask, −∞)). The checks are slow.
/// Scopes may be nested.
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

}  // namespace gradus
#pragma GCC visibility pop
