#pragma once

#include <gradus/models/checkpoint.hpp>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace gradus::tools {

/// The newest checkpoints of a run and their mean (`train --average N`): a file `step-S.safetensors` for each
/// S of the newest N saved steps, and `average.safetensors`. All files hold only weights. Every command
/// except `train --resume` can load them as models.
class CheckpointAverage {
 public:
  /// @param count N ≥ 1
  /// @param rounds true to round the mean's matrices to int8, as compress::fake_quantise() does
  CheckpointAverage(std::filesystem::path folder, std::int64_t count, bool rounds);

  /// Writes the weights after `step`, removes the oldest files if there are more than N, and writes the mean.
  /// @param checkpoint only its tensors "model.…" are written
  /// @throws Error if models::save_checkpoint(), models::load_checkpoint() or remove_run_file() throws.
  void add(std::int64_t step, const models::Checkpoint& checkpoint) const;
  /// Removes files of steps after `step`, which a killed run may have left.
  void remove_after(std::int64_t step) const;

  /// The steps whose weights are stored, ascending.
  std::vector<std::int64_t> steps() const;
  /// The file with the mean.
  std::filesystem::path file() const;

 private:
  std::filesystem::path folder_;
  std::int64_t count_;
  bool rounds_;
};

}  // namespace gradus::tools
