// Dev scores that several processes compute together. Here, the processes are threads.

#include "training/dev_scores.hpp"

#include <gradus/distributed/threads.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>

#include <vector>

#include "reports/measure.hpp"
#include "tools/run.hpp"

namespace data = gradus::data;
namespace distributed = gradus::distributed;
namespace tools = gradus::tools;

TEST_CASE("dev scores depend on the number of shards at most by rounding, and not on that of processes",
          "[tools][distributed]") {
  const Scratch scratch;
  const std::filesystem::path path = write_small_model(scratch.path(), small_settings());
  const std::vector<data::SentencePair> pairs = {{"good morning!", "Bonjour !"},
                                                 {"the red book", "Le livre ROUGE"},
                                                 {"book", "livre"},
                                                 {"red", "rouge"},
                                                 {"the book", "le livre"}};
  const auto load = [&] { return tools::load_saved_model(path, gradus::models::Registry::standard()); };
  const auto scored = [&](std::int64_t shards, distributed::Communicator& processes) {
    const tools::SavedModel saved = load();
    const tools::DevScores scores = tools::score(
        *saved.model, {saved.sides, pairs, tools::encode(pairs, saved.sides)}, true, shards, processes);
    return std::vector<double>{scores.loss, scores.bleu, scores.exact};
  };
  distributed::Alone alone;
  const std::vector<double> whole = scored(1, alone);
  const tools::SavedModel saved = load();
  saved.model->eval();
  CHECK(whole[0] == gradus::models::evaluate_loss(*saved.model, tools::encode(pairs, saved.sides)));
  const tools::Scores expected = tools::measure(*saved.model, saved.sides, pairs, gradus::models::greedy());
  CHECK(whole[1] == expected.bleu());
  CHECK(whole[2] == expected.exact.fraction());
  for (const std::int64_t shards : {4, 8}) {  // with 8 shards, 3 are empty
    const std::vector<double> by_one = scored(shards, alone);
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(by_one[i] == Catch::Approx(whole[i]).epsilon(1e-5));
    std::vector<std::vector<double>> by_four(4);
    distributed::run_as_threads(4, [&](distributed::Communicator& self) {
      by_four[static_cast<std::size_t>(self.rank())] = scored(shards, self);
    });
    CHECK(by_four == std::vector(4, by_one));
  }
}
