#pragma once

#include <gradus/models/recurrent_decoder.hpp>
#include <gradus/models/registry.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/location_attention.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The initial values of the parameters.
enum class Initial {
  pytorch,   ///< the modules' defaults
  bahdanau,  ///< as in Bahdanau et al. 2015, B.1, and Cho et al. 2014, section 4.1: see nn::init_bahdanau
  xavier,    ///< every weight matrix except the embeddings from xavier_uniform, as in d2l
  small,     ///< every weight matrix and `v_a` from N(0, 0.01²), every bias 0
};

enum class Tied {
  none,
  output,  ///< the readout's matrix is the target embedding
  all,     ///< one matrix for both embeddings and the readout; source and target share a vocabulary
};

/// A model described by names and sizes. For another architecture, set `cell`, `attention` or `decoder`.
struct ModelOptions {
  std::string decoder = "bahdanau";    ///< "fixed", "cho", "bahdanau", or another in the registry
  std::string attention = "additive";  ///< a name in the registry: "additive", "dot", "scaled_dot" …
  Cell cell = Cell::gru;
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H, of the decoder and of each encoder direction
  std::int64_t energy = 64;     ///< A, of additive attention
  std::int64_t layers = 1;
  std::int64_t pyramid = 0;  ///< levels of the encoder that each halve the source's length
  bool convolution = false;  ///< halves the number of annotations, see Encoder; only with attention
  double silence = 0;        ///< in decibels; if above 0, attention leaves out silence, see Encoder
  bool bidirectional = true;
  std::optional<Bridge> bridge =
      std::nullopt;  ///< if not given: summary for a unidirectional encoder, else the decoder's default
  std::optional<ReadoutForm> readout = std::nullopt;  ///< the decoder's default if not given
  std::int64_t maxout = 64;                           ///< the size of t (see Readout), for a maxout readout
  double dropout = 0;
  double attention_dropout = 0;
  std::int64_t attention_top_k = 2;   ///< of "top_k": number of positions with weight
  double attention_window = 2;        ///< of "local_p": half the window
  double attention_temperature = 1;   ///< of "gumbel"
  nn::LocationOptions location = {};  ///< of "location"; its dropout is attention_dropout
  Tied tied = Tied::none;
  Initial initial = Initial::pytorch;
};

/// The sizes of the model's input and output.
struct Vocabularies {
  std::int64_t source;       ///< number of tokens; 0 if the source is vectors
  std::int64_t target;       ///< number of tokens
  std::int64_t vectors = 0;  ///< vector size, if the source is vectors
};

/// Makes the model that `options` describes.
/// @throws Error for an attention or decoder that is not in the registry; the message lists the known names.
/// Also throws for Tied::all if the two vocabularies have different sizes, and as the modules' constructors
/// do.
std::unique_ptr<Seq2Seq> make_model(const ModelOptions& options, const Vocabularies& vocabularies,
                                    const Registry& registry = Registry::standard());

/// The options of a published model, at its published sizes, or of the small model "notebook":
///
///     "sutskever"  Sutskever et al. 2014: LSTM in four layers, the source in one direction, no attention
///     "cho"        Cho et al. 2014: their GRU, the context at every step, maxout
///     "bahdanau"   Bahdanau et al. 2015, RNNsearch-50: their GRU, maxout and initial values
///     "d2l"        Zhang et al., Dive into Deep Learning, 11.4, at the smaller sizes used before its release
///                  1.0: GRU in two layers, the top layer's state is the query
///     "notebook"   plain tanh RNN in both directions, initial state 0
///
/// preset_training() (trainer.hpp) has the training options. @throws Error for an unknown name, listing the
/// known ones.
ModelOptions preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace gradus::models
#pragma GCC visibility pop
