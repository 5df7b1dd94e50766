#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/find_row.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/init_bahdanau.hpp>

#include <algorithm>
#include <utility>

namespace gradus::models {
namespace {

// The factory with this name. @throws Error for an unknown name, listing the known ones.
template <class Kind>
const auto& find_make(const std::map<std::string, Kind>& kinds, const char* what, const std::string& name) {
  return find_row("make_model", what, name, kinds, &std::pair<const std::string, Kind>::first).second.make;
}

// Sets every parameter to value(path, shape) if this value is defined. A shared parameter is set once, with
// its first path.
template <class Value>
void draw(nn::Module& module, Value value) {
  std::vector<Tensor> seen;
  for (auto& [path, parameter] : module.named_parameters()) {
    if (std::ranges::any_of(seen, [&p = parameter](const Tensor& other) { return other.is(p); })) continue;
    seen.push_back(parameter);
    const Tensor drawn = value(path, parameter.shape());
    if (drawn.defined()) Tensor(parameter).replace(drawn);
  }
}

void draw(Seq2Seq& model, Initial initial) {
  switch (initial) {
    case Initial::pytorch:
      return;
    case Initial::bahdanau:
      return nn::init_bahdanau(model);
    case Initial::xavier:
      return draw(model, [](const std::string& path, const Shape& shape) {
        const bool is_matrix = shape.rank() == 2 && path.find("embedding") == std::string::npos;
        return is_matrix ? nn::xavier_uniform(shape) : Tensor();
      });
    case Initial::small:
      return draw(model, [](const std::string& path, const Shape& shape) {
        const std::string name = path.substr(path.rfind('.') + 1);
        if (name.starts_with("bias")) return zeros(shape);
        return shape.rank() == 2 || name == "v_a" ? normal(shape, 0, 0.01, default_generator()) : Tensor();
      });
  }
}

std::optional<Bridge> bridge_for(const ModelOptions& options) {
  if (options.bridge || options.bidirectional) return options.bridge;
  return Bridge::summary;  // because there is no ←h_1
}

Tensor tied_embedding(const ModelOptions& options, const Vocabularies& vocabularies) {
  if (options.tied != Tied::all) return {};
  return normal({vocabularies.target, options.embedding}, 0, embedding_deviation, default_generator());
}

void check(const ModelOptions& options, const Vocabularies& vocabularies) {
  if (options.tied == Tied::all && vocabularies.source != vocabularies.target) {
    fail("make_model", "source and target share their embeddings, but have vocabularies of ",
         vocabularies.source, " and ", vocabularies.target, " tokens; use one vocabulary, or Tied::output");
  }
}

}  // namespace

std::unique_ptr<Seq2Seq> make_model(const ModelOptions& options, const Vocabularies& vocabularies,
                                    const Registry& registry) {
  const auto& make_decoder = find_make(registry.decoders, "decoder", options.decoder);
  const auto& make_attention = find_make(registry.attentions, "attention", options.attention);
  check(options, vocabularies);
  const bool attends =
      registry.context_of(options.decoder).value_or(SourceContext::attention) == SourceContext::attention;
  const EncoderOptions encoder{.vocabulary = vocabularies.source,
                               .vectors = vocabularies.vectors,
                               .embedding = options.embedding,
                               .hidden = options.hidden,
                               .bidirectional = options.bidirectional,
                               .cell = options.cell,
                               .layers = options.layers,
                               .pyramid = options.pyramid,
                               .convolution = options.convolution && attends,
                               .silence = options.silence,
                               .dropout = options.dropout,
                               .tied_embedding = tied_embedding(options, vocabularies)};
  const std::int64_t D = (options.bidirectional ? 2 : 1) * options.hidden;
  auto decoder = make_decoder({.vocabulary = vocabularies.target,
                               .annotation = D,
                               .embedding = options.embedding,
                               .hidden = options.hidden,
                               .cell = options.cell,
                               .layers = options.layers,
                               .bridge = bridge_for(options),
                               .readout = options.readout,
                               .maxout = options.maxout,
                               .dropout = options.dropout,
                               .tied = options.tied != Tied::none,
                               .tied_embedding = encoder.tied_embedding},
                              [&] {
                                return make_attention({.query = options.hidden,
                                                       .value = D,
                                                       .energy = options.energy,
                                                       .dropout = options.attention_dropout,
                                                       .top_k = options.attention_top_k,
                                                       .window = options.attention_window,
                                                       .temperature = options.attention_temperature,
                                                       .location = options.location});
                              });
  auto model = std::make_unique<Seq2Seq>(encoder, std::move(decoder));
  draw(*model, options.initial);
  return model;
}

}  // namespace gradus::models
