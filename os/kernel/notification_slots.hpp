// Memory shared with the keeper process that holds the notifications being served: if the meter is killed while it
// serves one, the keeper lets that call go on.
//
// The kernel writes a notification directly into a slot; the process that answers it clears the slot. A slot that is
// not clear when the meter is dead belongs to a call that may still wait. Answering a call twice does no harm.
//
// Behind the slots, meter and keeper tell each other about a meter that is stopped (backends/linux/custody/keeper/stopped_meter.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "model/result.hpp"
#include "os/kernel/notification.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct StandIn {
  // Written by the meter: grows several times a second while it runs.
  std::atomic<std::uint64_t> heartbeat;
  // Written by the keeper.
  std::atomic<std::uint64_t>
      changes;                       // grows when it begins to answer in the place of a stopped meter, and when it ends
  std::atomic<std::uint64_t> calls;  // that it let go on meanwhile
  std::atomic<std::int64_t>
      stopped_ns;  // how long the meter was seen to be stopped, altogether, in stops that are over
  std::atomic<std::int64_t> stopped_since_ns;  // while the keeper answers: since when, by the clock that is never set
};

class NotificationSlots {
 public:
  static constexpr std::size_t kSlots = 4096;

  static Result<NotificationSlots> create();                // in memory without a name (memfd)
  static Result<NotificationSlots> share(UniqueFd memory);  // of a descriptor that another process created
  NotificationSlots(NotificationSlots&& other) noexcept;
  NotificationSlots& operator=(NotificationSlots&&) = delete;
  ~NotificationSlots();

  std::span<Notification> all() const { return {slots_, kSlots}; }
  Notification& operator[](std::size_t slot) const { return slots_[slot]; }
  StandIn& stand_in() const { return *reinterpret_cast<StandIn*>(slots_ + kSlots); }
  int fd() const { return memory_.get(); }

 private:
  NotificationSlots(UniqueFd memory, Notification* slots) : memory_(std::move(memory)), slots_(slots) {}
  UniqueFd memory_;
  Notification* slots_ = nullptr;
};

}  // namespace dpm
