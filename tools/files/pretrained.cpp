#include "files/pretrained.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/word_vectors.hpp>

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

// The embedding's weight, (V, E).
Tensor weight_of(const models::Seq2Seq& model, const std::string& part) {
  const std::string wanted = part + ".embedding.weight";
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (name == wanted) return parameter;
  }
  fail("embeddings", "the model has no '", wanted, "'; omit the file of word vectors");
}

std::string load(const fs::path& path, const char* side, const data::Vocabulary& vocabulary, Tensor weight) {
  const data::WordVectors vectors = data::read_word_vectors(path, vocabulary);
  const std::int64_t size = weight.size(1);
  if (vectors.size != size) {
    fail("embeddings", "'", path.string(), "' has vectors of size ", vectors.size, ", and --embedding is ",
         size, "; give --embedding ", vectors.size, " or another file");
  }
  const std::int64_t tokens = vocabulary.size() - (data::unk + 1);
  const auto found = std::ssize(vectors.ids);
  if (found == 0) {
    fail("embeddings", "'", path.string(), "' has a vector for none of the ", tokens, ' ', side,
         " tokens; give a file of that language, and see --lower and --bpe");
  }
  Tensor rows = weight.detach().clone();
  const auto values = rows.mutable_values<float>();
  for (std::size_t i = 0; i < vectors.ids.size(); ++i) {
    const auto row =
        std::span(vectors.values).subspan(i * static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    std::ranges::copy(row, values.begin() + vectors.ids[i] * size);
  }
  weight.replace(rows);
  std::ostringstream line;
  line << "embeddings  " << found << " of " << tokens << ' ' << side << " tokens (" << std::fixed
       << std::setprecision(1) << 100.0 * static_cast<double>(found) / static_cast<double>(tokens)
       << " %) from " << path.string() << '\n';
  return line.str();
}

}  // namespace

std::string load_embeddings(const Settings& settings, const Sides& sides, models::Seq2Seq& model) {
  const fs::path &source = settings.run.source_embeddings, &target = settings.run.target_embeddings;
  std::string lines;
  if (!source.empty()) lines += load(source, "source", sides.source.vocabulary, weight_of(model, "encoder"));
  if (!target.empty()) lines += load(target, "target", sides.target.vocabulary, weight_of(model, "decoder"));
  return lines;
}

void freeze_embeddings(const RunSettings& settings, models::Seq2Seq& model) {
  if (!settings.freeze_embeddings) return;
  if (!settings.source_embeddings.empty()) weight_of(model, "encoder").set_requires_grad(false);
  if (!settings.target_embeddings.empty()) weight_of(model, "decoder").set_requires_grad(false);
}

}  // namespace gradus::tools
