#pragma once

#include <gradus/models/registry.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gradus::web {

/// Maps the names that settings use to the reader's own attentions. Play compiles them in the page: see
/// check/compiler.js.
std::map<std::string, models::AttentionKind>& own_attentions();

/// Adds an attention. @return true, so that the call can initialise a constant before the first request
bool offer(const std::string& name,
           std::function<std::unique_ptr<nn::Attention>(const models::AttentionSizes&)> make);

}  // namespace gradus::web
