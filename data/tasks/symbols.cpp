#include "tasks/symbols.hpp"

#include <cstdint>
#include <string>

#include "check.hpp"

namespace gradus::data {
namespace {

std::string text(const Symbols& symbols) {
  std::string joined;
  for (const std::int64_t symbol : symbols) {
    if (!joined.empty()) joined += ' ';
    joined += std::to_string(symbol);
  }
  return joined;
}

class SymbolTask : public Task {
 public:
  SymbolTask(std::string_view name, void (*rule)(Symbols&), const TaskOptions& options)
      : name_(name), rule_(rule), options_(options) {
    check_range("make_task", "symbols", options.symbols, 2, "use at least two symbols");
    check_range("make_task", "min_length", options.min_length, 1, "attention needs at least one position");
    check_range("make_task", "max_length", options.max_length, options.min_length,
                "raise it or lower min_length");
  }

  std::string name() const override { return name_; }
  bool by_character() const override { return false; }

  SentencePair sample(const UniformIndex& uniform) const override {
    const std::uint64_t lengths = options_.max_length - options_.min_length + 1;
    Symbols symbols(options_.min_length + draw_index(uniform, lengths));
    for (std::int64_t& symbol : symbols) {
      symbol = static_cast<std::int64_t>(draw_index(uniform, options_.symbols));
    }
    const std::string source = text(symbols);
    rule_(symbols);
    return {source, text(symbols)};
  }

 private:
  std::string name_;
  void (*rule_)(Symbols&);
  TaskOptions options_;
};

}  // namespace

std::unique_ptr<Task> make_symbols(std::string_view name, void (*rule)(Symbols&),
                                   const TaskOptions& options) {
  return std::make_unique<SymbolTask>(name, rule, options);
}

}  // namespace gradus::data
