#include "check.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include "process.hpp"
#include "trace.hpp"

// Prints a tensor from a debugger: call (void)show(&x)
extern "C" void show(const gradus::Tensor* tensor) { std::cout << *tensor << std::endl; }

namespace exercise {

namespace {

constexpr int exit_finding = 1, exit_usage = 2, exit_to_do = 3;

constexpr unsigned training_factor = 3;  // time limit of a training stage, relative to other stages

// Converts the exception being handled to a finding.
Finding stopped() {
  Finding finding{.mistake = {.name = "error"}, .says = "Your code threw an exception."};
  const auto threw_text = [&](const std::string& text) {
    finding.says = "Your code threw a text, not an exception.";
    finding.got = text;
    finding.mistake.hint = "Throw an object: throw std::runtime_error(\"…\").";
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    finding.says = "Your code asked for more memory than it may use.";
    finding.mistake.hint = "Does a container grow in an endless loop, or is a size negative?";
  } catch (const std::exception& error) {
    finding.got = error.what();
    finding.mistake.hint = "The message names the operation, and then what does not match.";
  } catch (const char* text) {
    threw_text(text);
  } catch (const std::string& text) {
    threw_text(text);
  } catch (...) {
    finding.says = "Your code threw an object that is not a std::exception.";
    finding.mistake.hint = "Throw an object that carries a message: throw std::runtime_error(\"…\").";
  }
  return finding;
}

// The part in a stage's name: "general" for "general: gradients"; empty in an exercise without parts.
std::string part_of(const std::string& stage) {
  const std::size_t colon = stage.find(": ");
  return colon == std::string::npos ? "" : stage.substr(0, colon);
}

// Prints a line for each passed stage, but only one line for a part whose stages have all passed.
class Passed {
 public:
  explicit Passed(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) ++sizes_[part_of(stage.name)];
  }

  void add(const std::string& stage, double seconds) {
    const std::string part = part_of(stage);
    lines_.push_back({stage, seconds});
    if (part.empty() || sizes_.at(part) == 1) return print();
    if (std::ssize(lines_) < sizes_.at(part)) return;
    double total = 0;
    for (const auto& [name, taken] : lines_) total += taken;
    lines_ = {{part + ", in " + std::to_string(lines_.size()) + " stages", total}};
    print();
  }

  void print() {
    for (const auto& [name, seconds] : lines_) {
      std::cout << "  passed  " << std::left << std::setw(44) << name << std::right << std::fixed
                << std::setprecision(1) << std::setw(6) << seconds << " s\n";
    }
    std::cout << std::flush;
    lines_.clear();
  }

 private:
  std::map<std::string, std::ptrdiff_t> sizes_;
  std::vector<std::pair<std::string, double>> lines_;
};

// Prints `label` and `text`, unless `text` is empty.
void print(const std::string& label, const std::string& text) {
  if (!text.empty()) std::cout << "    " << std::left << std::setw(12) << label << text << '\n';
}

void print(const Finding& finding) {
  std::cout << "  " << finding.says << '\n';
  print("at", finding.where);
  print("got", finding.got);
  print("expected", finding.expected);
  print("given", finding.given);
  print("looks like", finding.mistake.sign);
  print("hint", finding.mistake.hint);
}

// Prints the finding's sentences, but not its numbers, which may differ between processors.
void print_sentences(const Finding& finding) {
  std::cout << "  " << finding.says << '\n';
  print("looks like", finding.mistake.sign);
  print("hint", finding.mistake.hint);
}

void print(const Verdict& verdict) {
  if (verdict.to_do) {
    std::cout << "  to do   " << verdict.stage << "\n\n  " << verdict.to_do->task << '\n';
  } else if (verdict.finding) {
    std::cout << "  not yet " << verdict.stage << "\n\n";
    print(*verdict.finding);
  } else {
    std::cout << "\n  Every stage passed.\n";
  }
}

void print(const museum::Diagnosis& found) {
  if (found.exhibit == 0) return;
  print("museum", "It behaves like exhibit " + std::to_string(found.exhibit) + ". " + found.says);
  print("",
        "To see how that looks in a whole program: ./run exercise museum " + std::to_string(found.exhibit));
}

// The time limit of a stage in seconds; 0: none.
unsigned limit(const Stage& stage, const CheckOptions& options) {
  return stage.training ? training_factor * options.seconds : options.seconds;
}

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || end != text.data() + text.size()) return {};
  return number;
}

// Keeps only the stages of the given parts. `parts` is a list: "dot,general".
void keep_parts(Exercise& exercise, std::string_view parts) {
  const std::string listed = "," + std::string(parts) + ",";
  std::erase_if(exercise.stages, [&](const Stage& stage) {
    return listed.find("," + part_of(stage.name) + ",") == std::string::npos;
  });
}

// True if the mistake is the one that the exhibit contains.
bool is_cause(const std::string& mistake, int exhibit) {
  static const std::map<std::string, int> exhibits = {
      {"no-keys", 1}, {"no-mask", 11}, {"state-not-moved", 14}, {"state-unchanged", 14}, {"no-tanh", 15}};
  const auto found = exhibits.find(mistake);
  return found != exhibits.end() && found->second == exhibit;
}

// The exhibit that the learner's classes resemble. None if the finding already names a cause, and this cause
// is not the exhibit's.
museum::Diagnosis related(const Exercise& exercise, const Mistake& mistake) {
  const museum::Diagnosis found = diagnose(exercise);
  return mistake.sign.empty() || is_cause(mistake.name, found.exhibit) ? found : museum::Diagnosis{};
}

}  // namespace

museum::Diagnosis diagnose(const Exercise& exercise) {
  for (const museum::Make& make : exercise.programs) {
    if (museum::Diagnosis found = museum::diagnose(make); found.exhibit != 0) return found;
  }
  return {};
}

Verdict check(const Exercise& exercise, const CheckOptions& options) {
  Verdict verdict;
  for (const Stage& stage : exercise.stages) {
    if (stage.training && !options.training) continue;
    const auto start = std::chrono::steady_clock::now();
    gradus::seed(1);
    limit_time(limit(stage, options));
    try {
      stage.check();
    } catch (const Finding& finding) {
      verdict.finding = finding;
    } catch (const ToDo& to_do) {
      verdict.to_do = to_do;
    } catch (...) {
      verdict.finding = stopped();
      verdict.thrown_from = thrown_from();
    }
    if (verdict.finding || verdict.to_do) {
      verdict.stage = stage.name;
      return verdict;
    }
    ++verdict.passed;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (options.passed) options.passed(stage, seconds.count());
  }
  return verdict;
}

int main(int argc, char** argv, Exercise exercise) {
  CheckOptions options;
  std::ofstream state;
  bool only_diagnoses = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--no-training") {
      options.training = false;
    } else if (argument == "--parts" && !value.empty()) {
      keep_parts(exercise, value), ++i;
    } else if (argument == "--diagnose") {
      only_diagnoses = true;
    } else if (argument == "--seconds" && whole_number(value)) {
      options.seconds = *whole_number(value), ++i;
    } else if (argument == "--memory" && whole_number(value)) {
      limit_memory(*whole_number(value)), ++i;
    } else if (argument == "--state" && !value.empty()) {
      state.open(argv[++i]);
      trace_ends(argv[i]);
    } else {
      std::cerr << argv[0] << ": unknown argument '" << argument
                << "'; available: --no-training, --parts A,B, --diagnose, --seconds N, --memory MIB, --state "
                   "FILE\n";
      return exit_usage;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // flush every line, so that a crash loses no output
  std::cout << exercise.name << '\n';
  if (only_diagnoses) {
    limit_time(options.seconds);
    const museum::Diagnosis found = diagnose(exercise);
    print(found);
    if (found.exhibit == 0) std::cout << "  It resembles no exhibit of the museum.\n";
    return found.exhibit == 0 ? 0 : exit_finding;
  }
  for (const Stage& stage : exercise.stages)
    state << "stage " << limit(stage, options) << ' ' << stage.name << '\n';
  state << std::flush;
  Passed passed(exercise.stages);
  options.passed = [&](const Stage& stage, double seconds) {
    passed.add(stage.name, seconds);
    state << "passed " << stage.name << '\n' << std::flush;
  };
  const Verdict verdict = check(exercise, options);
  passed.print();
  print(verdict);
  if (verdict.finding) {
    limit_time(options.seconds);  // replaces the rest of the stage's limit
    print(related(exercise, verdict.finding->mistake));
  }
  allow_exit();
  state << "verdict " << (verdict.to_do ? "to do" : verdict.finding ? "finding" : "passed") << '\n';
  for (const std::uintptr_t address : verdict.thrown_from) state << "at " << std::hex << address << '\n';
  if (verdict.to_do) return exit_to_do;
  return verdict.finding ? exit_finding : 0;
}

int bank(const std::vector<Attempt>& attempts) {
  int unexpected = 0;
  for (const Attempt& attempt : attempts) {
    const Verdict verdict = check(attempt.exercise, {.training = false});
    const std::string found = verdict.finding ? verdict.finding->mistake.name : verdict.to_do ? "to do" : "";
    const museum::Diagnosis alarm = found.empty() ? diagnose(attempt.exercise) : museum::Diagnosis{};
    const bool as_expected = found == attempt.mistake && alarm.exhibit == 0;
    unexpected += !as_expected;
    std::cout << (as_expected ? "ok     " : "WRONG  ") << attempt.name << ": "
              << (found.empty() ? "right" : found + " (" + verdict.stage + ")");
    if (!as_expected) {
      std::cout << ", expected " << (attempt.mistake.empty() ? "right" : attempt.mistake) << '\n';
      print(verdict);
      print(alarm);
    } else if (verdict.finding) {
      std::cout << '\n';
      print_sentences(*verdict.finding);
    }
    std::cout << '\n';
  }
  std::cout << attempts.size() << " attempts, " << unexpected << " judged wrongly\n";
  return unexpected == 0 ? 0 : exit_finding;
}

}  // namespace exercise
