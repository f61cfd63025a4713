// The slots that hold the notifications of held calls, so that the keeper can let these calls go on when the meter is
// dead (os/kernel/notification_slots.hpp). The first slot is for the call that is being served.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "os/kernel/notification_slots.hpp"

namespace dpm {

class HeldSlots {
 public:
  explicit HeldSlots(NotificationSlots& slots) : slots_(slots) {
    for (std::size_t slot = NotificationSlots::kSlots; slot-- > 1;) free_.push_back(slot);
  }

  // Nothing if all slots are taken: then the call must not be held.
  std::optional<std::size_t> keep(const Notification& notification) {
    if (free_.empty()) return std::nullopt;
    const std::size_t slot = free_.back();
    free_.pop_back();
    slots_[slot] = notification;
    return slot;
  }
  void clear(std::size_t slot) {
    slots_[slot] = {};
    free_.push_back(slot);
  }
  bool has_room() const { return !free_.empty(); }

 private:
  NotificationSlots& slots_;
  std::vector<std::size_t> free_;
};

}  // namespace dpm
