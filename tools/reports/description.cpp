#include "reports/description.hpp"

#include <gradus/autograd/checks.hpp>

#include <cmath>
#include <sstream>

#include "files/saved_model.hpp"
#include "reports/write_json.hpp"
#include "settings/choices.hpp"

namespace gradus::tools {
namespace {

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

std::optional<std::string> step_of(const Description& description) {
  const auto step = kept(description, "steps");
  return step ? std::optional(std::to_string(std::llround(*step))) : std::nullopt;
}

// A name and its value, aligned.
void line(std::ostream& out, const std::string& name, const std::string& value) {
  out << name << std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') << value << '\n';
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
  if (!step) return line(out, "step", "none: weights only, training cannot be resumed");
  const auto& settings = description.settings;
  line(out, "step", settings ? *step + " of " + std::to_string(settings->trainer.steps) : *step);
  const auto best = kept(description, "best");
  if (!best || !std::isfinite(*best)) return line(out, "best score", "none yet");
  line(out, "best score", json::number(*best) + (settings ? " (" + settings->run.metric + ")" : ""));
}

std::string corpus_name(const DataSettings& data) {
  if (!data.task.empty()) return "the task " + data.task;
  if (!data.phrases.empty()) return "the phrases " + data.phrases;
  if (!data.train.pairs.empty()) return data.train.pairs.string();
  return data.train.source.string() + " and " + data.train.target.string();
}

std::string side_text(const Side& side) {
  std::ostringstream out;
  out << side.vocabulary.size() << " tokens, unit " << name_of(side.tokeniser.options().unit, unit_names);
  if (const auto& bpe = side.tokeniser.bpe()) {
    out << ", " << bpe->merges().size() << " byte-pair merges";
  }
  return out.str();
}

void add_settings(std::ostream& out, const Settings& settings, const Sides& sides) {
  line(out, "seed", std::to_string(settings.run.seed));
  line(out, "data", corpus_name(settings.data) + (settings.data.swap ? ", swapped" : ""));
  line(out, "source", side_text(sides.source));
  line(out, "target", side_text(sides.target));
}

std::string tensor_json(const std::string& name, const Tensor& tensor) {
  const auto size = [](std::int64_t value) { return std::to_string(value); };
  std::vector<std::string> shape;
  for (int axis = 0; axis < tensor.shape().rank(); ++axis) shape.push_back(size(tensor.size(axis)));
  return "{\"name\": " + json::text(name) + ", \"dtype\": " + json::text(gradus::name(tensor.dtype())) +
         ", \"shape\": " + json::list(shape) + "}";
}

}  // namespace

Description describe(const std::filesystem::path& given, const models::Registry& registry) {
  Description description;
  description.path = checkpoint_of(given);
  description.file = nn::load_safetensors(description.path);
  const nn::Metadata& metadata = description.file.metadata;
  const auto settings = metadata.find("settings");
  if (!description.is_checkpoint() || settings == metadata.end()) return description;
  description.settings = settings_from_text(settings->second);
  description.sides = sides_of(description.path, metadata, description.settings->data);
  try {
    description.model = make_model(*description.settings, *description.sides, registry);
  } catch (const Error& error) {  // a class missing in the registry
    description.no_model = error.what();
  }
  return description;
}

std::string text_of(const Description& description) {
  std::ostringstream out;
  if (description.is_checkpoint()) {
    line(out, "checkpoint", description.path.string());
    add_maker(out, description.file.metadata);
    add_progress(out, description);
  } else {
    out << description.path.string() << " is a file of tensors, not a checkpoint\n";
    for (const auto& [name, value] : description.file.metadata) line(out, name, json::text(value));
  }
  if (description.settings) add_settings(out, *description.settings, *description.sides);
  out << '\n';
  if (description.model) {
    out << *description.model;
  } else {
    if (!description.no_model.empty()) out << "Only tensors are shown: " << description.no_model << '\n';
    out << tensors_of(description);
  }
  return out.str();
}

std::string tensors_of(const Description& description) {
  std::ostringstream out;
  for (const auto& [name, tensor] : description.file.tensors) {
    out << name << ' ' << gradus::name(tensor.dtype()) << ' ' << tensor.shape() << '\n';
  }
  return out.str();
}

std::string json_of(const Description& description) {
  const auto best = kept(description, "best");
  const auto vocabulary = [&](Side Sides::* side) {
    return description.sides ? std::to_string(((*description.sides).*side).vocabulary.size()) : "null";
  };
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const auto& [name, value] : description.file.metadata) {
    if (!name.ends_with(".vocabulary") && !name.ends_with(".bpe"))
      metadata.emplace_back(name, json::text(value));
  }
  return json::object({{"path", json::text(description.path.string())},
                       {"checkpoint", description.is_checkpoint() ? "true" : "false"},
                       {"step", step_of(description).value_or("null")},
                       {"best", best ? json::number(*best) : "null"},
                       {"source_vocabulary", vocabulary(&Sides::source)},
                       {"target_vocabulary", vocabulary(&Sides::target)},
                       {"parameters",
                        description.model ? std::to_string(description.model->parameter_count()) : "null"},
                       {"metadata", json::object(metadata)},
                       {"tensors", json::lines(json::each(description.file.tensors,
                                                          [](const auto& entry) {
                                                            return tensor_json(entry.first, entry.second);
                                                          }))}}) +
         "\n";
}

}  // namespace gradus::tools
