#include "files/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace gradus::nn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Entry = SafetensorsHeader::Entry;

constexpr const char* metadata_key = "__metadata__";
constexpr const char* save_again =
    "; it is damaged or breaks the rules of the format, so copy or save it again";

const char* name(Stored as) {
  return std::array{"i8", "bf16", "f32", "f64", "i64"}[static_cast<std::size_t>(as)];
}

std::int64_t bytes_per_element(Stored as) { return std::array{1, 2, 4, 8, 8}[static_cast<std::size_t>(as)]; }

std::string cut(std::string_view text) {
  constexpr std::size_t longest = 100;
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // does not cut inside a UTF-8 character
  return std::string(text.substr(0, end)) + "…";
}

// Parses the JSON text token by token, and refuses the first token that the format does not allow. A parsed
// JSON tree would hide duplicate keys, and would convert −1, 1.5 and 2^64 to sizes.
class Reader : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t /*size*/) override {
    if (place_ == Place::outside) return go(Place::root);
    if (place_ != Place::root) misplaced("an object");
    return go(name_ == metadata_key ? Place::metadata : Place::tensor);
  }

  bool key(string_t& key) override {
    if (place_ == Place::root) {
      if (!names_.insert(key).second) refuse("has ", shown(key), " twice", save_again);
      name_ = key;
      return true;
    }
    if (place_ == Place::tensor && key != "dtype" && key != "shape" && key != "data_offsets")
      refuse("has the unknown key ", shown(key), " in ", shown(name_), save_again);
    if (!keys_.insert(key).second) refuse("has ", shown(key), " twice in ", shown(name_), save_again);
    key_ = key;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) finish_tensor();
    keys_.clear();
    return go(place_ == Place::root ? Place::outside : Place::root);
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ == Place::tensor && key_ == "shape") return go(Place::shape);
    if (place_ == Place::tensor && key_ == "data_offsets") return go(Place::offsets);
    misplaced("a list");
  }

  bool end_array() override {
    if (rank_ > Shape::max_rank) {
      refuse("holds ", shown(name_), " with ", rank_, " axes, and gradus reads tensors of at most ",
             Shape::max_rank, "; reshape it in PyTorch, and save it again");
    }
    rank_ = 0;
    return go(Place::tensor);
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      header_.metadata.emplace(key_, text);
    } else if (place_ == Place::tensor && key_ == "dtype") {
      as_ = stored_as(text);
    } else {
      misplaced("a string");
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::shape && place_ != Place::offsets) misplaced(std::to_string(number));
    if (number > std::numeric_limits<std::int64_t>::max()) misplaced(std::to_string(number));
    if (place_ == Place::offsets && offsets_.size() == 2)
      refuse("has more than 2 numbers in the data_offsets of ", shown(name_), save_again);
    if (place_ == Place::shape && ++rank_ > Shape::max_rank) return true;  // end_array() reports the error
    auto& numbers = place_ == Place::shape ? shape_ : offsets_;
    numbers.push_back(static_cast<std::int64_t>(number));
    return true;
  }

  bool number_integer(number_integer_t number) override { misplaced(std::to_string(number)); }
  bool number_float(number_float_t /*number*/, const string_t& text) override { misplaced(text); }
  bool null() override { misplaced("null"); }
  bool boolean(bool value) override { misplaced(value ? "true" : "false"); }
  bool binary(binary_t& /*bytes*/) override { misplaced("bytes"); }  // JSON text has no binary values

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    refuse("has a header that is invalid JSON at byte ", position, save_again);
  }

 private:
  enum class Place { outside, root, metadata, tensor, shape, offsets };

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    refuse_safetensors(file_, parts...);
  }

  [[noreturn]] void misplaced(const std::string& token) const {
    const std::string place = place_ == Place::root ? "" : shown(key_) + " of ";
    refuse("has ", cut(token), " for ", place, shown(name_), ", which must be ", expected(), save_again);
  }

  const char* expected() const {
    if (place_ == Place::root) return "an object";
    if (place_ == Place::metadata || key_ == "dtype") return "a string";
    return "a list of whole numbers from 0 to 2^63 - 1";
  }

  bool go(Place place) {
    place_ = place;
    return true;
  }

  Stored stored_as(const std::string& text) const {
    for (const Stored as : {Stored::i8, Stored::bf16, Stored::f32, Stored::f64, Stored::i64}) {
      if (text == name_in_file(as)) return as;
    }
    refuse("holds ", shown(name_), " as ", shown(text),
           ", and only F32, F64, I64, BF16 and I8 are read; convert it in PyTorch, with .float(), .double() "
           "or .long(), and save it again");
  }

  Shape checked_shape() const {
    try {
      return Shape(std::span<const std::int64_t>(shape_));
    } catch (const Error& error) {
      refuse("gives ", shown(name_), " a shape that no tensor can have (", error.what(),
             "); reshape or split it in PyTorch, and save it again");
    }
  }

  void finish_tensor() {
    for (const char* needed : {"dtype", "shape", "data_offsets"}) {
      if (!keys_.contains(needed)) refuse("has no '", needed, "' in ", shown(name_), save_again);
    }
    if (offsets_.size() != 2) {
      refuse("has ", offsets_.size(), " numbers in the data_offsets of ", shown(name_), ", which must be 2",
             save_again);
    }
    const Shape shape = checked_shape();
    // No overflow: every Shape guarantees that the number of bytes fits in 64 bits.
    const std::int64_t needed = shape.numel() * bytes_per_element(as_);
    if (offsets_[1] - offsets_[0] != needed) {
      refuse("gives ", shown(name_), " the bytes [", offsets_[0], ", ", offsets_[1], "), but ", nn::name(as_),
             ' ', shape, " needs ", needed, save_again);
    }
    header_.entries.push_back({name_, as_, shape, static_cast<std::uint64_t>(offsets_[0]),
                               static_cast<std::uint64_t>(offsets_[1])});
    shape_.clear();
    offsets_.clear();
  }

  const fs::path& file_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::set<std::string> names_;  // keys at the root: tensor names and metadata
  std::string name_;             // the last root key
  std::set<std::string> keys_;   // keys within the current object
  std::string key_;              // the last key of the current object
  Stored as_ = Stored::f32;
  std::vector<std::int64_t> shape_, offsets_;
  int rank_ = 0;  // numbers in the current shape
};

void check_object(std::string_view text, const fs::path& file) {
  // A NUL is refused, because the parser stops there and ignores all bytes after it.
  const std::size_t last = text.find_last_not_of(' ');
  if (text.starts_with('{') && text[last] == '}' && text.find('\0') == text.npos) return;
  refuse_safetensors(file, "has a header that is not a JSON object, '{' to '}', padded with spaces",
                     save_again);
}

// Sorts the entries by the position of their first byte, and refuses gaps and overlaps. Empty tensors precede
// a tensor that begins at the same byte.
void sort_and_check_order(std::vector<Entry>& entries, const fs::path& file) {
  const auto place = [](const Entry& entry) { return std::pair(entry.begin, entry.end); };
  std::ranges::stable_sort(entries, {}, place);
  std::uint64_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end) {
      refuse_safetensors(file, "places the values of ", shown(entry.name), " at byte ", entry.begin,
                         ", but the values before them end at byte ", end, save_again);
    }
    end = entry.end;
  }
}

std::string json_string(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::type_error&) {
    fail("save_safetensors", shown(text), " is not UTF-8; names and metadata must be");
  }
}

std::string json_list(const auto& numbers) {
  std::string text = "[";
  for (const auto number : numbers) {
    if (text.size() > 1) text += ',';
    text += std::to_string(number);
  }
  return text + ']';
}

// Builds the text of a JSON object, with keys in insertion order.
class JsonObject {
 public:
  JsonObject& add(const std::string& key, const std::string& value) {
    text_ += text_.empty() ? '{' : ',';
    text_ += json_string(key) + ':' + value;
    return *this;
  }
  std::string text() const { return text_.empty() ? "{}" : text_ + '}'; }

 private:
  std::string text_;
};

}  // namespace

std::string shown(std::string_view text) { return std::string("'") + cut(text) + "'"; }

const char* name_in_file(Stored as) {
  return std::array{"I8", "BF16", "F32", "F64", "I64"}[static_cast<std::size_t>(as)];
}

SafetensorsHeader parse_safetensors_header(std::string_view text, const fs::path& file) {
  check_object(text, file);
  Reader reader(file);
  Json::sax_parse(text.begin(), text.end(), &reader);
  SafetensorsHeader header = reader.take();
  sort_and_check_order(header.entries, file);
  return header;
}

std::string write_safetensors_header(const SafetensorsHeader& header) {
  JsonObject json;
  if (!header.metadata.empty()) {
    JsonObject words;
    for (const auto& [key, value] : header.metadata) words.add(key, json_string(value));
    json.add(metadata_key, words.text());
  }
  for (const Entry& entry : header.entries) {
    json.add(entry.name, JsonObject()
                             .add("dtype", json_string(name_in_file(entry.as)))
                             .add("shape", json_list(entry.shape))
                             .add("data_offsets", json_list(std::array{entry.begin, entry.end}))
                             .text());
  }
  std::string text = json.text();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace gradus::nn
