#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The tensors of tests/golden/<name>.txt by name. tests/golden/README.md describes the format.
class Golden {
 public:
  explicit Golden(const std::string& name) : file_(std::string(GRADUS_GOLDEN) + "/" + name + ".txt") {
    std::ifstream in(file_);
    if (!in) throw std::runtime_error("cannot read " + file_);
    while (skip_comments(in)) read(in);
  }

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }

  /// @throws std::runtime_error if the file has no tensor of this name.
  const gradus::Tensor& operator[](const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw std::runtime_error("unknown tensor '" + name + "' in " + file_);
    return found->second;
  }

  /// The names that begin with `prefix`, with the prefix removed.
  std::vector<std::string> after(const std::string& prefix) const {
    std::vector<std::string> rest;
    for (const auto& [name, tensor] : tensors_) {
      if (name.starts_with(prefix)) rest.push_back(name.substr(prefix.size()));
    }
    return rest;
  }

  /// The tensors whose names begin with `prefix`. The prefix is removed from the names.
  Golden part(const std::string& prefix) const {
    Golden result = *this;
    result.tensors_.clear();
    for (const std::string& rest : after(prefix)) result.tensors_[rest] = tensors_.at(prefix + rest);
    return result;
  }

 private:
  // Skips comment lines. Returns true if a tensor follows.
  static bool skip_comments(std::istream& in) {
    for (std::string comment; (in >> std::ws).peek() == '#';) std::getline(in, comment);
    return !in.eof();
  }

  static gradus::Shape shape_of(std::string text) {
    std::vector<std::int64_t> sizes;
    for (char& c : text) c = c == 'x' ? ' ' : c;
    std::istringstream in(text == "scalar" ? "" : text);
    for (std::int64_t size = 0; in >> size;) sizes.push_back(size);
    return gradus::Shape(std::span<const std::int64_t>(sizes));
  }

  template <class T>
  static gradus::Tensor values(std::istream& in, const gradus::Shape& shape) {
    std::vector<T> numbers(static_cast<std::size_t>(shape.numel()));
    for (T& number : numbers) in >> number;
    return gradus::tensor(numbers, shape);
  }

  void read(std::istream& in) {
    std::string keyword, name, dtype, sizes;
    in >> keyword >> name >> dtype >> sizes;
    const bool known = keyword == "tensor" && (dtype == "f64" || dtype == "i64");
    if (known) {
      const gradus::Shape shape = shape_of(sizes);
      tensors_[name] = dtype == "f64" ? values<double>(in, shape) : values<std::int64_t>(in, shape);
    }
    if (!known || !in) throw std::runtime_error("cannot read the tensor '" + name + "' in " + file_);
  }

  std::string file_;
  std::map<std::string, gradus::Tensor> tensors_;
};
