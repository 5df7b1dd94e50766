#pragma once

#include <gradus/data/tasks.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gradus::data {

using Symbols = std::vector<std::int64_t>;

/// A task on sequences of symbols: `rule` turns the source into the target.
std::unique_ptr<Task> make_symbols(std::string_view name, void (*rule)(Symbols&), const TaskOptions& options);

}  // namespace gradus::data
