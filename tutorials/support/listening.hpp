#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/speech/spoken.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "reversal.hpp"
#include "table.hpp"

/// The task of tutorial 15: write down the symbols that generated speech says.
namespace tutorial {

/// A trained model.
struct Listener {
  std::string name;
  const gradus::models::Seq2Seq* model;
  Training training;
};

/// Trains a model on random utterances of this range, with Adam as in tutorial 03, on batches of 32.
/// Models with the same seed and range are trained on the same utterances.
Training train_listener(const std::string& label, gradus::models::Seq2Seq& model,
                        const gradus::speech::Spoken& spoken, const gradus::speech::Spoken::Range& range,
                        const Options& options);

/// The outputs of greedy decoding.
std::vector<gradus::models::Decoded> listen(const gradus::models::Seq2Seq& model,
                                            const std::vector<gradus::speech::Utterance>& utterances);

/// Percentage of wrong symbols: insertions, deletions and replacements, per symbol said.
double percent_wrong(const gradus::models::Seq2Seq& model,
                     const std::vector<gradus::speech::Utterance>& utterances);

/// How long after a symbol's end a model can write it, in frames: the mean over the symbols of the utterances
/// that it writes without a mistake. A model online, which reads in one direction and attends to one
/// annotation per step, has heard enough at the end of that annotation, of `each` frames. With `each` 0, it
/// waits for the utterance's end.
double frames_of_delay(const gradus::models::Seq2Seq& model,
                       const std::vector<gradus::speech::Utterance>& utterances, std::int64_t each);

/// The utterances of one row of a table.
struct Said {
  std::string row;
  std::function<gradus::speech::Utterance(gradus::Generator&)> say;
};

/// A table of percent_wrong(): one row per kind of utterance, 200 of each, one column per model. Every model
/// hears the same utterances.
Table wrong(const std::string& name, const std::string& rows_are, const std::vector<Said>& rows,
            const std::vector<Listener>& listeners);

/// The table by speed as a picture: one line per model.
std::string speed_curves(const Table& speed);

/// A heatmap of frames: one row per number of a frame, one column per frame.
gradus::plot::Heatmap frames_map(const std::string& title, const gradus::speech::Utterance& utterance);

/// The attention weights as a heatmap: one row per token written, one column per annotation, labelled by the
/// symbol that is said there.
gradus::plot::Heatmap heard_map(const std::string& title, const gradus::models::Decoded& written,
                                const gradus::speech::Utterance& utterance);

}  // namespace tutorial
