#include "check.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>

#include <chrono>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <string_view>
#include <utility>

// Prints a tensor from a debugger: call (void)show(&x)
extern "C" void show(const gradus::Tensor* tensor) { std::cout << *tensor << std::endl; }

namespace exercise {

namespace {

constexpr int exit_finding = 1, exit_usage = 2, exit_to_do = 3;

Finding stopped(const std::string& message) {
  return {
      .mistake = {.name = "error",
                  .hint = "Read the message from its end: it names the operation and what does not match."},
      .says = "Your code threw an exception.",
      .got = message};
}

// "general" of "general: gradients"; empty in an exercise without parts.
std::string part_of(const std::string& stage) {
  const std::size_t colon = stage.find(": ");
  return colon == std::string::npos ? "" : stage.substr(0, colon);
}

// Prints a line for each stage that passed; the stages of a completed part share one line.
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

}  // namespace

Verdict check(const Exercise& exercise, bool training,
              const std::function<void(const Stage& stage, double seconds)>& passed) {
  Verdict verdict;
  for (const Stage& stage : exercise.stages) {
    if (stage.training && !training) continue;
    const auto start = std::chrono::steady_clock::now();
    gradus::seed(1);
    try {
      stage.check();
    } catch (const Finding& finding) {
      verdict.finding = finding;
    } catch (const ToDo& to_do) {
      verdict.to_do = to_do;
    } catch (const std::exception& error) {
      verdict.finding = stopped(error.what());
    }
    if (verdict.finding || verdict.to_do) {
      verdict.stage = stage.name;
      return verdict;
    }
    ++verdict.passed;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (passed) passed(stage, seconds.count());
  }
  return verdict;
}

int main(int argc, char** argv, const Exercise& exercise) {
  bool training = true;
  std::ofstream state;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--no-training") {
      training = false;
    } else if (argument == "--state" && i + 1 < argc) {
      state.open(argv[++i]);
    } else {
      std::cerr << argv[0] << ": unknown argument '" << argument
                << "'; available: --no-training, --state FILE\n";
      return exit_usage;
    }
  }
  std::cout << exercise.name << '\n';
  if (state.is_open()) {
    for (const Stage& stage : exercise.stages) state << stage.name << '\n';
    state << std::endl;
  }
  Passed passed(exercise.stages);
  const Verdict verdict = check(exercise, training, [&](const Stage& stage, double seconds) {
    passed.add(stage.name, seconds);
    if (state.is_open()) state << stage.name << '\n' << std::flush;
  });
  passed.print();
  print(verdict);
  if (verdict.to_do) return exit_to_do;
  return verdict.finding ? exit_finding : 0;
}

int bank(const std::vector<Attempt>& attempts) {
  int unexpected = 0;
  for (const Attempt& attempt : attempts) {
    const Verdict verdict = check(attempt.exercise, false);
    const std::string found = verdict.finding ? verdict.finding->mistake.name : verdict.to_do ? "to do" : "";
    const bool as_expected = found == attempt.mistake;
    unexpected += !as_expected;
    std::cout << (as_expected ? "ok     " : "WRONG  ") << attempt.name << ": "
              << (found.empty() ? "right" : found + " (" + verdict.stage + ")");
    if (!as_expected) {
      std::cout << ", expected " << (attempt.mistake.empty() ? "right" : attempt.mistake) << '\n';
      print(verdict);
    }
    std::cout << '\n';
  }
  std::cout << attempts.size() << " attempts, " << unexpected << " judged wrongly\n";
  return unexpected == 0 ? 0 : exit_finding;
}

}  // namespace exercise
