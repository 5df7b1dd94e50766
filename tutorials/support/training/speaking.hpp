#pragma once

#include <gradus/models/encoder.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/speech/frames.hpp>
#include <gradus/speech/wav.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reversal.hpp"
#include "support/page/program.hpp"

/// The model of tutorial 16, which speaks: tokens to frames.
namespace tutorial {

struct SpeakerSizes {
  std::int64_t vocabulary;      ///< number of tokens
  std::int64_t frame;           ///< D, numbers in a frame
  std::int64_t at_once = 4;     ///< r, frames per step
  std::int64_t embedding = 16;  ///< size of a token's embedding
  std::int64_t hidden = 64;  ///< size of the states, of the energies' hidden layer and of `reader`'s output
  bool location = true;      ///< attention with location features; else additive attention
  double dropout = 0;        ///< rate for `reader`'s output
};

/// Tacotron (Wang et al. 2017) made small: an encoder of tokens, and a decoder that attends to them and
/// writes r frames at each step.
class Speaker : public gradus::nn::Module {
 public:
  explicit Speaker(const SpeakerSizes& sizes);

  /// The results of one decoder step.
  struct Step {
    gradus::Tensor state;    ///< s_t, (B, H)
    gradus::Tensor weights;  ///< α_t, (B, J)
    gradus::Tensor frames;   ///< r frames, (B, r·D)
    gradus::Tensor stop;     ///< the logit of "these are the last frames", (B)
  };
  Step step(const gradus::Tensor& last_frame, const Step& before, const gradus::nn::Memory& memory,
            std::int64_t t) const;

  struct Start {
    gradus::nn::Memory memory;
    Step before;  ///< its state is zeros, its other tensors are undefined
  };
  /// Encodes the tokens (J, B) of sequences with these lengths (B).
  Start start(const gradus::Tensor& tokens, const gradus::Tensor& lengths) const;

  SpeakerSizes sizes;
  gradus::models::Encoder encoder;
  gradus::nn::Linear reader;  ///< reads the last frame
  const std::unique_ptr<gradus::nn::Attention> attention;
  gradus::nn::GRUCell cell;
  gradus::nn::Linear frames, stop;
};

/// A batch of tokens, and the frames that say them, in G steps of r frames each.
struct Lesson {
  gradus::Tensor tokens, lengths;  ///< (J, B) and (B), i64
  gradus::Tensor read;             ///< the frame just before each step; zeros for the first step, (G, B, D)
  gradus::Tensor frames;           ///< (G, B, r·D)
  gradus::Tensor counts;           ///< 1 for a number of a frame, 0 for padding; the shape of `frames`
  gradus::Tensor stop;             ///< 1 from the last step on, (G, B)
};
Lesson make_lesson(const std::vector<gradus::speech::Utterance>& utterances, std::int64_t at_once);

/// A recording of digits.
struct Recording {
  gradus::speech::Sound sound;
  std::vector<std::int64_t> target;  ///< tokens of tutorial 15's symbols 0 to 9, and EOS
};
/// The recordings in a list of lines "PATH TAB DIGITS", see `./run speech-data`.
/// @throws Error if a line is invalid, if a recording cannot be read or has another sampling rate than the
/// first, or if there are fewer than 10 recordings.
std::vector<Recording> read_recordings(const std::filesystem::path& list);

struct SpeakerLoss {
  gradus::Tensor frames, stop;  ///< mean squared error; mean cross-entropy
};
/// Teacher forcing: each step reads the true frame just before the frames that it writes.
SpeakerLoss speaker_loss(const Speaker& speaker, const Lesson& lesson);

/// Trains with Adam on batches of 32. Returns the losses of the frames, without the losses of the stop
/// prediction.
Training train_speaker(const std::string& label, Speaker& speaker,
                       const std::function<gradus::speech::Utterance(gradus::Generator&)>& sample,
                       const Options& options);

/// The frames that a speaker wrote, and its attention weights.
struct Speech {
  gradus::Tensor frames;   ///< (T, D)
  gradus::Tensor weights;  ///< (steps, J)
  bool stopped;            ///< false if the speaker reached the limit
};
/// Writes the frames of each text. Each step reads the last frame that the speaker wrote in the step before.
/// The output ends at the predicted end, or after the step that reaches `limit` frames.
std::vector<Speech> speak(const Speaker& speaker, const std::vector<std::vector<std::int64_t>>& texts,
                          std::int64_t limit);

/// The steps that attend in order, in percent of all steps but the first. A step attends in order if its
/// largest weight is at the same token as in the step before, or at the next token.
double percent_in_order(const std::vector<Speech>& said);

/// The attention weights: one row per token, one column per step. Steps are counted from 1.
gradus::plot::Heatmap spoken_map(const std::string& title, const Speech& said,
                                 const std::vector<std::int64_t>& text);

}  // namespace tutorial
