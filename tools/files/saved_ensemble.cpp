#include "files/saved_ensemble.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/message.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "settings/printable.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

bool same_vocabulary(const Side& a, const Side& b) {
  return a.vocabulary.to_text() == b.vocabulary.to_text();
}

// Advice for messages: how to train models with the same tokens and vocabularies. A task also needs the same
// seed: the seed determines the examples, and a vocabulary is sorted by how often its tokens occur in them.
std::string same_data(const SavedModel& model) {
  return model.settings.data.task.empty()
             ? "on the same text with the same options for tokens"
             : "with the same --task, --seed and options for examples and tokens";
}

// How the vocabulary of a saved model differs from another one, for messages.
std::string difference(const data::Vocabulary& saved, const data::Vocabulary& run) {
  if (saved.size() != run.size()) return message(saved.size(), " tokens instead of ", run.size());
  std::int64_t id = 0;
  while (saved.token(id) == run.token(id)) ++id;
  return message("token ", id, " is '", excerpt(saved.token(id)), "' instead of '", excerpt(run.token(id)),
                 "'");
}

// Refuses a model that `gradus compress --target-words` wrote from a model with the run's vocabulary. Such a
// model has only the first words of the run's target vocabulary.
void refuse_shortlist(const char* operation, const SavedModel& model, const Sides& run) {
  const data::Vocabulary &few = model.sides.target.vocabulary, &all = run.target.vocabulary;
  const auto writer = model.checkpoint.metadata.find(writer_key);
  if (writer == model.checkpoint.metadata.end() || writer->second != "gradus compress") return;
  if (few.size() >= all.size() || !all.to_text().starts_with(few.to_text())) return;
  constexpr std::int64_t special = data::unk + 1;
  fail(operation, "'", model.path.string(), "' has only ", few.size() - special, " of this run's ",
       all.size() - special,
       " target words, because gradus compress --target-words removed the others; give the model that was "
       "compressed, and then compress the new one with --target-words");
}

}  // namespace

void check_same_tokens(const char* operation, const SavedModel& model, const Sides& run) {
  const std::string path = model.path.string();
  for (const auto& [name, a, b] : {std::tuple{"source", &model.sides.source, &run.source},
                                   {"target", &model.sides.target, &run.target}}) {
    if (a->tokeniser != b->tokeniser) {
      fail(operation, "'", path, "' splits text into other ", name,
           " tokens than this run; give this run the model's options for tokens");
    }
    if (!same_vocabulary(*a, *b)) {
      if (a == &model.sides.target) refuse_shortlist(operation, model, run);
      fail(operation, "'", path, "' has another ", name,
           " vocabulary than this run: ", difference(a->vocabulary, b->vocabulary), "; train both ",
           same_data(model));
    }
  }
}

models::Ensemble SavedEnsemble::model() const {
  std::vector<const models::Seq2Seq*> models;
  for (const SavedModel& member : members) models.push_back(member.model.get());
  return models::Ensemble(std::move(models));
}

SameBits::SameBits(const SavedEnsemble& saved) {
  for (const SavedModel& member : saved.members) {
    if (!member.int8) products_.emplace_back(*member.model);
  }
}

SavedEnsemble load_ensemble(std::span<const std::string> paths, const models::Registry& registry) {
  SavedEnsemble ensemble;
  for (const std::string& path : paths) ensemble.members.push_back(load_saved_model(path, registry));
  check_same_sides(paths, ensemble);
  share_frames(paths, ensemble);
  return ensemble;
}

void check_same_sides(std::span<const std::string> paths, const SavedEnsemble& ensemble) {
  const Sides& first = ensemble.sides();
  for (std::size_t i = 1; i < ensemble.members.size(); ++i) {
    const Sides& other = ensemble.members[i].sides;
    for (const auto& [name, a, b] :
         {std::tuple{"source", &first.source, &other.source}, {"target", &first.target, &other.target}}) {
      const bool same_split = a->tokeniser == b->tokeniser;
      if (same_split && same_vocabulary(*a, *b)) continue;
      fail("ensemble", "'", paths.front(), "' and '", paths[i], "' ",
           same_split ? "have different " : "split text differently into ", name,
           same_split ? " vocabularies" : " tokens", "; an ensemble needs models trained ",
           same_data(ensemble.members[i]));
    }
  }
}

void share_frames(std::span<const std::string> paths, SavedEnsemble& ensemble) {
  for (std::size_t i = 1; i < ensemble.members.size(); ++i) {
    if (share_frames(ensemble.members[i], ensemble.sides().source.frames)) continue;
    fail("ensemble", "'", paths.front(), "' and '", paths[i],
         "' do not read the same frames; an ensemble needs models trained on the same files");
  }
}

void use_top_k_attention(std::span<const SavedModel> members, std::int64_t k) {
  if (k == 0) return;
  for (const SavedModel& member : members) {
    bool found = false;
    for (nn::Module* module : member.model->modules()) {
      auto* const attention = dynamic_cast<nn::ScoredAttention*>(module);
      if (attention == nullptr || !attention->has_softmax()) continue;
      attention->set_normaliser(nn::normaliser::top_k(k));
      found = true;
    }
    if (found) continue;
    const models::ModelOptions& model = member.settings.model;
    fail("top-k attention", "'", member.path.string(), "' (decoder '", model.decoder, "', attention '",
         model.attention,
         "') has no softmax of attention scores to restrict; omit --attention-top-k, or use a model trained "
         "with --decoder bahdanau and an attention with a softmax, such as additive");
  }
}

void check_precision(std::span<const SavedModel> members, Precision precision) {
  if (precision == Precision::f32 || std::ranges::any_of(members, [](auto& one) { return !one.int8; }))
    return;
  throw UsageError("--precision is for f32 and bf16 models, and '" + members.front().path.string() +
                   "' is an int8 model, which multiplies in int8; omit --precision");
}

bool attends(const models::Ensemble& model) {
  const std::vector<data::Pair> shortest{{{data::first_symbol}, {data::eos}}};
  return models::force_decode(model, shortest).front().weights.defined();
}

void check_attends(std::string_view who, const SavedEnsemble& saved) {
  if (attends(saved.model())) return;
  fail(who, "the model (decoder '", saved.members.front().settings.model.decoder,
       "') has no attention weights to show; use a model trained with --decoder bahdanau");
}

}  // namespace gradus::tools
