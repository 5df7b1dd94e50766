#include "reports/description.hpp"

#include <gradus/autograd/checks.hpp>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "files/zeros.hpp"
#include "settings/choices.hpp"
#include "settings/numbers.hpp"
#include "settings/printable.hpp"
#include "settings/shortest.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string found(const nn::Metadata& metadata, const std::string& name) {
  const auto entry = metadata.find(name);
  return entry == metadata.end() ? "?" : entry->second;
}

// A scalar of the trainer's state, if present.
std::optional<double> kept(const Description& description, const std::string& name) {
  for (const auto& [own, tensor] : description.file.tensors) {
    if (own == "trainer." + name && tensor.numel() == 1) return tensor.item();
  }
  return {};
}

std::optional<std::int64_t> step_of(const Description& description) {
  const auto step = kept(description, "steps");
  return step ? std::optional(std::llround(*step)) : std::nullopt;
}

// Writes a name and its value, aligned.
void line(std::ostream& out, const std::string& name, const std::string& value) {
  out << printable(name) << std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') << printable(value)
      << '\n';
}

void add_maker(std::ostream& out, const nn::Metadata& metadata) {
  const auto of = [&](const char* name) { return found(metadata, std::string("gradus.") + name); };
  line(out, "format", of("format"));
  line(out, "made with", "gradus " + of("version") + ", " + of("compiler") + ", for " + of("instructions"));
  const std::string onednn = of("onednn");  // missing in older checkpoints
  line(out, "products",
       (onednn == "?" ? "" : onednn + ", ") + of("blas") + ", kernels " + of("kernels") + ", threads " +
           of("threads"));
  for (const std::string& difference : models::check_reproducible(metadata)) line(out, "here", difference);
}

void add_progress(std::ostream& out, const Description& description) {
  const auto step = step_of(description);
  const auto& saved = description.saved;
  if (const auto how = description.file.metadata.find(compressed_key);
      how != description.file.metadata.end()) {
    line(out, "compressed", how->second);
  }
  if (saved && is_pruned(*saved)) {
    line(out, "zeros", digits(100 * zeros_of(*saved->model).fraction, 1) + " % of the weights in matrices");
  }
  if (!step) {
    const auto averaged = description.file.metadata.find("averaged");
    if (averaged != description.file.metadata.end()) {
      line(out, "average", "of the weights after steps " + averaged->second);
    }
    return line(out, "step", "none: weights only, training cannot be resumed");
  }
  line(out, "step",
       std::to_string(*step) + (saved ? " of " + std::to_string(saved->settings.trainer.steps) : ""));
  const auto best = kept(description, "best");
  if (!best || !std::isfinite(*best)) return line(out, "best score", "none yet");
  line(out, "best score", shortest(*best) + (saved ? " (" + saved->settings.run.metric + ")" : ""));
}

std::string corpus_name(const DataSettings& data) {
  if (!data.task.empty()) return "the task " + data.task;
  if (!data.phrases.empty()) return "the phrases " + data.phrases;
  if (!data.train.pairs.empty()) return data.train.pairs.string();
  return data.train.source.string() + " and " + data.train.target.string();
}

std::string side_text(const Side& side) {
  std::ostringstream out;
  if (side.frames) {
    out << "frames of " << side.frames->size() << " bands";
    if (const std::int64_t rate = side.frames->settings().rate) out << ", of sound at " << rate << " Hz";
    return out.str();
  }
  out << side.vocabulary.size() << " tokens, ";
  if (const auto& pieces = side.tokeniser.sentence_piece()) {
    out << "SentencePiece model of " << pieces->size() << " pieces";
    return out.str();
  }
  out << "unit " << name_of(side.tokeniser.options().unit, unit_names);
  if (const auto& bpe = side.tokeniser.bpe()) {
    out << ", " << bpe->merges().size() << " byte-pair merges";
  }
  return out.str();
}

void add_origin(std::ostream& out, const Settings& settings, const Sides& sides) {
  line(out, "seed", std::to_string(settings.run.seed));
  line(out, "data", corpus_name(settings.data) + (settings.data.swap ? ", swapped" : ""));
  line(out, "source", side_text(sides.source));
  line(out, "target", side_text(sides.target));
}

Json tensor_json(const std::string& name, const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return {{"name", name},
          {"dtype", gradus::name(tensor.dtype())},
          {"shape", std::vector(shape.begin(), shape.end())}};
}

// Null if unknown.
Json or_null(const auto& optional) { return optional ? Json(*optional) : Json(); }

}  // namespace

Description describe_file(const std::filesystem::path& given) {
  Description description;
  description.path = checkpoint_of(given);
  description.file = nn::load_safetensors(description.path);
  if (description.is_checkpoint()) {
    models::check_intact(description.path, description.file.tensors, description.file.metadata);
  }
  return description;
}

Description describe(const std::filesystem::path& given, const models::Registry& registry) {
  Description description = describe_file(given);
  if (!description.is_checkpoint()) return description;
  models::Checkpoint checkpoint = models::load_checkpoint(description.path);  // also checks its format
  if (checkpoint.metadata.contains("settings"))
    description.saved = saved_model_of(description.path, std::move(checkpoint), registry);
  return description;
}

std::string text_of(const Description& description) {
  std::ostringstream out;
  if (description.is_checkpoint()) {
    line(out, "checkpoint", description.path.string());
    add_maker(out, description.file.metadata);
    add_progress(out, description);
  } else {
    out << printable(description.path.string()) << " is a file of tensors, not a checkpoint\n";
    for (const auto& [name, value] : description.file.metadata) line(out, name, Json(value).dump());
  }
  if (const auto& saved = description.saved) {
    add_origin(out, saved->settings, saved->sides);
    out << '\n' << *saved->model;
  } else {
    out << '\n' << tensors_of(description);
  }
  return out.str();
}

std::string tensors_of(const Description& description) {
  std::ostringstream out;
  for (const auto& [name, tensor] : description.file.tensors) {
    out << printable(name) << ' ' << gradus::name(tensor.dtype()) << ' ' << tensor.shape() << '\n';
  }
  return out.str();
}

std::string json_of(const Description& description) {
  Json metadata = Json::object(), tensors = Json::array();
  for (const auto& [name, value] : description.file.metadata) {
    const bool describes_tokens =
        name.ends_with(".vocabulary") || name.ends_with(".bpe") || name.ends_with(".sentencepiece");
    if (!describes_tokens) metadata[name] = value;
  }
  for (const auto& [name, tensor] : description.file.tensors) tensors.push_back(tensor_json(name, tensor));
  const auto& saved = description.saved;
  const Json json = {{"path", description.path.string()},
                     {"checkpoint", description.is_checkpoint()},
                     {"step", or_null(step_of(description))},
                     {"best", or_null(kept(description, "best"))},
                     {"source_vocabulary", saved ? Json(saved->sides.source.vocabulary.size()) : Json()},
                     {"target_vocabulary", saved ? Json(saved->sides.target.vocabulary.size()) : Json()},
                     {"parameters", saved ? Json(saved->model->parameter_count()) : Json()},
                     {"metadata", metadata},
                     {"tensors", tensors}};
  // A path may be invalid UTF-8; `replace` avoids an exception. JSON leaves DEL and C1 unescaped, so
  // printable() escapes them.
  return printable(json.dump(2, ' ', false, Json::error_handler_t::replace), "\n") + '\n';
}

}  // namespace gradus::tools
