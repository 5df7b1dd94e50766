#include "training/one_run.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/message.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "files/file_type.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/changed_options.hpp"
#include "settings/settings.hpp"
#include "training/run_batches.hpp"
#include "training/run_checkpoint.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

// A checkpoint that training wrote; std::nullopt for other files.
std::optional<models::Checkpoint> trained(const fs::path& path) {
  try {
    models::Checkpoint checkpoint = models::load_checkpoint(path);
    const nn::Metadata& metadata = checkpoint.metadata;
    if (metadata.contains(writer_key) || metadata.contains(compressed_key)) return std::nullopt;
    return checkpoint;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The model options in the text of settings; std::nullopt if the text cannot be read.
std::optional<models::ModelOptions> model_in(const std::string& settings) {
  try {
    return settings_from_text(settings).model;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<models::ModelOptions> model_in(const nn::Metadata& metadata) {
  const auto text = metadata.find("settings");
  return text == metadata.end() ? std::nullopt : model_in(text->second);
}

// How another checkpoint shows that it is of another run; empty if it does not.
std::string sign_of_other_run(const models::Checkpoint& resumed, const models::Checkpoint& other) {
  const auto model = model_in(resumed.metadata), others = model_in(other.metadata);
  if (!model || !others) return "";
  if (const auto changed = changed_options(*others, *model); !changed.empty())
    return "has " + changed.front().before + " instead of " + changed.front().now;
  if (!same_vocabularies(resumed.metadata, other.metadata)) return "has another vocabulary";
  const auto batches = fingerprint_of_batches(resumed.tensors),
             others_batches = fingerprint_of_batches(other.tensors);
  if (batches && others_batches && batches != others_batches) return "was trained on other pairs or batches";
  return "";
}

}  // namespace

void check_one_run(const fs::path& path, const models::Checkpoint& resumed) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  // With this file, a killed process was replacing an old run; finish_replacement() removes the old files.
  if (is_there(folder / run_file::next)) return;
  for (const fs::path& file : run_files(folder)) {
    if (file.extension() != ".safetensors" || file.filename() == path.filename()) continue;
    if (type_of(file) != fs::file_type::regular) continue;
    const auto other = trained(file);
    const std::string how = other ? sign_of_other_run(resumed, *other) : "";
    if (how.empty()) continue;
    fail("resume", "'", folder.string(), "' holds files of two runs: ", file.filename().string(), ' ', how,
         ", unlike ", path.filename().string(), "; move the file of the other run to another folder");
  }
}

std::string note_of_settings(const fs::path& folder, const models::ModelOptions& model) {
  const std::string text = content_if_there(folder / run_file::settings);
  const auto described = text.empty() ? std::nullopt : model_in(text);
  if (!described) return "";
  const std::vector<ChangedOption> changed = changed_options(*described, model);
  if (changed.empty()) return "";
  return message("'", (folder / run_file::settings).string(), "' has ", changed.front().before,
                 " instead of ", changed.front().now,
                 "; the run keeps the options of its checkpoint, and replaces this file");
}

}  // namespace gradus::tools
