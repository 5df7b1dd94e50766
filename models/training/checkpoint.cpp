#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/nn/state_reader.hpp>
#include <gradus/version.hpp>

#include <algorithm>
#include <utility>

#include "training/checksum.hpp"

namespace gradus::models {
namespace {

constexpr const char* format_key = "gradus.format";
constexpr const char* format = "1";

}  // namespace

std::vector<Circumstance> circumstances() {
  const BuildInfo build = build_info();
  return {{"gradus.version", "the version of gradus", version()},
          {"gradus.compiler", "the compiler of gradus", build.compiler},
          {"gradus.instructions", "the instruction set of gradus", build.instructions},
          {"gradus.blas", "the linear algebra library", build.blas},
          {"gradus.kernels", "the kernel set of that library", build.blas_kernels},
          {"gradus.onednn", "the library for matrix products",
           build.onednn.empty() ? "only OpenBLAS" : build.onednn},
          {"gradus.threads", "the number of threads", std::to_string(build.threads)}};
}

std::string fingerprint(const NamedTensors& tensors) { return checksum(tensors, {}); }

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     const nn::Narrow& narrow) {
  nn::Metadata metadata = checkpoint.metadata;
  metadata[format_key] = std::string(format);
  for (const auto& [key, words, now] : circumstances()) metadata[key] = now;
  metadata[checksum_key] = checksum(checkpoint.tensors, metadata);
  nn::save_safetensors(path, checkpoint.tensors, metadata, narrow);
}

bool is_checkpoint(const nn::Metadata& metadata) { return metadata.contains(format_key); }

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  nn::Safetensors file = nn::load_safetensors(path);
  const auto found = file.metadata.find(format_key);
  if (found == file.metadata.end()) {
    fail("load_checkpoint", "'", path.string(),
         "' is not a checkpoint but a plain tensor file; give a file saved by training");
  }
  if (found->second != format) {
    fail("load_checkpoint", "'", path.string(), "' has format ", found->second, ", but gradus ", version(),
         " reads format ", format, "; use the version that wrote it");
  }
  check_intact(path, file.tensors, file.metadata);
  return {std::move(file.tensors), std::move(file.metadata), std::move(file.narrow)};
}

void check_intact(const std::filesystem::path& path, const NamedTensors& tensors,
                  const nn::Metadata& metadata) {
  const auto stored = metadata.find(checksum_key);
  if (stored == metadata.end()) return;
  const std::string found = checksum(tensors, metadata);
  if (found == stored->second) return;
  fail("load_checkpoint", "'", path.string(), "' is damaged: it was saved with the checksum ", stored->second,
       ", but its content has ", found, "; copy it again, or use another checkpoint");
}

std::vector<std::string> check_reproducible(const nn::Metadata& metadata) {
  std::vector<std::string> differences;
  for (const auto& [key, words, now] : circumstances()) {
    const auto found = metadata.find(key);
    const std::string then = found == metadata.end() ? "not recorded" : found->second;
    if (then == now) continue;
    differences.push_back(message(words, " was ", then, " and is ", now));
  }
  return differences;
}

void load_model(nn::Module& model, const Checkpoint& checkpoint, std::string_view source) {
  NamedTensors state = nn::StateReader(checkpoint.tensors).part("model.");
  const auto find = [&](const std::string& name) {
    return std::ranges::find(state, name, &NamedTensors::value_type::first);
  };
  const NamedTensors own = model.named_parameters();
  for (const auto& [name, tensor] : own) {
    if (find(name) != state.end()) continue;
    for (const auto& [other, same] : own) {
      if (!same.is(tensor) || find(other) == state.end()) continue;
      state.emplace_back(name, find(other)->second);
      break;
    }
  }
  model.load_state_dict(state, source);
}

}  // namespace gradus::models
