#include "speaking.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/error.hpp>
#include <gradus/message.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/location_attention.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/plot/progress.hpp>
#include <gradus/speech/spoken.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "support/page/table.hpp"

namespace tutorial {

using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
namespace models = gradus::models;
namespace nn = gradus::nn;
namespace plot = gradus::plot;
namespace speech = gradus::speech;

namespace {

std::unique_ptr<nn::Attention> make_attention(const SpeakerSizes& sizes) {
  const std::int64_t H = sizes.hidden;
  if (sizes.location)
    return std::make_unique<nn::LocationAttention>(H, 2 * H, H,
                                                   nn::LocationOptions{.filters = 8, .width = 5});
  return std::make_unique<nn::AdditiveAttention>(H, 2 * H, H);
}

std::int64_t steps_of(std::int64_t frames, std::int64_t at_once) { return (frames + at_once - 1) / at_once; }

}  // namespace

Speaker::Speaker(const SpeakerSizes& chosen)
    : sizes(chosen),
      encoder({.vocabulary = sizes.vocabulary, .embedding = sizes.embedding, .hidden = sizes.hidden}),
      reader(sizes.frame, sizes.hidden),
      attention(make_attention(sizes)),
      cell(sizes.hidden + 2 * sizes.hidden, sizes.hidden),
      frames(sizes.hidden + 2 * sizes.hidden, sizes.at_once * sizes.frame),
      stop(sizes.hidden + 2 * sizes.hidden, 1) {
  add_module("encoder", encoder);
  add_module("reader", reader);
  add_module("attention", *attention);
  add_module("cell", cell);
  add_module("frames", frames);
  add_module("stop", stop);
}

Speaker::Step Speaker::step(const Tensor& last_frame, const Step& before, const nn::Memory& memory,
                            std::int64_t t) const {
  Tensor read = relu(reader.forward(last_frame));  // (B, H)
  if (is_training()) read = dropout(read, sizes.dropout, gradus::default_generator());
  const auto [context, weights] = attention->attend(before.state, memory, t, before.weights);
  const Tensor state = cell.forward(gradus::concat({read, context}, 1), before.state);
  const Tensor both = gradus::concat({state, context}, 1);
  return {state, weights, frames.forward(both), squeeze(stop.forward(both), 1)};
}

Speaker::Start Speaker::start(const Tensor& tokens, const Tensor& lengths) const {
  const nn::Annotations annotations = encoder.forward(tokens, lengths);
  const Tensor nothing = gradus::zeros({tokens.size(1), sizes.hidden}, annotations.h.dtype());
  return {attention->prepare(annotations.h, annotations.lengths),
          {.state = nothing, .weights = {}, .frames = {}, .stop = {}}};
}

Lesson make_lesson(const std::vector<speech::Utterance>& utterances, std::int64_t at_once) {
  const auto [padded, frame_counts, batch] = speech::make_batch(utterances);
  const std::int64_t B = padded.size(1), D = padded.size(2), r = at_once, G = steps_of(padded.size(0), r);
  const std::vector<float> values = padded.to_vector<float>();
  const std::vector<std::int64_t> T = frame_counts.to_vector<std::int64_t>();
  std::vector<float> read(static_cast<std::size_t>(G * B * D)),
      frames(static_cast<std::size_t>(G * B * r * D)), counts(frames.size()),
      stop(static_cast<std::size_t>(G * B));
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = T[static_cast<std::size_t>(b)];
    for (std::int64_t t = 0; t < length; ++t) {
      const auto from = values.begin() + (t * B + b) * D;
      const std::int64_t place = ((t / r * B + b) * r + t % r) * D;
      std::copy_n(from, D, frames.begin() + place);
      std::fill_n(counts.begin() + place, D, 1.0F);
      if (t % r == r - 1 && t / r + 1 < G) std::copy_n(from, D, read.begin() + ((t / r + 1) * B + b) * D);
    }
    for (std::int64_t g = steps_of(length, r) - 1; g < G; ++g) stop[static_cast<std::size_t>(g * B + b)] = 1;
  }
  return {.tokens = gradus::tensor(batch.target_out, {batch.target_steps, B}),
          .lengths = gradus::tensor(batch.target_lengths),
          .read = gradus::tensor(read, {G, B, D}),
          .frames = gradus::tensor(frames, {G, B, r * D}),
          .counts = gradus::tensor(counts, {G, B, r * D}),
          .stop = gradus::tensor(stop, {G, B})};
}

std::vector<Recording> read_recordings(const std::filesystem::path& list) {
  std::ifstream in(list);
  std::vector<Recording> recordings;
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    std::vector<std::int64_t> target;
    bool fits = tab != std::string::npos;
    for (std::size_t i = fits ? tab + 1 : 0; i < line.size() && fits; ++i) {
      if (line[i] == ' ') continue;
      fits = line[i] >= '0' && line[i] <= '9';
      target.push_back(gradus::data::first_symbol + line[i] - '0');
    }
    if (!fits || target.empty()) {
      throw gradus::Error(list.string() + ":" + std::to_string(recordings.size() + 1) +
                          ": expected a path, a tab and digits, as ./run speech-data writes");
    }
    target.push_back(gradus::data::eos);
    recordings.push_back({speech::read_wav(list.parent_path() / line.substr(0, tab)), target});
    const std::int64_t rate = recordings.back().sound.rate, first = recordings.front().sound.rate;
    if (rate != first) {
      throw gradus::Error(gradus::message(
          list.string(), ':', recordings.size(), ": the recording has ", rate,
          " samples per second and must have ", first,
          ", as the recordings before it; convert it, for example with: sox IN.wav -r ", first, " OUT.wav"));
    }
  }
  if (recordings.size() < 10) throw gradus::Error(list.string() + ": has fewer than 10 recordings");
  return recordings;
}

SpeakerLoss speaker_loss(const Speaker& speaker, const Lesson& lesson) {
  auto [memory, before] = speaker.start(lesson.tokens, lesson.lengths);
  std::vector<Tensor> frames, stops;
  for (std::int64_t t = 0; t < lesson.read.size(0); ++t) {
    before = speaker.step(lesson.read[t], before, memory, t);
    frames.push_back(before.frames);
    stops.push_back(before.stop);
  }
  const Tensor off = (stack(frames) - lesson.frames) * lesson.counts;
  return {.frames = sum(off * off) / sum(lesson.counts).item(),
          .stop = binary_cross_entropy(stack(stops), lesson.stop)};
}

Training train_speaker(const std::string& label, Speaker& speaker,
                       const std::function<speech::Utterance(Generator&)>& sample, const Options& options) {
  constexpr int batch_size = 32;
  constexpr double learning_rate = 5e-3, last_factor = 0.1, max_norm = 1;
  const auto start = std::chrono::steady_clock::now();
  Generator generator = Generator(options.seed).split();
  nn::Adam adam(speaker.parameters(), {.learning_rate = learning_rate});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, last_factor, options.steps));
  plot::ProgressBar bar(label, options.steps);
  Training training{};
  speaker.train();
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    std::vector<speech::Utterance> utterances;
    for (int i = 0; i < batch_size; ++i) utterances.push_back(sample(generator));
    adam.zero_grad();
    const SpeakerLoss loss = speaker_loss(speaker, make_lesson(utterances, speaker.sizes.at_once));
    (loss.frames + loss.stop).backward();
    nn::clip_grad_norm(speaker.parameters(), max_norm);
    adam.step();
    scheduler.step();
    training.losses.push_back(loss.frames.item());
    bar.update(step, {"loss " + decimals(loss.frames.item())});
  }
  speaker.eval();
  training.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return training;
}

std::vector<Speech> speak(const Speaker& speaker, const std::vector<std::vector<std::int64_t>>& texts,
                          std::int64_t limit) {
  const gradus::NoGrad no_grad;
  const std::int64_t D = speaker.sizes.frame, r = speaker.sizes.at_once;
  std::vector<Speech> all;
  for (const std::vector<std::int64_t>& text : texts) {  // one at a time: texts end at different steps
    const std::int64_t J = std::ssize(text);
    auto [memory, before] = speaker.start(gradus::tensor(text, {J, 1}), gradus::tensor(std::vector{J}));
    Tensor last = gradus::zeros({1, D});
    std::vector<Tensor> frames, weights;
    bool stopped = false;
    while (!stopped && std::ssize(frames) * r < limit) {
      before = speaker.step(last, before, memory, std::ssize(frames));
      last = before.frames.slice((r - 1) * D, r * D, 1);
      frames.push_back(before.frames.reshape({r, D}));
      weights.push_back(before.weights);
      stopped = before.stop.item() > 0;
    }
    all.push_back({.frames = concat(frames, 0), .weights = concat(weights, 0), .stopped = stopped});
  }
  return all;
}

double percent_in_order(const std::vector<Speech>& said) {
  std::int64_t right = 0, count = 0;
  for (const Speech& one : said) {
    const std::vector<std::int64_t> places = argmax(one.weights).to_vector<std::int64_t>();
    for (std::size_t t = 1; t < places.size(); ++t) {
      const std::int64_t moved = places[t] - places[t - 1];
      right += moved == 0 || moved == 1 ? 1 : 0;
      ++count;
    }
  }
  return 100 * static_cast<double>(right) / static_cast<double>(count);
}

plot::Heatmap spoken_map(const std::string& title, const Speech& said,
                         const std::vector<std::int64_t>& text) {
  const std::int64_t G = said.weights.size(0);
  const bool is_long = G > 40;
  plot::Heatmap map{.title = title,
                    .x_label = "step of the decoder",
                    .y_label = "token, read",
                    .cell_width = is_long ? 4.0 : 14.0,  // the same in maps below each other; pixels
                    .cell_height = 14};
  const std::int64_t labelled = is_long ? 10 : 5;
  for (std::int64_t t = 1; t <= G; ++t) {
    map.columns.push_back(t == 1 || t % labelled == 0 ? std::to_string(t) : "");
  }
  for (std::size_t j = 0; j < text.size(); ++j) {
    map.rows.push_back(text[j] == gradus::data::eos ? "<eos>" : speech::Spoken::text({&text[j], 1}));
  }
  map.values = transpose(said.weights, 0, 1).to_vector<double>();
  return map;
}

}  // namespace tutorial
