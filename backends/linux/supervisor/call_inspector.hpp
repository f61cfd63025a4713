// Inspects a notified call: which call it is, by which thread and from where, which socket, pipe or eventfd its
// descriptor is, and later, as far as the kernel tells, how far it has got.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/supervisor/bypass_watch.hpp"
#include "backends/linux/supervisor/code_places.hpp"
#include "backends/linux/supervisor/cpu_times.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

// What a call is about: an open file, borrowed for the time of looking at it.
struct ResolvedChannel {
  UniqueFd fd;
  DescriptorIdentity identity;
  Socket* socket = nullptr;  // none: a pipe or an eventfd
};

// The flags of a call; 0 if its kind has none.
std::uint64_t flags_of(const Notification& notification, const MeteredCall& shape);
std::int32_t descriptor_of(const Notification& notification, const MeteredCall& shape);

class CallInspector {
 public:
  CallInspector(Shared& shared, CpuTimes& cpu_times, CodePlaces& places, BypassWatch& bypasses)
      : shared_(shared), cpu_times_(cpu_times), places_(places), bypasses_(bypasses) {}

  BypassWatch& bypasses() { return bypasses_; }

  // Describes a call that will be recorded.
  Call describe_call(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  // The same call, with the time at which it goes on now.
  Call at_present(const Call& call);

  // Nothing if the descriptor carries no messages, or the call cannot succeed on it.
  std::optional<ResolvedChannel> resolve_channel(const Notification& notification, const MeteredCall& shape,
                                                 TrackedThread& thread);
  // The listener of an accept.
  std::optional<ResolvedChannel> resolve_listener(const Notification& notification, TrackedThread& thread);
  UniqueFd borrow(TrackedThread& thread, std::int32_t descriptor);
  // A socket's description is kept once it cannot change any more.
  Socket* socket_behind(int fd, std::uint64_t id);
  // The stream that can be read from this descriptor, if it is one.
  Flow* stream_from(int fd, const DescriptorIdentity& identity);
  // The stream that a transfer gives to by this descriptor of the thread.
  Flow* stream_to(TrackedThread& thread, std::int32_t descriptor);
  bool gives_datagrams(int fd, const DescriptorIdentity& identity);

  // ---- progress
  // Whether the thread may be in a call on this descriptor, or has just been woken in it.
  bool may_be_in_call(TrackedThread& thread, std::int32_t descriptor);
  // Whether the length of Flow::partial is known, or there is none. It shows when the send and the receives are over. `seen`: a thread that
  // is out of its calls.
  bool settle_partial(Flow& flow, const MeteredThread* seen);
  // Whether the thread that received there last may still be in that call.
  bool is_receiving(const Flow& flow, const MeteredThread* seen);
  // Whether the lengths of all operations on the pipe are known that show by what waits in it. `seen`: a thread that is out of its calls.
  bool settle_pipe(Flow& flow, const MeteredThread* seen);
  // The thread's I/O counters tell how much its last call moved.
  void read_counters(TrackedThread& thread);
  // How much its read() and similar calls have returned since then.
  std::uint64_t bytes_read(TrackedThread& thread);
  // Of a thread that has ended.
  void read_last_counters(TrackedThread& thread);
  // Everything that was sent and does not wait any more has been received: receives may have taken more than was seen
  // before them. `waiting` may be read again.
  std::optional<StreamBalance::Received> received_by_sends(Flow& flow, int fd, std::uint64_t& waiting);

  // Looks at the units of an eventfd, and settles its reads that are over. Their thread: `call`.
  void settle_units(const Call& call, Flow& flow, int fd, EventCounter& counter);

  // The supervisor does not know the call's thread.
  void could_not_look() { unlooked_calls_ += shared_.files.may_open_no_more() ? 1 : 0; }
  std::uint64_t unlooked_calls() const { return unlooked_calls_; }  // because the meter had no descriptor left
  // About UNIX sockets whose other ends the kernel does not tell.
  std::vector<std::string> warnings() const;

 private:
  bool is_sending(const PartialSend& send, const MeteredThread* seen);
  bool is_under_way(const OpenOperation& operation, bool sends);
  // Through the descriptor of a thread that has used it.
  std::optional<std::uint64_t> bytes_in_pipe(Flow& flow, const EndUser& user);
  bool forget_finished(StreamBalance& sends);
  void note_untold_peer(SocketDescription& socket, std::uint32_t pid);
  Bypass way_past(int fd);

  Shared& shared_;
  CpuTimes& cpu_times_;
  CodePlaces& places_;
  BypassWatch& bypasses_;
  std::uint64_t unlooked_calls_ = 0;
  std::uint64_t untold_sockets_ = 0;        // UNIX sockets whose peer the kernel does not tell,
  std::set<std::string> untold_processes_;  // and processes that use them
};

}  // namespace dpm
