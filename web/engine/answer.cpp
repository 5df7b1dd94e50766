#include "answer.hpp"

#include <gradus/error.hpp>
#include <gradus/version.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cells.hpp"
#include "inside_json.hpp"
#include "opened.hpp"
#include "session.hpp"
#include "symptoms.hpp"

namespace gradus::web {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

std::unique_ptr<Session> session;

Session& the_session() {
  if (session == nullptr) throw Error("there is no session; send {\"do\": \"create\"} first");
  return *session;
}

// Reads the members of a JSON object. Rejects unknown members.
class Members {
 public:
  Members(const char* what, const json& object) : what_(what), object_(object) {}

  template <class T>
  Members& read(const char* name, T& value) {
    known_ += (known_.empty() ? "" : ", ") + std::string(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return *this;
    ++read_;
    try {
      value = found->get<T>();
    } catch (const json::exception&) {
      throw Error(std::string(what_) + ": '" + name + "' cannot be " + found->dump());
    }
    return *this;
  }

  void all() const {
    if (read_ != object_.size())
      throw Error(std::string(what_) + ": unknown setting in " + object_.dump() + "; available: " + known_);
  }

 private:
  const char* what_;
  const json& object_;
  std::string known_;
  std::size_t read_ = 0;
};

Mistakes mistakes_of(const json& from) {
  Mistakes mistakes;
  Members("mistakes", from)
      .read("no_mask", mistakes.no_mask)
      .read("no_tanh", mistakes.no_tanh)
      .read("no_backward", mistakes.no_backward)
      .read("ask_after", mistakes.ask_after)
      .read("wrong_end", mistakes.wrong_end)
      .all();
  return mistakes;
}

ModelSettings model_settings(const json& from) {
  ModelSettings options;
  std::string cell = "gru";
  json mistakes = json::object();
  Members("model", from)
      .read("decoder", options.decoder)
      .read("attention", options.attention)
      .read("cell", cell)
      .read("embedding", options.embedding)
      .read("hidden", options.hidden)
      .read("energy", options.energy)
      .read("bidirectional", options.bidirectional)
      .read("mistakes", mistakes)
      .all();
  options.mistakes = mistakes_of(mistakes);
  options.cell = cell_named(cell);
  return options;
}

Settings settings_of(const json& from) {
  Settings settings;
  json models = json::array();
  Members("settings", from)
      .read("task", settings.task)
      .read("symbols", settings.task_options.symbols)
      .read("shortest", settings.task_options.min_length)
      .read("longest", settings.task_options.max_length)
      .read("batch", settings.batch)
      .read("seed", settings.seed)
      .read("steps", settings.trainer.steps)
      .read("rate", settings.trainer.learning_rate)
      .read("models", models)
      .all();
  for (const json& model : models) settings.models.push_back(model_settings(model));
  return settings;
}

// {"do": "open", "path": …} → the checkpoint's settings of the task and the model, named as in "create", and
// the number of updates in the checkpoint's training. An error if the page cannot represent the model.
json open(const json& request) {
  const Opened opened = open_run(request.at("path").get<std::string>());
  const auto& [task, task_options, batch, seed, trainer, models] = opened.settings;
  const ModelSettings& model = models.at(0);
  return {{"updates", opened.updates},
          {"settings",
           {{"task", task},
            {"symbols", task_options.symbols},
            {"shortest", task_options.min_length},
            {"longest", task_options.max_length},
            {"model",
             {{"decoder", model.decoder},
              {"attention", model.attention},
              {"cell", name_of(model.cell)},
              {"embedding", model.embedding},
              {"hidden", model.hidden},
              {"energy", model.energy},
              {"bidirectional", model.bidirectional}}}}}};
}

// {"do": "create", "settings": …, "path": …} → the version, the target tokens by id, and each model's number
// of parameters. If a path is given, the first model begins with the weights of that checkpoint.
json create(const json& request) {
  session.reset();
  auto created = std::make_unique<Session>(settings_of(request.at("settings")));
  if (request.contains("path")) created->load(0, open_run(request.at("path").get<std::string>()).parameters);
  session = std::move(created);
  json tokens = json::array(), parameters = json::array();
  for (std::int64_t id = 0; id < session->target().size(); ++id)
    tokens.push_back(session->target().token(id));
  for (std::size_t i = 0; i < session->models(); ++i)
    parameters.push_back(session->model(i).parameter_count());
  return {{"version", version()}, {"tokens", tokens}, {"parameters", parameters}};
}

// {"do": "step", "count": n} → the total number of updates; the losses of at most n updates, one list per
// update: [[loss of model 0, …], …]; and whether the training is finished.
json step(const json& request) {
  json losses = json::array();
  for (std::int64_t left = request.value("count", std::int64_t{1}); left > 0 && !the_session().finished();
       --left)
    losses.push_back(the_session().step());
  return {{"step", the_session().steps()}, {"losses", losses}, {"finished", the_session().finished()}};
}

// {"do": "measure", "each": n} → the number of updates, the source lengths, and two measurements of each
// model. "exact" lists the exact match for each length. "trained" is the exact match over all lengths that
// occur in training. For phrases, both measure training phrases, and there are two more: "held_out" and
// "bleu", the exact match and BLEU of the held-out phrases.
json measure(const json& request) {
  const Settings& settings = the_session().settings();
  json lengths = json::array(), models = json::array();
  for (const data::ExactMatchByLength& result :
       the_session().measure(request.value("each", std::int64_t{20}))) {
    json exact = json::array();
    const auto held_out = the_session().measure_held_out(models.size());
    data::MatchCount trained;
    lengths.clear();
    for (const auto& [length, count] : result.rows()) {
      lengths.push_back(length);
      exact.push_back(count.fraction());
      if (held_out || settings.task == "dates" || length <= settings.task_options.max_length) {
        trained.right += count.right;
        trained.count += count.count;
      }
    }
    models.push_back({{"exact", exact}, {"trained", trained.fraction()}});
    if (held_out) models.back().update({{"held_out", held_out->exact.fraction()}, {"bleu", held_out->bleu}});
  }
  return {{"step", the_session().steps()}, {"lengths", lengths}, {"models", models}};
}

// {"do": "example"} → the text of a held-out source. For phrases, calls alternate between a training phrase
// and a held-out phrase.
json example(const json&) { return {{"source", the_session().example()}}; }

json texts(const Ids& ids, const Symbols& symbols) {
  json tokens = json::array();
  for (const std::int64_t id : ids) tokens.push_back(symbols.token(id));
  return tokens;
}

json rows_of(const Tensor& matrix) {
  if (!matrix.defined()) return nullptr;
  json rows = json::array();
  const std::vector<float> values = matrix.to_vector<float>();
  const auto columns = static_cast<std::ptrdiff_t>(matrix.size(1));
  for (auto row = values.begin(); row != values.end(); row += columns)
    rows.push_back(std::vector<float>(row, row + columns));
  return rows;
}

// {"do": "translate", "text": …} → these values:
//   "step"              the number of updates
//   "source", "target"  tokens; "target" is null if it is unknown
//   "held_out"          true for a held-out phrase, false for a training phrase, null for any other text
//   "models"            for each model: "output", its tokens; "right", a flag for each output token;
//                       "probabilities", one per output token; "weights", (tokens, source); "forced", the
//                       weights with teacher forcing. Both weights are null for a model without attention.
//                       "forced" is also null if the target is unknown.
json translate(const json& request) {
  const Session& now = the_session();
  const Ids source = now.source().encode(request.at("text").get<std::string>());
  if (source.size() > 60)
    throw Error("the input has " + std::to_string(source.size()) + " tokens; type at most 60");
  const auto target = now.target_of(source);
  json models = json::array();
  for (std::size_t number = 0; number < now.models(); ++number) {
    const models::Decoded decoded = now.translate(number, source);
    json right = json::array(), probabilities = json::array();
    for (std::size_t t = 0; t < decoded.tokens.size(); ++t) {
      right.push_back(target && t < target->size() && decoded.tokens[t] == (*target)[t]);
      probabilities.push_back(std::exp(decoded.token_log_probabilities[t]));
    }
    models.push_back({{"output", texts(decoded.tokens, now.target())},
                      {"right", right},
                      {"probabilities", probabilities},
                      {"weights", rows_of(decoded.weights)},
                      {"forced", target ? rows_of(now.force(number, {source, *target}).weights) : json()}});
  }
  const Phrase* const phrase = now.phrase(source);
  return {{"step", now.steps()},
          {"source", texts(source, now.source())},
          {"target", target ? texts(*target, now.target()) : json()},
          {"held_out", phrase ? json(phrase->held_out) : json()},
          {"models", models}};
}

// {"do": "symptoms", "text": …} → for each model, the numbers of symptoms.hpp for the source and its target.
// If the target is unknown, the model's own output is used instead. Undefined numbers are null.
json symptoms(const json& request) {
  const Session& now = the_session();
  const Ids source = now.source().encode(request.at("text").get<std::string>());
  const auto target = now.target_of(source);
  const auto value = [](const std::optional<double>& number) { return number ? json(*number) : json(); };
  json models = json::array();
  for (std::size_t number = 0; number < now.models(); ++number) {
    const Symptoms found =
        symptoms_of(now.model(number), {source, target ? *target : now.translate(number, source).tokens});
    models.push_back({{"pads", found.pads},
                      {"steps", value(found.steps)},
                      {"later", value(found.later)},
                      {"query", value(found.query)}});
  }
  return {{"models", models}};
}

// {"do": "inside", "model": i, "text": …, "step": t, "forced": b, "replaced": …} → the parts of the step that
// writes token t (from 0), see inside_json.hpp; "source", tokens; "step", t; and "read" and "written", the
// tokens that the step reads and writes. With b = true and a known target, the decoder reads the target;
// otherwise it reads its own output. "replaced" is optional.
json inside(const json& request) {
  const Session& now = the_session();
  const auto number = request.at("model").get<std::size_t>();
  if (number >= now.models()) throw Error("inside: there is no model " + std::to_string(number));
  const Ids source = now.source().encode(request.at("text").get<std::string>());
  const auto target = now.target_of(source);
  const Ids written =
      target && request.at("forced").get<bool>() ? *target : now.translate(number, source).tokens;
  const auto t = request.at("step").get<std::int64_t>();
  json answer = to_json(look_inside(now.model(number), source, written, t,
                                    replaced_from(request.value("replaced", json::object()))));
  answer["source"] = texts(source, now.source());
  answer["step"] = t;
  answer["read"] = now.target().token(t == 0 ? data::bos : written[static_cast<std::size_t>(t - 1)]);
  answer["written"] = now.target().token(written[static_cast<std::size_t>(t)]);
  return answer;
}

// {"do": "fingerprint"} → for each model, a hash of its parameters in hexadecimal.
json fingerprint(const json&) {
  json hashes = json::array();
  for (std::size_t number = 0; number < the_session().models(); ++number) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(the_session().fingerprint(number)));
    hashes.push_back(digits);
  }
  return {{"models", hashes}};
}

// {"do": "save", "model": i, "path": …}: writes a checkpoint.
json save(const json& request) {
  const auto number = request.at("model").get<std::size_t>();
  if (number >= the_session().models()) throw Error("save: there is no model " + std::to_string(number));
  the_session().save(number, request.at("path").get<std::string>());
  return json::object();
}

}  // namespace

std::string answer(std::string_view text) {
  using Answer = json (*)(const json&);
  static const std::map<std::string, Answer> answers{{"create", create},     {"open", open},
                                                     {"step", step},         {"measure", measure},
                                                     {"example", example},   {"inside", inside},
                                                     {"symptoms", symptoms}, {"translate", translate},
                                                     {"save", save},         {"fingerprint", fingerprint}};
  try {
    const json request = json::parse(text);
    const auto name = request.at("do").get<std::string>();
    const auto found = answers.find(name);
    if (found == answers.end()) throw Error("unknown request '" + name + "'");
    return found->second(request).dump();
  } catch (const std::exception& error) {
    return json{{"error", error.what()}}.dump();
  } catch (...) {  // thrown by the reader's own attention
    return json{{"error", "your attention threw an object that is not a std::exception"}}.dump();
  }
}

}  // namespace gradus::web
