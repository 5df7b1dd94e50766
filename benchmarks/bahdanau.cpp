// bench_bahdanau: measures a training step, or greedy decoding, of the Bahdanau model.

#include "gradus_contender.hpp"
#include "peak.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  return bench::run(
      argc, argv,
      {.name = "gradus",
       .description = "The time of a step of the Bahdanau model in gradus",
       .make =
           [](const bench::Options& options) { return std::make_unique<bench::GradusContender>(options); },
       .sgemm_peak = bench::sgemm_peak,
       .precisions = {"f32", "bf16", "int8"}});
}
