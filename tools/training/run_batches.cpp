#include "training/run_batches.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/speech/speed.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "settings/check_settings.hpp"
#include "settings/fits.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

data::Batch next_batch(data::Batches& batches, const speech::SpeedRange& speeds, std::uint64_t seed) {
  data::Batch batch = batches.next();
  if (!speeds.varies()) return batch;
  Generator generator = Generator(seed)
                            .stream(static_cast<std::uint64_t>(batches.epoch()))
                            .stream(static_cast<std::uint64_t>(batches.position()));
  return speech::at_random_speeds(batch, speeds, generator);
}

}  // namespace

std::shared_ptr<data::Batches> make_batches(Settings& settings, const Corpus& corpus,
                                            std::vector<data::Pair> pairs, const Sides& sides,
                                            const models::Registry& registry) {
  if (settings.trainer.schedule == "plateau" && corpus.dev.empty()) {
    throw UsageError("--schedule plateau needs dev pairs; raise --dev-percent, or give --dev-pairs");
  }
  check_training_fits(settings, vocabularies_of(sides), pairs, registry);
  data::BatchesOptions options = settings.batches;
  options.seed = settings.run.seed;
  auto batches = std::make_shared<data::Batches>(std::move(pairs), options);
  if (settings.run.epochs > 0) {
    const std::int64_t count = batches->batches_in_epochs(settings.run.epochs),
                       each = settings.trainer.accumulate;
    settings.trainer.steps = (count + each - 1) / each;
    check_warm_up(settings);
    check_pruning(settings);
  }
  return batches;
}

std::optional<std::int64_t> fingerprint_of_batches(const NamedTensors& checkpoint) {
  const std::string stream = "trainer.stream";
  const auto found = std::ranges::find(checkpoint, stream, &NamedTensors::value_type::first);
  if (found == checkpoint.end() || found->second.dtype() != Dtype::i64 || found->second.numel() != 3)
    return std::nullopt;
  return found->second.values<std::int64_t>()[2];
}

void refuse_other_data(const Settings& settings) {
  fail("resume", "the run was trained on other pairs or batches; give its original data and batch options",
       settings.teacher.model.empty() ? ""
       : settings.teacher.beam > 0    ? ", and the original --teacher and --teacher-beam"
                                      : ", and the original --teacher",
       ", or start a new run");
}

models::BatchStream stream_of(const std::shared_ptr<data::Batches>& batches, const Settings& settings) {
  const auto print = [batches] { return std::bit_cast<std::int64_t>(batches->fingerprint()); };
  const speech::SpeedRange speeds = settings.data.frames ? settings.data.speeds : speech::SpeedRange{};
  return {.next = [batches, speeds, seed = settings.run.seed] { return next_batch(*batches, speeds, seed); },
          .state = [batches, print]() -> std::vector<std::int64_t> {
            return {batches->epoch(), batches->position(), print()};
          },
          .set_state =
              [batches, print, settings](const std::vector<std::int64_t>& place) {
                if (place.size() != 3 || place[2] != print()) refuse_other_data(settings);
                batches->set_state({.epoch = place[0], .position = place[1]});
              }};
}

}  // namespace gradus::tools
