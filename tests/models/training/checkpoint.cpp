// Checkpoint files: contents, errors, and writers that are killed.

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "models/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Generator;
using gradus::Tensor;
using models::Checkpoint;

namespace {

struct File : Scratch {
  fs::path file = path() / "last.safetensors";
};

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a loaded checkpoint has the caller's metadata and the library's", "[models][checkpoint]") {
  const File scratch;
  models::save_checkpoint(scratch.file, {{{"model.w", gradus::tensor({1, 2})}}, {{"words", "a b"}}});
  const Checkpoint loaded = models::load_checkpoint(scratch.file);
  REQUIRE(loaded.tensors.size() == 1);
  CHECK(loaded.tensors[0].first == "model.w");
  CHECK(mismatch(loaded.tensors[0].second, gradus::tensor({1, 2})) == "");
  CHECK(loaded.metadata.at("words") == "a b");
  CHECK(loaded.metadata.at("gradus.format") == "1");
  CHECK(loaded.metadata.at("gradus.version") != "");
  CHECK(loaded.metadata.at("gradus.kernels") == gradus::build_info().blas_kernels);
  CHECK(loaded.metadata.at("gradus.threads") == std::to_string(gradus::threads()));
  CHECK(models::check_reproducible(loaded.metadata).empty());

  const std::string bytes = content(scratch.file);
  models::save_checkpoint(scratch.file, loaded);
  CHECK((content(scratch.file) == bytes));
}

TEST_CASE("a flipped bit of a checkpoint is noticed", "[models][checkpoint]") {
  const File scratch;
  const Checkpoint saved{{{"model.w", gradus::tensor({1, 2, 3, 4}).reshape({2, 2})},
                          {"model.e", gradus::zeros({0, 2})},
                          {"trainer.steps", integers({7})}},
                         {{"words", "a b"}}};
  models::save_checkpoint(scratch.file, saved);
  const std::string bytes = content(scratch.file);
  const std::size_t key = bytes.find("gradus.checksum");
  REQUIRE(key != bytes.npos);
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    if (i / 8 >= key && i / 8 < key + 15) continue;  // a damaged key hides the checksum
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    std::ofstream(scratch.file, std::ios::binary) << flipped;
    INFO("bit " << i % 8 << " of byte " << i / 8);
    CHECK_THROWS_WITH(models::load_checkpoint(scratch.file),
                      Catch::Matchers::ContainsSubstring(scratch.file.string()));
  }
  std::string flipped = bytes;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  std::ofstream(scratch.file, std::ios::binary) << flipped;
  CHECK_THROWS_WITH(models::load_checkpoint(scratch.file),
                    Catch::Matchers::StartsWith("load_checkpoint: '" + scratch.file.string() +
                                                "' is damaged: it was saved with the checksum ") &&
                        Catch::Matchers::EndsWith("; copy it again, or use another checkpoint"));
}

TEST_CASE("a checkpoint without a checksum is loaded", "[models][checkpoint]") {
  const File scratch;
  models::save_checkpoint(scratch.file, {{{"model.w", gradus::tensor({1})}}, {}});
  Checkpoint older = models::load_checkpoint(scratch.file);
  REQUIRE(older.metadata.erase("gradus.checksum") == 1);
  nn::save_safetensors(scratch.file, older.tensors, older.metadata);
  CHECK(models::load_checkpoint(scratch.file).tensors.size() == 1);
}

TEST_CASE("check_reproducible() lists the differences from the saving process", "[models][checkpoint]") {
  const File scratch;
  const Threads one(1);
  models::save_checkpoint(scratch.file, {});
  nn::Metadata metadata = models::load_checkpoint(scratch.file).metadata;
  const Threads two(2);
  CHECK(models::check_reproducible(metadata) == Strings{"the number of threads was 1 and is 2"});
  const std::string version = metadata.at("gradus.version"), kernels = metadata.at("gradus.kernels");
  metadata["gradus.threads"] = "2";
  metadata["gradus.version"] = "0.0.1";
  metadata.erase("gradus.kernels");
  CHECK(models::check_reproducible(metadata) ==
        Strings{"the version of gradus was 0.0.1 and is " + version,
                "the kernel set of that library was not recorded and is " + kernels});
}

TEST_CASE("files that are not checkpoints are refused", "[models][checkpoint]") {
  const File scratch;
  const std::string quoted = "'" + scratch.file.string() + "'";
  CHECK_ERROR(models::load_checkpoint(scratch.file),
              "load_safetensors: " + quoted + " cannot be opened: No such file or directory; check the path");
  nn::save_safetensors(scratch.file, {{"w", gradus::tensor({1})}});
  CHECK_ERROR(models::load_checkpoint(scratch.file),
              "load_checkpoint: " + quoted +
                  " is not a checkpoint but a plain tensor file; give a file saved by training");
  models::save_checkpoint(scratch.file, {});
  nn::Metadata metadata = models::load_checkpoint(scratch.file).metadata;
  metadata["gradus.format"] = "2";
  nn::save_safetensors(scratch.file, {}, metadata);
  CHECK_ERROR(models::load_checkpoint(scratch.file),
              "load_checkpoint: " + quoted + " has format 2, but gradus " + metadata["gradus.version"] +
                  " reads format 1; use the version that wrote it");
}

TEST_CASE("load_model() loads a checkpoint's weights", "[models][checkpoint]") {
  const auto all = tiny_models();
  gradus::seed(2);
  const Model other = models::make_bahdanau(tiny);
  Checkpoint checkpoint{{{"trainer.steps", integers({1})}}, {}};
  for (const auto& [name, tensor] : all[0]->state_dict()) {
    checkpoint.tensors.emplace_back("model." + name, tensor);
  }
  REQUIRE(snapshot(*other) != snapshot(*all[0]));
  models::load_model(*other, checkpoint);
  CHECK(snapshot(*other) == snapshot(*all[0]));

  std::erase_if(checkpoint.tensors,
                [](const auto& tensor) { return tensor.first == "model.decoder.readout.bias"; });
  const auto before = snapshot(*all[0]);
  CHECK_ERROR(models::load_model(*all[0], checkpoint),
              "load_state_dict: the checkpoint's model does not fit, so nothing was loaded: missing "
              "'decoder.readout.bias'; give the state of a module made with the same sizes");
  CHECK(snapshot(*all[0]) == before);
}

TEST_CASE("a tensor with two names may be once in a checkpoint", "[models][checkpoint]") {
  const models::ModelOptions options{.embedding = 5, .hidden = 6, .energy = 4, .tied = models::Tied::output};
  const models::Vocabularies vocabularies{.source = 7, .target = 8};
  const auto model = models::make_model(options, vocabularies);
  for (const char* left_out : {"model.decoder.readout.weight", "model.decoder.embedding.weight"}) {
    Checkpoint checkpoint;
    for (const auto& [name, tensor] : model->state_dict()) {
      if ("model." + name != left_out) checkpoint.tensors.emplace_back("model." + name, tensor);
    }
    REQUIRE(checkpoint.tensors.size() + 1 == model->state_dict().size());
    const auto other = models::make_model(options, vocabularies);
    REQUIRE(snapshot(*other) != snapshot(*model));
    models::load_model(*other, checkpoint);
    CHECK(snapshot(*other) == snapshot(*model));
  }
}

TEST_CASE("a full disk keeps the previous checkpoint", "[models][checkpoint]") {
  const File scratch;
  models::save_checkpoint(scratch.file, {{{"model.w", gradus::tensor({1})}}, {}});
  const std::string before = content(scratch.file);
  {
    const SizeLimit limit(4096);
    CHECK_ERROR(
        models::save_checkpoint(scratch.file, {{{"model.w", gradus::zeros({2000})}}, {}}),
        "save_safetensors: cannot write to '" + scratch.file.string() +
            "': File too large; raise the limit of this shell, 'ulimit -f', or choose another file system");
  }
  CHECK((content(scratch.file) == before));
  CHECK(names(scratch.path()) == Strings{"last.safetensors"});
}

TEST_CASE("the checkpoint is intact whenever a writer is killed", "[models][checkpoint]") {
  const File scratch;
  const auto made = [](double value) {
    return Checkpoint{{{"model.w", gradus::full({200'000}, value)}}, {{"value", std::to_string(value)}}};
  };
  const Checkpoint ones = made(1), twos = made(2);
  Generator moments(7);
  bool left_behind = false;
  for (int round = 0; round < 30; ++round) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t writer = ::fork();
    REQUIRE(writer >= 0);
    if (writer == 0) {
      while (true) {
        models::save_checkpoint(scratch.file, ones);
        models::save_checkpoint(scratch.file, twos);
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    CHECK(::read(ready[0], &byte, 1) == 1);
    ::usleep(static_cast<useconds_t>(moments.below(4000)));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);

    const Checkpoint found = models::load_checkpoint(scratch.file);
    const double value = std::stod(found.metadata.at("value"));
    CHECK((value == 1 || value == 2));
    CHECK(mismatch(found.tensors[0].second, gradus::full({200'000}, value)) == "");
    left_behind |= names(scratch.path()).size() > 1;
    gradus::files::sweep(scratch.path());
    CHECK(names(scratch.path()) == Strings{"last.safetensors"});
  }
  CHECK(left_behind);  // at least one writer was killed while it wrote
}
