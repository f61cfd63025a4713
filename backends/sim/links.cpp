#include "backends/sim/links.hpp"

#include "model/check.hpp"

namespace dpm::sim {

LinkIndex LinkTable::insert(Link link) {
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    DPM_CHECK(slot < kSlotMask);
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[slot].link = link;
  return {slot | slots_[slot].generation << kSlotBits};
}

void LinkTable::erase(LinkIndex index) {
  DPM_CHECK(find(index) != nullptr);
  const std::uint32_t slot = index.value & kSlotMask;
  slots_[slot].link = {};
  slots_[slot].generation = (slots_[slot].generation + 1) & (0xffffffffu >> kSlotBits);
  free_slots_.push_back(slot);
}

const Link* LinkTable::find(LinkIndex index) const {
  const std::uint32_t slot = index.value & kSlotMask;
  if (index.is_none() || slot >= slots_.size()) return nullptr;
  const Slot& held = slots_[slot];
  return held.link.channel != nullptr && held.generation == index.value >> kSlotBits ? &held.link : nullptr;
}

}  // namespace dpm::sim
