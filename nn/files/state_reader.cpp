#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>
#include <gradus/nn/state_reader.hpp>

#include <cmath>

#include "module/names.hpp"

namespace gradus::nn {
namespace {

void add_list(std::string& text, const std::string& title, const std::vector<std::string>& items) {
  if (!items.empty()) text += "; " + title + first_names(items);
}

}  // namespace

StateReader::StateReader(const NamedTensors& state) {
  for (const auto& [name, tensor] : state) {
    if (!left_.emplace(name, tensor).second) twice_.push_back(in_quotes(name));
  }
}

Tensor StateReader::copy(const std::string& name, const Shape& shape, Dtype dtype) {
  const auto entry = left_.extract(name);
  if (!entry || !entry.mapped().defined()) {
    missing_.push_back(in_quotes(name));
    return {};
  }
  const Tensor& found = entry.mapped();
  if (found.shape() == shape && found.dtype() == dtype) return found.clone();
  wrong_.push_back(message(in_quotes(name), " is ", found.shape(), " ", gradus::name(found.dtype()),
                           " and must be ", shape, " ", gradus::name(dtype)));
  return {};
}

double StateReader::number(const std::string& name) {
  const Tensor found = copy(name, {}, Dtype::f64);
  return found.defined() ? found.item() : 0;
}

double StateReader::not_negative(const std::string& name) {
  const double value = number(name);
  if (!(std::isfinite(value) && value >= 0)) {
    wrong_.push_back(message(in_quotes(name), " is ", value, " and must be finite and at least 0"));
  }
  return value;
}

std::int64_t StateReader::count(const std::string& name) {
  const Tensor found = copy(name, {}, Dtype::i64);
  const std::int64_t value = found.defined() ? found.values<std::int64_t>()[0] : 0;
  if (value < 0) wrong_.push_back(message(in_quotes(name), " is ", value, " and must be at least 0"));
  return value;
}

NamedTensors StateReader::part(const std::string& prefix) {
  NamedTensors found;
  for (auto at = left_.lower_bound(prefix); at != left_.end() && at->first.starts_with(prefix);) {
    found.emplace_back(at->first.substr(prefix.size()), at->second);
    at = left_.erase(at);
  }
  return found;
}

void StateReader::finish(std::string_view operation, std::string_view advice) const {
  std::vector<std::string> unexpected;
  for (const auto& [name, tensor] : left_) unexpected.push_back(in_quotes(name));
  std::string text;
  add_list(text, "missing: ", missing_);
  add_list(text, "unexpected: ", unexpected);
  add_list(text, "given twice: ", twice_);
  add_list(text, "", wrong_);
  if (!text.empty()) fail(operation, "the state does not fit, and nothing was loaded", text, "; ", advice);
}

}  // namespace gradus::nn
