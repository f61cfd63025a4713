// Ensures that messages of one sender to one receiver never overtake each other: the last arrival of every pair.
//
// A hash table that is cleared in constant time, because a placement search replays thousands of times. A slot holds
// eight neighbouring receivers of one sender: a process usually sends to neighbours in the table, and a thousand
// clients of a hundred servers fit in the cache, which a slot for each pair would fill.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace dpm {

class PairClocks {
 public:
  PairClocks() : slots_(kFirstSize) {}

  void clear() {
    used_ = 0;
    if (++round_ == kRounds) *this = PairClocks();
  }

  // When a message that would arrive at `arrival_ns` does arrive; notes it as the pair's last arrival. Process numbers
  // have 24 bits, as in HistoryEvent.
  std::int64_t arrive(std::uint32_t sender, std::uint32_t receiver, std::int64_t arrival_ns) {
    const std::uint64_t key = round_ << kKeyBits | std::uint64_t{sender} << kGroupBits | receiver / kGroup;
    Slot* slot = &find(key);
    if (slot->key != key) {
      if (++used_ * 2 > slots_.size()) {
        grow();
        slot = &find(key);
      }
      slot->key = key;
      slot->last_ns.fill(std::numeric_limits<std::int64_t>::min());
    }
    std::int64_t& last_ns = slot->last_ns[receiver % kGroup];
    last_ns = std::max(last_ns, arrival_ns);
    return last_ns;
  }

 private:
  static constexpr std::size_t kFirstSize = 16;  // a power of two, as every size
  static constexpr std::uint32_t kGroup = 8;
  static constexpr std::uint64_t kGroupBits = 21, kKeyBits = 45;
  static constexpr std::uint64_t kRounds = std::uint64_t{1} << (64 - kKeyBits);

  struct Slot {
    std::uint64_t key = 0;  // round, sender, group of receivers; a slot of an earlier round is free
    std::array<std::int64_t, kGroup> last_ns;
  };

  bool is_free(const Slot& slot) const { return slot.key >> kKeyBits != round_; }

  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (!is_free(slots_[at]) && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (!is_free(slot)) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint64_t round_ = 1;
  std::size_t used_ = 0;
};

}  // namespace dpm
