#include <gradus/data/tasks.hpp>

#include <utility>

#include "check.hpp"
#include "patience.hpp"
#include "tasks/dates.hpp"
#include "tasks/symbols.hpp"

namespace gradus::data {

std::unique_ptr<Task> make_task(std::string_view name, const TaskOptions& options) {
  if (name == "dates") return make_dates(options);
  if (auto task = make_symbols(name, options)) return task;
  fail("make_task: unknown task '", name, "'; available: reverse, copy, sort, dates");
}

std::vector<SentencePair> generate(const Task& task, std::int64_t count, const UniformIndex& uniform,
                                   const std::function<bool(std::string_view source)>& wanted) {
  check_range("generate", "count", count, 0, "request fewer pairs at a time");
  std::vector<SentencePair> pairs;
  for (int rejected = 0; std::ssize(pairs) < count;) {
    SentencePair pair = task.sample(uniform);
    if (wanted(pair.source)) {
      pairs.push_back(std::move(pair));
      rejected = 0;
    } else if (++rejected == patience) {
      fail("generate: ", patience, " sources of the task '", task.name(), "' in a row were rejected after ",
           pairs.size(), " of ", count, " pairs; give the task more sources or the part a larger fraction");
    }
  }
  return pairs;
}

}  // namespace gradus::data
