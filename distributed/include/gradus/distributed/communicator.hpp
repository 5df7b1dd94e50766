#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// One process's connection to all P processes of its job, numbered 0 … P − 1. sum(), broadcast() and
/// gather() need only the functions of this class. All processes must make the same calls of sum(),
/// broadcast() and gather() in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::int64_t rank() const = 0;  ///< number of this process
  virtual std::int64_t size() const = 0;  ///< P
  /// Sends `out` to `peer` and receives `in` from it. Either may be empty. `peer` must make the matching
  /// call: its `out` has the size of this `in`, and its `in` the size of this `out`. Returns when `in` is
  /// complete and `out` may be overwritten.
  /// @throws Error if `peer` is not another process of the job, if the peer's message does not have the size
  /// of `in`, or if the peer has failed. With MPI, the failure of a peer ends the job (see connect()), and so
  /// does a message longer than `in`. MPI sends nothing for an empty `out`, and more than 1 GiB in pieces, so
  /// it may notice a wrong size only in a later call if one of the two sizes is a multiple of 1 GiB, or 0.
  virtual void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;
  /// True if messages can be sent while this process computes, as over a network. This is the default. False
  /// for MPI on a single host, where the cores themselves copy messages. All processes return the same value.
  virtual bool has_network() const { return true; }
};

/// A job with only one process.
class Alone : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  /// @throws Error always, because there is no peer.
  void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) override;
};

/// Adds up the values of all processes, element by element. With x_r the values of process r, the `values` of
/// every process become
///
///     ((x_0 + x_1) + (x_2 + x_3)) + …
///
/// The method is recursive halving and doubling. In round k = 0, 1, …, processes r and r XOR 2ᵏ hold partial
/// sums of the same elements. One process keeps the first half of these elements, the other process the
/// second half. Each process sends the half that it does not keep, and adds the values that it receives to
/// the half that it keeps. The same rounds in reverse order distribute the complete sums. Each process sends
/// 2·n·(P − 1)/P values, for n = values.size(), in 2·log₂ P rounds (Thakur, Rabenseifner and Gropp,
/// "Optimization of collective communication operations in MPICH", 2005, section 4.5). Floating-point
/// addition is commutative, so a sum of two values has the same bits in both processes that could compute
/// this sum.
/// @throws Error unless P is a power of two.
void sum(Communicator& processes, std::span<float> values);
void sum(Communicator& processes, std::span<double> values);
/// Like sum(), but for values that are bf16 numbers. Every sum of two numbers is rounded to the nearest bf16,
/// and each value is sent as 2 bytes.
void sum_bf16(Communicator& processes, std::span<float> values);

/// Replaces the bytes of every process by the bytes of process 0, in ⌈log₂ P⌉ rounds along a binomial tree.
void broadcast(Communicator& processes, std::span<std::byte> bytes);
/// In every process, returns the `number` that process 0 passes.
double broadcast(Communicator& processes, double number);

/// In every process, returns the texts of all processes, ordered by rank.
std::vector<std::string> gather(Communicator& processes, const std::string& text);

}  // namespace gradus::distributed
#pragma GCC visibility pop
