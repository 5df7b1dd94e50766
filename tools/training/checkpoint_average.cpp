#include "training/checkpoint_average.hpp"

#include <gradus/compress/straight_through.hpp>
#include <gradus/models/average.hpp>

#include <string>
#include <utility>

#include "files/run_folder.hpp"

namespace gradus::tools {

CheckpointAverage::CheckpointAverage(std::filesystem::path folder, std::int64_t count, bool rounds)
    : folder_(std::move(folder)), count_(count), rounds_(rounds) {}

void CheckpointAverage::add(std::int64_t step, const models::Checkpoint& checkpoint) const {
  models::Checkpoint weights{{}, checkpoint.metadata};
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (name.starts_with("model.")) weights.tensors.emplace_back(name, tensor);
  }
  models::save_checkpoint(folder_ / run_file::of_step(step), weights);
  auto files = step_files(folder_);
  for (; std::ssize(files) > count_; files.erase(files.begin())) remove_run_file(files.front().second);
  std::vector<NamedTensors> states;
  std::string steps;
  for (const auto& [of_file, path] : files) {
    states.push_back(models::load_checkpoint(path).tensors);
    steps.append(steps.empty() ? "" : " ").append(std::to_string(of_file));
  }
  weights.metadata["averaged"] = steps;
  NamedTensors mean = models::average(states);
  for (auto& [name, tensor] : mean) {
    if (rounds_ && tensor.rank() == 2) tensor = compress::fake_quantise(tensor);
  }
  models::save_checkpoint(file(), {std::move(mean), weights.metadata});
}

void CheckpointAverage::remove_after(std::int64_t step) const {
  for (const auto& [of_file, path] : step_files(folder_)) {
    if (of_file > step) remove_run_file(path);
  }
}

std::vector<std::int64_t> CheckpointAverage::steps() const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, path] : step_files(folder_)) steps.push_back(step);
  return steps;
}

std::filesystem::path CheckpointAverage::file() const { return folder_ / run_file::average; }

}  // namespace gradus::tools
