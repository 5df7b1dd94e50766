#include "tried.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/location_attention.hpp>
#include <gradus/speech/speed.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/training/listening.hpp"

namespace tutorial {

namespace models = gradus::models;
namespace nn = gradus::nn;
namespace speech = gradus::speech;

namespace {

struct Trial {
  std::string name;
  std::string attention = "location";
  nn::LocationOptions location{};
  double dropout = 0;
  std::int64_t pyramid = 2, times = 1;  // `times`: factor of the number of updates
  bool uneven = false;
  double longest = speech::SpokenOptions{}.longest;
  double fastest = 1;  // each utterance is played faster, by a random factor from 1 to this
};

std::vector<Trial> trials() {
  constexpr double long_sounds = 34;
  return {{.name = "location, as in tutorial 15"},
          {.name = "content, as in tutorial 15", .attention = "additive"},
          {.name = "filters of 7 positions", .location = {.width = 7}},
          {.name = "filters of 3 positions", .location = {.width = 3}},
          {.name = "smoothing", .location = {.smooth = true}},
          {.name = "a window of 6 positions in decoding", .location = {.window = 6}},
          {.name = "dropout 0.2", .dropout = 0.2},
          {.name = "a pyramid of one level", .pyramid = 1},
          {.name = "another speed for each symbol", .uneven = true},
          {.name = "twice the updates", .times = 2},
          {.name = "filters of 7 positions, twice the updates", .location = {.width = 7}, .times = 2},
          {.name = "content, twice the updates", .attention = "additive", .times = 2},
          {.name = "monotonic, twice the updates", .attention = "monotonic", .times = 2},
          {.name = "long sounds, filters of 7 positions, twice the updates",
           .location = {.width = 7},
           .times = 2,
           .longest = long_sounds},
          {.name = "long sounds, content, twice the updates",
           .attention = "additive",
           .times = 2,
           .longest = long_sounds},
          {.name = "frames left out, twice the updates", .times = 2, .fastest = 2},
          {.name = "frames left out, filters of 7 positions, twice the updates",
           .location = {.width = 7},
           .times = 2,
           .fastest = 2},
          {.name = "frames left out, content, twice the updates",
           .attention = "additive",
           .times = 2,
           .fastest = 2}};
}

std::unique_ptr<models::Seq2Seq> make_model(const Trial& trial, const speech::Spoken& spoken,
                                            std::uint64_t seed) {
  constexpr std::int64_t hidden = 32, embedding = 16, size = 8;
  gradus::seed(seed);
  models::Registry registry = models::Registry::standard();
  registry.attentions["location"].make = [&trial](const models::AttentionSizes& n) {
    return std::make_unique<nn::LocationAttention>(n.query, n.value, n.energy, trial.location);
  };
  return models::make_model({.decoder = "bahdanau",
                             .attention = trial.attention,
                             .embedding = embedding,
                             .hidden = hidden,
                             .energy = hidden,
                             .pyramid = trial.pyramid,
                             .dropout = trial.dropout},
                            {.source = 0, .target = spoken.vocabulary_size(), .vectors = size}, registry);
}

std::vector<speech::Utterance> utterances(const speech::Spoken& spoken, const speech::Spoken::Range& range) {
  constexpr int count = 200;
  gradus::Generator generator(20150603);  // a fixed seed: every run hears the same utterances
  std::vector<speech::Utterance> all;
  for (int i = 0; i < count; ++i) all.push_back(spoken.sample(range, generator));
  return all;
}

// An utterance to learn from.
speech::Utterance sample(const Trial& trial, const speech::Spoken& spoken, gradus::Generator& generator) {
  const speech::Utterance utterance = spoken.sample({.uneven = trial.uneven}, generator);
  if (trial.fastest == 1) return utterance;
  return speech::at_speed(utterance, 1 + (trial.fastest - 1) * generator.uniform());
}

// Utterances of one symbol, said six times at speed 2.
std::vector<speech::Utterance> repeats(const speech::Spoken& spoken) {
  constexpr int count = 200, times = 6;
  constexpr std::uint64_t symbols = 10;
  gradus::Generator generator(20150604);
  std::vector<speech::Utterance> all;
  for (int i = 0; i < count; ++i) {
    const std::vector<std::int64_t> same(times, static_cast<std::int64_t>(generator.below(symbols)));
    all.push_back(spoken.say(same, 2, generator));
  }
  return all;
}

// By how many symbols the outputs are too short, in percent of the symbols said.
double percent_missing(const std::vector<models::Decoded>& written,
                       const std::vector<speech::Utterance>& said) {
  double missing = 0, all = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto symbols = static_cast<double>(said[i].target.size());  // both counts include <eos>
    missing += std::max(0.0, symbols - static_cast<double>(written[i].tokens.size()));
    all += symbols - 1;
  }
  return 100 * missing / all;
}

// How far the attention moves per written symbol, divided by the mean distance between the beginnings of two
// successive spoken symbols. The attention's position is that of its largest weight. A move backward counts
// as negative. Positions are `each` frames apart.
double mean_step(const std::vector<models::Decoded>& written, const std::vector<speech::Utterance>& said,
                 std::int64_t each) {
  double moved = 0, moves = 0, apart = 0, pairs = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto symbols = static_cast<std::int64_t>(written[i].tokens.size()) - 1;  // without <eos>
    if (symbols > 1) {
      const gradus::Tensor peaks = argmax(written[i].weights, 1);
      moved += static_cast<double>(each) * (peaks[symbols - 1].item() - peaks[0].item());
      moves += static_cast<double>(symbols - 1);
    }
    apart += static_cast<double>(said[i].begin.back() - said[i].begin.front());
    pairs += static_cast<double>(said[i].begin.size() - 1);
  }
  return moved / moves / (apart / pairs);
}

}  // namespace

Table tried(const Options& options) {
  Table table{.name = "tried",
              .rows_are = "model",
              .columns = {"speed 1", "speed 2", "12 symbols", "six times at 2", "missing at 2", "step at 2"},
              .digits = 1};
  for (const Trial& trial : trials()) {
    const speech::Spoken spoken({.longest = trial.longest});
    const std::vector<speech::Utterance> usual = utterances(spoken, {.min_speed = 1, .max_speed = 1}),
                                         fast = utterances(spoken, {.min_speed = 2, .max_speed = 2}),
                                         twelve = utterances(spoken, {.min_length = 12, .max_length = 12});
    const auto model = make_model(trial, spoken, options.seed);
    Options its = options;
    its.steps *= trial.times;
    train_listener(
        trial.name, *model, [&](gradus::Generator& generator) { return sample(trial, spoken, generator); },
        its);
    const std::vector<models::Decoded> written = listen(*model, fast);
    table.rows.push_back(
        {trial.name,
         {percent_wrong(*model, usual), percent_wrong(*model, fast), percent_wrong(*model, twelve),
          percent_wrong(*model, repeats(spoken)), percent_missing(written, fast),
          mean_step(written, fast, std::int64_t{1} << trial.pyramid)}});
  }
  return table;
}

}  // namespace tutorial
