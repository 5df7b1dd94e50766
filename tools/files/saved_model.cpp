#include "files/saved_model.hpp"

#include <gradus/autograd/checks.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/base64.hpp"
#include "files/non_finite.hpp"
#include "files/run_folder.hpp"
#include "settings/error_parts.hpp"
#include "settings/least_size.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

void put(nn::Metadata& metadata, const std::string& name, const Side& side) {
  metadata[name + ".vocabulary"] = side.vocabulary.to_text();
  if (const auto& pieces = side.tokeniser.sentence_piece())
    metadata[name + ".sentencepiece"] = to_base64(pieces->bytes());
  if (const auto& bpe = side.tokeniser.bpe()) metadata[name + ".bpe"] = bpe->to_text();
  if (side.frames) metadata[name + ".frames"] = side.frames->to_text();
}

std::optional<std::string> find(const nn::Metadata& metadata, const std::string& name) {
  const auto found = metadata.find(name);
  return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

data::SentencePiece pieces_of(const std::string& base64, const std::string& where) {
  std::optional<std::string> bytes = from_base64(base64);
  if (!bytes) fail("checkpoint", where, " is not base64; give a checkpoint written by gradus train");
  return data::SentencePiece::from_bytes(std::move(*bytes), where);
}

data::Tokeniser tokeniser_of(const nn::Metadata& metadata, const std::string& name, const std::string& where,
                             const data::TokeniserOptions& options) {
  if (const auto base64 = find(metadata, name + ".sentencepiece"))
    return data::Tokeniser(pieces_of(*base64, where + " SentencePiece model"));
  std::optional<data::BytePairEncoding> bpe;
  if (const auto text = find(metadata, name + ".bpe"))
    bpe = data::BytePairEncoding::from_text(*text, where + " byte-pair encoding");
  return data::Tokeniser(options, std::move(bpe));
}

Side side_of(const fs::path& path, const nn::Metadata& metadata, const std::string& name,
             const data::TokeniserOptions& options) {
  const auto vocabulary = find(metadata, name + ".vocabulary");
  if (!vocabulary) {
    fail("checkpoint", "'", path.string(), "' has no ", name,
         " vocabulary; give a checkpoint written by gradus train");
  }
  const std::string where = path.string() + ": " + name;
  Side side{tokeniser_of(metadata, name, where, options),
            data::Vocabulary::from_text(*vocabulary, where + " vocabulary")};
  if (const auto frames = find(metadata, name + ".frames")) {
    side.frames = std::make_shared<Frames>(Frames::from_text(*frames, where));
  }
  return side;
}

data::TokeniserOptions tokeniser_options(const DataSettings& data, data::TokenUnit unit, bool french) {
  return {.unit = unit, .lower = data.lower, .nfkc = data.nfkc, .french_spacing = french};
}

Settings settings_of(const fs::path& path, const nn::Metadata& metadata) {
  const auto text = find(metadata, "settings");
  if (!text)
    fail("checkpoint", "'", path.string(), "' has no settings; give a checkpoint written by gradus train");
  try {
    return settings_from_text(*text);
  } catch (const Error& error) {  // "settings: hidden: expected …"
    fail("checkpoint", "'", path.string(), "' has wrong ", error.what(),
         "; give a checkpoint written by gradus train");
  }
}

void check_has_bpe(const fs::path& path, const char* name, const Side& side, std::int64_t merges) {
  if (side.tokeniser.bpe()) return;
  fail("checkpoint", "'", path.string(), "' has settings with bpe=", merges, " but no ", name,
       " byte-pair encoding; give a checkpoint written by gradus train");
}

Sides sides_of(const fs::path& path, const nn::Metadata& metadata, const DataSettings& data) {
  Sides sides{
      side_of(path, metadata, "source", tokeniser_options(data, data.source_unit, false)),
      side_of(path, metadata, "target", tokeniser_options(data, data.target_unit, data.french_spacing))};
  if (data.frames != (sides.source.frames != nullptr)) {
    fail("checkpoint", "'", path.string(), "' has ",
         data.frames ? "no settings of frames" : "frames for text",
         "; give a checkpoint written by gradus train");
  }
  if (data.bpe > 0) {
    if (!sides.source.frames) check_has_bpe(path, "source", sides.source, data.bpe);
    check_has_bpe(path, "target", sides.target, data.bpe);
  }
  return sides;
}

void check_holds(const fs::path& path, const NamedTensors& tensors, const LeastSize& described) {
  double held = 0;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with("model.")) held += static_cast<double>(tensor.numel());
  }
  if (described.parameters <= held) return;
  fail("checkpoint", "'", path.string(), "' has settings for a model of at least ", described.parameters,
       " parameters but holds ", held, "; give a checkpoint written by gradus train");
}

// The model that a checkpoint's settings describe, with random parameters.
std::unique_ptr<models::Seq2Seq> model_of(const fs::path& path, const Settings& settings, const Sides& sides,
                                          const models::Registry& registry) {
  try {
    return make_model(settings, sides, registry);
  } catch (const Error& error) {  // "make_model: unknown attention …"
    const std::string_view text = error.what();
    fail("checkpoint", "'", path.string(), "' has wrong settings: ", text.substr(text.find(": ") + 2));
  }
}

void load_weights(const fs::path& path, const models::Checkpoint& checkpoint, models::Seq2Seq& model) {
  try {
    models::load_model(model, checkpoint, "'" + path.string() + "'");
  } catch (const Error& error) {
    const ErrorParts parts(error);
    fail(parts.operation, parts.problem, "; give a checkpoint written by gradus train");
  }
}

// Checks the metadata entry compressed_key: its value must be known, and the file must store its matrices in
// int8 if and only if the value is compressed_int8.
void check_stored(const fs::path& path, const models::Checkpoint& checkpoint) {
  const auto how = find(checkpoint.metadata, compressed_key);
  if (how && *how != compressed_int8 && *how != compressed_bf16) {
    fail("checkpoint", "'", path.string(), "' is compressed by '", *how,
         "', which this version does not know; use the version that wrote it");
  }
  const bool is_int8 = how == compressed_int8;
  constexpr const char* again = "; write the file again with gradus compress --int8";
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (!name.starts_with("model.")) continue;
    const bool in_int8 = checkpoint.narrow.int8.contains(name);
    if (in_int8 && !is_int8) {
      fail("checkpoint", "'", path.string(), "' stores '", name, "' as I8, but its setting '", compressed_key,
           "' is ", how ? "'" + *how + "'" : "missing", " and must be '", compressed_int8, "'", again);
    }
    if (is_int8 && !in_int8 && tensor.rank() == 2) {
      std::string dtype = checkpoint.narrow.bf16.contains(name) ? "bf16" : gradus::name(tensor.dtype());
      std::ranges::transform(dtype, dtype.begin(), [](unsigned char c) { return std::toupper(c); });
      fail("checkpoint", "'", path.string(), "' stores '", name, "' as ", dtype,
           " and must store this matrix as I8 with scales, because its setting '", compressed_key, "' is '",
           compressed_int8, "'", again);
    }
  }
}

std::unique_ptr<const compress::Int8Products> int8_products(const fs::path& path,
                                                            const nn::Metadata& metadata,
                                                            const models::Seq2Seq& model) {
  if (find(metadata, compressed_key) != compressed_int8) return nullptr;
  try {
    return std::make_unique<const compress::Int8Products>(model);
  } catch (const Error& error) {
    fail("checkpoint", "'", path.string(), "' is not the int8 model that it claims to be: ", error.what());
  }
}

}  // namespace

void check_not_compressed(const char* operation, const fs::path& path, const nn::Metadata& metadata) {
  const auto how = find(metadata, compressed_key);
  if (!how) return;
  fail(operation, "'", path.string(), "' holds weights compressed to ", *how,
       ", from which training cannot start; give the run that was compressed");
}

void check_resumable(const fs::path& path, const models::Checkpoint& checkpoint) {
  check_not_compressed("resume", path, checkpoint.metadata);
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (name.starts_with("trainer.")) return;
  }
  const auto writer = find(checkpoint.metadata, writer_key);
  const bool is_average = checkpoint.metadata.contains("averaged");
  fail("resume", "'", path.string(), "' ",
       writer       ? "was written by " + *writer + " and "
       : is_average ? "is an average of checkpoints and "
                    : "",
       "holds only weights, without the state of the training; start a new run from them with --init-from ",
       path.string());
}

models::Checkpoint weights_alone(const SavedModel& saved, const char* writer) {
  models::Checkpoint checkpoint{{}, saved.checkpoint.metadata};
  checkpoint.metadata[writer_key] = writer;
  std::vector<Tensor> seen;
  std::set<std::string> repeated;
  for (const auto& [name, parameter] : saved.model->named_parameters()) {
    const auto same = [&p = parameter](const Tensor& other) { return other.is(p); };
    if (std::ranges::any_of(seen, same)) repeated.insert(name);
    seen.push_back(parameter);
  }
  for (const auto& [name, tensor] : saved.model->state_dict()) {
    if (!repeated.contains(name)) checkpoint.tensors.emplace_back("model." + name, tensor);
  }
  return checkpoint;
}

nn::Metadata metadata_of(const Settings& settings, const Sides& sides) {
  Settings anywhere = settings;
  anywhere.run.out = default_settings().run.out;  // without --out, because the folder may be moved
  nn::Metadata metadata{{"settings", to_text(anywhere)}};
  put(metadata, "source", sides.source);
  put(metadata, "target", sides.target);
  return metadata;
}

Origin origin_of(const fs::path& path, const NamedTensors& tensors, const nn::Metadata& metadata,
                 const models::Registry& registry) {
  Settings settings = settings_of(path, metadata);
  if (settings.model.pyramid > 0 && !settings.data.frames) {
    fail("checkpoint", "'", path.string(), "' has wrong settings: pyramid is ", settings.model.pyramid,
         " for a model that reads text; give a checkpoint that gradus train has written");
  }
  if (settings.model.silence > 0 && !settings.data.frames) {
    fail("checkpoint", "'", path.string(), "' has wrong settings: silence is ", settings.model.silence,
         " for a model that reads text; give a checkpoint that gradus train has written");
  }
  Sides sides = sides_of(path, metadata, settings.data);
  check_holds(path, tensors, least_size(settings.model, vocabularies_of(sides), registry));
  return {std::move(settings), std::move(sides)};
}

std::unique_ptr<models::Seq2Seq> make_model(const Settings& settings, const Sides& sides,
                                            const models::Registry& registry) {
  auto model = models::make_model(settings.model, vocabularies_of(sides), registry);
  if (sides.source.frames) read_frames(model->encoder, sides.source.frames);
  return model;
}

void read_frames(models::Encoder& encoder, const std::shared_ptr<const Frames>& frames) {
  encoder.vectors_of = [frames](const Tensor& ids) { return frames->vectors(ids); };
  encoder.power_of = [frames](const Tensor& ids) { return frames->power(ids); };
}

bool share_frames(SavedModel& model, const std::shared_ptr<Frames>& frames) {
  std::shared_ptr<Frames>& own = model.sides.source.frames;
  if ((own ? own->to_text() : "") != (frames ? frames->to_text() : "")) return false;
  own = frames;
  if (frames) read_frames(model.model->encoder, frames);
  return true;
}

void check_finite(const fs::path& path, const models::Seq2Seq& model) {
  for (const auto& [name, parameter] : model.named_parameters()) {
    const std::optional<float> bad = first_non_finite(parameter);
    if (!bad) continue;
    fail("checkpoint", "'", path.string(), "' has the value ", *bad, " in '", name,
         "'; give another checkpoint, or train again with a lower learning rate");
  }
}

SavedModel load_saved_model(const fs::path& given, const models::Registry& registry) {
  const fs::path path = checkpoint_of(given);
  return saved_model_of(path, models::load_checkpoint(path), registry);
}

SavedModel saved_model_of(const fs::path& path, models::Checkpoint checkpoint,
                          const models::Registry& registry) {
  auto [settings, sides] = origin_of(path, checkpoint.tensors, checkpoint.metadata, registry);
  check_stored(path, checkpoint);
  auto model = model_of(path, settings, sides, registry);
  load_weights(path, checkpoint, *model);
  check_finite(path, *model);
  auto int8 = int8_products(path, checkpoint.metadata, *model);
  model->eval();
  return {path,           std::move(settings), std::move(sides), std::move(model), std::move(checkpoint),
          std::move(int8)};
}

}  // namespace gradus::tools
