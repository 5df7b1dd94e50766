#pragma once

#include <gradus/autograd/precision.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/models/model.hpp>

#include <CLI/App.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradus::tools {

/// The values of a type, with their names as option values.
template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

inline const Names<models::Cell> cell_names = {{"rnn", models::Cell::rnn},
                                               {"gru", models::Cell::gru},
                                               {"original-gru", models::Cell::original_gru},
                                               {"lstm", models::Cell::lstm}};
inline const Names<std::optional<models::Bridge>> bridge_names = {{"own", std::nullopt},
                                                                  {"backward", models::Bridge::backward},
                                                                  {"summary", models::Bridge::summary},
                                                                  {"copy", models::Bridge::copy},
                                                                  {"zeros", models::Bridge::zeros}};
inline const Names<std::optional<models::ReadoutForm>> readout_names = {
    {"own", std::nullopt},
    {"state", models::ReadoutForm::state},
    {"linear", models::ReadoutForm::linear},
    {"maxout", models::ReadoutForm::maxout},
    {"maxout-earlier", models::ReadoutForm::maxout_earlier}};
inline const Names<models::Tied> tied_names = {
    {"none", models::Tied::none}, {"output", models::Tied::output}, {"all", models::Tied::all}};
inline const Names<models::Initial> initial_names = {{"pytorch", models::Initial::pytorch},
                                                     {"bahdanau", models::Initial::bahdanau},
                                                     {"xavier", models::Initial::xavier},
                                                     {"small", models::Initial::small}};
inline const Names<Precision> precision_names = {
    {"f32", Precision::f32}, {"bf16", Precision::bf16}, {"bf16-emulated", Precision::bf16_emulated}};
inline const Names<data::TokenUnit> unit_names = {{"word", data::TokenUnit::word},
                                                  {"character", data::TokenUnit::character},
                                                  {"chinese", data::TokenUnit::chinese}};

template <class Value>
std::string name_of(const Value& value, const Names<Value>& names) {
  return std::find_if(names.begin(), names.end(), [&](const auto& pair) { return pair.second == value; })
      ->first;
}

/// Adds an option whose value must be one of `names`.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, Value& value, const Names<Value>& names,
                        const std::string& help) {
  std::vector<std::string> allowed;
  for (const auto& [name, named] : names) allowed.push_back(name);
  const auto set = [&value, &names](const std::string& given) {
    value = std::find_if(names.begin(), names.end(), [&](const auto& pair) {
              return pair.first == given;
            })->second;
  };
  return app.add_option_function<std::string>(flag, set, help)
      ->default_str(name_of(value, names))
      ->check(CLI::IsMember(allowed));
}

/// The error for a precision that this processor or this build of gradus does not support.
inline constexpr const char* no_bf16 =
    "bf16 needs a processor with bf16 instructions and a gradus built with oneDNN; use bf16-emulated, which "
    "rounds the same way and multiplies in f32";

/// Adds the --precision of a search. An unsupported precision is a usage error.
inline void add_precision(CLI::App& app, Precision& precision, const std::string& help) {
  add_choice(app, "--precision", precision, precision_names, help)->check([](const std::string& name) {
    return std::string(name != "bf16" || supports(Precision::bf16) ? "" : no_bf16);
  });
}

}  // namespace gradus::tools
