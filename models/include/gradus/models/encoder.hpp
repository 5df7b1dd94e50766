#pragma once

#include <gradus/models/cell.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

struct EncoderOptions {
  std::int64_t vocabulary = 0;  ///< size of the source vocabulary; 0 if the source is vectors
  std::int64_t vectors = 0;     ///< size of the source's vectors, such as speech frames; 0 for tokens
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H, per direction
  bool bidirectional = true;
  Cell cell = Cell::gru;
  std::int64_t layers = 1;
  std::int64_t pyramid = 0;    ///< P: levels that each halve the length; the top level has all `layers`
  bool convolution = false;    ///< halves the number of annotations: see Encoder
  double silence = 0;          ///< d in decibels, for vectors: see Encoder; 0 to attend to silence too
  double dropout = 0;          ///< on the first layer's input, and between layers and levels
  Tensor tied_embedding = {};  ///< E shared with the decoder; undefined to create a separate one
};

/// The columns of the attention weights that a search returns for one source (Decoded::weights): one per
/// token, or one per annotation if the source is vectors. If an annotation covers several tokens, its weight
/// is divided equally among the columns of these tokens.
struct WeightColumns {
  std::int64_t count;
  std::int64_t per_annotation = 1;  ///< the last annotation may have fewer columns

  std::int64_t annotations() const { return (count + per_annotation - 1) / per_annotation; }
};

/// Reads the source with a recurrent module, in one or both directions (Bahdanau et al. 2015, section 3.2).
/// The annotation of token j is the top layer's h_j = [→h_j; ←h_j], or →h_j with one direction.
///
/// A pyramid of P levels makes long sources, such as frames of speech, 2^P times shorter (Chan et al. 2015,
/// section 3.1, without their layer below the pyramid). Each level reads pairs of neighbours of the level
/// below:
///
///     h^p_j = cell([h^{p−1}_{2j}; h^{p−1}_{2j+1}], h^p_{j−1}),  h^0 = source, j from 0
///
/// If the number of vectors is odd, the last one is paired with 0.
///
/// With `convolution`, a convolution of width 2 and stride 2 halves the number of annotations h. With W_c (D,
/// 2D), it computes the annotations h' that replace h:
///
///     h'_j = W_c [h_{2j}; h_{2j+1}] + b_c,  j from 0
///
/// If the number of annotations is odd, the last h is paired with 0. The convolution does not change the
/// states `last_forward`, `first_backward` and `last`, which are those of `rnn`.
///
/// With `silence` d > 0, attention leaves out silence. The annotations of silence are those whose power is
/// more than d decibels below the power of the source's loudest annotation. An annotation's power is the mean
/// power of its vectors. A vector's power is the mean square of its elements, or is given by the function
/// `power_of`. The recurrent modules also read silence. In the result of forward(), the annotations of
/// silence come after all others, and the lengths do not count them.
///
/// Modules: `embedding`, if the source is tokens; `pyramid_0` … for the P − 1 lower levels; `rnn`; and
/// `convolution`, if there is one.
class Encoder : public nn::Module {
 public:
  /// @throws Error unless 0 ≤ P ≤ 16, and exactly one of `vocabulary` and `vectors` is above 0. `silence`
  /// must be 0 for tokens, and finite and at least 0 for vectors. Also throws as the modules' constructors
  /// do.
  explicit Encoder(const EncoderOptions& options);
  /// @param source  tokens (T, B), i64, without BOS or EOS; or vectors (T, B, ·); or, if `vectors_of` is set,
  /// ids of vectors (T, B), i64
  /// @param lengths (B), i64, each in [1, T]
  /// @throws Error if source or lengths have other shapes, a length is outside [1, T], or a token id is
  /// outside the vocabulary.
  nn::Annotations forward(const Tensor& source, const Tensor& lengths) const;

  std::int64_t annotation_size() const { return rnn->directions() * rnn->hidden(); }  ///< D
  std::int64_t levels() const { return levels_; }                                     ///< P
  double silence() const { return silence_; }                                         ///< d
  /// n: the number of tokens or vectors that an annotation covers, 2^P, or 2^(P+1) with a convolution. The
  /// last annotation may cover fewer.
  std::int64_t steps_per_annotation() const;
  /// For each source, its number of annotations, ⌈length / n⌉: (B), i64. Annotations of silence count, too.
  Tensor annotation_counts(const Tensor& lengths) const;
  /// The columns of a search's attention weights for a source of this length.
  WeightColumns weight_columns(std::int64_t length) const;
  /// (J, B), i64: annotation i of forward()'s result is annotation order[i, b] in the order of the source.
  /// Without `silence`, order[i, b] is i. The annotation covers n = steps_per_annotation() source vectors, or
  /// fewer at the end of the source. The first of them is vector order[i, b] · n. Attention weight i belongs
  /// to these vectors. @throws Error as forward() does for wrong lengths.
  Tensor order(const Tensor& source, const Tensor& lengths) const;

  const std::unique_ptr<nn::Embedding> embedding;             ///< null if the source is vectors
  const std::vector<std::unique_ptr<nn::Recurrent>> pyramid;  ///< the lower levels; empty if P ≤ 1
  const std::unique_ptr<nn::Recurrent> rnn;
  const std::unique_ptr<nn::Linear> convolution;  ///< W_c and b_c; null without a convolution

  /// Optional, for an encoder of vectors. Maps ids (T, B), i64, to vectors (T, B, ·), with zeros for padding.
  /// If this function is set, a source may also be ids; the lowest id is data::first_symbol. Batches and
  /// searches, which expect tokens, can then carry ids in place of vectors. Several threads may call the
  /// function at once.
  std::function<Tensor(const Tensor& ids)> vectors_of;
  /// Optional, for `silence`, and used only if the source is ids. Maps ids (T, B) to the powers of their
  /// vectors, (T, B).
  std::function<Tensor(const Tensor& ids)> power_of;

 private:
  Tensor power(const Tensor& given, const Tensor& vectors) const;

  std::int64_t levels_;
  double silence_, dropout_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
