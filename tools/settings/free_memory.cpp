#include "settings/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace gradus::tools {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

double left_in_system() {
  std::ifstream file("/proc/meminfo");
  double bytes = 0;
  bool found = false;
  for (std::string line, name; std::getline(file, line);) {
    if (!line.starts_with("MemAvailable:") && !line.starts_with("SwapFree:")) continue;
    found |= line.starts_with("MemAvailable:");
    bytes += 1024 * std::stod(line.substr(line.find(':') + 1));
  }
  return found ? bytes : unknown;
}

double left_of_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return std::max(0.0,
                  static_cast<double>(limit.rlim_cur) - pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

// The container's limit. Does not subtract the current usage, which is mostly page cache that can be dropped.
double limit_of_container() {
  double bytes = 0;
  // The file holds "max" if there is no limit.
  return std::ifstream("/sys/fs/cgroup/memory.max") >> bytes ? bytes : unknown;
}

}  // namespace

double free_memory() { return std::min({left_in_system(), left_of_address_space(), limit_of_container()}); }

}  // namespace gradus::tools
