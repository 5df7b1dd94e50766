#include "opened.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/error.hpp>
#include <gradus/models/checkpoint.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>

#include "cells.hpp"

namespace gradus::web {
namespace {

using Values = std::map<std::string, std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// The lines KEY=VALUE of a flat TOML text, without the quotes of strings.
Values values_of(const std::string& text) {
  Values values;
  for (const std::string& line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || line[0] == '#') continue;
    std::string value = line.substr(equals + 1);
    if (value.size() > 1 && (value[0] == '"' || value[0] == '\'')) value = value.substr(1, value.size() - 2);
    values[line.substr(0, equals)] = value;
  }
  return values;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Reads settings, and collects those that the page cannot represent.
class Reader {
 public:
  explicit Reader(Values values) : values_(std::move(values)) {}

  std::string text(const std::string& key, const std::string& otherwise = "") const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }

  std::int64_t whole(const std::string& key, std::int64_t otherwise) const {
    const std::string digits = text(key, std::to_string(otherwise));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw Error("the settings of the file are damaged: " + key + " is '" + digits + "'");
    return value;
  }

  /// Complains unless the setting has a supported value. A missing setting has its default, supported[0].
  void expect(const std::string& key, const std::vector<std::string>& supported) {
    const std::string value = text(key, supported[0]);
    if (std::ranges::find(supported, value) != supported.end()) return;
    complain(key + " is " + (value.empty() ? "not given" : value) + " (supported: " + joined(supported) +
             ")");
  }
  void expect_number(const std::string& key, int supported) {
    const std::string value = text(key);
    if (value.empty() || std::strtod(value.c_str(), nullptr) == supported) return;
    complain(key + " is " + value + " (supported: " + std::to_string(supported) + ")");
  }
  void complain(const std::string& sentence) { complaints_.push_back(sentence); }

  void finish() const {
    if (complaints_.empty()) return;
    std::string all;
    for (const std::string& complaint : complaints_) all += (all.empty() ? "" : "; ") + complaint;
    throw Error("the page cannot show this model: " + all);
  }

 private:
  Values values_;
  std::vector<std::string> complaints_;
};

Settings settings_of(const Values& values) {
  Reader reader(values);
  const std::string phrases = reader.text("phrases"), task = phrases.empty() ? reader.text("task") : phrases;
  if (task.empty()) {
    reader.complain(
        "it was trained on text or recordings (supported: the tasks reverse, copy, sort, dates; the phrases "
        "eng-fra, eng-cmn)");
  } else if (phrases.empty()) {
    reader.expect("task", {"reverse", "copy", "sort", "dates"});
  } else {
    reader.expect("phrases", {"eng-fra", "eng-cmn"});
  }
  const bool dates = task == "dates";
  reader.expect("decoder", {"bahdanau", "fixed", "cho"});
  if (reader.text("decoder", "bahdanau") == "bahdanau")
    reader.expect("attention", {"additive", "dot", "scaled_dot"});
  reader.expect("cell", {"gru", "lstm", "rnn", "original-gru"});
  for (const char* const key : {"bridge", "readout"}) reader.expect(key, {"own"});
  reader.expect("tied", {"none"});
  for (const char* const key : {"swap", "convolution"}) reader.expect(key, {"false"});
  for (const char* const key : {"pyramid", "dropout", "attention-dropout", "bpe"})
    reader.expect_number(key, 0);
  reader.expect_number("layers", 1);
  reader.expect("source-unit", {dates ? "character" : "word"});
  reader.expect("target-unit", {dates ? "character" : task == "eng-cmn" ? "chinese" : "word"});
  if (dates) {
    reader.expect_number("min-year", 1950);
    reader.expect_number("max-year", 2049);
  }
  reader.finish();

  Settings settings;
  settings.task = task;
  if (!dates && phrases.empty()) {
    settings.task_options.symbols = reader.whole("symbols", 10);
    settings.task_options.min_length = reader.whole("min-length", 3);
    settings.task_options.max_length = reader.whole("max-length", 12);
  }
  ModelSettings model;
  model.decoder = reader.text("decoder", "bahdanau");
  model.attention = model.decoder == "bahdanau" ? reader.text("attention", "additive") : "additive";
  model.cell = cell_named(reader.text("cell", "gru"));
  model.embedding = reader.whole("embedding", 128);
  model.hidden = reader.whole("hidden", 128);
  model.energy = reader.whole("energy", 128);
  model.bidirectional = reader.text("bidirectional", "true") == "true";
  settings.models = {model};
  check(settings);
  return settings;
}

// For each token of the page, the token's id in the run; −1 if the run does not have the token.
std::vector<std::int64_t> places(const Symbols& symbols, const std::string& vocabulary) {
  std::map<std::string, std::int64_t> ids;
  auto next = data::first_symbol + 1;
  for (const std::string& token : lines_of(vocabulary)) ids[token] = next++;
  std::vector<std::int64_t> places{data::pad, data::bos, data::eos, data::first_symbol};
  for (std::int64_t id = std::ssize(places); id < symbols.size(); ++id) {
    const auto found = ids.find(symbols.token(id));
    places.push_back(found == ids.end() ? -1 : found->second);
    if (found != ids.end()) ids.erase(found);
  }
  if (!ids.empty()) {
    throw Error("the page cannot show this model: its vocabulary has the token '" + ids.begin()->first +
                "', which the task does not have");
  }
  return places;
}

// The rows of x (V, …) with the indices in `order`; `absent` for an index of −1.
Tensor rows_at(const Tensor& x, const std::vector<std::int64_t>& order, const Tensor& absent) {
  std::vector<Tensor> rows;
  for (const std::int64_t row : order) {
    if (row >= x.size(0)) throw Error("the file is damaged: its vocabulary has more tokens than the model");
    rows.push_back(row < 0 ? absent : x[row]);
  }
  return stack(rows);
}

constexpr double never = -30;  // bias of a token that the run does not have: no search writes it

}  // namespace

Opened open_run(const std::filesystem::path& path) {
  const models::Checkpoint checkpoint = models::load_checkpoint(path);
  const auto field = [&](const char* key) -> const std::string& {
    const auto found = checkpoint.metadata.find(key);
    if (found == checkpoint.metadata.end())
      throw Error(std::string("the file has no ") + key + "; give a checkpoint of gradus train");
    return found->second;
  };
  if (const auto found = checkpoint.metadata.find("compressed"); found != checkpoint.metadata.end()) {
    throw Error("the page cannot show this model: its weights are compressed to " + found->second +
                "; give the run that was compressed");
  }
  Opened opened{.settings = settings_of(values_of(field("settings"))), .parameters = {}};
  if (const auto steps =
          std::ranges::find(checkpoint.tensors, "trainer.steps", &NamedTensors::value_type::first);
      steps != checkpoint.tensors.end())
    opened.updates = static_cast<std::int64_t>(steps->second.item());
  const auto& [task, task_options, batch, seed, trainer, models] = opened.settings;
  if (task.starts_with("eng-") && make_phrases == nullptr) return opened;
  const Sides sides(task, task_options, batch, seed);
  const auto source = places(sides.source, field("source.vocabulary"));
  const auto target = places(sides.target, field("target.vocabulary"));
  const NoGrad no_grad;
  for (const auto& [name, x] : checkpoint.tensors) {
    if (!name.starts_with("model.")) continue;
    const std::string own = name.substr(6);
    const auto embedding = [&](const auto& order) { return rows_at(x, order, x[data::first_symbol]); };
    Tensor ordered = x;
    if (own == "encoder.embedding.weight") ordered = embedding(source);
    if (own == "decoder.embedding.weight") ordered = embedding(target);
    if (own == "decoder.readout.weight") ordered = rows_at(x, target, zeros({x.size(1)}, x.dtype()));
    if (own == "decoder.readout.bias") ordered = rows_at(x, target, full({}, never, x.dtype()));
    opened.parameters.emplace_back(own, ordered);
  }
  return opened;
}

}  // namespace gradus::web
