#include "listening.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/edit_distance.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/online_search.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/progress.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

namespace tutorial {

using gradus::Generator;
namespace models = gradus::models;
namespace nn = gradus::nn;
namespace plot = gradus::plot;
namespace speech = gradus::speech;

namespace {

std::vector<std::string> symbols(const std::vector<std::int64_t>& tokens) {
  std::vector<std::string> written;
  for (const std::int64_t token : tokens) {
    if (token != gradus::data::eos) written.push_back(std::to_string(token));
  }
  return written;
}

std::string symbol_text(std::int64_t token) {
  return token == gradus::data::eos ? "<eos>" : speech::Spoken::text({&token, 1});
}

// A token, and the number of frames that an online model had heard when it wrote this token.
struct Live {
  std::int64_t token, frames;
};

// Lets an online model hear one frame after the other.
std::vector<Live> hear(const models::Seq2Seq& model, const speech::Utterance& utterance) {
  models::OnlineSearch search(model);
  std::vector<Live> written;
  const std::int64_t T = utterance.frames.size(0);
  for (std::int64_t t = 0; t <= T; ++t) {
    for (const std::int64_t token : t < T ? search.read(utterance.frames.slice(t, t + 1)) : search.finish()) {
      written.push_back({token, std::min(t + 1, T)});
    }
  }
  return written;
}

}  // namespace

Training train_listener(const std::string& label, models::Seq2Seq& model, const speech::Spoken& spoken,
                        const speech::Spoken::Range& range, const Options& options) {
  return train_listener(label, model, [&](Generator& draws) { return spoken.sample(range, draws); }, options);
}

Training train_listener(const std::string& label, models::Seq2Seq& model,
                        const std::function<speech::Utterance(Generator&)>& sample, const Options& options) {
  constexpr int batch_size = 32;
  constexpr double learning_rate = 5e-3, last_factor = 0.1, max_norm = 1;
  const auto start = std::chrono::steady_clock::now();
  Generator generator = Generator(options.seed).split();
  nn::Adam adam(model.parameters(), {.learning_rate = learning_rate});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, last_factor, options.steps));
  plot::ProgressBar bar(label, options.steps);
  Training training{};
  model.train();
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    std::vector<speech::Utterance> utterances;
    for (int i = 0; i < batch_size; ++i) utterances.push_back(sample(generator));
    const auto [frames, lengths, targets] = speech::make_batch(utterances);
    adam.zero_grad();
    const models::Loss loss = models::loss(model, frames, lengths, targets);
    loss.total.backward();
    nn::clip_grad_norm(model.parameters(), max_norm);
    adam.step();
    scheduler.step();
    training.losses.push_back(loss.cross_entropy);
    bar.update(step, {"loss " + decimals(loss.cross_entropy)});
  }
  model.eval();
  training.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return training;
}

std::vector<models::Decoded> listen(const models::Seq2Seq& model,
                                    const std::vector<speech::Utterance>& utterances) {
  const auto [frames, lengths, targets] = speech::make_batch(utterances);
  return models::greedy(model, frames, lengths, 2 * targets.target_steps);
}

double percent_wrong(const models::Seq2Seq& model, const std::vector<speech::Utterance>& utterances) {
  const std::vector<models::Decoded> written = listen(model, utterances);
  gradus::data::ErrorRate errors;
  for (std::size_t i = 0; i < written.size(); ++i) {
    errors.add(symbols(written[i].tokens), symbols(utterances[i].target));
  }
  return 100 * errors.rate();
}

double percent_back(const models::Seq2Seq& model, const std::vector<speech::Utterance>& utterances) {
  std::int64_t back = 0, steps = 0;
  for (const models::Decoded& written : listen(model, utterances)) {
    std::int64_t before = 0;
    for (std::int64_t t = 0; t < written.weights.size(0); ++t) {
      const gradus::Tensor weights = written.weights[t];
      const bool passed_the_end = max(weights).item() == 0;
      const std::int64_t place =
          passed_the_end ? weights.size(0) : static_cast<std::int64_t>(argmax(weights).item());
      if (t > 0) {
        ++steps;
        back += place < before ? 1 : 0;
      }
      before = place;
    }
  }
  return 100 * static_cast<double>(back) / static_cast<double>(steps);
}

double frames_of_delay(const models::Seq2Seq& model, const std::vector<speech::Utterance>& utterances,
                       bool is_online) {
  const std::vector<models::Decoded> written = listen(model, utterances);
  std::int64_t frames = 0, count = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const speech::Utterance& said = utterances[i];
    if (written[i].tokens != said.target) continue;
    const std::int64_t T = said.frames.size(0);
    const std::vector<Live> live = is_online ? hear(model, said) : std::vector<Live>{};
    if (is_online && live.size() != said.end.size()) continue;  // hear() may round differently
    for (std::size_t symbol = 0; symbol < said.end.size(); ++symbol) {
      frames += (is_online ? live[symbol].frames : T) - said.end[symbol];
      ++count;
    }
  }
  return static_cast<double>(frames) / static_cast<double>(count);
}

std::string transcript(const models::Seq2Seq& model, const speech::Utterance& utterance) {
  std::ostringstream said, written;
  for (std::size_t i = 0; i < utterance.end.size(); ++i) {
    said << (i > 0 ? ", " : "") << symbol_text(utterance.target[i]) << " (frames " << utterance.begin[i]
         << " to " << utterance.end[i] - 1 << ')';
  }
  const char* before = "";
  for (const auto& [token, frames] : hear(model, utterance)) {
    written << std::exchange(before, ", ") << symbol_text(token) << " (after frame " << frames - 1 << ')';
  }
  return "said      " + said.str() + "\nwritten   " + written.str() + '\n';
}

Table wrong(const std::string& name, const std::string& rows_are, const std::vector<Said>& rows,
            const std::vector<Listener>& listeners) {
  constexpr int count = 200;
  Table table{.name = name, .rows_are = rows_are, .columns = {}, .rows = {}, .digits = 1};
  for (const Listener& listener : listeners) table.columns.push_back(listener.name);
  Generator generator(20150601);  // a fixed seed: all models and all runs hear the same utterances
  for (const auto& [row, say] : rows) {
    std::vector<speech::Utterance> utterances;
    for (int i = 0; i < count; ++i) utterances.push_back(say(generator));
    table.rows.push_back({row, {}});
    for (const Listener& listener : listeners) {
      table.rows.back().values.push_back(percent_wrong(*listener.model, utterances));
    }
  }
  return table;
}

std::string speed_curves(const Table& speed) {
  plot::Curves curves{.title = "Wrong symbols by speed", .x_label = "speed", .y_label = "percent"};
  for (std::size_t column = 0; column < speed.columns.size(); ++column) {
    plot::Series series{.name = speed.columns[column]};
    for (const Table::Row& row : speed.rows) {
      series.x.push_back(std::stod(row.name));
      series.y.push_back(row.values[column]);
    }
    curves.series.push_back(series);
  }
  return plot::svg(curves);
}

plot::Heatmap frames_map(const std::string& title, const speech::Utterance& utterance, std::int64_t first,
                         std::int64_t end) {
  const gradus::Tensor& x = utterance.frames;
  end = std::min(end, x.size(0));
  plot::Heatmap map{.title = title,
                    .x_label = "frame",
                    .y_label = "number",
                    .min = 0,
                    .max = 3,
                    .side = 16 * static_cast<double>(end - first)};  // pixels
  for (std::int64_t t = first; t < end; ++t) map.columns.push_back(t % 10 == 0 ? std::to_string(t) : "");
  for (std::int64_t d = 0; d < x.size(1); ++d) {
    map.rows.push_back(std::to_string(d + 1));
    for (std::int64_t t = first; t < end; ++t) {
      map.values.push_back(std::abs(static_cast<double>(x[t][d].item())));
    }
  }
  // A row for each symbol: dark while it is said.
  for (std::size_t i = 0; i < utterance.begin.size(); ++i) {
    if (utterance.begin[i] >= end || utterance.end[i] <= first) continue;
    map.rows.push_back("symbol " + symbol_text(utterance.target[i]));
    for (std::int64_t t = first; t < end; ++t) {
      const bool is_said = t >= utterance.begin[i] && t < utterance.end[i];
      map.values.push_back(is_said ? map.max : map.min);
    }
  }
  return map;
}

plot::Heatmap heard_map(const std::string& title, const models::Decoded& written,
                        const speech::Utterance& utterance) {
  const std::int64_t J = written.weights.size(1), T = utterance.frames.size(0);
  plot::Heatmap map{.title = title,
                    .x_label = "annotation; the symbol where it begins",
                    .y_label = "output, written",
                    .columns = std::vector<std::string>(static_cast<std::size_t>(J)),
                    .values = written.weights.to_vector<double>(),
                    .max = 0.5,  // hardly any weight is larger; the colours end there
                    .cell_width = 12,
                    .cell_height = 22};
  for (std::size_t i = 0; i < utterance.begin.size(); ++i) {
    map.columns[static_cast<std::size_t>(utterance.begin[i] * J / T)] = symbol_text(utterance.target[i]);
  }
  for (const std::int64_t token : written.tokens) map.rows.push_back(symbol_text(token));
  return map;
}

}  // namespace tutorial
