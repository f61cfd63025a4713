// The calendar of arrivals. One alarm of the engine is armed for the earliest: SimGrid does not promise an order of
// timers with equal dates, and its mailboxes deliver in order of sending, while DEMOS/MP queues messages in order of
// arrival.
//
// What is due at the same nanosecond is taken in the order of (rank of the sender, order of sending). The predictor does
// the same, so ties never depend on how the simulator works.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "backends/sim/engine.hpp"
#include "backends/sim/packet.hpp"

namespace dpm::sim {

class Calendar {
 public:
  explicit Calendar(Engine& engine) : engine_(engine) {}

  void insert(TrueTime at, std::uint32_t rank, Packet& packet) {
    const bool earliest = entries_.empty() || at < entries_.top().at;
    entries_.push({at, rank, next_order_++, &packet});
    if (earliest) engine_.set_alarm(at);
  }

  // What comes next, if it is due; otherwise null.
  const Packet* due(TrueTime now) const {
    return entries_.empty() || entries_.top().at > now ? nullptr : entries_.top().packet;
  }
  Packet* take_due(TrueTime now) {
    if (due(now) == nullptr) return nullptr;
    Packet* packet = entries_.top().packet;
    entries_.pop();
    return packet;
  }

  // What comes next, due or not: for what is still under way when a simulation ends.
  Packet* take_next() { return entries_.empty() ? nullptr : take_due(entries_.top().at); }

  // To be called when everything due has been taken.
  void arm() {
    if (entries_.empty())
      engine_.clear_alarm();
    else
      engine_.set_alarm(entries_.top().at);
  }

 private:
  struct Entry {
    TrueTime at;
    std::uint32_t rank;
    std::uint64_t order;
    Packet* packet;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.at != b.at) return a.at > b.at;
      if (a.rank != b.rank) return a.rank > b.rank;
      return a.order > b.order;
    }
  };

  Engine& engine_;
  std::priority_queue<Entry, std::vector<Entry>, Later> entries_;
  std::uint64_t next_order_ = 0;
};

}  // namespace dpm::sim
