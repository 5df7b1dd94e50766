#include <gradus/data/tasks.hpp>
#include <gradus/find_row.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "check.hpp"
#include "patience.hpp"
#include "tasks/dates.hpp"
#include "tasks/symbols.hpp"

namespace gradus::data {

namespace {

struct Kind {
  std::string_view name;
  std::unique_ptr<Task> (*make)(std::string_view name, const TaskOptions& options);
};

template <void (*rule)(Symbols&)>
std::unique_ptr<Task> make(std::string_view name, const TaskOptions& options) {
  return make_symbols(name, rule, options);
}

constexpr std::array kinds{
    Kind{"reverse", make<[](Symbols& symbols) { std::ranges::reverse(symbols); }>},
    Kind{"copy", make<[](Symbols&) {}>},
    Kind{"sort", make<[](Symbols& symbols) { std::ranges::sort(symbols); }>},
    Kind{"dates", [](std::string_view, const TaskOptions& options) { return make_dates(options); }},
};

}  // namespace

std::unique_ptr<Task> make_task(std::string_view name, const TaskOptions& options) {
  return find_row("make_task", "task", name, kinds, &Kind::name).make(name, options);
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
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
