#include "serving/service.hpp"

#include <gradus/data/tokens.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "reports/translation.hpp"
#include "serving/spans.hpp"
#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::ordered_json;
using Spans = std::vector<std::optional<CharacterSpan>>;

Json tokens_to_json(const std::vector<std::string>& tokens, const Spans& spans) {
  Json list = Json::array();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Json span = nullptr;
    if (spans[i]) span = {spans[i]->begin, spans[i]->end};
    list.push_back({{"token", tokens[i]}, {"span", std::move(span)}});
  }
  return list;
}

// The weights of the first `rows` target tokens.
Json weights_to_json(const Tensor& weights, std::size_t rows) {
  if (!weights.defined()) return nullptr;
  const auto T = static_cast<std::size_t>(weights.size(1));
  const std::span<const float> values = weights.values<float>();
  Json list = Json::array();
  for (std::size_t t = 0; t < rows; ++t) {
    const auto row = values.subspan(t * T, T);
    list.push_back(std::vector<float>(row.begin(), row.end()));
  }
  return list;
}

Json alignment_to_json(const std::string& text, const Translation& translation, const Sides& sides) {
  return {{"source",
           tokens_to_json(translation.source, spans_of(text, translation.source, sides.source.tokeniser))},
          {"target", tokens_to_json(translation.target, spans_in(translation.text, translation.target))},
          {"weights", weights_to_json(translation.decoded.weights, translation.target.size())}};
}

void check_weights(const std::vector<std::vector<models::Decoded>>& found, const RequestLimits& limits) {
  std::int64_t weights = 0;
  for (const auto& outputs : found) {
    for (const models::Decoded& one : outputs) weights += one.weights.defined() ? one.weights.numel() : 0;
  }
  if (weights <= limits.weights) return;
  throw BadRequest("the answer has " + std::to_string(weights) + " attention weights; the limit is " +
                   std::to_string(limits.weights) + "; send shorter texts, or fewer");
}

SavedEnsemble restricted(const std::string& path, std::int64_t attention_top_k,
                         const gradus::models::Registry& registry) {
  SavedEnsemble saved = load_ensemble(std::vector{path}, registry);
  use_top_k_attention(saved.members, attention_top_k);
  return saved;
}

}  // namespace

struct Service::Model {
  Model(std::string called, const std::string& path, const ServiceOptions& options,
        const gradus::models::Registry& registry)
      : name(std::move(called)),
        saved(restricted(path, options.attention_top_k, registry)),
        same_bits(saved),
        scheduler(std::make_unique<serve::Scheduler>(saved.model(), options.scheduler)) {}

  std::string name;
  SavedEnsemble saved;
  SameBits same_bits;
  std::unique_ptr<serve::Scheduler> scheduler;  // declared last, so that it is destroyed before the model
};

Service::Service(ServiceOptions options, const gradus::models::Registry& registry)
    : options_(std::move(options)), registry_(registry), models_(load()) {}

Service::Models Service::load() const {
  Models models;
  for (const auto& [name, path] : options_.models) {
    models.push_back(std::make_shared<const Model>(name, path, options_, registry_));
    if (!models.back()->saved.sides().source.frames) continue;
    fail("serve", "'", path,
         "' reads sound, and requests hold text; translate its files with gradus translate");
  }
  return models;
}

void Service::reload() {
  Models models = load();
  const std::lock_guard lock(mutex_);
  models_.swap(models);
}

Service::Models Service::current() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

std::shared_ptr<const Service::Model> Service::find(const std::string& name, const std::string& source,
                                                    const std::string& target) const {
  const Models models = current();
  const std::string wanted = !name.empty()                      ? name
                             : source.empty() || target.empty() ? ""
                                                                : source + '-' + target;
  if (wanted.empty() && source.empty() && target.empty()) return models.front();
  for (const auto& model : models) {
    if (model->name == wanted) return model;
    if (name.empty() && (source.empty() || source == "auto") && model->name.ends_with('-' + target))
      return model;
  }
  std::string known;
  for (const auto& model : models) known += (known.empty() ? "" : ", ") + model->name;
  throw BadRequest((name.empty()
                        ? "no model for source '" + excerpt(source) + "' and target '" + excerpt(target)
                        : "unknown model '" + excerpt(name)) +
                   "'; available: " + known);
}

std::vector<std::vector<models::Decoded>> Service::decode(const Model& model, std::vector<serve::Job> jobs,
                                                          const IsGone& is_gone) const {
  constexpr std::chrono::milliseconds slice{50};  // interval between calls of is_gone()
  const auto deadline = std::chrono::steady_clock::now() + options_.most_time;
  const bool none = jobs.empty();
  std::vector<serve::Ticket> tickets = model.scheduler->submit(std::move(jobs));
  if (tickets.empty() && !none) throw Busy("too many texts wait; try again later");
  try {
    std::vector<std::vector<models::Decoded>> outputs;
    for (serve::Ticket& ticket : tickets) {
      while (ticket.outputs.wait_for(slice) != std::future_status::ready) {
        if (is_gone()) throw Gone("the client closed the connection");
        if (std::chrono::steady_clock::now() < deadline) continue;
        throw TooSlow("the request took longer than " + std::to_string(options_.most_time.count()) +
                      " ms; send shorter texts, or fewer");
      }
      outputs.push_back(ticket.outputs.get());
    }
    return outputs;
  } catch (...) {
    for (const serve::Ticket& ticket : tickets) *ticket.cancelled = true;
    throw;
  }
}

Json Service::translate(const std::string& body, const IsGone& is_gone) const {
  const TranslateRequest request = read_translate_request(body, options_.limits);
  const auto model = find(request.model, request.source, request.target);
  const Sides& sides = model->saved.sides();
  const TranslationOptions how = request.search.translation();
  std::vector<serve::Job> jobs;
  std::vector<std::vector<std::string>> tokens;
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    tokens.push_back(sides.source.tokeniser.split(request.texts[i]));
    if (std::ssize(tokens[i]) > options_.limits.tokens) {
      throw BadRequest("text " + std::to_string(i) + " has " + std::to_string(tokens[i].size()) +
                       " tokens; the limit is " + std::to_string(options_.limits.tokens) +
                       "; send shorter texts");
    }
    if (tokens[i].empty()) continue;
    jobs.push_back({.source = sides.source.vocabulary.encode(tokens[i]),
                    .search = request.search.steps(),
                    .max_steps = how.max_steps,
                    .rows = request.search.beam.width});
  }
  std::vector<std::vector<models::Decoded>> found = decode(*model, std::move(jobs), is_gone);
  if (request.alignments) check_weights(found, options_.limits);
  Json texts = Json::array(), alternatives = Json::array(), details = Json::array();
  auto next = found.begin();
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    std::vector<std::string> others;
    Json of_text = Json::array();
    std::string best;  // empty for a text without tokens
    std::vector<models::Decoded> none;
    std::vector<models::Decoded>& outputs = tokens[i].empty() ? none : *next++;
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const Translation one =
          to_text(std::move(outputs[n]), tokens[i], sides.target, request.search.replace_unknown);
      Json detail{{"text", one.text}};
      if (request.scores) {
        detail["log_probability"] = one.decoded.log_probability;
        detail["score"] = one.decoded.score;
      }
      if (request.alignments) detail["alignment"] = alignment_to_json(request.texts[i], one, sides);
      of_text.push_back(std::move(detail));
      if (n == 0) {
        best = one.text;
      } else {
        others.push_back(one.text);
      }
    }
    texts.push_back(best);
    alternatives.push_back(others);
    details.push_back(std::move(of_text));
  }
  Json answer{{"translatedText", request.is_list ? texts : texts[0]}};
  if (request.alternatives > 0) answer["alternatives"] = request.is_list ? alternatives : alternatives[0];
  const bool detailed = request.alignments || request.scores || request.search.beam.n_best > 1;
  if (detailed) answer["translations"] = request.is_list ? details : details[0];
  return answer;
}

Json Service::align(const std::string& body, const IsGone& is_gone) const {
  const AlignRequest request = read_align_request(body, options_.limits);
  const auto model = find(request.model, "", "");
  const Sides& sides = model->saved.sides();
  Translation pair;
  pair.source = sides.source.tokeniser.split(request.text);
  pair.target = sides.target.tokeniser.split(request.translation);
  for (const auto& [field, tokens] : {std::pair{"q", &pair.source}, {"translation", &pair.target}}) {
    if (!tokens->empty() && std::ssize(*tokens) <= options_.limits.tokens) continue;
    throw BadRequest(std::string("field '") + field + "' has " + std::to_string(tokens->size()) +
                     " tokens; it needs 1 to " + std::to_string(options_.limits.tokens));
  }
  std::vector<std::int64_t> target = sides.target.vocabulary.encode(pair.target);
  target.push_back(data::eos);
  auto found = decode(*model,
                      {{.source = sides.source.vocabulary.encode(pair.source),
                        .search = models::forced_steps(std::move(target))}},
                      is_gone);
  pair.decoded = std::move(found.front().front());
  pair.text = request.translation;
  Json alignment = alignment_to_json(request.text, pair, sides);
  alignment["target"] =
      tokens_to_json(pair.target, spans_of(request.translation, pair.target, sides.target.tokeniser));
  return {{"log_probability", pair.decoded.log_probability}, {"alignment", std::move(alignment)}};
}

Json Service::models() const {
  Json list = Json::array();
  for (const auto& model : current()) {
    const SavedModel& first = model->saved.members.front();
    list.push_back({{"name", model->name},
                    {"decoder", first.settings.model.decoder},
                    {"source_vocabulary", first.sides.source.vocabulary.size()},
                    {"target_vocabulary", first.sides.target.vocabulary.size()},
                    {"parameters", first.model->parameter_count()},
                    {"int8", first.int8 != nullptr}});
  }
  return list;
}

Json Service::languages() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> languages;
  for (const auto& model : current()) {
    const auto dash = model->name.find('-');
    if (dash == std::string::npos) continue;
    const std::string source = model->name.substr(0, dash), target = model->name.substr(dash + 1);
    auto known = std::ranges::find(languages, source, [](const auto& language) { return language.first; });
    if (known == languages.end()) known = languages.insert(known, {source, {}});
    known->second.push_back(target);
  }
  Json list = Json::array();
  for (const auto& [code, targets] : languages) {
    list.push_back({{"code", code}, {"name", code}, {"targets", targets}});
  }
  return list;
}

std::string Service::metrics() const {
  using Load = serve::Scheduler::Load;
  struct Metric {
    const char *name, *type, *help;
    std::int64_t (*value)(const Load&);
  };
  std::ostringstream text;
  for (const Metric& metric :
       {Metric{"gradus_jobs_waiting", "gauge", "Texts that wait to join a batch.",
               [](const Load& load) { return load.waiting; }},
        {"gradus_jobs_running", "gauge", "Texts in a batch.", [](const Load& load) { return load.running; }},
        {"gradus_decoder_steps_total", "counter", "Decoder steps.",
         [](const Load& load) { return load.steps; }},
        {"gradus_decoder_rows_total", "counter", "Hypotheses of all decoder steps.",
         [](const Load& load) { return load.rows; }},
        {"gradus_cache_hits_total", "counter", "Texts whose annotations the cache had.",
         [](const Load& load) { return load.cache.hits; }},
        {"gradus_cache_misses_total", "counter", "Texts whose annotations the cache did not have.",
         [](const Load& load) { return load.cache.misses; }},
        {"gradus_cache_bytes", "gauge", "Size of the cache.",
         [](const Load& load) { return load.cache.bytes; }}}) {
    text << "# HELP " << metric.name << ' ' << metric.help << "\n# TYPE " << metric.name << ' ' << metric.type
         << '\n';
    for (const auto& model : current()) {
      text << metric.name << "{model=\"" << model->name << "\"} " << metric.value(model->scheduler->load())
           << '\n';
    }
  }
  return text.str();
}

}  // namespace gradus::tools
