// Tutorial 16: speaking: tokens to frames, and frames to sound.
//
// This is the other direction of tutorial 15: a decoder attends to tokens and writes frames, several at each step, until it
// predicts the end (Wang et al., "Tacotron: towards end-to-end speech synthesis", 2017, https://arxiv.org/abs/1703.10135).
// Sound from frames: Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984. The model
// is a toy: it has one voice and one pace.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/speech/griffin_lim.hpp>
#include <gradus/speech/wav.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "support/page/report.hpp"
#include "support/pictures/training_curves.hpp"
#include "support/training/listening.hpp"
#include "support/training/speaking.hpp"

using namespace gradus;

namespace {

struct Knobs {
  std::int64_t hidden = 64, at_once = 4, iterations = 32;
  double dropout = 0;
  std::filesystem::path recorded;
};

// A calm voice: sounds of nearly equal length, and no silence between symbols.
const speech::SpokenOptions voice{.shortest = 8, .longest = 10, .silence = 0, .longest_silence = 4};

speech::Spoken::Range strings(std::int64_t shortest, std::int64_t longest) {
  return {.min_length = shortest, .max_length = longest, .min_speed = 1, .max_speed = 1};
}

std::unique_ptr<tutorial::Speaker> make_speaker(tutorial::SpeakerSizes sizes, std::uint64_t seed) {
  gradus::seed(seed);
  return std::make_unique<tutorial::Speaker>(sizes);
}

// 1. Checks the gradients of both losses with respect to all parameters, for two utterances of different lengths.
GradcheckReport check_gradients(std::uint64_t seed) {
  Generator generator(seed);
  const speech::Spoken spoken({.symbols = 3, .size = 2, .shortest = 2, .longest = 3, .crossfade = 1, .longest_silence = 1});
  const auto speaker = make_speaker({.vocabulary = spoken.vocabulary_size(), .frame = 2, .at_once = 2, .embedding = 2, .hidden = 3}, seed);
  tutorial::Lesson lesson = tutorial::make_lesson({spoken.say(std::vector<std::int64_t>{1, 2}, 1, generator),
                                                   spoken.say(std::vector<std::int64_t>{0}, 1, generator)}, 2);
  for (Tensor* part : {&lesson.read, &lesson.frames, &lesson.counts, &lesson.stop}) *part = part->to(Dtype::f64);
  return nn::gradcheck(*speaker, [&](const std::vector<Tensor>&) {
    const tutorial::SpeakerLoss loss = tutorial::speaker_loss(*speaker, lesson);
    return stack({loss.frames, loss.stop});
  }, {});
}

// Raises features below −12 to −12: a sound this quiet is lost in a file, because its samples of 16 bits are rounded to 0.
Tensor audible(const Tensor& features) { return clamp(features, -12, INFINITY); }

// 2. Sound: frames are log-mel features, shifted and scaled.
struct Vocoder {
  std::int64_t rate;
  speech::LogMelOptions options;
  Tensor mean, deviation;                                                // (D)

  speech::Reconstruction sound_of(const Tensor& frames, std::int64_t iterations) const {
    const Tensor features = frames * deviation + mean;                   // (T, D)
    Generator noise(1984);
    return speech::griffin_lim(speech::magnitudes_of(features, rate, options), rate, iterations, noise, options);
  }
  Tensor frames_of(const speech::Sound& sound) const { return (speech::log_mel(sound, options) - mean) / deviation; }
};

std::vector<std::vector<std::int64_t>> texts_of(const std::vector<speech::Utterance>& utterances) {
  std::vector<std::vector<std::int64_t>> texts;
  for (const speech::Utterance& one : utterances) texts.push_back(one.target);
  return texts;
}

// Random utterances, the same in every run. Training draws its utterances with another seed.
std::vector<speech::Utterance> held_out(const speech::Spoken& spoken, std::int64_t shortest, std::int64_t longest, int count = 40) {
  Generator generator(20170329);
  std::vector<speech::Utterance> utterances;
  for (int i = 0; i < count; ++i) utterances.push_back(spoken.sample(strings(shortest, longest), generator));
  return utterances;
}

// The percentage of symbols that `listener`, a model of tutorial 15, gets wrong when it hears `said`. The true symbols are the
// targets of `texts`.
double percent_misheard(const models::Seq2Seq& listener, const std::vector<tutorial::Speech>& said,
                        const std::vector<speech::Utterance>& texts) {
  std::vector<speech::Utterance> heard;
  for (std::size_t i = 0; i < said.size(); ++i) heard.push_back({.frames = said[i].frames, .target = texts[i].target});
  return tutorial::percent_wrong(listener, heard);
}

// The number of frames said, in percent of the true number of frames.
double percent_length(const std::vector<tutorial::Speech>& said, const std::vector<speech::Utterance>& true_ones) {
  std::int64_t frames = 0, true_frames = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    frames += said[i].frames.size(0);
    true_frames += true_ones[i].frames.size(0);
  }
  return 100.0 * double(frames) / double(true_frames);
}

double mean_of_last(const std::vector<double>& losses, std::size_t count = 50) {
  const std::size_t first = losses.size() - std::min(count, losses.size());
  double total = 0;
  for (std::size_t i = first; i < losses.size(); ++i) total += losses[i];
  return total / double(losses.size() - first);
}

// 3. Frames, converted to sound and back to frames.
struct Heard {
  std::vector<tutorial::Speech> said;                                    // the frames of the sounds
  double off;                                                            // root mean square change of the frames
};

Heard by_ear(const Vocoder& vocoder, std::vector<tutorial::Speech> said, std::int64_t iterations) {
  double squares = 0, count = 0;
  for (tutorial::Speech& one : said) {
    const Tensor frames = vocoder.frames_of(vocoder.sound_of(one.frames, iterations).sound), off = frames - one.frames;
    squares += sum(off * off).item();
    count += double(off.numel());
    one.frames = frames;
  }
  return {said, std::sqrt(squares / count)};
}

tutorial::Table distance_table(const std::vector<double>& distances) {
  tutorial::Table table{.name = "distance", .rows_are = "iterations", .columns = {"distance"}, .digits = 3};
  for (std::size_t i = 0; i < distances.size(); i = i == 0 ? 1 : 2 * i) table.rows.push_back({std::to_string(i), {distances[i]}});
  return table;
}

plot::Curves distance_curves(const std::vector<double>& distances) {
  plot::Series series{.name = ""};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    series.x.push_back(double(i));
    series.y.push_back(distances[i]);
  }
  return {.title = "Griffin-Lim", .x_label = "iteration", .y_label = "distance of the magnitudes", .series = {series}, .log_y = true};
}

// A listener of tutorial 15 for frames of this size, not yet trained.
std::unique_ptr<models::Seq2Seq> make_listener(std::int64_t size, std::int64_t pyramid, std::uint64_t seed) {
  gradus::seed(seed);
  return models::make_model({.decoder = "bahdanau", .attention = "location", .embedding = 16, .hidden = 32, .energy = 32, .pyramid = pyramid},
                            {.source = 0, .target = data::first_symbol + 10, .vectors = size});
}

// 4. Generated speech: frames of 8 numbers, which a vocoder with 8 bands makes audible.
void run_generated(const tutorial::Options& options, const Knobs& knobs) {
  const plot::OutputFolder out(options.out);  // fails before the training if the folder is not writable
  const speech::Spoken spoken(voice);
  const Vocoder vocoder{.rate = 16000, .options = {.bands = voice.size}, .mean = ones({voice.size}), .deviation = ones({voice.size})};
  const GradcheckReport report = check_gradients(options.seed);
  std::cout << "gradient check of both losses " << (report ? "passed" : "failed") << " for " << report.entries.size() << " parameters\n\n";

  Generator generator(options.seed);
  const speech::Utterance three = spoken.say(std::vector<std::int64_t>{3, 1, 4}, 1, generator);
  const speech::Utterance six = spoken.say(std::vector<std::int64_t>{3, 1, 4, 1, 5, 9}, 1, generator);
  const tutorial::Lesson lesson = tutorial::make_lesson({three}, knobs.at_once);
  std::cout << "\"3 1 4\": " << three.frames.size(0) << " frames, " << lesson.stop.size(0) << " steps of the decoder\n\n";

  const auto listener = make_listener(voice.size, 2, options.seed);
  tutorial::train_listener("listener", *listener, spoken, strings(1, 12), options);

  struct One {
    std::string name;
    std::int64_t at_once;
    bool location;
  };
  const std::vector<One> kinds = {{"location, 1 frame a step", 1, true}, {"additive", knobs.at_once, false}, {"location", knobs.at_once, true}};
  const std::vector<speech::Utterance> usual = held_out(spoken, 3, 6), longer = held_out(spoken, 12, 12);
  const std::int64_t limit = 300;                                        // frames
  tutorial::Table speakers{.name = "speakers", .rows_are = "speaker",
                           .columns = {"squared error", "wrong symbols, %", "length, %", "in order, %", "12 symbols: wrong, %"}, .rows = {}, .digits = 2},
      sound{.name = "sound", .rows_are = "frames", .columns = {"wrong symbols, %"}, .rows = {}, .digits = 1},
      time{.name = "time", .rows_are = "speaker", .columns = {"seconds of training"}, .rows = {}, .digits = 0};
  plot::Curves losses{.title = "Training loss", .x_label = "update", .y_label = "mean squared error of a number", .log_y = true};
  std::vector<tutorial::Speech> said;                                    // by the last speaker
  plot::Heatmap one_frame;                                               // the attention of the first speaker
  std::vector<plot::Heatmap> maps;                                       // of the others
  for (const One& kind : kinds) {
    const auto speaker = make_speaker({.vocabulary = spoken.vocabulary_size(), .frame = voice.size, .at_once = kind.at_once, .hidden = knobs.hidden,
                                       .location = kind.location, .dropout = knobs.dropout}, options.seed);
    const tutorial::Training training = tutorial::train_speaker(
        kind.name, *speaker, [&](Generator& draws) { return spoken.sample(strings(1, 6), draws); }, options);
    said = tutorial::speak(*speaker, texts_of(usual), limit);
    speakers.rows.push_back({kind.name, {mean_of_last(training.losses), percent_misheard(*listener, said, usual), percent_length(said, usual),
                                         tutorial::percent_in_order(said),
                                         percent_misheard(*listener, tutorial::speak(*speaker, texts_of(longer), limit), longer)}});
    time.rows.push_back({kind.name, {training.seconds}});
    losses.series.push_back(tutorial::smoothed(kind.name, training.losses));
    const plot::Heatmap map = tutorial::spoken_map(kind.name, tutorial::speak(*speaker, {six.target}, limit)[0], six.target);
    if (kind.name == kinds[0].name) one_frame = map;
    else maps.push_back(map);
  }
  std::cout << "after " << options.steps << " updates, strings of 1 to 6 symbols\n" << text(speakers) << '\n' << text(time) << '\n';

  said.resize(20);                                                        // each sound takes time
  const std::vector<speech::Utterance> some(usual.begin(), usual.begin() + 20);
  const Heard heard = by_ear(vocoder, said, knobs.iterations);
  sound.rows = {{"of the voice", {tutorial::percent_wrong(*listener, some)}},
                {"said", {percent_misheard(*listener, said, some)}},
                {"of the sound", {percent_misheard(*listener, heard.said, some)}}};
  const speech::Reconstruction first = vocoder.sound_of(said[0].frames, knobs.iterations);
  const tutorial::Table distance = distance_table(first.distances);
  speech::write_wav(out.path() / "said.wav", first.sound);
  std::cout << "what the listener hears\n" << text(sound) << "root mean square from said to heard: " << tutorial::decimals(heard.off) << "\n\n"
            << "distance of the magnitudes\n" << text(distance)
            << "sound: " << (out.path() / "said.wav").string() << " says " << speech::Spoken::text(usual[0].target) << "\n\n";

  publish({.number = "16",
           .title = "speaking",
           .intro = "Tokens to frames, and frames to sound.",
           .sections = {{"Where the decoder looked", {{"alignments", plot::strip(maps, 1)}, {"one_frame", plot::svg(one_frame)}}, text(speakers)},
                        {"Frames", {{"frames", plot::strip({tutorial::frames_map("of the voice", {.frames = usual[0].frames, .target = {}}, 0, 40), tutorial::frames_map("said", {.frames = said[0].frames, .target = {}}, 0, 40)}, 1)}}, text(sound)},
                        {"Sound", {{"distance", plot::svg(distance_curves(first.distances))}}, text(distance)},
                        {"Training", {{"loss", plot::svg(losses)}}, text(time)}},
           .tables = {speakers, sound, distance, time},
           .try_next = "--at-once 2; --dropout 0.5; real digits: ./run speech-data out/one --voice en-us, then --recorded out/one/train.tsv"},
          out, options);
}

// 5. Recorded digits: the sounds that ./run speech-data FOLDER --voice VOICE wrote. The last tenth is held out.
void run_recorded(const tutorial::Options& options, const Knobs& knobs) {
  const plot::OutputFolder out(options.out);
  const std::vector<tutorial::Recording> recordings = tutorial::read_recordings(knobs.recorded);
  const std::size_t trained = recordings.size() - recordings.size() / 10;
  const Vocoder raw{.rate = recordings[0].sound.rate, .options = {}, .mean = zeros({}), .deviation = ones({})};
  std::vector<Tensor> features;
  for (const tutorial::Recording& one : recordings) features.push_back(audible(raw.frames_of(one.sound)));
  const Tensor together = concat(std::span(features).first(trained), 0);
  const Vocoder vocoder{.rate = raw.rate, .options = {}, .mean = mean(together, 0), .deviation = sqrt(variance(together, 0))};
  std::vector<speech::Utterance> train, others;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    (i < trained ? train : others).push_back({.frames = (features[i] - vocoder.mean) / vocoder.deviation, .target = recordings[i].target});
  }
  const auto sample = [&](Generator& draws) { return train[draws.below(train.size())]; };
  const auto listener = make_listener(vocoder.options.bands, 3, options.seed);
  tutorial::train_listener("listener", *listener, sample, options);
  const auto speaker = make_speaker({.vocabulary = data::first_symbol + 10, .frame = vocoder.options.bands, .at_once = knobs.at_once,
                                     .hidden = knobs.hidden, .dropout = knobs.dropout}, options.seed);
  const tutorial::Training training = tutorial::train_speaker("speaker", *speaker, sample, options);

  const std::vector<tutorial::Speech> said = tutorial::speak(*speaker, texts_of(others), 600);
  std::vector<tutorial::Speech> heard;
  std::string list;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::string name = "said-" + std::to_string(i) + ".wav";
    const speech::Sound sound = vocoder.sound_of(said[i].frames, knobs.iterations).sound;
    speech::write_wav(out.path() / name, sound);
    heard.push_back({.frames = (audible(raw.frames_of(speech::read_wav(out.path() / name))) - vocoder.mean) / vocoder.deviation, .weights = {}, .stopped = true});
    list += name + '\t' + speech::Spoken::text(others[i].target) + '\n';
  }
  out.write("said.tsv", list);
  // Without a model: converts a recording's features to sound, and back to features.
  const Tensor& recorded = features[trained];
  const speech::Reconstruction again = raw.sound_of(recorded, knobs.iterations);
  speech::write_wav(out.path() / "recorded-again.wav", again.sound);
  const Tensor off = audible(raw.frames_of(again.sound)) - recorded;

  const tutorial::Table digits{.name = "digits", .rows_are = "frames", .columns = {"wrong digits, %"},
                               .rows = {{"recorded", {tutorial::percent_wrong(*listener, others)}},
                                        {"said", {percent_misheard(*listener, said, others)}},
                                        {"of the sound", {percent_misheard(*listener, heard, others)}}}, .digits = 1},
      speaking{.name = "speaking", .rows_are = "what", .columns = {"measured"},
               .rows = {{"squared error", {mean_of_last(training.losses)}},
                        {"length, %", {percent_length(said, others)}},
                        {"in order, %", {tutorial::percent_in_order(said)}},
                        {"recorded, to sound, to features: root mean square of the difference", {std::sqrt(mean(off * off).item())}},
                        {"deviation of these features", {std::sqrt(variance(recorded).item())}},
                        {"seconds of training", {training.seconds}}}, .digits = 2},
      distance = distance_table(again.distances);
  std::cout << trained << " recordings, " << together.size(0) << " frames; " << others.size() << " others\n\n"
            << "what the listener hears after " << options.steps << " updates\n" << text(digits) << '\n' << text(speaking) << '\n'
            << "distance of the magnitudes\n" << text(distance) << '\n';
  publish({.number = "16",
           .title = "speaking digits",
           .intro = "Tokens to frames, and frames to sound, with recorded digits.",
           .sections = {{"Where the decoder looked", {{"digits", plot::svg(tutorial::spoken_map(speech::Spoken::text(others[0].target), said[0], others[0].target))}}, text(digits)},
                        {"Sound", {{"digits_distance", plot::svg(distance_curves(again.distances))}}, text(distance)}},
           .tables = {digits, speaking, distance},
           .try_next = "listen to " + (out.path() / "said-0.wav").string() + " and " + (out.path() / "recorded-again.wav").string()},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Knobs knobs;
  return tutorial::run(argc, argv, "Tutorial 16: speaking: tokens to frames, and frames to sound",
                       {.steps = 500, .out = "out/tutorial-16"},
                       [&](const tutorial::Options& options) { knobs.recorded.empty() ? run_generated(options, knobs) : run_recorded(options, knobs); },
                       {{"--hidden", &knobs.hidden, "size of a state"},
                        {"--at-once", &knobs.at_once, "frames per step of the decoder"},
                        {"--dropout", &knobs.dropout, "probability of dropout on what the decoder reads of the last frame"},
                        {"--iterations", &knobs.iterations, "of Griffin and Lim"},
                        {"--recorded", &knobs.recorded, "a list of recorded digits, as ./run speech-data writes; without it, speech is generated"}});
}
