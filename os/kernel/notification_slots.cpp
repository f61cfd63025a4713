#include "os/kernel/notification_slots.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace dpm {
namespace {
constexpr std::size_t kBytes = NotificationSlots::kSlots * sizeof(Notification) + sizeof(StandIn);
static_assert(sizeof(Notification) % alignof(StandIn) == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
}  // namespace

Result<NotificationSlots> NotificationSlots::create() {
  UniqueFd memory(::memfd_create("dpm-notifications", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), kBytes) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Error::from_errno("make memory to share with the keeper");
  return share(std::move(memory));
}

Result<NotificationSlots> NotificationSlots::share(UniqueFd memory) {
  struct stat status = {};
  if (::fstat(memory.get(), &status) != 0 || status.st_size != static_cast<off_t>(kBytes))
    return Error{"the memory the keeper hands over is not the meter's: was it started by another version of dpm?"};
  // Another user may own it, who must not be able to make it shorter: reading behind its end is SIGBUS.
  if (const int seals = ::fcntl(memory.get(), F_GET_SEALS); seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    return Error{"the memory the keeper hands over can become shorter: was it started by another version of dpm?"};
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) return Error::from_errno("map the memory shared with the keeper");
  return NotificationSlots(std::move(memory), static_cast<Notification*>(at));
}

NotificationSlots::NotificationSlots(NotificationSlots&& other) noexcept
    : memory_(std::move(other.memory_)), slots_(std::exchange(other.slots_, nullptr)) {}

NotificationSlots::~NotificationSlots() {
  if (slots_ != nullptr) ::munmap(slots_, kBytes);
}

}  // namespace dpm
