// Which thread's turn it is to take the data that waits in a socket or pipe that several threads read.
//
// A call that was let go takes its data a little later, and the kernel does not tell when. Until its thread is seen
// elsewhere, another call may find the same data in the socket: two RECEIVEs would be recorded for one message. So the
// other call waits until one of these shows that the first has taken its share:
//
//     it made another metered call, or ended        left()
//     the queue begins with other data              is_same_data()
//     it sleeps elsewhere, or computes              has_left()
//     it has been away for kTakesAtMostNs           has_left()
//
// Turns is pure and decides; TurnTaking inspects the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/linux/supervisor/held_calls.hpp"
#include "backends/linux/supervisor/shared.hpp"
#include "backends/linux/supervisor/tracked_thread.hpp"

namespace dpm {

class Turns {
 public:
  // Longer than a thread waits for a CPU on a busy machine, so that nothing is recorded twice.
  static constexpr std::int64_t kTakesAtMostNs = 500'000'000;
  // A receive uses less CPU time than this. But time that the host of a virtual machine takes counts as the thread's,
  // and can come at any place: at the next tick, the thread has used it up, and waits for a CPU again with its call not
  // made. So the thread must be seen to have used this much twice.
  static constexpr std::uint64_t kTakesAtMostCpuNs = 200'000;
  static constexpr int kTimesComputing = 2;

  // A call that was let go to take a share.
  struct Taker {
    std::uint32_t tid = 0;
    std::int32_t descriptor = -1;
    std::int64_t since_ns = 0;
    QueueFront front;
    std::optional<std::uint64_t> cpu_ns = std::nullopt;  // when it was first inspected, or was seen computing
    int seen_computing = 0;                              // how many times
  };
  // Of a taker's thread, when it is inspected.
  struct ThreadState {
    std::uint64_t cpu_ns = 0;
    bool sleeps_elsewhere = false;
  };

  void give(std::uint64_t queue, const Taker& taker) { takers_[queue].push_back(taker); }
  // The thread has been seen out of its call.
  void left(std::uint64_t queue, std::uint32_t tid);
  // How many calls may still be about to take from the queue. Forgets those for which `has_left` is true.
  template <typename HasLeft>
  std::size_t still_taking(std::uint64_t queue, HasLeft&& has_left) {
    const auto found = takers_.find(queue);
    if (found == takers_.end()) return 0;
    std::erase_if(found->second, has_left);
    const std::size_t left = found->second.size();
    if (left == 0) takers_.erase(found);
    return left;
  }
  std::size_t size() const { return takers_.size(); }

  static bool has_left(Taker& taker, const ThreadState& thread, std::int64_t now_ns);

 private:
  std::unordered_map<std::uint64_t, std::vector<Taker>> takers_;
};

class TurnTaking {
 public:
  TurnTaking(Shared& shared, HeldCalls& held) : shared_(shared), held_(held) {}

  // The thread is let go to take a share of the data that begins with `front`.
  void give(TrackedThread& thread, const ReceiveRequest& request, const Call& call, const QueueFront& front);
  // The thread's call is over: it is the next one's turn.
  void end(TrackedThread& thread);
  void forget_all() { turns_ = {}; }

  struct Others {
    std::size_t taking = 0;       // calls that may be about to take data that begins with `front`
    bool some_have_left = false;  // others have taken their share, before the queue was inspected or since
  };
  Others others(const ReceiveRequest& request, const QueueFront& front);

 private:
  bool has_left(Turns::Taker& taker, std::int64_t now_ns);

  Shared& shared_;
  HeldCalls& held_;
  Turns turns_;
};

}  // namespace dpm
