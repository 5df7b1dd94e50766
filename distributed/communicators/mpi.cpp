#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/mpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

#include "communicators/check_call.hpp"
#include "communicators/peers.hpp"

namespace gradus::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::string words_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) fail("Communicator", call, " failed: ", words_of(code));
}

// Yields for a millisecond, then sleeps for growing intervals, so that a waiting process does not take a core
// from a process that computes.
class Backoff {
 public:
  void operator()() const {
    const Clock::duration waited = Clock::now() - start_;
    if (waited < 1ms) return std::this_thread::yield();
    std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / 16, 20us, 500us));
  }

 private:
  Clock::time_point start_ = Clock::now();
};

bool initialised = false;

// A job of several processes. MPI allows calls from one thread at a time. So while watcher_ runs, `mutex_` is
// held during each call except MPI_Abort, which ends the job.
class Mpi : public Communicator {
 public:
  explicit Mpi(Watch watch) : watch_(std::move(watch)) {
    int provided = 0, rank = 0, size = 1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    initialised = true;
    std::signal(SIGPIPE, SIG_IGN);  // a lost connection is then an error, and does not end this process
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = rank;
    size_ = size;
    if (provided < MPI_THREAD_SERIALIZED) {
      fail("Communicator",
           "this MPI does not allow calls from several threads; build it with thread support");
    }
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    peers_.host = host.data();
    for (const std::string& text :
         gather(*this, std::string(host.data()) + ' ' + std::to_string(::getpid()))) {
      const std::size_t space = text.rfind(' ');
      peers_.all.push_back({text.substr(0, space), std::stoi(text.substr(space + 1))});
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &beats_);
    watcher_ = std::jthread([this](const std::stop_token& stop) { keep_watch(stop); });
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() override {
    MPI_Request all_here = MPI_REQUEST_NULL;
    {
      const std::unique_lock lock = locked();
      MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    }
    wait({&all_here, 1}, -1);
    watcher_.request_stop();
    watcher_.join();
    MPI_Barrier(MPI_COMM_WORLD);  // no process sends a sign of life after this barrier
    while (received_beat(MPI_ANY_SOURCE) >= 0) {
    }
    MPI_Comm_free(&beats_);
    initialised = false;
    MPI_Finalize();
  }

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }
  bool has_network() const override {
    return std::ranges::any_of(peers_.all, [&](const Peers::Peer& peer) { return peer.host != peers_.host; });
  }

  void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    check_peer(rank_, size_, peer);
    waits_for_ = peer;
    constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts bytes in an int
    while (!out.empty() || !in.empty()) {
      const std::size_t outward = std::min(most, out.size()), inward = std::min(most, in.size());
      exchange_piece(static_cast<int>(peer), out.first(outward), in.first(inward));
      out = out.subspan(outward);
      in = in.subspan(inward);
    }
  }

 private:
  void exchange_piece(int peer, std::span<const std::byte> out, std::span<std::byte> in) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    {
      const std::unique_lock lock = locked();
      if (!in.empty()) {
        check(MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                        requests.data()),
              "MPI_Irecv");
      }
      if (!out.empty()) {
        check(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                        &requests[1]),
              "MPI_Isend");
      }
    }
    const int received = wait(requests, peer, in.size());
    if (!in.empty()) check_received(rank_, peer, in.size(), static_cast<std::size_t>(received));
  }

  // Waits until all requests are complete. `peer` is the other process of an exchange, or −1 for a barrier.
  // Returns the number of bytes that the first request received, of at most `expected`.
  int wait(std::span<MPI_Request> requests, std::int64_t peer, std::size_t expected = 0) {
    std::array<MPI_Status, 2> statuses{};
    const int count = static_cast<int>(requests.size());
    std::optional<Clock::time_point> asked_to_end;
    for (Backoff back_off;; back_off()) {
      {
        const std::unique_lock lock = locked();
        int done = 0, bytes = 0;
        const int code = MPI_Testall(count, requests.data(), &done, statuses.data());
        MPI_Get_count(statuses.data(), MPI_BYTE, &bytes);
        if (code == MPI_ERR_IN_STATUS && statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE) {
          // No exception, because Open MPI may have written the rest of the message past the buffer.
          end(wrong_size(rank_, peer, expected, static_cast<std::size_t>(bytes)) + ", so the job ends");
        }
        if (code != MPI_SUCCESS) end(peers_.unreachable(peer, words_of(code)));
        if (done != 0) return bytes;
      }
      if (!watch_.ending()) continue;
      if (!asked_to_end) {
        asked_to_end = Clock::now();
        report_end(peer);
      }
      // After Ctrl-C, the other process takes part in the exchange at the end of its step. After a failure,
      // the other process never takes part, and mpirun kills this process one second after SIGTERM. So this
      // process exits by itself before that second is over.
      if (Clock::now() - *asked_to_end > 600ms) std::_Exit(1);
    }
  }

  // Locks `mutex_`. If the other thread has it for long, a call of MPI does not return. This happens if
  // another host's process is lost: Open MPI prints a warning by way of mpirun, which ends the job and does
  // not answer. So if this process is asked to end, this thread reports the loss and ends the process.
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::defer_lock);
    const Clock::time_point start = Clock::now();
    for (Backoff back_off; !lock.try_lock(); back_off()) {
      if (!watch_.ending() || Clock::now() - start < 300ms) continue;
      report_end(waits_for_);
      std::_Exit(1);
    }
    return lock;
  }

  // Reports that this process was asked to end while it waited for a peer. On each host, one process reports.
  void report_end(std::int64_t peer) {
    if (peers_.reporter() == rank_ && !was_stopped()) report(peers_.the_dead(peer));
  }

  // Prints the first report of this process, and ignores later ones. Does not use std::cerr, because a
  // program may have redirected it.
  void report(const std::string& what) {
    if (has_reported_.exchange(true)) return;
    std::fputs(("gradus: " + what + watch_.way_on() + '\n').c_str(), stderr);
  }

  [[noreturn]] void end(const std::string& what) {
    report(what);
    abort_job(1);
    std::_Exit(1);
  }

  // If keep_watch() pauses for this long, other processes may count this process as lost. The usual pause is
  // one second.
  std::chrono::milliseconds long_pause() const {
    return std::max<std::chrono::milliseconds>(std::chrono::seconds(watch_.seconds - 1), 1500ms);
  }

  // True if this process was suspended (SIGSTOP) and has just resumed. The other processes may then already
  // have reported this process as lost.
  bool was_stopped() const {
    const Clock::time_point now = Clock::now();
    return now - ticked_.load() > long_pause() || now - resumed_.load() < 5s;
  }

  // Process 0 watches all other processes. All other processes watch process 0.
  void keep_watch(const std::stop_token& stop) {
    std::vector<MPI_Request> sending(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    std::vector<std::int64_t> silent(static_cast<std::size_t>(size_), 0);
    const std::int64_t first = rank_ == 0 ? 1 : 0, last = rank_ == 0 ? size_ : 1;
    std::mutex waiting;
    std::condition_variable_any woken;
    while (!stop.stop_requested()) {
      const Clock::time_point now = Clock::now();
      if (now - ticked_.load() > long_pause()) resumed_ = now;
      ticked_ = now;
      std::int64_t lost = -1;
      {
        const std::unique_lock lock = locked();
        for (std::int64_t peer = first; peer < last; ++peer) {
          const auto p = static_cast<std::size_t>(peer);
          int sent = 0;
          MPI_Test(&sending[p], &sent, MPI_STATUS_IGNORE);
          if (sent != 0) MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(peer), 0, beats_, &sending[p]);
          // The count grows only while this thread runs. So if all processes are suspended together, none of
          // them counts as lost.
          ++silent[p];
        }
        for (int peer = 0; (peer = received_beat(MPI_ANY_SOURCE)) >= 0;)
          silent[static_cast<std::size_t>(peer)] = 0;
        for (std::int64_t peer = first; peer < last; ++peer) {
          if (silent[static_cast<std::size_t>(peer)] > watch_.seconds) lost = peer;
        }
      }
      if (lost >= 0) {
        // All processes notice the loss of process 0 in the same second. On each host, only one of them, the
        // reporter, writes the message and ends the job. The other processes wait two seconds, so that the
        // reporter acts first.
        if (peers_.reporter(lost) != rank_) std::this_thread::sleep_for(2s);
        end(peers_.silence(lost, watch_.seconds));
      }
      std::unique_lock lock(waiting);
      for (int i = 0; i < 10 && !stop.stop_requested(); ++i) {
        woken.wait_for(lock, stop, 100ms, [] { return false; });
        if (watch_.ending()) locked();  // ends this process if the other thread's call of MPI does not return
      }
    }
  }

  // Receives a sign of life if one has arrived. Returns the sender, or −1.
  int received_beat(int from) {
    int there = 0;
    MPI_Status status{};
    MPI_Iprobe(from, 0, beats_, &there, &status);
    if (there == 0) return -1;
    MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, 0, beats_, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
  }

  Watch watch_;
  std::mutex mutex_;
  std::int64_t rank_ = 0, size_ = 1;
  Peers peers_;
  std::atomic<std::int64_t> waits_for_ = -1;              // the peer of the latest exchange
  MPI_Comm beats_ = MPI_COMM_NULL;                        // for signs of life only
  std::atomic<Clock::time_point> ticked_ = Clock::now();  // time of the last iteration of keep_watch()
  std::atomic<bool> has_reported_ = false;
  std::atomic<Clock::time_point> resumed_ = Clock::time_point();
  std::jthread watcher_;
};

}  // namespace

bool has_mpi() { return true; }

std::unique_ptr<Communicator> connect(const Watch& watch) {
  if (watch.seconds < 2) fail("Communicator", "Watch::seconds must be at least 2, and is ", watch.seconds);
  if (launched().size == 1) return std::make_unique<Alone>();
  return std::make_unique<Mpi>(watch);
}

void abort_job(int code) {
  if (initialised) MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace gradus::distributed
