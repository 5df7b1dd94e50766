#pragma once

#include <gradus/autograd/pack_weights.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/optim.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "measure.hpp"

namespace bench {

/// The model of a config, with PyTorch's initial values. The caller overwrites these values. A preset's own
/// initialisation is not used, because it would need extra memory.
std::unique_ptr<gradus::models::Seq2Seq> make_model(const Config& config);

/// The model in gradus. The constructor sets the process's number of threads.
class GradusContender : public Contender {
 public:
  explicit GradusContender(const Options& options);
  double train(const gradus::data::Batch& batch) override;
  std::vector<std::vector<std::int64_t>> decode(const gradus::data::Batch& batch,
                                                std::int64_t steps) override;
  std::int64_t parameter_count() const override;
  std::optional<std::int64_t> buffers_allocated() const override;

 private:
  const std::unique_ptr<gradus::models::Seq2Seq> model_;
  const std::vector<gradus::Tensor> parameters_;
  gradus::nn::Adam adam_;
  std::optional<gradus::MixedPrecision> mixed_precision_;
  std::optional<gradus::compress::Int8Products> int8_;
  std::optional<gradus::PackWeights> pack_weights_;  // keeps packed weights for all decoded batches
};

}  // namespace bench
