#include "files/pretrained.hpp"

#include <gradus/autograd/checks.hpp>

#include <algorithm>
#include <iomanip>
#include <span>
#include <sstream>
#include <utility>

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

Pretrained read(const fs::path& path, std::int64_t size, const char* side, const char* part,
                const data::Vocabulary& vocabulary) {
  data::WordVectors vectors = data::read_word_vectors(path, vocabulary);
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
  std::ostringstream line;
  line << "embeddings  " << found << " of " << tokens << ' ' << side << " tokens (" << std::fixed
       << std::setprecision(1) << 100.0 * static_cast<double>(found) / static_cast<double>(tokens)
       << " %) from " << path.string() << '\n';
  return {part, std::move(vectors), line.str()};
}

}  // namespace

std::vector<Pretrained> read_embeddings(const Settings& settings, const Sides& sides) {
  const fs::path &source = settings.run.source_embeddings, &target = settings.run.target_embeddings;
  const std::int64_t size = settings.model.embedding;
  std::vector<Pretrained> embeddings;
  if (!source.empty()) embeddings.push_back(read(source, size, "source", "encoder", sides.source.vocabulary));
  if (!target.empty()) embeddings.push_back(read(target, size, "target", "decoder", sides.target.vocabulary));
  return embeddings;
}

void set_embeddings(const std::vector<Pretrained>& embeddings, models::Seq2Seq& model) {
  for (const auto& [part, vectors, report] : embeddings) {
    Tensor weight = weight_of(model, part);  // (V, E)
    Tensor rows = weight.detach().clone();
    const auto values = rows.mutable_values<float>();
    const auto size = static_cast<std::size_t>(vectors.size);
    for (std::size_t i = 0; i < vectors.ids.size(); ++i) {
      std::ranges::copy(std::span(vectors.values).subspan(i * size, size),
                        values.begin() + vectors.ids[i] * vectors.size);
    }
    weight.replace(rows);
  }
}

void freeze_embeddings(const RunSettings& settings, models::Seq2Seq& model) {
  if (!settings.freeze_embeddings) return;
  if (!settings.source_embeddings.empty()) weight_of(model, "encoder").set_requires_grad(false);
  if (!settings.target_embeddings.empty()) weight_of(model, "decoder").set_requires_grad(false);
}

}  // namespace gradus::tools
