#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A model of the library SentencePiece: normalises text and splits it into pieces, where `▁` marks a space.
/// T. Kudo, J. Richardson, "SentencePiece: A simple and language independent subword tokenizer and
/// detokenizer for neural text processing", 2018. Copies share the model; threads may use it at the same
/// time. Needs gradus to be built with the library.
class SentencePiece {
 public:
  /// Reads the content of a model file, which `spm_train` writes.
  /// \param source_name  the file's name, for messages.
  /// The library does not notice every damage: a flipped byte in a model can end the program.
  /// \throws gradus::Error if the bytes are no such model, or gradus was built without SentencePiece.
  static SentencePiece from_bytes(std::string bytes, std::string_view source_name);
  /// from_bytes() of a file. \throws gradus::Error also if it cannot be read.
  static SentencePiece read(const std::filesystem::path& path);

  /// The pieces of a line. A character unknown to the model is a piece of its own.
  std::vector<std::string> split(std::string_view line) const;
  /// The text of the pieces. Pieces unknown to the model are copied unchanged; `<unk>` becomes ` ⁇ `.
  std::string join(std::span<const std::string> pieces) const;

  /// The number of pieces, special ones included.
  std::int64_t size() const;
  /// The content of the model file.
  const std::string& bytes() const;

  bool operator==(const SentencePiece& other) const { return bytes() == other.bytes(); }

 private:
  struct Model;
  explicit SentencePiece(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
