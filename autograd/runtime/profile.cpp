#include <gradus/autograd/profile.hpp>

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <utility>

#include "profile_state.hpp"

namespace gradus {
namespace {

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds(const Profile::Row& row) { return row.forward_seconds + row.backward_seconds; }

// A size with its unit: "1.5 MB".
std::string in_bytes(std::int64_t bytes) {
  double size = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (size < 1000) break;
    size /= 1000;
    unit = larger;
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(size < 10 && *unit != 'B' ? 1 : 0) << size << ' ' << unit;
  return text.str();
}

}  // namespace

constinit thread_local Profile* profile = nullptr;

Profile::Profile() : outer_(std::exchange(profile, this)) {}

Profile::~Profile() {
  profile = outer_;
  if (outer_ == nullptr) return;
  for (const auto& [operation, row] : rows_) {
    Row& sum = outer_->rows_.try_emplace(operation, Row{.operation = operation}).first->second;
    sum.calls += row.calls;
    sum.backward_calls += row.backward_calls;
    sum.forward_seconds += row.forward_seconds;
    sum.backward_seconds += row.backward_seconds;
    sum.bytes += row.bytes;
  }
}

std::vector<Profile::Row> Profile::rows() const {
  std::vector<Row> sorted;
  for (const auto& [operation, row] : rows_) sorted.push_back(row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return seconds(a) > seconds(b); });
  return sorted;
}

void Profiled::start(const char* operation, Pass pass) {
  if (std::exchange(profile->timing_, true)) return;
  operation_ = operation;
  pass_ = pass;
  begin_ = now();
}

void Profiled::stop() {
  const double elapsed = static_cast<double>(now() - begin_) * 1e-9;
  profile->timing_ = false;
  auto row = profile->rows_.find(std::string_view(operation_));
  if (row == profile->rows_.end())
    row = profile->rows_.emplace(operation_, Profile::Row{.operation = operation_}).first;
  const bool forward = pass_ == Pass::forward;
  ++(forward ? row->second.calls : row->second.backward_calls);
  (forward ? row->second.forward_seconds : row->second.backward_seconds) += elapsed;
  row->second.bytes += std::exchange(profile->unassigned_bytes_, 0);
}

void profile_memory(std::size_t bytes) {
  if (profile != nullptr) profile->unassigned_bytes_ += static_cast<std::int64_t>(bytes);
}

std::ostream& operator<<(std::ostream& out, const Profile& of) {
  const std::vector<Profile::Row> rows = of.rows();
  double total = 0;
  for (const Profile::Row& row : rows) total += seconds(row);
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << std::left << std::setw(20) << "operation" << std::right
       << std::setw(9) << "calls" << std::setw(13) << "forward ms" << std::setw(13) << "backward ms"
       << std::setw(8) << "time" << std::setw(10) << "memory" << '\n';
  for (const Profile::Row& row : rows) {
    text << std::left << std::setw(20) << row.operation << std::right << std::setw(9)
         << std::max(row.calls, row.backward_calls) << std::setw(13) << row.forward_seconds * 1e3
         << std::setw(13) << row.backward_seconds * 1e3 << std::setw(7) << std::setprecision(1)
         << (total > 0 ? 100 * seconds(row) / total : 0) << '%' << std::setprecision(3) << std::setw(10)
         << in_bytes(row.bytes) << '\n';
  }
  return out << text.str();
}

}  // namespace gradus
