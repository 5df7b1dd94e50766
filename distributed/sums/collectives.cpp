#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/communicator.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gradus::distributed {
namespace {

// Sends values unchanged.
template <class T>
struct Plain {
  static void exchange(Communicator& processes, std::int64_t peer, std::span<const T> sent,
                       std::span<T> received) {
    processes.exchange(peer, std::as_bytes(sent), std::as_writable_bytes(received));
  }
  static T rounded(T sum) { return sum; }
};

// Sends values as bf16.
struct Bf16 {
  void exchange(Communicator& processes, std::int64_t peer, std::span<const float> sent,
                std::span<float> received) {
    out.resize(sent.size());
    in.resize(received.size());
    std::ranges::transform(sent, out.begin(), bf16::rounded);
    processes.exchange(peer, std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(in)));
    std::ranges::transform(in, received.begin(), bf16::to_float);
  }
  static float rounded(float sum) { return bf16::to_float(bf16::rounded(sum)); }

  std::vector<bf16::Bits> out, in;
};

// Sends `sent` to the peer, and adds the values from the peer to `kept`. Works in pieces. A piece is small
// enough to save memory, and large enough that the latency of a message does not matter.
template <class T, class Wire>
void exchange_and_add(Communicator& processes, Wire& wire, std::int64_t peer, std::span<const T> sent,
                      std::span<T> kept) {
  constexpr std::size_t piece = (std::size_t{1} << 23) / sizeof(T);
  std::vector<T> received(std::min(piece, kept.size()));
  while (!sent.empty() || !kept.empty()) {
    const std::size_t outward = std::min(piece, sent.size()), inward = std::min(piece, kept.size());
    wire.exchange(processes, peer, sent.first(outward), std::span(received).first(inward));
    for (std::size_t i = 0; i < inward; ++i) kept[i] = Wire::rounded(kept[i] + received[i]);
    sent = sent.subspan(outward);
    kept = kept.subspan(inward);
  }
}

template <class T, class Wire>
void sum_of(Communicator& processes, std::span<T> values, Wire wire) {
  const auto P = static_cast<std::uint64_t>(processes.size()),
             rank = static_cast<std::uint64_t>(processes.rank());
  if (!std::has_single_bit(P)) fail("sum", "needs a power of two of processes, and there are ", P);
  const auto peer = [rank](std::uint64_t distance) { return static_cast<std::int64_t>(rank ^ distance); };
  // Halving: `held` shrinks to the part that this process sums.
  std::vector<std::pair<std::span<T>, std::span<T>>> rounds;  // the kept and the sent half of each round
  std::span<T> held = values;
  for (std::uint64_t distance = 1; distance < P; distance *= 2) {
    std::span<T> kept = held.first(held.size() / 2), sent = held.subspan(held.size() / 2);
    if ((rank & distance) != 0) std::swap(kept, sent);
    exchange_and_add<T>(processes, wire, peer(distance), sent, kept);
    rounds.emplace_back(kept, sent);
    held = kept;
  }
  // Doubling: the same rounds in reverse order.
  for (std::uint64_t distance = P / 2; distance > 0; distance /= 2) {
    const auto& [kept, sent] = rounds.back();
    wire.exchange(processes, peer(distance), kept, sent);
    rounds.pop_back();
  }
}

}  // namespace

void sum(Communicator& processes, std::span<float> values) { sum_of(processes, values, Plain<float>()); }
void sum(Communicator& processes, std::span<double> values) { sum_of(processes, values, Plain<double>()); }
void sum_bf16(Communicator& processes, std::span<float> values) { sum_of(processes, values, Bf16()); }

void broadcast(Communicator& processes, std::span<std::byte> bytes) {
  const std::int64_t rank = processes.rank();
  for (std::int64_t have = 1; have < processes.size(); have *= 2) {  // processes 0 … have − 1 have the bytes
    if (rank < have && rank + have < processes.size()) processes.exchange(rank + have, bytes, {});
    if (rank >= have && rank < 2 * have) processes.exchange(rank - have, {}, bytes);
  }
}

double broadcast(Communicator& processes, double number) {
  broadcast(processes, std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

std::vector<std::string> gather(Communicator& processes, const std::string& text) {
  const std::int64_t P = processes.size();
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(P));
  std::string all;
  const auto bytes = [](std::string& some) { return std::as_writable_bytes(std::span(some)); };
  if (processes.rank() == 0) {
    all = text;
    lengths[0] = text.size();
    for (std::int64_t rank = 1; rank < P; ++rank) {
      std::uint64_t& length = lengths[static_cast<std::size_t>(rank)];
      processes.exchange(rank, {}, std::as_writable_bytes(std::span(&length, 1)));
      std::string other(length, '\0');
      processes.exchange(rank, {}, bytes(other));
      all += other;
    }
  } else {
    const std::uint64_t length = text.size();
    processes.exchange(0, std::as_bytes(std::span(&length, 1)), {});
    processes.exchange(0, std::as_bytes(std::span(text)), {});
  }
  broadcast(processes, std::as_writable_bytes(std::span(lengths)));
  std::size_t size = 0;
  for (const std::uint64_t length : lengths) size += length;
  all.resize(size);
  broadcast(processes, bytes(all));
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::uint64_t length : lengths) {
    texts.push_back(all.substr(at, length));
    at += length;
  }
  return texts;
}

}  // namespace gradus::distributed
