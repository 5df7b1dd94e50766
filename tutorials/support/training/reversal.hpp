#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/data/alignment_score.hpp>
#include <gradus/data/exact_match.hpp>
#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/models/train.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Shared by the tutorials on sequence reversal: training with a progress bar, and scores by sequence length.
namespace tutorial {

/// Returns a function that draws batches of training pairs. Models with the same seed get the same batches.
std::function<gradus::data::Batch()> training_batches(const gradus::data::Reversal& task, std::uint64_t seed,
                                                      std::int64_t batch_size = 64);

struct Training {
  std::vector<double> losses;  ///< one per update
  double seconds;
};

/// Called after each update.
using AfterUpdate = std::function<void(const gradus::models::TrainStep&)>;

/// Runs models::train with a progress bar that shows the loss and the speed.
Training train(const std::string& label, gradus::models::Seq2Seq& model,
               const std::function<gradus::data::Batch()>& next_batch,
               const gradus::models::TrainerOptions& options, const AfterUpdate& after_update = {});

/// A model's scores on the held-out sources of one length.
struct Score {
  gradus::data::MatchCount exact;          ///< outputs without a mistake
  gradus::data::AlignmentScore alignment;  ///< over the steps t = 1 … L; step t should attend to L − t + 1
};
using Scores = std::map<std::int64_t, Score>;

/// Scores of greedy decoding on at most 500 held-out sources of each length. Calls with the same lengths use
/// the same sources.
Scores measure(const gradus::models::Seq2Seq& model, const gradus::data::Reversal& task,
               const std::vector<std::int64_t>& lengths);

/// `count` held-out pairs of one length; all of them if there are fewer.
std::vector<gradus::data::Pair> held_out(const gradus::data::Reversal& task, std::int64_t length,
                                         std::int64_t count, gradus::Generator& generator);

/// first, first + 1, …, last.
std::vector<std::int64_t> range(std::int64_t first, std::int64_t last);

}  // namespace tutorial
