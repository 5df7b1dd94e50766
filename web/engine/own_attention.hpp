#pragma once

#include <gradus/models/registry.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gradus::web {

/// The reader's own attentions, by their names in the settings. Play compiles them in the page: see
/// check/compiler.js.
std::map<std::string, models::AttentionKind>& own_attentions();

/// Adds an attention. @return true, so that the call can initialise a constant before the first request
bool offer(const std::string& name,
           std::function<std::unique_ptr<nn::Attention>(const models::AttentionSizes&)> make);

}  // namespace gradus::web
