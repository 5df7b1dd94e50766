#pragma once

#include <gradus/data/tasks.hpp>

#include <memory>

namespace gradus::data {

std::unique_ptr<Task> make_dates(const TaskOptions& options);

}  // namespace gradus::data
