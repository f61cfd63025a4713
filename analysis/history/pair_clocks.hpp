// "Messages of one sender to one receiver never overtake each other": the last arrival of every pair, in a hash table
// that is emptied in no time, because a placement search replays thousands of times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dpm {

class PairClocks {
 public:
  PairClocks() : slots_(kFirstSize) {}

  void clear() {
    ++round_;
    used_ = 0;
  }

  // When a message that would arrive at `arrival_ns` does arrive. Remembers it.
  std::int64_t arrive(std::uint32_t sender, std::uint32_t receiver, std::int64_t arrival_ns) {
    const std::uint64_t key = (static_cast<std::uint64_t>(sender) << 32) | receiver;
    Slot& slot = find(key);
    if (slot.round != round_) {
      slot = {key, round_, arrival_ns};
      if (++used_ * 2 > slots_.size()) grow();
      return arrival_ns;
    }
    slot.last_ns = std::max(slot.last_ns, arrival_ns);
    return slot.last_ns;
  }

 private:
  static constexpr std::size_t kFirstSize = 64;  // a power of two, as every size

  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t round = 0;  // a slot of an earlier round is free
    std::int64_t last_ns = 0;
  };

  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (slots_[at].round == round_ && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.round == round_) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint64_t round_ = 1;
  std::size_t used_ = 0;
};

}  // namespace dpm
