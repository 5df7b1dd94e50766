#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradus::distributed {

// The processes of a job, the hosts that they run on, and which of them are alive.
struct Peers {
  struct Peer {
    std::string host;
    int pid;
  };
  std::string host;       // host of this process
  std::vector<Peer> all;  // empty until the processes have exchanged their hosts

  // False if process `rank` runs on this host and has ended. Always true for a process on another host.
  bool alive(std::int64_t rank) const;
  // The process that reports a failure: the lowest rank on this host that is alive, except `lost`; 0 if there
  // is no such process.
  std::int64_t reporter(std::int64_t lost = -1) const;
  // A message that names the process that has ended. If all are alive, the message says that the job was
  // ended while this process waited for `peer`.
  std::string the_dead(std::int64_t peer) const;
  // The message that process `rank` has sent no sign of life for `seconds` seconds.
  std::string silence(std::int64_t rank, std::int64_t seconds) const;
  // The message about a failed send to process `rank`, or a failed receive from it.
  std::string unreachable(std::int64_t rank, const std::string& error) const;

 private:
  std::string name(std::int64_t rank) const;
};

}  // namespace gradus::distributed
