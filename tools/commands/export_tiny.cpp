#include <gradus/autograd/checks.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/nn/int8.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/run_command.hpp"
#include "files/output_file.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "settings/choices.hpp"
#include "settings/printable.hpp"

// Writes the file that tiny/gradus_tiny.c reads.
namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

// Collects the file's content; every part is padded to a multiple of 4 bytes.
class Writer {
 public:
  explicit Writer(const nn::Module& model) : tensors_(model.state_dict()) {}

  template <class T>
  void put(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    content_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    content_.resize((content_.size() + 3) / 4 * 4);
  }
  void put(const std::string& text) { put(std::span<const char>(text)); }
  void matrix(const std::string& name) {
    const nn::Int8Matrix q = nn::quantise_rows(find(name));
    put(std::span<const float>(q.scales));
    put(std::span<const std::int8_t>(q.values));
  }
  void vector(const std::string& name) { put(find(name).values<float>()); }
  void gru(const std::string& path, const std::string& suffix) {
    matrix(path + ".weight_ih" + suffix);
    matrix(path + ".weight_hh" + suffix);
    vector(path + ".bias_ih" + suffix);
    vector(path + ".bias_hh" + suffix);
  }

  const Tensor& find(const std::string& name) const {
    for (const auto& [own, tensor] : tensors_) {
      if (own == name) return tensor;
    }
    fail("export", "the model has no '", name, "'; train it again with this version of gradus");
  }

  // The whole file: tiny_magic, the content's FNV-1a checksum, and the content.
  std::string file() const {
    std::uint32_t sum = 2166136261U;
    for (const char c : content_) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
    std::string whole(tiny_magic);
    whole.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    return whole + content_;
  }

 private:
  NamedTensors tensors_;
  std::string content_;
};

void check_fits(const SavedModel& saved) {
  const models::ModelOptions& model = saved.settings.model;
  const auto refuse = [&](const std::string& option, const char* limit) {
    fail("export", "'", saved.path.string(), "' has --", option, "; gradus_tiny ", limit,
         "; train a model that fits, or run this one with gradus translate");
  };
  if (!saved.int8) {
    fail("export", "'", saved.path.string(),
         "' is not in int8; compress it first, with gradus compress --int8");
  }
  if (saved.settings.data.frames) refuse("frames", "reads tokens");
  if (model.pyramid > 0) refuse(message("pyramid ", model.pyramid), "does not shorten its source");
  if (model.convolution) refuse("convolution", "has no convolution");
  if (model.decoder != "bahdanau") refuse("decoder " + model.decoder, "has only bahdanau");
  if (model.attention != "additive") refuse("attention " + model.attention, "has only additive");
  if (model.cell != models::Cell::gru) refuse("cell other than gru", "has only gru");
  if (model.layers != 1) refuse(message("layers ", model.layers), "has only one");
  if (!model.bidirectional) refuse("no-bidirectional", "reads in both directions");
  if (model.bridge.value_or(models::Bridge::backward) != models::Bridge::backward) {
    refuse("bridge other than backward", "has only backward");
  }
  const models::ReadoutForm readout = model.readout.value_or(models::ReadoutForm::linear);
  if (readout == models::ReadoutForm::maxout) return;
  if (readout != models::ReadoutForm::linear) {
    refuse(message("readout ", name_of<std::optional<models::ReadoutForm>>(readout, readout_names)),
           "has only linear and maxout");
  }
  if (model.tied != models::Tied::none) {
    refuse(message("tied ", name_of(model.tied, tied_names), " with --readout linear"),
           "has --tied only with --readout maxout");
  }
}

std::string tiny_file(const SavedModel& saved) {
  check_fits(saved);
  Writer out(*saved.model);
  const std::string source = saved.sides.source.vocabulary.to_text(),
                    target = saved.sides.target.vocabulary.to_text();
  const bool maxout = saved.settings.model.readout == models::ReadoutForm::maxout;
  const auto size = [&](const char* name, int axis) {
    return static_cast<std::uint32_t>(out.find(name).size(axis));
  };
  out.put(std::span<const std::uint32_t>(
      std::array{size("encoder.embedding.weight", 0), size("decoder.embedding.weight", 0),
                 size("encoder.embedding.weight", 1), size("decoder.rnn.weight_hh_l0", 1),
                 size("decoder.attention.v_a", 0), maxout ? size("decoder.readout.weight", 1) : 0U,
                 static_cast<std::uint32_t>(source.size()), static_cast<std::uint32_t>(target.size())}));
  out.put(source);
  out.put(target);
  out.matrix("encoder.embedding.weight");
  out.gru("encoder.rnn", "_l0");
  out.gru("encoder.rnn", "_l0_reverse");
  out.matrix("decoder.embedding.weight");
  out.matrix("decoder.W_s.weight");
  out.gru("decoder.rnn", "_l0");
  out.matrix("decoder.attention.W_a.weight");
  out.matrix("decoder.attention.U_a.weight");
  out.vector("decoder.attention.v_a");
  if (maxout) {
    out.matrix("decoder.readout.hidden.weight");
    out.vector("decoder.readout.hidden.bias");
  }
  out.matrix("decoder.readout.weight");
  out.vector("decoder.readout.bias");
  return out.file();
}

}  // namespace

int export_tiny(int argc, char** argv, const models::Registry& registry) {
  CLI::App app(
      "Writes an int8 model for gradus_tiny, a C program without libraries (tiny/gradus_tiny.c).\n\n"
      "  gradus compress --int8 --model run --out small\n"
      "  gradus export --model small --out small.tiny\n"
      "  cc -O2 tiny/gradus_tiny.c -o gradus_tiny -lm\n"
      "  echo '3 1 4 1 5' | ./gradus_tiny small.tiny       # tokens, with spaces between them",
      "gradus export");
  fs::path model, out;
  app.add_option("--model", model, "a folder or file of gradus compress")->type_name("RUN")->required();
  app.add_option("--out", out, "file to write")
      ->type_name("FILE")
      ->check(no_standard_output("but the model is binary"))
      ->required();
  return run_command(app, argc, argv, [&] {
    const SavedModel saved = load_saved_model(model, registry);
    check_output("out", out, std::array{saved.path});
    const std::string content = tiny_file(saved);
    files::write_atomically("export", out, content);
    std::cout << printable(out.string()) << ": " << content.size() << " bytes\n";
    return 0;
  });
}

}  // namespace gradus::tools
