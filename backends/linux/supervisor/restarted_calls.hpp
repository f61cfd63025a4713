// Calls that a signal takes away after the supervisor has looked at them, and that were not carried out. The kernel restarts
// such a call, or it fails with EINTR and the program makes it again. Either way its message must be recorded once.
//
// Mostly the answer finds that the call does not wait any more: such a call is unmade, and noted.
//
// A signal can also take a call away in the instant of the answer. The kernel accepts the answer, and restarts the call
// nevertheless: the thread has seen the signal, and only waits for the lock under which the answer is given. Measured
// with program and supervisor on different CPUs: once for each 900 answers that find the call gone.
//
// Nothing tells the supervisor, so it looks at what the call would have changed. A call that comes again with the same
// arguments has not been carried out before if
//
//     a send      the memory of what was sent and not received, or the units of the eventfd, have not grown
//     a receive   the same datagrams, or as many bytes or units, wait
//
// and no other call has moved anything in between, or may be moving something now. Both looks are left out until
// a signal has taken a call of the process away in the ordinary way, and for flows of which one end is not metered. Where
// offsets or counters tell what a call moved, the event of such a call disappears by itself; then only the RECEIVECALL
// must not be recorded twice.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/shared.hpp"
#include "backends/linux/supervisor/tracked_thread.hpp"

namespace dpm {

bool is_same_call(const Notification& one, const Notification& other);
// A call that comes again later than this after a signal was probably made again by the program, not by the kernel.
bool is_restart(LocalTime interrupted_at, LocalTime now);

// The answer that lets the thread's last call go found that it does not wait any more. Takes back what is recorded of it.
void note_unmade(Shared& shared, TrackedThread& thread, const Notification& notification);
// What was noted, if `notification` is that call again. A signal handler may have made other calls meanwhile.
std::optional<UnmadeCall> take_unmade(TrackedThread& thread, const Notification& notification, LocalTime now);

class RestartedCalls {
 public:
  RestartedCalls(Shared& shared, CallInspector& inspector) : shared_(shared), inspector_(inspector) {}

  // A call whose result no counter will tell has been recorded, and is let go. It sends from a UNIX socket, receives the
  // datagram `first`, or writes or reads an eventfd that holds `count` units.
  void sends(TrackedThread& thread, const Notification& notification, int fd, const DescriptorIdentity& identity,
             const Flow& flow);
  void receives(TrackedThread& thread, const Notification& notification, int fd, const DescriptorIdentity& identity,
                const Flow& flow, const WaitingDatagram& first);
  void moves_units(TrackedThread& thread, const Notification& notification, const DescriptorIdentity& identity,
                   const Flow& flow, std::uint64_t count);
  // Bytes of a stream in which `waiting` bytes wait have been recorded as received, and the call is let go. `is_counted`:
  // counters will tell how many it got.
  void receives_bytes(TrackedThread& thread, const Notification& notification, const DescriptorIdentity& identity,
                      const Flow& flow, std::uint64_t waiting, bool is_counted);
  // Whether the thread asks again for the bytes of this stream that it has not got. Where the stream stands is known.
  bool asks_again(const TrackedThread& thread, const Notification& notification, const Flow& flow) const;
  // Whether the thread makes the call again that was let go last and is recorded, because it was not carried out.
  bool is_restarted(TrackedThread& thread, const Notification& notification);

 private:
  bool is_noted(TrackedThread& thread, const Flow& flow);
  bool is_untouched(TrackedThread& thread, const LetGoCall& before, const Flow* flow);
  bool are_units_the_same(TrackedThread& thread, const LetGoCall& before, int fd);
  std::uint64_t datagrams(int fd, const WaitingDatagram& first);

  Shared& shared_;
  CallInspector& inspector_;
};

}  // namespace dpm
