#include "files/frames.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/nn/npy.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The id of the first frame. The id before it, which vocabularies call data::unk, stands for a frame of
// zeros.
constexpr std::int64_t first_id = data::first_symbol + 1;

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Mean and standard deviation of each band of frames (T, bands).
std::pair<std::vector<float>, std::vector<float>> statistics(std::span<const float> values,
                                                             std::size_t bands) {
  const std::size_t count = values.size() / bands;
  const auto frames = static_cast<double>(count);
  constexpr double least = 1e-3;  // lower bound of the deviation, for a band that does not vary
  std::vector<double> mean(bands), variance(bands);
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % bands] += values[i] / frames;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double away = values[i] - mean[i % bands];
    variance[i % bands] += away * away / frames;
  }
  std::vector<float> deviation;
  for (const double v : variance) deviation.push_back(static_cast<float>(std::max(std::sqrt(v), least)));
  return {{mean.begin(), mean.end()}, deviation};
}

// The integer, or −1 for any other type. Floats give −1, too, because converting a large one is undefined.
std::int64_t integer(const Json& value) { return value.is_number_integer() ? value.get<std::int64_t>() : -1; }

bool is_valid(const Frames::Settings& settings) {
  constexpr std::int64_t most = 100000;
  const std::int64_t size = settings.features.bands;
  const auto finite = [](float x) { return std::isfinite(x); };
  return size >= 1 && size <= most && settings.rate >= 0 && settings.features.step > 0 &&
         settings.features.window > 0 && std::ssize(settings.mean) == size &&
         std::ssize(settings.deviation) == size && std::ranges::all_of(settings.mean, finite) &&
         std::ranges::all_of(settings.deviation, [&](float x) { return finite(x) && x > 0; });
}

}  // namespace

bool is_frames_file(const fs::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".wav" || extension == ".npy";
}

Tensor log_mel_of(const fs::path& path, const speech::Sound& sound, const speech::LogMelOptions& options) {
  try {
    return speech::log_mel(sound, options);
  } catch (const Error& error) {
    const std::string_view text = error.what();
    fail("log_mel", "'", path.string(), "': ", text.substr(text.find(": ") + 2));  // without the operation
  }
}

Frames Frames::learn(std::span<const std::string> paths, std::int64_t bands) {
  Frames frames({.features = {.bands = bands}});
  for (const std::string& path : paths) frames.read(path);
  std::tie(frames.settings_.mean, frames.settings_.deviation) =
      statistics(frames.values_, index(frames.size()));
  return frames;
}

std::string Frames::to_text() const {
  return Json{{"bands", size()},
              {"window", settings_.features.window},
              {"step", settings_.features.step},
              {"rate", settings_.rate},
              {"mean", settings_.mean},
              {"deviation", settings_.deviation}}
      .dump();
}

Frames Frames::from_text(const std::string& text, const std::string& where) {
  try {
    const Json json = Json::parse(text);
    Settings settings{.features = {.window = json.at("window").get<double>(),
                                   .step = json.at("step").get<double>(),
                                   .bands = integer(json.at("bands"))},
                      .rate = integer(json.at("rate")),
                      .mean = json.at("mean").get<std::vector<float>>(),
                      .deviation = json.at("deviation").get<std::vector<float>>()};
    if (is_valid(settings)) return Frames(std::move(settings));
  } catch (const Json::exception&) {  // not JSON, or a field is missing or wrong
  }
  fail("checkpoint", where, " has damaged settings of frames; give a checkpoint written by gradus train");
}

std::vector<std::int64_t> Frames::read(const fs::path& path) {
  auto found = places_.find(path);
  if (found == places_.end()) {
    const Tensor frames = load(path);
    const std::int64_t first = std::ssize(values_) / size();
    const auto values = frames.values<float>();
    values_.insert(values_.end(), values.begin(), values.end());
    found = places_.emplace(path, Place{first, frames.size(0)}).first;
  }
  std::vector<std::int64_t> ids(index(found->second.count));
  std::iota(ids.begin(), ids.end(), first_id + found->second.first);
  return ids;
}

void Frames::check(const fs::path& path) {
  if (!places_.contains(path)) load(path);
}

Tensor Frames::load_wav(const fs::path& path) {
  const speech::Sound sound = speech::read_wav(path);
  const bool learns = settings_.mean.empty();
  if (learns && values_.empty()) settings_.rate = sound.rate;  // the first training file sets the rate
  if (settings_.rate == 0) {
    fail("frames", "'", path.string(), "' is a WAV file, but the ",
         learns ? "files before it are" : "model was trained on",
         " .npy files; give the array that gradus features computes from it");
  }
  if (sound.rate != settings_.rate) {
    fail("frames", "'", path.string(), "' has ", sound.rate, " samples per second and must have ",
         settings_.rate, ", as the ", learns ? "files before it" : "model's training files",
         "; convert it, for example with: sox IN.wav -r ", settings_.rate, " OUT.wav");
  }
  return log_mel_of(path, sound, settings_.features);
}

Tensor Frames::load(const fs::path& path) {
  if (!is_frames_file(path)) {
    fail("frames", "'", path.string(),
         "' ends neither in .wav nor in .npy; name a WAV file, or an array "
         "written by gradus features");
  }
  if (extension_of(path) == ".wav") return load_wav(path);
  Tensor frames = nn::load_npy(path);
  const bool learns = settings_.mean.empty();
  if (learns && settings_.rate > 0) {
    fail("frames", "'", path.string(),
         "' is an .npy file, but the files before it are WAV files; give a WAV file, or convert all files "
         "with gradus features");
  }
  if (learns && values_.empty() && frames.rank() == 2) {
    settings_.features.bands = frames.size(1);  // an .npy file that is read first sets the number of bands
  }
  const bool fits = frames.rank() == 2 && frames.size(0) >= 1 && frames.size(1) == size() && size() >= 1;
  if (!fits || frames.dtype() != Dtype::f32) {
    fail("frames", "'", path.string(), "' is ", frames.shape(), " in ", name(frames.dtype()),
         " and must be (frames, ", size(), ") in f32, as the ",
         learns ? "files before it" : "model's training files",
         "; compute it with gradus features and the same --bands");
  }
  const auto values = frames.values<float>();
  constexpr float most = 1e18F;  // larger values overflow in the model
  const auto bad = std::ranges::find_if(values, [](float x) { return !(std::abs(x) <= most); });
  if (bad != values.end()) {
    fail("frames", "'", path.string(), "' contains ", *bad, " in frame ", (bad - values.begin()) / size(),
         "; compute it again with gradus features");
  }
  return frames;
}

Tensor Frames::vectors(const Tensor& ids) const {
  const std::int64_t D = size(), known = std::ssize(values_) / D;
  Tensor result = zeros({ids.size(0), ids.size(1), D});
  const auto to = result.mutable_values<float>("frames");
  const auto from = ids.values<std::int64_t>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t frame = from[i] - first_id;
    if (frame < 0) continue;
    if (frame >= known) fail("frames", "there is no frame ", frame, "; frames read: ", known);
    for (std::size_t d = 0; d < index(D); ++d) {
      to[i * index(D) + d] = (values_[index(frame * D) + d] - settings_.mean[d]) / settings_.deviation[d];
    }
  }
  return result;
}

Tensor Frames::power(const Tensor& ids) const {
  std::vector<float> sums;
  for (const std::int64_t id : ids.values<std::int64_t>()) {
    double sum = 0;
    for (std::int64_t d = 0; d < size() && id >= first_id; ++d) {
      sum += std::exp(values_[index((id - first_id) * size() + d)]);  // a frame holds logarithms
    }
    sums.push_back(static_cast<float>(sum));
  }
  return tensor(sums, ids.shape());
}

Tensor Frames::plain(std::span<const std::int64_t> ids) const {
  std::vector<float> values;
  for (const std::int64_t id : ids) {
    const auto first = values_.begin() + (id - first_id) * size();
    values.insert(values.end(), first, first + size());
  }
  return tensor(values, {std::ssize(ids), size()});
}

}  // namespace gradus::tools
