#pragma once

#include <gradus/nn/scored_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Attention by likeness, "dot" in Luong et al. 2015, section 3.1:
///
///     e_tj = s_t · h_j
///
/// It has no parameters; queries are of the values' size.
class DotProductAttention : public ScoredAttention {
 public:
  using ScoredAttention::ScoredAttention;

 protected:
  /// @throws Error when the query is not (B, D).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
