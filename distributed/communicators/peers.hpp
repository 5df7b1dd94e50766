#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradus::distributed {

// Where the processes of a job run, and which of them are alive.
struct Peers {
  struct Peer {
    std::string host;
    int pid;
  };
  std::string host;  // of this process
  std::vector<Peer> all;

  // True unless the process ran on this host and has ended.
  bool alive(std::int64_t rank) const;
  // The lowest rank on this host that is alive, other than `lost`: the one that reports a failure.
  std::int64_t reporter(std::int64_t lost = -1) const;
  // A message about the process that has ended. If none has, it says that the job was ended while this
  // process waited for `peer`.
  std::string the_dead(std::int64_t peer) const;
  // The message that process `rank` has given no sign of life for `seconds`.
  std::string silence(std::int64_t rank, std::int64_t seconds) const;
  // The message that sending to or receiving from process `rank` failed.
  std::string unreachable(std::int64_t rank, const std::string& error) const;

 private:
  std::string name(std::int64_t rank) const;
};

}  // namespace gradus::distributed
