// The number of each pair of processes. Every message asks for one, often of a pair that was not asked for in the last
// thousand: one slot is one access to memory, where std::unordered_map has three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

class PairNumbers {
 public:
  std::optional<std::size_t> find(ProcessId from, ProcessId to) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place_of(from, to)];
    return slot.number == kFree ? std::nullopt : std::optional<std::size_t>(slot.number);
  }

  // The pair has no number yet.
  void add(ProcessId from, ProcessId to, std::size_t number) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    slots_[place_of(from, to)] = {from.value, to.value, static_cast<std::uint32_t>(number)};
    ++count_;
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t from = 0, to = 0, number = kFree;
  };

  // Where the pair is, or would be: slots are a power of two, at most half of them taken.
  std::size_t place_of(ProcessId from, ProcessId to) const {
    const std::uint64_t mixed = ((std::uint64_t{from.value} << 32) | to.value) * 0x9e3779b97f4a7c15u;
    std::size_t place = static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    const auto is_other = [&](const Slot& slot) {
      return slot.number != kFree && !(slot.from == from.value && slot.to == to.value);
    };
    while (is_other(slots_[place])) place = (place + 1) & (slots_.size() - 1);
    return place;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.number != kFree) slots_[place_of({slot.from}, {slot.to})] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace dpm
