#include "files/npy_header.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace gradus::nn {
namespace {

// A parser for the Python literals that NumPy writes: strings without escapes, booleans, and tuples of sizes.
class Literal {
 public:
  Literal(std::string_view text, const std::filesystem::path& file) : text_(text), file_(file) {}

  bool accept(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) expected("'" + std::string(token) + "'");
  }

  void expect_end() {
    skip_spaces();
    if (at_ < text_.size()) expected("the end");
  }

  std::string_view string() {
    const char quote = accept("'") ? '\'' : accept("\"") ? '"' : '\0';
    const std::size_t end = quote == '\0' ? text_.npos : text_.find(quote, at_);
    if (end == text_.npos) expected("a string");
    const std::string_view between = text_.substr(at_, end - at_);
    at_ = end + 1;
    return between;
  }

  bool boolean() {
    if (accept("True")) return true;
    if (!accept("False")) expected("True or False");
    return false;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect("(");
    while (!accept(")")) {
      sizes.push_back(size());
      if (accept(",")) continue;
      if (sizes.size() == 1) expect(",");  // "(3)" without a comma is a number, not a tuple
      expect(")");
      break;
    }
    return sizes;
  }

  [[noreturn]] void expected(const std::string& what) const {
    refuse_npy(file_, "has an invalid header: expected ", what, " at byte ", at_,
               "; write the file again with numpy.save");
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::int64_t size() {
    skip_spaces();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) expected("a size of 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  const std::filesystem::path& file_;
  std::size_t at_ = 0;
};

Dtype dtype_of_npy(Literal& literal, const std::filesystem::path& file) {
  const bool records = literal.accept("[");
  const std::string_view type = records ? "records" : literal.string();
  if (type == "<f4") return Dtype::f32;
  if (type == "<f8") return Dtype::f64;
  if (type == "<i8") return Dtype::i64;
  refuse_npy(file, "holds ", records ? "" : "'", type, records ? "" : "'",
             ", and only '<f4', '<f8' and '<i8' are read; convert it in NumPy, say with a.astype('<f4'), and "
             "save it again");
}

Shape shape_of_npy(Literal& literal, const std::filesystem::path& file) {
  const std::vector<std::int64_t> sizes = literal.tuple();
  for (const std::int64_t size : sizes) {  // Shape accepts -1, for a size to be inferred
    if (size < 0)
      refuse_npy(file, "has an axis of the negative size ", size,
                 "; it is damaged, so copy or save it again");
  }
  try {
    return Shape(std::span<const std::int64_t>(sizes));
  } catch (const Error& error) {
    const std::string_view text = error.what();  // "Shape: …"
    refuse_npy(file, "has a shape that no tensor can have (", text.substr(text.find(": ") + 2),
               "); reshape or split it in NumPy");
  }
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file) {
  std::optional<Dtype> dtype;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;

  Literal literal(text, file);
  literal.expect("{");
  while (!literal.accept("}")) {
    const std::string_view key = literal.string();
    literal.expect(":");
    if (key == "descr" && !dtype) {
      dtype = dtype_of_npy(literal, file);
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = literal.boolean();
    } else if (key == "shape" && !shape) {
      shape = shape_of_npy(literal, file);
    } else {
      literal.expected("one each of 'descr', 'fortran_order' and 'shape'");
    }
    if (literal.accept(",")) continue;
    literal.expect("}");
    break;
  }
  literal.expect_end();
  if (!dtype || !fortran_order || !shape) literal.expected("each of 'descr', 'fortran_order' and 'shape'");
  return {*dtype, *fortran_order, *shape};
}

}  // namespace gradus::nn
