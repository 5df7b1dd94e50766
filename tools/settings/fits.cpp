#include "settings/fits.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/message.hpp>
#include <gradus/nn/optimisers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "settings/free_memory.hpp"
#include "settings/least_size.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

constexpr double bytes_per_number = 4;

// "19.2 GB"
std::string in_bytes(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  std::ostringstream text;
  text.precision(3);
  text << bytes << ' ' << units[unit];
  return text.str();
}

// A frozen parameter has a value, which is copied for saving.
constexpr double bytes_per_frozen_parameter = 2 * bytes_per_number;

// Training stores, for each parameter, a value, a gradient and the optimiser's averages. Saving copies the
// value and the averages.
double bytes_per_parameter(const std::string& optimiser) {
  const int averages = nn::find_optimiser(optimiser).averages;
  return bytes_per_number * ((2 + averages) + (1 + averages));
}

// The size of an average batch, without padding. `source` and `target` count the tokens of one shard, because
// the shards are computed one after the other.
struct Load {
  double pairs = 0, source = 0, target = 0;
};

struct Plan {
  models::ModelOptions model;
  models::Vocabularies vocabularies;
  Load batch;
  bool frozen_source = false, frozen_target = false;  // embeddings; the target's may be shared
};

struct Need {
  double parameters;
  double model, batch;  // bytes

  double all() const { return model + batch; }
};

Need need_of(const Plan& plan, double bytes_per_parameter, const models::Registry& registry) {
  const LeastSize size = least_size(plan.model, plan.vocabularies, registry);
  const std::int64_t frozen_words = (plan.frozen_source ? plan.vocabularies.source : 0) +
                                    (plan.frozen_target ? plan.vocabularies.target : 0);
  const double frozen = static_cast<double>(frozen_words) * static_cast<double>(plan.model.embedding);
  return {.parameters = size.parameters,
          .model = (size.parameters - frozen) * bytes_per_parameter + frozen * bytes_per_frozen_parameter,
          .batch = bytes_per_number *
                   (size.per_source_token * plan.batch.source + size.per_target_token * plan.batch.target)};
}

// The names of the options to lower, for an error message. Lowers each option by itself to its minimum, and
// computes the memory that the plan then needs. Names the option whose minimum needs the least memory, and
// every option whose minimum needs at most twice as much.
// @param batch the option for the batch size; null for a gradient check, whose batch and vocabularies are
// fixed
std::string options_at_fault(const Plan& plan, const char* batch, double bytes_per_parameter,
                             const models::Registry& registry) {
  std::vector<std::pair<std::string, double>> needs;  // the bytes needed with the option at its minimum
  const auto add = [&](const char* option, const auto& lower) {
    Plan lowered = plan;
    lower(lowered);
    needs.emplace_back(option, need_of(lowered, bytes_per_parameter, registry).all());
  };
  add("--hidden", [](Plan& least) { least.model.hidden = 1; });
  add("--embedding", [](Plan& least) { least.model.embedding = 1; });
  add("--energy", [](Plan& least) { least.model.energy = 1; });
  add("--maxout", [](Plan& least) { least.model.maxout = 1; });
  add("--layers", [](Plan& least) { least.model.layers = 1; });
  if (batch != nullptr) {
    add("--words", [](Plan& least) { least.vocabularies = {.source = 1, .target = 1}; });
    add(batch, [](Plan& least) { least.batch = {}; });
  }
  const double least = std::ranges::min(needs, {}, &std::pair<std::string, double>::second).second;
  std::string names;
  for (const auto& [option, need] : needs) {
    if (need <= 2 * least) names.append(names.empty() ? "" : " or ").append(option);
  }
  return names;
}

Load load_of(const data::BatchesOptions& options, std::span<const data::Pair> pairs, std::int64_t shards) {
  const auto all = static_cast<double>(pairs.size());
  double source = 0, target = 0;
  for (const data::Pair& pair : pairs) {
    source += static_cast<double>(pair.source.size());
    target += static_cast<double>(pair.target.size());
  }
  // --batch-tokens counts padding, too. The estimate assumes that half of a batch is padding.
  const double batch = options.tokens > 0 ? 0.5 * static_cast<double>(options.tokens) / (source + target)
                                          : static_cast<double>(options.sentences) / all;
  const double part = std::min(1.0, batch), of_shard = part / static_cast<double>(shards);
  return {.pairs = part * all, .source = of_shard * source, .target = of_shard * target};
}

// Refuses a pair with more tokens than --batch-tokens allows.
void check_pairs_fit(std::int64_t batch_tokens, std::span<const data::Pair> pairs) {
  if (batch_tokens == 0) return;
  for (const data::Pair& pair : pairs) {
    const std::int64_t tokens = std::ssize(pair.source) + std::ssize(pair.target);
    if (tokens <= batch_tokens) continue;
    fail("train", "a pair of ", tokens, " tokens (", pair.source.size(), " source, ", pair.target.size(),
         " target) exceeds --batch-tokens ", batch_tokens,
         "; raise it, or drop such pairs with --max-tokens and --max-target-tokens");
  }
}

}  // namespace

void check_task_fits(const DataSettings& settings) {
  if (settings.task.empty() || settings.task == "dates") return;
  constexpr double bytes_per_symbol = 100;  // measured: text, strings and ids together
  const data::TaskOptions& task = settings.task_options;
  const auto symbols_of = [&](std::int64_t examples, std::int64_t longest) {
    return static_cast<double>(examples) * 0.5 * static_cast<double>(task.min_length + longest);
  };
  const std::int64_t held_out = settings.test_max_length > 0 ? settings.test_max_length : task.max_length;
  const double symbols = symbols_of(settings.examples, task.max_length) +
                         2 * symbols_of(settings.held_out, held_out),
               bytes = symbols * bytes_per_symbol, free = free_memory();
  if (bytes <= free) return;
  fail("corpus", "a task of ", std::llround(symbols), " symbols needs at least ", in_bytes(bytes),
       " of memory, but ", in_bytes(free), " are free; lower --examples, --held-out or the lengths");
}

void check_training_fits(const Settings& settings, const models::Vocabularies& vocabularies,
                         std::span<const data::Pair> pairs, const models::Registry& registry) {
  const double each = bytes_per_parameter(settings.trainer.optimiser);
  const RunSettings& run = settings.run;
  const bool shared = settings.model.tied == models::Tied::all,
             source = run.freeze_embeddings && !run.source_embeddings.empty(),
             target = run.freeze_embeddings && !run.target_embeddings.empty();
  const std::int64_t shards = settings.trainer.shards;
  const Plan plan{settings.model, vocabularies, load_of(settings.batches, pairs, shards), source && !shared,
                  target || (source && shared)};
  const Need need = need_of(plan, each, registry);
  const double free = free_memory();
  if (need.all() <= free) return check_pairs_fit(settings.batches.tokens, pairs);
  const char* const batch = settings.batches.tokens > 0 ? "--batch-tokens" : "--batch";
  fail("train", "a model of ", need.parameters, " parameters needs at least ", in_bytes(need.model),
       " of memory to train and save, and a batch of ", plan.batch.pairs, " pairs ",
       shards > 1 ? message("in ", shards, " shards ") : "", in_bytes(need.batch), ", but ", in_bytes(free),
       " are free; lower ", options_at_fault(plan, batch, each, registry));
}

void check_gradcheck_fits(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                          const models::Registry& registry) {
  // bytes of an element: its value in f32, its value in f64, and its gradient in f64
  constexpr double each = 4 + 8 + 8;
  const Plan plan{model, vocabularies, {}};
  const Need need = need_of(plan, each, registry);
  const double free = free_memory();
  if (need.all() <= free) return;
  fail("gradcheck", "a model of ", need.parameters, " parameters needs at least ", in_bytes(need.model),
       " of memory to check, but ", in_bytes(free), " are free; lower ",
       options_at_fault(plan, nullptr, each, registry));
}

void check_beam_fits(std::int64_t width, std::int64_t vocabulary, const char* option) {
  const double each = bytes_per_number * static_cast<double>(vocabulary), free = free_memory();
  if (each * static_cast<double>(width) <= free) return;
  throw UsageError(message(option, ' ', width, " needs at least ",
                           in_bytes(each * static_cast<double>(width)), " of memory for each sentence, but ",
                           in_bytes(free), " are free; give at most ", option, ' ',
                           std::max<std::int64_t>(1, static_cast<std::int64_t>(free / each))));
}

}  // namespace gradus::tools
