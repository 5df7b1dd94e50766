#include "training/run_checkpoint.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "files/non_finite.hpp"
#include "files/saved_model.hpp"
#include "settings/error_parts.hpp"
#include "training/run_batches.hpp"

namespace gradus::tools {
namespace {

// The names of the exact matrices of --int8 in a checkpoint begin with this.
constexpr const char* exact_prefix = "trainer.exact.";

// The metadata keys of the fingerprints of the dev pairs and of the teacher. Older files do not have them.
constexpr const char *dev_key = "dev.fingerprint", *teacher_key = "teacher.fingerprint";

// True if the checkpoint has this key with another value.
bool has_other(const models::Checkpoint& checkpoint, const char* key, const std::string& value) {
  const auto before = checkpoint.metadata.find(key);
  return before != checkpoint.metadata.end() && before->second != value;
}

}  // namespace

std::string fingerprint(const std::vector<data::SentencePair>& pairs) {
  std::string text;
  for (const data::SentencePair& pair : pairs) text += pair.source + '\t' + pair.target + '\n';
  return std::to_string(data::stable_hash(text));
}

models::Checkpoint checkpoint_of(const models::Trainer& trainer, const compress::RoundedTraining* rounding,
                                 const Settings& settings, const Sides& sides,
                                 const std::vector<data::SentencePair>& dev, const std::string& teacher) {
  models::Checkpoint checkpoint{trainer.state(), metadata_of(settings, sides)};
  checkpoint.metadata[dev_key] = fingerprint(dev);
  if (!teacher.empty()) checkpoint.metadata[teacher_key] = teacher;
  if (rounding == nullptr) return checkpoint;
  for (const auto& [name, W] : rounding->state()) checkpoint.tensors.emplace_back(exact_prefix + name, W);
  return checkpoint;
}

void check_finite(const models::Checkpoint& checkpoint, std::int64_t steps) {
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (!name.starts_with("model.") && !name.starts_with("trainer.optimiser.")) continue;
    if (tensor.dtype() != Dtype::f32) continue;
    const std::optional<float> bad = first_non_finite(tensor);
    if (!bad) continue;
    fail("train", name.starts_with("model.") ? "a weight" : "the state of the update rule", " is ", *bad,
         " after step ", steps, ", which is not saved; lower the learning rate");
  }
}

void load_state(models::Trainer& trainer, const models::Checkpoint& checkpoint, const Settings& now,
                const Sides& sides) {
  NamedTensors state;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (!name.starts_with(exact_prefix)) state.emplace_back(name, tensor);
  }
  try {
    trainer.load_state(state);
  } catch (const Error& error) {
    const ErrorParts parts(error);
    if (parts.problem.find("does not fit") == parts.problem.npos) throw;
    const std::string before = settings_from_text(checkpoint.metadata.at("settings")).trainer.optimiser;
    if (before != now.trainer.optimiser) {
      fail("resume", "the run was started with --optimiser ", before,
           ", whose state does not fit --optimiser ", now.trainer.optimiser,
           "; omit --optimiser, or start a new run");
    }
    fail("resume", "the checkpoint in '", now.run.out.string(), "' cannot be resumed: ", parts.problem,
         "; give a checkpoint written by gradus train");
  }
  if (!same_vocabularies(checkpoint.metadata, metadata_of(now, sides))) refuse_other_data(now);
}

NamedTensors exact_weights(const models::Checkpoint& checkpoint) {
  return nn::StateReader(checkpoint.tensors).part(exact_prefix);
}

bool same_vocabularies(const nn::Metadata& a, const nn::Metadata& b) {
  const auto value = [](const nn::Metadata& metadata, const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? "" : found->second;
  };
  return std::ranges::all_of(std::array{"source.vocabulary", "target.vocabulary", "source.bpe", "target.bpe"},
                             [&](const char* key) { return value(a, key) == value(b, key); });
}

bool has_other_dev_pairs(const models::Checkpoint& checkpoint, const std::vector<data::SentencePair>& dev) {
  return has_other(checkpoint, dev_key, fingerprint(dev));
}

bool has_other_teacher(const models::Checkpoint& checkpoint, const std::string& teacher) {
  return !teacher.empty() && has_other(checkpoint, teacher_key, teacher);
}

}  // namespace gradus::tools
