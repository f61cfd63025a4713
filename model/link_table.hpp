// A process's link table (thesis 4.2.1), over whatever a message system keeps for a link.
//
// Indices contain a generation, so that an index kept after its link was destroyed does not come to mean another link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/check.hpp"
#include "model/message_calls.hpp"

namespace dpm {

template <typename Link>
class LinkTable {
 public:
  LinkIndex insert(Link link) {
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      DPM_CHECK(slot < kSlotMask);
      slots_.emplace_back();
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    slots_[slot].link = std::move(link);
    return {slot | slots_[slot].generation << kSlotBits};
  }

  void erase(LinkIndex index) {
    DPM_CHECK(find(index) != nullptr);
    const std::uint32_t slot = index.value & kSlotMask;
    slots_[slot].link.reset();
    slots_[slot].generation = (slots_[slot].generation + 1) & (0xffffffffu >> kSlotBits);
    free_slots_.push_back(slot);
  }

  // Null if there is no such link (any more).
  const Link* find(LinkIndex index) const {
    const std::uint32_t slot = index.value & kSlotMask;
    if (index.is_none() || slot >= slots_.size()) return nullptr;
    const Slot& held = slots_[slot];
    return held.link && held.generation == index.value >> kSlotBits ? &*held.link : nullptr;
  }

 private:
  static constexpr std::uint32_t kSlotBits = 20;
  static constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;

  struct Slot {
    std::optional<Link> link;
    std::uint32_t generation = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace dpm
