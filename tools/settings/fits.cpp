#include "settings/fits.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/nn/optimisers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "settings/free_memory.hpp"
#include "settings/least_size.hpp"

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

// For each parameter, training stores a value, a gradient and the optimiser's averages; saving copies the
// value and the averages.
double bytes_per_parameter(const std::string& optimiser) {
  const int averages = nn::find_optimiser(optimiser).averages;
  return bytes_per_number * ((2 + averages) + (1 + averages));
}

// Size of a batch of pairs of mean length, without padding.
struct Load {
  double pairs, source, target;  // tokens
};

Load load_of(const data::BatchesOptions& options, std::span<const data::Pair> pairs) {
  const auto all = static_cast<double>(pairs.size());
  double source = 0, target = 0;
  for (const data::Pair& pair : pairs) {
    source += static_cast<double>(pair.source.size());
    target += static_cast<double>(pair.target.size());
  }
  // Half of a batch of tokens may be padding.
  const double batch = options.tokens > 0 ? 0.5 * static_cast<double>(options.tokens) / (source + target)
                                          : static_cast<double>(options.sentences) / all;
  const double part = std::min(1.0, batch);
  return {.pairs = part * all, .source = part * source, .target = part * target};
}

// Refuses pairs with more tokens than a batch.
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
  const LeastSize size = least_size(settings.model, vocabularies, registry);
  const Load batch = load_of(settings.batches, pairs);
  const double for_model = size.parameters * bytes_per_parameter(settings.trainer.optimiser),
               for_batch = bytes_per_number *
                           (size.per_source_token * batch.source + size.per_target_token * batch.target),
               free = free_memory();
  if (for_model + for_batch <= free) return check_pairs_fit(settings.batches.tokens, pairs);
  fail("train", "a model of ", size.parameters, " parameters needs at least ", in_bytes(for_model),
       " of memory to train and save, and a batch of ", batch.pairs, " pairs ", in_bytes(for_batch), ", but ",
       in_bytes(free), " are free; lower ",
       for_model > for_batch ? "--hidden, --embedding, --energy, --layers or --words"
                             : "--batch or --batch-tokens");
}

}  // namespace gradus::tools
