// Tutorial 15: listening: attention over the frames of speech.
//
// Speech gives a vector, called a frame, every few milliseconds. Nothing marks where one symbol ends and the next
// begins. The encoder shortens the sequence of frames (Chan et al., "Listen, attend and spell", 2015,
// https://arxiv.org/abs/1508.01211). The attention also reads its previous weights (Chorowski et al., "Attention-based
// models for speech recognition", 2015, https://arxiv.org/abs/1506.07503). Three models learn from the same utterances;
// a fourth model also hears fast ones. A fifth model attends from left to right, once, and can write while somebody
// speaks (Raffel et al., "Online and linear-time attention by enforcing monotonic alignments", 2017,
// https://arxiv.org/abs/1704.00784). A sixth model does not attend to silence.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/location_attention.hpp>

#include <iostream>

#include "support/measures/tried.hpp"
#include "support/page/report.hpp"
#include "support/pictures/training_curves.hpp"
#include "support/training/listening.hpp"

using namespace gradus;

namespace {

struct Sizes {
  std::int64_t hidden = 32, pyramid = 2;
  bool tried = false;
};

std::unique_ptr<models::Seq2Seq> make_model(const std::string& decoder, const std::string& attention,
                                            const speech::SpokenOptions& voice, const Sizes& sizes, std::uint64_t seed,
                                            bool online = false, double silence = 0) {
  gradus::seed(seed);
  return models::make_model({.decoder = decoder,
                             .attention = attention,                     // "additive", "location" or "monotonic"
                             .embedding = 16,
                             .hidden = sizes.hidden,
                             .energy = sizes.hidden,
                             .pyramid = sizes.pyramid,                   // each level halves the number of vectors
                             .silence = silence,                         // decibels below the loudest annotation
                             .bidirectional = !online,
                             .bridge = online ? std::optional(models::Bridge::zeros) : std::nullopt},  // s_0 = 0
                            {.source = 0,                                // no tokens
                             .target = data::first_symbol + voice.symbols,
                             .vectors = voice.size});                    // the source is a sequence of frames
}

// 1. Checks all gradients of the attention over two steps; the second step reads the weights of the first. The two
// sources have different lengths.
GradcheckReport check_gradients(std::uint64_t seed) {
  Generator generator(seed);
  nn::LocationAttention attention(3, 4, 5, {.filters = 2, .width = 3});
  const Tensor lengths = tensor({6, 3}, Dtype::i64);                     // (B)
  const auto attend = [&](const std::vector<Tensor>& x) {
    const nn::Memory memory = attention.prepare(x[1], lengths);
    const Tensor first = attention.attend(x[0], memory, 0, Tensor()).weights;
    return nn::concat_flat(attention.attend(x[0], memory, 1, first).tensors());
  };
  return nn::gradcheck(attention, attend, {normal({2, 3}, 0, 1, generator), normal({6, 2, 4}, 0, 1, generator)});
}

// 2. The utterances on which the trained models are tested.
std::vector<tutorial::Said> by_speed(const speech::Spoken& spoken) {
  std::vector<tutorial::Said> rows;
  for (const double speed : {0.5, 0.75, 1.0, 1.5, 2.0}) {
    rows.push_back({tutorial::decimals(speed, 2), [&spoken, speed](Generator& generator) {
                      return spoken.sample({.min_speed = speed, .max_speed = speed}, generator);
                    }});
  }
  return rows;
}

std::vector<tutorial::Said> by_length(const speech::Spoken& spoken) {
  std::vector<tutorial::Said> rows;
  for (const std::int64_t length : {3, 6, 9, 12}) {
    rows.push_back({std::to_string(length), [&spoken, length](Generator& generator) {
                      return spoken.sample({.min_length = length, .max_length = length}, generator);
                    }});
  }
  return rows;
}

std::vector<std::int64_t> repeated(std::int64_t symbol, std::int64_t times) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(times), symbol);
}

// One symbol, said several times in a row.
std::vector<tutorial::Said> by_repeats(const speech::Spoken& spoken, std::int64_t symbols) {
  std::vector<tutorial::Said> rows;
  for (const std::int64_t times : {2, 4, 6}) {
    rows.push_back({std::to_string(times), [&spoken, symbols, times](Generator& generator) {
                      const auto symbol = std::int64_t(generator.below(std::uint64_t(symbols)));
                      return spoken.say(repeated(symbol, times), 0.75, generator);
                    }});
  }
  return rows;
}

// A speaker who pauses between all symbols.
speech::Spoken pausing(double longest) { return speech::Spoken({.silence = 1, .longest_silence = longest}); }

// All rows but the last have silence between all symbols: as long as in training (the first row) or longer. The last row has
// the usual utterances, but one symbol is four times quieter.
std::vector<tutorial::Said> by_silence(const speech::Spoken& spoken) {
  std::vector<tutorial::Said> rows;
  for (const int longest : {12, 40, 80}) {
    rows.push_back({"silence of up to " + std::to_string(longest) + " frames",
                    [paused = pausing(longest)](Generator& generator) { return paused.sample({}, generator); }});
  }
  rows.push_back({"one quiet symbol", [&spoken](Generator& generator) {
                    speech::Utterance said = spoken.sample({.min_length = 3}, generator);
                    const auto D = said.frames.size(1);
                    const auto frames = said.frames.mutable_values<float>("quiet");
                    for (auto i = said.begin[1] * D; i < said.end[1] * D; ++i) frames[std::size_t(i)] /= 4;
                    return said;
                  }});
  return rows;
}

// The transcript of each model, and the map of its weights.
struct Heard {
  std::string text;
  std::vector<plot::Heatmap> maps{};
};

Heard heard_by(const std::string& said, const speech::Utterance& utterance, const std::vector<tutorial::Listener>& listeners) {
  const auto line = [](const std::string& name, const std::vector<std::int64_t>& tokens) {
    return name + std::string(27 - name.size(), ' ') + speech::Spoken::text(tokens) + '\n';
  };
  Heard all{.text = line(said, utterance.target)};
  for (const auto& [name, model, training] : listeners) {
    const models::Decoded written = tutorial::listen(*model, {utterance})[0];
    all.text += line(name, written.tokens);
    all.maps.push_back(tutorial::heard_map(name, written, utterance));
  }
  return all;
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const speech::SpokenOptions voice;          // 10 symbols, frames of 8 numbers
  const speech::Spoken spoken(voice);
  std::cout << "gradient check of LocationAttention\n" << check_gradients(options.seed) << '\n';

  Generator generator(options.seed);
  const speech::Utterance three = spoken.say(std::vector<std::int64_t>{3, 1, 4}, 1, generator);
  std::cout << "\"3 1 4\" at speed 1: " << three.frames.size(0) << " frames; its symbols begin at " << three.begin[0] << ", "
            << three.begin[1] << " and " << three.begin[2] << "\n\n";

  const auto fixed = make_model("fixed", "additive", voice, sizes, options.seed);
  const auto content = make_model("bahdanau", "additive", voice, sizes, options.seed);
  const auto location = make_model("bahdanau", "location", voice, sizes, options.seed);
  const auto all_speeds = make_model("bahdanau", "location", voice, sizes, options.seed);
  const auto online = make_model("bahdanau", "monotonic", voice, sizes, options.seed, true);
  const auto no_silence = make_model("bahdanau", "location", voice, sizes, options.seed, false, 9);
  const speech::Spoken::Range slow{.min_speed = 0.5, .max_speed = 1}, any{.min_speed = 0.5, .max_speed = 2};
  const auto trained = [&](const std::string& name, models::Seq2Seq& model, const speech::Spoken::Range& range) {
    return tutorial::Listener{name, &model, tutorial::train_listener(name, model, spoken, range, options)};
  };
  const std::vector<tutorial::Listener> listeners = {
      trained("fixed context", *fixed, slow), trained("content", *content, slow), trained("location", *location, slow),
      trained("location, speeds to 2", *all_speeds, any)};

  tutorial::Options longer = options;
  longer.steps *= 2;  // more updates, until the probabilities of stopping are near 0 or 1
  const tutorial::Listener walker{"monotonic", online.get(),
                                  tutorial::train_listener("monotonic", *online, spoken, slow, longer)};

  const std::vector<tutorial::Listener> two = {listeners[2], trained("location, silence left out", *no_silence, slow)};

  const tutorial::Table speed = wrong("speed", "speed", by_speed(spoken), listeners),
                        length = wrong("length", "symbols", by_length(spoken), listeners),
                        repeats = wrong("repeats", "times", by_repeats(spoken, voice.symbols), listeners),
                        silence = wrong("silence", "utterances", by_silence(spoken), two);
  tutorial::Table time{.name = "time", .rows_are = "model", .columns = {"seconds of training"}, .digits = 0};
  for (const auto& [name, model, training] : listeners) time.rows.push_back({name, {training.seconds}});
  time.rows.push_back({two.back().name, {two.back().training.seconds}});
  time.rows.push_back({walker.name, {walker.training.seconds}});
  std::cout << "wrong symbols in percent after " << options.steps << " updates, strings of 1 to 6 symbols\n" << text(speed)
            << "\nby number of symbols, at trained speeds\n" << text(length)
            << "\none symbol several times, at speed 0.75\n" << text(repeats)
            << "\nlong silence, and a quiet symbol\n" << text(silence) << '\n' << text(time) << '\n';

  // 3. Where two of the models attend while one symbol is said six times.
  const speech::Utterance again = spoken.say(repeated(4, 6), 0.75, generator);
  const models::Decoded by_content = tutorial::listen(*content, {again})[0],
                        by_location = tutorial::listen(*location, {again})[0];
  const std::string said = "said      " + speech::Spoken::text(again.target) + "\ncontent   " +
                           speech::Spoken::text(by_content.tokens) + "\nlocation  " +
                           speech::Spoken::text(by_location.tokens) + '\n';
  std::cout << said << '\n';

  // 4. The online model writes while it hears. The other models first hear the whole utterance.
  const speech::Utterance live = spoken.say(std::vector<std::int64_t>{3, 1, 4}, 0.75, generator);
  std::cout << tutorial::transcript(*online, live) << '\n';
  Generator same(20150602);  // the same utterances in every run
  std::vector<speech::Utterance> heard;
  for (int i = 0; i < 200; ++i) heard.push_back(spoken.sample(slow, same));
  tutorial::Table delay{.name = "delay",
                        .rows_are = "model",
                        .columns = {"wrong symbols, %", "steps back, %", "delay, frames"},
                        .digits = 1};
  for (const tutorial::Listener& listener : {listeners[1], listeners[2], walker}) {
    const bool is_online = listener.name == walker.name;
    delay.rows.push_back({listener.name, {tutorial::percent_wrong(*listener.model, heard),
                                          tutorial::percent_back(*listener.model, heard),
                                          tutorial::frames_of_delay(*listener.model, heard, is_online)}});
  }
  std::cout << "steps to an earlier position, and frames from the end of a symbol until it is written\n" << text(delay) << '\n';

  // 5. Two utterances in which the model "location" loses its place: one with long pauses, one at speed 2.
  Generator other(20150640);  // the same utterances in every run
  const speech::Utterance paused = pausing(80).say(std::vector<std::int64_t>{3, 1, 4}, 1, other),
                          fast = spoken.say(std::vector<std::int64_t>{2, 7, 1, 8}, 2, other);
  Heard pauses = heard_by("said, with long pauses", paused, two);
  pauses.maps[0].cell_width = 10;  // a long utterance
  const Heard quick = heard_by("said at speed 2", fast, {listeners[1], listeners[2]});
  std::vector<plot::Heatmap> repeats_heard = {tutorial::heard_map("content", by_content, again),
                                              tutorial::heard_map("location", by_location, again)};
  for (plot::Heatmap& map : repeats_heard) map.cell_width = 8;  // narrow enough for a phone
  std::cout << pauses.text << '\n' << quick.text << '\n';
  const std::int64_t T = three.frames.size(0), half = (T + 1) / 2;
  const std::string frames = plot::strip({tutorial::frames_map("first half", three, 0, half),
                                          tutorial::frames_map("second half", three, half, T)}, 1);
  plot::Curves losses{.title = "Training loss", .x_label = "update", .y_label = "cross-entropy, nats per token", .log_y = true};
  for (const auto& [name, model, training] : listeners) losses.series.push_back(tutorial::smoothed(name, training.losses));

  publish({.number = "15",
           .title = "listening",
           .intro = "Attention over the frames of generated speech.",
           .sections = {{"Frames", {{"frames", frames}}},
                        {"One symbol six times",
                         {{"alignments", plot::strip(repeats_heard, 1)}},
                         said + '\n' + text(repeats)},
                        {"Wrong symbols by speed",
                         {{"speed", tutorial::speed_curves(speed)}, {"fast", plot::strip(quick.maps, 1)}},
                         quick.text + '\n' + text(speed) + '\n' + text(length)},
                        {"Silence", {{"pauses", plot::svg(pauses.maps[0])}}, pauses.text + '\n' + text(silence)},
                        {"While somebody speaks", {}, text(delay)},
                        {"Training", {{"loss", plot::svg(losses)}}, text(time)}},
           .tables = {speed, length, repeats, silence, time, delay},
           .try_next = "--pyramid 3; --steps 1500; your own voice: ./run gradus features --help"},
          out, options);
}

// Compares other settings, above all on speech at speed 2. Most models learn from speech at speeds of at most 1.
void run_tried(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  const tutorial::Table table = tutorial::tried(options);
  std::cout << "wrong symbols in percent after " << options.steps << " updates at speeds from 0.5 to 1\n" << text(table) << '\n';
  publish({.number = "15",
           .title = "listening",
           .intro = "Settings for fast speech.",
           .sections = {{"Twice the speed of training", {}, text(table)}},
           .tables = {table},
           .try_next = "./run tutorial 15"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 15: listening: attention over the frames of speech",
                       {.steps = 700, .out = "out/tutorial-15"},
                       [&](const tutorial::Options& options) { sizes.tried ? run_tried(options) : run(options, sizes); },
                       {{"--hidden", &sizes.hidden, "size of a state, of each direction and of the energies"},
                        {"--pyramid", &sizes.pyramid, "levels of the encoder; each halves the number of vectors"},
                        {"--tried", &sizes.tried, "compare settings for fast speech instead"}});
}
