// The supervisor's end of user notification: takes the calls that wait, and lets each go on.
//
// Costs (measured on a small virtual machine): a notified call about 6 us when both run on the same CPU, 50 to 150 us
// when the other CPU must be woken for it, which is why sync_wake_up matters.
#pragma once

#include "os/kernel/notification.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class SeccompListener {
 public:
  explicit SeccompListener(UniqueFd fd) : fd_(std::move(fd)) {}

  enum class Received {
    one,
    none,   // a signal came, or the call was interrupted before it was received
    ended,  // no process carries the filter any more
  };
  // Waits. `notification` must be all zero.
  Received receive(Notification& notification);

  // The kernel carries out the call as if it had not been notified. False if it does not wait any more.
  bool let_go(std::uint64_t id);
  // The call fails with this errno without being carried out.
  bool fail(std::uint64_t id, int error_number);
  // Whether the call still waits: a signal ends the wait without a message to the supervisor.
  bool waits(std::uint64_t id) const;

  // The supervisor runs on the target's CPU as soon as the target waits, and the other way round. False if the kernel
  // is older than 6.6.
  bool set_sync_wake_up(bool on);

  // No process carries the filter any more. Kernels before 6.11 do not end receive() then.
  bool has_ended() const;

  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace dpm
