// The supervisor's end of user notification: takes the calls that wait, and lets each go on.
//
// Costs (measured on a small virtual machine): a notified call about 6 us when both run on the same CPU, 50 to 150 us
// when the other CPU must be woken for it, which is why sync_wake_up matters.
#pragma once

#include "backends/linux/capture/kernel/notification.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class SeccompListener {
 public:
  explicit SeccompListener(UniqueFd fd) : fd_(std::move(fd)) {}

  enum class Received {
    one,
    none,   // a signal came, or the call was given up before we had it
    ended,  // no process carries the filter any more
  };
  // Waits. `notification` must be all zero.
  Received receive(Notification& notification);

  // The call is carried out by the kernel as if nobody had looked. False if it does not wait any more.
  bool let_go(std::uint64_t id);
  // The call fails with this errno without being carried out.
  bool fail(std::uint64_t id, int error_number);
  // Whether the call still waits: a signal takes it away without notice.
  bool waits(std::uint64_t id) const;

  // The supervisor runs on the target's CPU the moment the target waits, and the other way round. False where the
  // kernel (before 6.6) does not know it.
  bool set_sync_wake_up(bool on);

  // No process carries the filter any more. Kernels before 6.11 do not end receive() then.
  bool has_ended() const;

  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace dpm
