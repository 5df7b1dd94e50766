#include <gradus/autograd/gradcheck.hpp>

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "runtime/index_text.hpp"

namespace gradus {
namespace {

constexpr const char* next_line = "\n        ";
constexpr const char* checked_nothing = ", so this checked nothing: start from other values";
constexpr const char* checked_little = ", fewer than half were judged: start from other values";

void print_worst(std::ostream& out, const GradcheckEntry& entry) {
  out << "worst at " << index_text(entry.worst) << ", analytic " << std::setprecision(9)
      << entry.analytic + 0.0  // prints 0 for -0
      << ", numeric " << entry.numeric << ", off by " << std::setprecision(2) << entry.error << " (allowed "
      << entry.allowed << ')';
  if (entry.wrong > 0) {
    out << "; " << entry.wrong << " of " << entry.checked
        << (entry.wrong == 1 ? " elements is wrong" : " elements are wrong");
  }
  if (!entry.needing.empty()) out << ' ' << entry.needing;
}

void print_doubt(std::ostream& out, const GradcheckEntry& entry) {
  const GradcheckDoubt& doubt = entry.first_open;
  out << entry.not_judged << " of " << entry.checked << " elements not judged, the first "
      << index_text(doubt.index) << ": analytic " << std::setprecision(6) << doubt.analytic + 0.0
      << ", estimates " << doubt.coarse << " and " << doubt.fine << ',' << next_line << "slopes "
      << doubt.left << " and " << doubt.right << " on its sides, rounding error at most "
      << std::setprecision(2) << doubt.rounding;
  if (entry.judged() < entry.not_judged) out << (entry.judged() == 0 ? checked_nothing : checked_little);
}

void print(std::ostream& out, const GradcheckEntry& entry) {
  out << "  "
      << (entry.passed()    ? "ok   "
          : entry.wrong > 0 ? "WRONG"
                            : "DOUBT")
      << ' ' << entry.name << ' ' << entry.shape;
  if (entry.checked < entry.shape.numel()) {
    out << ", " << entry.checked << " of " << entry.shape.numel() << " elements drawn";
  }
  if (entry.judged() > 0) print_worst(out << ": ", entry);
  if (entry.not_judged > 0) print_doubt(out << (entry.judged() > 0 ? next_line : ": "), entry);
  if (entry.judged() > 0 && entry.wrong == 0 && entry.all_zero)
    out << "; every gradient is 0" << checked_nothing;
  out << '\n';
}

}  // namespace

bool GradcheckReport::passed() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const GradcheckEntry& entry) { return entry.passed(); });
}

std::ostream& operator<<(std::ostream& out, const GradcheckReport& report) {
  std::ostringstream lines;
  lines << "gradient check " << (report.passed() ? "passed" : "FAILED") << '\n';
  for (const GradcheckEntry& entry : report.entries) print(lines, entry);
  return out << lines.str();
}

}  // namespace gradus
