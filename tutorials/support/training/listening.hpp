#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/speech/spoken.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reversal.hpp"
#include "support/page/program.hpp"
#include "support/page/table.hpp"

/// The task of tutorial 15: write the symbols of a generated utterance.
namespace tutorial {

/// A trained model.
struct Listener {
  std::string name;
  const gradus::models::Seq2Seq* model;
  Training training;
};

/// Trains a model on random utterances within `range`, in batches of 32, with Adam as in tutorial 03. Models
/// with the same seed and range hear the same utterances.
Training train_listener(const std::string& label, gradus::models::Seq2Seq& model,
                        const gradus::speech::Spoken& spoken, const gradus::speech::Spoken::Range& range,
                        const Options& options);

/// Trains a model in the same way, on the utterances that `sample` draws.
Training train_listener(const std::string& label, gradus::models::Seq2Seq& model,
                        const std::function<gradus::speech::Utterance(gradus::Generator&)>& sample,
                        const Options& options);

/// The outputs of greedy decoding, one per utterance.
std::vector<gradus::models::Decoded> listen(const gradus::models::Seq2Seq& model,
                                            const std::vector<gradus::speech::Utterance>& utterances);

/// Errors per symbol said, in percent. Errors are insertions, deletions and replacements.
double percent_wrong(const gradus::models::Seq2Seq& model,
                     const std::vector<gradus::speech::Utterance>& utterances);

/// Steps in which attention moves to an earlier position, in percent of all steps but the first. The position
/// is that of the largest weight. Monotonic attention that has passed the end has only weights of 0; its
/// position is the end.
double percent_back(const gradus::models::Seq2Seq& model,
                    const std::vector<gradus::speech::Utterance>& utterances);

/// The delay in frames from a symbol's end until the model writes it: the mean over all symbols of the
/// utterances that the model writes without a mistake. An online model hears one frame after the other. Other
/// models write at the utterance's end.
double frames_of_delay(const gradus::models::Seq2Seq& model,
                       const std::vector<gradus::speech::Utterance>& utterances, bool is_online);

/// Two lines: when each symbol is said, and after which frame an online model writes each symbol.
std::string transcript(const gradus::models::Seq2Seq& model, const gradus::speech::Utterance& utterance);

/// One row of a table: its name, and how to make its utterances.
struct Said {
  std::string row;
  std::function<gradus::speech::Utterance(gradus::Generator&)> say;
};

/// A table of percent_wrong(): a row per kind of utterance (200 of each), a column per model. All models hear
/// the same utterances.
Table wrong(const std::string& name, const std::string& rows_are, const std::vector<Said>& rows,
            const std::vector<Listener>& listeners);

/// The table `speed` as a picture with one line per model.
std::string speed_curves(const Table& speed);

/// A heatmap of the frames [first, end) of an utterance: a column per frame, a row per element of a
/// frame. The colours show absolute values, so that silence is pale. Below, one more row per symbol is dark
/// in the frames of this symbol. An `end` beyond the last frame means all frames from `first` on. About 40
/// frames fit a page.
gradus::plot::Heatmap frames_map(const std::string& title, const gradus::speech::Utterance& utterance,
                                 std::int64_t first, std::int64_t end);

/// The attention weights as a heatmap: a row per written token, a column per annotation. A label names each
/// symbol at the annotation where it begins.
gradus::plot::Heatmap heard_map(const std::string& title, const gradus::models::Decoded& written,
                                const gradus::speech::Utterance& utterance);

}  // namespace tutorial
