// record FOLDER [STEPS] [EXHIBIT …]: trains the museum's exhibits on reversal, and writes their symptoms.
// `docs/results.py measure museum` runs this program.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/reversal.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "collection.hpp"
#include "probes.hpp"

namespace {

using namespace gradus;
using museum::Subject;
using museum::Tokens;
using nlohmann::json;

const std::vector<std::int64_t> lengths = {3, 4, 5, 6, 7, 8, 10, 12};  // 3 to 8 occur in training
constexpr std::int64_t symbols = 10, shortest = 3, longest = 8, batch_size = 32, of_each_length = 50;
constexpr std::int64_t every = 10;  // records the mean loss of every 10 updates

data::Reversal task() { return data::Reversal(symbols, shortest, longest); }

// Adam with a rate that falls linearly from 3e-3 to 3e-4, as in the tutorials.
std::vector<double> train(Subject& subject, std::int64_t steps) {
  const data::Reversal reversal = task();
  Generator generator(2);
  const auto parameters = subject.parameters();
  nn::Adam optimiser(parameters, {.learning_rate = 3e-3});
  std::vector<double> losses;
  double sum = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    optimiser.set_learning_rate(3e-3 - 2.7e-3 * static_cast<double>(step) / static_cast<double>(steps));
    std::vector<data::Pair> pairs;
    for (std::int64_t i = 0; i < batch_size; ++i)
      pairs.push_back(reversal.sample_training([&](std::uint64_t n) { return generator.below(n); }));
    optimiser.zero_grad();
    const Tensor loss = subject.loss(data::make_batch(pairs));
    loss.backward();
    if (std::isfinite(nn::clip_grad_norm(parameters, 1))) optimiser.step();
    sum += loss.item();
    if ((step + 1) % every == 0) losses.push_back(std::exchange(sum, 0) / every);
  }
  return losses;
}

double share_right(const std::vector<data::Pair>& pairs, const std::vector<Tokens>& outputs) {
  double right = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) right += outputs[i] == pairs[i].target;
  return right / static_cast<double>(pairs.size());
}

// The pair with its target replaced by EOS, for a program that must not see the true target.
data::Pair unknown(const data::Pair& pair) { return {pair.source, {data::eos}}; }

struct Exact {
  std::vector<double> own;     ///< by the program's own evaluation: mixed lengths in a batch, targets known
  std::vector<double> single;  ///< evaluated source by source, without targets
};

Exact exact_match(const Subject& subject) {
  Generator generator(3);
  std::vector<std::vector<data::Pair>> by_length;
  for (const std::int64_t length : lengths)
    by_length.push_back(
        task().held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, of_each_length));
  std::vector<double> right(lengths.size());
  for (std::size_t i = 0; i < of_each_length; ++i) {  // a batch has one source of each length
    std::vector<data::Pair> mixed;
    for (const auto& pairs : by_length) mixed.push_back(pairs[i % pairs.size()]);
    const std::vector<Tokens> outputs = subject.translate(data::make_batch(mixed));
    for (std::size_t k = 0; k < mixed.size(); ++k) right[k] += outputs[k] == mixed[k].target;
  }
  Exact exact;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    exact.own.push_back(right[k] / of_each_length);
    std::vector<Tokens> outputs;
    for (const data::Pair& pair : by_length[k])
      outputs.push_back(subject.translate(data::make_batch(std::vector{unknown(pair)}))[0]);
    exact.single.push_back(share_right(by_length[k], outputs));
  }
  return exact;
}

// The weights for a 6-token source that shares a batch with a 9-token source, with teacher forcing: 7 steps ×
// 9 positions.
json alignment(const Subject& subject, const data::Pair& shown, const data::Pair& beside) {
  const NoGrad no_grad;
  const data::Batch batch = data::make_batch(std::vector{shown, beside});
  auto [state, memory] = subject.decoder().start(
      subject.encode(tensor(batch.source, {batch.source_steps, batch.size}), tensor(batch.source_lengths)));
  const Tensor input = tensor(batch.target_in, {batch.target_steps, batch.size});
  std::vector<std::vector<double>> rows;
  for (std::size_t t = 0; t < shown.target.size(); ++t) {
    const nn::DecoderStep::Output output =
        subject.decoder().step(input[static_cast<std::int64_t>(t)], state, memory);
    state = output.state;
    rows.push_back(output.weights[0].to_vector<double>());
    for (double& weight : rows.back()) weight = std::round(weight * 1e3) / 1e3;
  }
  return rows;
}

// The largest change of a sentence's logits when a longer sentence joins its batch.
double effect_of_padding(const Subject& subject, const data::Pair& shown, const data::Pair& beside) {
  const NoGrad no_grad;
  const Tensor single = subject.forced(data::make_batch(std::vector{shown}));
  const Tensor among = subject.forced(data::make_batch(std::vector{shown, beside}));
  return max(abs(single - among.slice(0, single.size(0)).slice(0, 1, 1))).item();
}

bool passes_gradcheck(int number) {
  const museum::Sizes tiny{.vocabulary = 5, .embedding = 2, .hidden = 3, .energy = 2};
  const auto subject = museum::exhibit(number, tiny);
  const data::Batch batch = data::make_batch(std::vector<data::Pair>{{{3, 4, 3}, {4, 3, 2}}, {{4}, {3, 2}}});
  seed(1);
  return nn::gradcheck(*subject, [&](const auto&) { return subject->loss(batch); }, {}).passed();
}

json observations(int number) {
  const NoGrad no_grad;
  const auto subject =
      museum::drawn([number](const museum::Sizes& sizes) { return museum::exhibit(number, sizes); });
  json list;
  for (const museum::Probe& probe : museum::probes()) {
    const museum::Observation observation = probe.observe(*subject);
    list[std::to_string(probe.exhibit)] = {{"seen", observation.seen}, {"says", observation.says}};
  }
  return list;
}

plot::Heatmap picture(const json& exhibit, const std::string& title) {
  plot::Heatmap map{.title = title, .side = 170};
  for (const std::string label : exhibit["source"]) map.columns.push_back(label == "<pad>" ? "·" : label);
  for (const std::string label : exhibit["target"]) map.rows.push_back(label);
  for (const auto& row : exhibit["weights"]) map.values.insert(map.values.end(), row.begin(), row.end());
  return map;
}

// The exhibits, grouped by the look of their weights: {picture's name, {{exhibit, short text}, …}}.
const std::vector<std::pair<std::string, std::vector<std::pair<int, std::string>>>> pictures = {
    {"right",
     {{0, "the right program"},
      {2, "2: ends at position 6"},
      {3, "3: reads the target"},
      {7, "7: target's length"},
      {8, "8: starts again"},
      {13, "13: loss ends at EOS"}}},
    {"blurred",
     {{1, "1: source not read"},
      {4, "4: encoder reads pads"},
      {9, "9: forward twice"},
      {10, "10: wrong end"}}},
    {"elsewhere",
     {{5, "5: reads its answer"},
      {6, "6: begins with zeros"},
      {11, "11: no mask"},
      {12, "12: mask's wrong axis"},
      {14, "14: state not kept"},
      {15, "15: no tanh"}}}};

std::vector<std::string> texts(const Tokens& ids) {
  std::vector<std::string> list;
  for (const std::int64_t id : ids) list.push_back(task().token_text(id));
  return list;
}

json recorded(int number, std::int64_t steps) {
  seed(1);
  const auto subject = museum::exhibit(number, {.vocabulary = task().vocabulary_size()});
  const std::vector<double> losses = train(*subject, steps);
  subject->eval();
  const Exact exact = exact_match(*subject);
  Generator generator(5);
  const auto drawn = [&](std::int64_t length) {
    return task().held_out_pairs(length, [&](std::uint64_t n) { return generator.below(n); }, 1)[0];
  };
  const data::Pair shown = drawn(6), beside = drawn(9);
  Tokens padded = shown.source;
  padded.resize(beside.source.size(), data::pad);
  json weights = alignment(*subject, shown, beside);
  json result = {{"losses", losses},
                 {"exact", {{"own", exact.own}, {"single", exact.single}}},
                 {"source", texts(padded)},
                 {"target", texts(shown.target)},
                 {"output", texts(subject->translate(data::make_batch(std::vector{unknown(shown)}))[0])},
                 {"weights", weights},
                 {"gradcheck", passes_gradcheck(number)},
                 {"padding", effect_of_padding(*subject, shown, beside)},
                 {"observations", observations(number)}};
  const museum::Diagnosis diagnosis =
      museum::diagnose([number](const museum::Sizes& sizes) { return museum::exhibit(number, sizes); });
  result["diagnosis"] = diagnosis.exhibit;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER [STEPS] [EXHIBIT …]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::int64_t steps = argc > 2 ? std::stoll(argv[2]) : 800;
  std::vector<int> numbers;
  for (int i = 3; i < argc; ++i) numbers.push_back(std::stoi(argv[i]));
  for (int number = 0; argc <= 3 && number <= museum::exhibits; ++number) numbers.push_back(number);
  json all = {{"steps", steps}, {"every", every}, {"lengths", lengths}, {"of_each_length", of_each_length}};
  for (const int number : numbers) {
    const json& one = all["exhibits"][std::to_string(number)] = recorded(number, steps);
    std::cout << "exhibit " << number << ": loss " << one["losses"].back() << ", exact match "
              << one["exact"].dump() << ", diagnosis " << one["diagnosis"] << std::endl;
  }
  std::ofstream(folder / "museum.json") << all.dump(1) << '\n';
  for (const auto& [name, shown] : pictures) {
    std::vector<plot::Heatmap> maps;
    for (const auto& [number, title] : shown)
      if (const std::string key = std::to_string(number); all["exhibits"].contains(key))
        maps.push_back(picture(all["exhibits"][key], title));
    if (!maps.empty()) std::ofstream(folder / ("museum_" + name + ".svg")) << plot::strip(maps, 2);
  }
}
