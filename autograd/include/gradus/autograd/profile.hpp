#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// While a Profile exists, it times and counts the operations of the thread that created it.
///
///     Profile profile;
///     train(…);
///     std::cout << profile;
///
/// Forward time covers an operation's own loops and products, but not allocation and recording. Backward time
/// covers the whole backward function. While a nested Profile exists, the outer Profile counts nothing. The
/// destructor of the nested Profile adds its counts to the outer Profile.
class Profile {
 public:
  struct Row {
    std::string operation;
    std::int64_t calls = 0;           ///< forward passes
    std::int64_t backward_calls = 0;  ///< runs of the operation's backward function
    double forward_seconds = 0;
    double backward_seconds = 0;
    std::int64_t bytes = 0;  ///< bytes allocated for results, gradients and temporaries, new or pooled
  };

  Profile();
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// One row per operation, in descending order of forward plus backward time.
  std::vector<Row> rows() const;

 private:
  friend class Profiled;
  friend void profile_memory(std::size_t bytes);

  std::map<std::string, Row, std::less<>> rows_;
  std::int64_t unassigned_bytes_ = 0;
  bool timing_ = false;  // true while an operation is being timed
  Profile* outer_;
};

/// Prints a table with one line per operation: its name, calls, forward and backward time, percentage of the
/// total time, and memory.
std::ostream& operator<<(std::ostream& out, const Profile& profile);

}  // namespace gradus
#pragma GCC visibility pop
