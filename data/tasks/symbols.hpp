#pragma once

#include <gradus/data/tasks.hpp>

#include <memory>
#include <string_view>

namespace gradus::data {

// The task `reverse`, `copy` or `sort`; null for another name.
std::unique_ptr<Task> make_symbols(std::string_view name, const TaskOptions& options);

}  // namespace gradus::data
