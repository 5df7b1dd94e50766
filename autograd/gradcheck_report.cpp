#include <gradus/autograd/gradcheck.hpp>

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace gradus {
namespace {

constexpr const char* checked_nothing = ", so this checked nothing: start from other values";

std::string text(const std::vector<std::int64_t>& index) {
  std::ostringstream out;
  out << '[';
  for (std::size_t i = 0; i < index.size(); ++i) out << (i > 0 ? ", " : "") << index[i];
  out << ']';
  return out.str();
}

void print_worst(std::ostream& out, const GradcheckEntry& entry) {
  out << "worst at " << text(entry.worst) << ", analytic " << std::setprecision(9)
      << entry.analytic + 0.0  // no -0
      << ", numeric " << entry.numeric << ", off by " << std::setprecision(2) << entry.error << " (allowed "
      << entry.allowed << ')';
  if (entry.wrong > 0) out << "; " << entry.wrong << " of " << entry.shape.numel() << " elements are wrong";
}

void print_kink(std::ostream& out, const GradcheckEntry& entry) {
  const GradcheckKink& kink = entry.first_kink;
  out << std::setprecision(6) << "not smooth at " << text(kink.index) << " (slopes " << kink.left << " and "
      << kink.right << " on its sides): estimates " << kink.coarse << " and " << kink.fine << "; "
      << entry.not_smooth << " of " << entry.shape.numel() << " elements";
  if (entry.judged() == 0) out << checked_nothing;
}

void print(std::ostream& out, const GradcheckEntry& entry) {
  out << "  "
      << (entry.passed()    ? "ok   "
          : entry.wrong > 0 ? "WRONG"
                            : "KINKS")
      << ' ' << entry.name << ' ' << entry.shape;
  if (entry.judged() > 0) print_worst(out << ": ", entry);
  if (entry.not_smooth > 0) print_kink(out << (entry.judged() > 0 ? "; " : ": "), entry);
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
