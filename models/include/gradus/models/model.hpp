#pragma once

#include <gradus/models/recurrent_decoder.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// How the parameters are drawn.
enum class Initial {
  pytorch,   ///< as the modules do
  bahdanau,  ///< as Bahdanau et al. 2015, B.1, and Cho et al. 2014, section 4.1: see nn::init_bahdanau
  xavier,    ///< every weight matrix but the embeddings by Xavier's uniform distribution, as d2l
  small,     ///< every weight matrix and `v_a` N(0, 0.01²), every bias 0
};

enum class Tied {
  none,
  output,  ///< the target's embedding is the readout's matrix
  all,     ///< and the source's embedding; the vocabularies must be the same
};

/// A whole model by names and sizes. One word makes it another: `cell`, `attention` or `decoder`.
struct ModelOptions {
  std::string decoder = "bahdanau";    ///< "fixed", "cho", "bahdanau", or another that the registry has
  std::string attention = "additive";  ///< "additive", "dot", "scaled_dot", or another that the registry has
  Cell cell = Cell::gru;
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H, of the decoder, and of each of the encoder's directions
  std::int64_t energy = 64;     ///< A, of additive attention
  std::int64_t layers = 1;
  bool bidirectional = true;
  std::optional<Bridge> bridge =
      std::nullopt;  ///< the decoder's own, but summary where that needs two directions
  std::optional<ReadoutForm> readout = std::nullopt;  ///< the decoder's own, unless given
  std::int64_t maxout = 64;                           ///< the size of t, where the readout is a maxout
  double dropout = 0;
  double attention_dropout = 0;
  Tied tied = Tied::none;
  Initial initial = Initial::pytorch;
};

/// What the model reads and writes.
struct Vocabularies {
  std::int64_t source;       ///< how many tokens; 0 where the source is vectors
  std::int64_t target;       ///< how many tokens
  std::int64_t vectors = 0;  ///< their size, where the source is vectors
};

/// The sizes that an attention must fit.
struct AttentionSizes {
  std::int64_t query;   ///< H
  std::int64_t value;   ///< D
  std::int64_t energy;  ///< A, or what else the attention makes of that
  double dropout;
};

/// Attentions and decoders by name: what `decoder` and `attention` of ModelOptions may say. One's own are
/// added to standard():
///
///     models::Registry registry = models::Registry::standard();
///     registry.attentions["cosine"] = [](const models::AttentionSizes&) {
///       return std::make_unique<CosineAttention>();
///     };
struct Registry {
  using MakeAttention = std::function<std::unique_ptr<nn::Attention>(const AttentionSizes&)>;
  /// `attention` makes the one that the options name; a decoder without attention does not call it.
  using MakeDecoder = std::function<std::unique_ptr<nn::DecoderStep>(
      const DecoderOptions& options, const std::function<std::unique_ptr<nn::Attention>()>& attention)>;

  std::map<std::string, MakeAttention> attentions;
  std::map<std::string, MakeDecoder> decoders;

  /// What the library has.
  static Registry standard();
};

/// @throws Error for a name that the registry has not, listing those that it has, and as the modules do.
std::unique_ptr<Seq2Seq> make_model(const ModelOptions& options, const Vocabularies& vocabularies,
                                    const Registry& registry = Registry::standard());

/// The models of the papers, at their sizes:
///
///     "sutskever"  Sutskever et al. 2014: LSTM in four layers, the source in one direction, no attention
///     "cho"        Cho et al. 2014: their GRU, the context at every step, maxout
///     "bahdanau"   Bahdanau et al. 2015, RNNsearch-50: their GRU, maxout, initial values
///     "d2l"        Zhang et al., Dive into Deep Learning, 11.4, at the smaller sizes from before its release
///                  1.0: GRU in two layers, asked by the top one
///     "notebook"   plain tanh RNN in both directions, a state that starts at 0
///
/// preset_training() (trainer.hpp) has how they are trained. @throws Error for another name, listing these.
ModelOptions preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace gradus::models
#pragma GCC visibility pop
