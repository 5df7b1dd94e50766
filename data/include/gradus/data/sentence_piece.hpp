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

/// A model of the library SentencePiece. Normalises text and splits it into pieces, in which `▁` marks a
/// space. T. Kudo, J. Richardson, "SentencePiece: A simple and language independent subword tokenizer and
/// detokenizer for neural text processing", 2018. Copies share the model. The class is thread-safe. It works
/// only if gradus was built with SentencePiece.
class SentencePiece {
 public:
  /// Reads the content of a model file written by `spm_train`. SentencePiece does not detect all damage: a
  /// flipped byte in a model file can end the program.
  /// @param source_name  the file's name, for messages.
  /// @throws gradus::Error if the bytes are not such a model, or gradus was built without SentencePiece.
  static SentencePiece from_bytes(std::string bytes, std::string_view source_name);
  /// Calls from_bytes() with the content of a file. @throws gradus::Error also if the file cannot be read or
  /// has more than 256 MiB.
  static SentencePiece read(const std::filesystem::path& path);

  /// The pieces of a line. Unless the model has byte fallback, each run of characters that it does not know
  /// becomes one piece, unchanged.
  std::vector<std::string> split(std::string_view line) const;
  /// The text of the pieces. Pieces that the model does not know are copied unchanged; `<unk>` becomes ` ⁇ `.
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
