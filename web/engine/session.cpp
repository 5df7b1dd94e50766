#include "session.hpp"

#include <gradus/autograd/tensor.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/data/vocabulary.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "cells.hpp"
#include "dates.hpp"
#include "own_attention.hpp"

namespace gradus::web {
namespace {

using Ids = std::vector<std::int64_t>;

void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw Error("the setting " + std::string(name) + " is " + std::to_string(value) + ", and must be " +
              std::to_string(least) + " to " + std::to_string(most));
}

struct Rule {
  std::string_view task;
  void (*apply)(Ids&);
};
constexpr std::array rules{Rule{"reverse", [](Ids& ids) { std::reverse(ids.begin(), ids.end()); }},
                           Rule{"copy", [](Ids&) {}},
                           Rule{"sort", [](Ids& ids) { std::sort(ids.begin(), ids.end()); }}};

const Rule* rule_of(std::string_view task) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.task == task; });
  return found == rules.end() ? nullptr : &*found;
}

bool is_held_out(std::string_view source) { return data::stable_hash(source) % 5 == 0; }

// The settings of `gradus train` that describe the model and the tokens, as TOML.
std::string command_settings(const Settings& settings, const std::optional<Phrases>& phrases,
                             const models::ModelOptions& model) {
  const bool dates = settings.task == "dates";
  std::ostringstream text;
  if (phrases) {
    text << phrases->settings;
  } else {
    text << "task=\"" << settings.task << "\"\nsymbols=" << settings.task_options.symbols
         << "\nmin-length=" << settings.task_options.min_length
         << "\nmax-length=" << settings.task_options.max_length << "\nsource-unit=\""
         << (dates ? "character" : "word") << "\"\ntarget-unit=\"" << (dates ? "character" : "word")
         << "\"\n";
  }
  text << "decoder=\"" << model.decoder << "\"\nattention=\"" << model.attention << "\"\ncell=\""
       << name_of(model.cell) << "\"\nembedding=" << model.embedding << "\nhidden=" << model.hidden
       << "\nenergy=" << model.energy << "\nbidirectional=" << (model.bidirectional ? "true" : "false")
       << '\n';
  return text.str();
}

}  // namespace

void check(const Settings& settings) {
  check_range("batch", settings.batch, 1, 256);
  check_range("steps", settings.trainer.steps, 1, 100'000);
  check_range("symbols", settings.task_options.symbols, 2, 26);
  check_range("shortest", settings.task_options.min_length, 1, 40);
  check_range("longest", settings.task_options.max_length, settings.task_options.min_length, 40);
  check_range("models", std::ssize(settings.models), 1, 2);
  for (const ModelSettings& model : settings.models) {
    if (model.mistakes.any() && model.decoder != "bahdanau")
      throw Error("the decoder " + model.decoder +
                  " has no mistakes to switch on; choose the decoder bahdanau");
    check_range("embedding", model.embedding, 1, 256);
    check_range("hidden", model.hidden, 1, 256);
    check_range("energy", model.energy, 1, 256);
  }
}

Session::Session(const Settings& settings)
    : settings_((check(settings), settings)),
      sides_(settings.task, settings.task_options, settings.batch, settings.seed),
      batches_(Generator(settings.seed).split()) {
  const models::BatchStream stream{.next = [this] { return batch_; }};
  for (const ModelSettings& options : settings.models) {
    gradus::seed(settings.seed);
    auto model = models::make_model(options, {sides_.source.size(), sides_.target.size()},
                                    registry_with(options.mistakes));
    auto trainer = std::make_unique<models::Trainer>(*model, stream, settings.trainer);
    trained_.push_back({std::move(model), std::move(trainer)});
  }
}

std::vector<data::SentencePair> Session::generate(const data::TaskOptions& options, std::int64_t count,
                                                  Generator& draws, bool held_out) const {
  return data::generate(
      *data::make_task(settings_.task, options), count, [&](std::uint64_t n) { return draws.below(n); },
      [&](std::string_view text) { return is_held_out(text) == held_out; });
}

std::vector<data::Pair> Session::encode(const std::vector<data::SentencePair>& texts) const {
  std::vector<data::Pair> pairs;
  for (const auto& [source, target] : texts) {
    pairs.push_back({sides_.source.encode(source), sides_.target.encode(target)});
    pairs.back().target.push_back(data::eos);
  }
  return pairs;
}

std::vector<double> Session::step() {
  if (finished())
    throw Error("the training is finished after " + std::to_string(steps_) + " updates; reset it");
  batch_ = sides_.phrases
               ? sides_.phrases->next()
               : data::make_batch(encode(generate(settings_.task_options, settings_.batch, batches_, false)));
  std::vector<double> losses;
  for (const Trained& trained : trained_) losses.push_back(trained.trainer->step().loss);
  ++steps_;
  return losses;
}

std::vector<data::ExactMatchByLength> Session::measure(std::int64_t each) {
  check_range("each", each, 1, 1000);
  if (each != measured_each_) {
    measured_each_ = each;
    measured_.clear();
    Generator draws(20140901);  // fixed seed: the same sources for all models
    data::TaskOptions options = settings_.task_options;
    if (sides_.phrases) {
      std::map<std::size_t, std::int64_t> taken;
      for (const Phrase& phrase : sides_.phrases->all) {
        if (!phrase.held_out && taken[phrase.pair.source.size()]++ < each) measured_.push_back(phrase.pair);
      }
    } else if (rule_of(settings_.task) == nullptr) {
      measured_ = encode(generate(options, 10 * each, draws, true));
    } else {
      for (std::int64_t length = settings_.task_options.min_length;
           length <= settings_.task_options.max_length + 3; ++length) {
        options.min_length = options.max_length = length;
        const auto pairs = encode(generate(options, each, draws, true));
        measured_.insert(measured_.end(), pairs.begin(), pairs.end());
      }
    }
  }
  std::vector<data::ExactMatchByLength> results(models());
  for (std::size_t number = 0; number < models(); ++number) {
    const std::vector<models::Decoded> decoded = models::greedy(model(number), measured_);
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      results[number].add(std::ssize(measured_[i].source),
                          data::matches_exactly(decoded[i].tokens, measured_[i].target));
    }
  }
  return results;
}

std::optional<Session::HeldOut> Session::measure_held_out(std::size_t number) const {
  if (!sides_.phrases) return std::nullopt;
  std::vector<data::Pair> pairs;
  for (const Phrase& phrase : sides_.phrases->all) {
    if (phrase.held_out) pairs.push_back(phrase.pair);
  }
  const std::vector<models::Decoded> decoded = models::greedy(model(number), pairs);
  HeldOut result{.exact = {}, .bleu = sides_.phrases->bleu(decoded)};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    result.exact.add(data::matches_exactly(decoded[i].tokens, pairs[i].target));
  return result;
}

std::string Session::example() {
  if (!sides_.phrases) return generate(settings_.task_options, 1, examples_, true)[0].source;
  held_out_example_ = !held_out_example_;
  const Phrase* phrase = nullptr;
  do {  // a held-out phrase may have a word that no training phrase has
    phrase = &sides_.phrases->all[static_cast<std::size_t>(examples_.below(sides_.phrases->all.size()))];
  } while (phrase->held_out != held_out_example_ || std::ranges::count(phrase->pair.source, data::unk) > 0);
  return phrase->text;
}

const Phrase* Session::phrase(const Ids& source) const {
  if (!sides_.phrases) return nullptr;
  const auto found =
      std::ranges::find(sides_.phrases->all, source, [](const Phrase& it) { return it.pair.source; });
  return found == sides_.phrases->all.end() ? nullptr : &*found;
}

std::optional<Ids> Session::target_of(const Ids& source) const {
  if (sides_.phrases) {
    const Phrase* const known = phrase(source);
    return known == nullptr ? std::nullopt : std::optional(known->pair.target);
  }
  if (const Rule* const rule = rule_of(settings_.task)) {
    Ids target = source;
    rule->apply(target);
    target.push_back(data::eos);
    return target;
  }
  const std::optional<std::string> date = iso_date(sides_.source.text(source));
  if (!date) return std::nullopt;
  Ids target = sides_.target.encode(*date);
  target.push_back(data::eos);
  return target;
}

models::Decoded Session::translate(std::size_t number, const Ids& source) const {
  const auto length = std::ssize(source);
  const auto target = target_of(source);
  return models::greedy(model(number), tensor(source, {length, 1}), tensor(Ids{length}),
                        target ? models::MaxSteps(std::ssize(*target) + 3) : models::MaxSteps())[0];
}

models::Decoded Session::force(std::size_t number, const data::Pair& pair) const {
  return models::force_decode(model(number), {&pair, 1})[0];
}

void Session::load(std::size_t number, const NamedTensors& parameters) {
  trained_.at(number).model->load_state_dict(parameters, "the opened file");
}

std::uint64_t Session::fingerprint(std::size_t number) const {
  std::string bytes;
  for (const auto& [name, parameter] : model(number).named_parameters()) {
    const auto values = parameter.values<float>();
    bytes.append(name).append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  return data::stable_hash(bytes);
}

void Session::save(std::size_t number, const std::filesystem::path& path) const {
  if (settings_.models[number].mistakes.any())
    throw Error("a model with mistakes cannot be saved: gradus would run it without them; switch them off");
  const std::string& decoder = settings_.models[number].decoder;
  if (!models::Registry::standard().decoders.contains(decoder))
    throw Error("a model with the decoder " + decoder +
                " cannot be saved: gradus does not have that decoder; choose bahdanau, fixed or cho");
  if (own_attentions().contains(settings_.models[number].attention))
    throw Error("a model with your own attention cannot be saved: gradus does not have that attention");
  NamedTensors tensors;
  for (const auto& [name, parameter] : model(number).state_dict())
    tensors.emplace_back("model." + name, parameter);
  models::save_checkpoint(
      path, {std::move(tensors),
             {{"settings", command_settings(settings_, sides_.phrases, settings_.models[number])},
              {"source.vocabulary", sides_.source.lines()},
              {"target.vocabulary", sides_.target.lines()}}});
}

}  // namespace gradus::web
