// Calls that ask for data or a connection. The supervisor inspects the queue of each when it is made and, if it holds the
// call, again when data may have come. Both times the steps are the same: inspect, decide, carry out. The decision:
//
//                              nothing there             something there           it may be another thread's
//     it may wait              waits for data            recorded, goes on         waits for its turn
//     it may not wait          answered EAGAIN           recorded, goes on         waits for its turn
//
// EAGAIN is the kernel's answer at that instant. Letting such a call go on instead would be a race: the call would take
// data that comes before the kernel carries it out, and no RECEIVE would be recorded. The supervisor answers only where
// no other result is possible: see can_only_be_eagain() in call_arguments.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/supervisor/accepts.hpp"
#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/held_calls.hpp"
#include "backends/linux/supervisor/restarted_calls.hpp"
#include "backends/linux/supervisor/sends.hpp"
#include "backends/linux/supervisor/several_datagrams.hpp"
#include "backends/linux/supervisor/turn_taking.hpp"
#include "os/kernel/socket_queue.hpp"

namespace dpm {

// The queue of a socket, pipe or eventfd, as it was inspected for a call.
struct QueueState {
  bool readable = false;       // data, a connection, an end or an error is there: the kernel would not wait
  bool takes_nothing = false;  // no datagram or connection: an end or an error at most, which the kernel returns itself
  std::uint64_t bytes = 0;     // of a stream: that the call would get
  bool ended = false;          // of a stream: no more comes
  bool is_being_sent =
      false;  // of a stream: a send is under way whose length shows only if nothing is received meanwhile
  std::optional<std::uint64_t> offset = std::nullopt;         // where the stream stands, if that is known
  std::optional<std::uint64_t> stands_beyond = std::nullopt;  // where it stands at least, if that will be known
  std::optional<WaitingDatagram> datagram = std::nullopt;
  std::optional<EventCounter> units = std::nullopt;  // of an eventfd
  QueueFront front;
};

enum class ReceiveDecision : std::uint8_t {
  record,        // it goes on, and takes the data that was seen
  let_go,        // it goes on: there is nothing to record
  answer_again,  // EAGAIN
  wait_for_data,
  wait_for_turn,
};
ReceiveDecision decide(const ReceiveTerms& terms, const QueueState& queue, bool may_be_anothers);

class ReceiveCalls {
 public:
  ReceiveCalls(Shared& shared, CallInspector& inspector, HeldCalls& held, RestartedCalls& restarts, Sends& sends);

  // recv() and similar calls; recvmmsg(); read() of an eventfd.
  CallOutcome receive(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  CallOutcome accept(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  // sendfile() and splice() move data from one file or stream into another, without passing through the process. To the
  // programmer, bytes that leave a stream are received, and bytes that enter a stream are sent.
  CallOutcome transfer(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

  // ---- after the call
  // The thread's last call is over: its effect can be seen, and it is the next thread's turn. `descriptor`: that of the receive that it
  // makes now, and which will be looked at; -1: it makes another call.
  void is_over(TrackedThread& thread, std::int32_t descriptor);
  // The thread has ended. `has_own_counters`: no other thread has taken over its number, and with it its files of /proc.
  void thread_ends(TrackedThread& thread, bool has_own_counters);
  // The thread takes nothing any more.
  void end_turn(TrackedThread& thread) { turns_.end(thread); }
  void forget_turns() { turns_.forget_all(); }
  // The thread's memory is gone, or what its call did to it is not known.
  void forget_memory(std::uint32_t tid) { several_.forget(tid); }
  void closed(std::uint64_t socket, LocalTime time) { several_.closed(socket, time, shared_.clock.steady_ns(time)); }
  // Accepts, and calls that take several datagrams, whose thread makes no other call for a while.
  void settle_old(std::int64_t now_ns);
  void settle_several(std::int64_t now_ns);
  std::vector<std::string> warnings() const { return several_.warnings(); }

 private:
  ReceiveRequest request_of(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                            const ResolvedChannel& channel);
  void take_urgent(const Notification& notification, const MeteredCall& shape, TrackedThread& thread, Socket& socket,
                   int fd);
  void note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

  // ---- inspect, decide, carry out
  CallOutcome begin(TrackedThread& thread, ReceiveRequest& request, const ResolvedChannel& channel);
  void note_request(TrackedThread& thread, const ReceiveRequest& request, const QueueState& queue);
  void inspect_again(TrackedThread& thread);
  void inspect_waiting(TrackedThread& thread);
  bool record_taken(TrackedThread& thread, const UniqueFd* fd);
  void hold_is_over(TrackedThread& thread);
  ReceiveDecision judge(ReceiveRequest& request, QueueState& queue, int fd, bool is_held);
  bool may_be_anothers(const ReceiveRequest& request, QueueState& queue, int fd);
  std::uint64_t shares(const ReceiveRequest& request, const QueueState& queue, int fd);
  CallOutcome hold(TrackedThread& thread, const ReceiveRequest& request, ReceiveDecision decision, int fd);

  // ---- the queue
  std::optional<QueueState> inspect(const ReceiveRequest& request, int fd);
  void inspect_memory(const ReceiveRequest& request, Socket& socket, int fd);
  QueueState inspect_datagrams(int fd);
  std::optional<QueueState> inspect_eventfd(const ReceiveRequest& request, int fd);
  std::optional<QueueState> inspect_stream(const ReceiveRequest& request, const Socket* socket, int fd);
  Flow* flow_of(const ReceiveRequest& request);
  Flow& eventfd_of(const MeteredThread& thread, const EventCounter& counter);
  bool is_exact(const ReceiveRequest& request);
  bool shows_its_share(const ReceiveRequest& request);

  // ---- the record
  void record(TrackedThread& thread, const ReceiveRequest& request, const QueueState& queue, int fd);
  void record_units(TrackedThread& thread, const ReceiveRequest& request, const Call& call,
                    const EventCounter& counter);
  void settle_units(TrackedThread& taker, TrackedThread& by);
  static TrackedThread* another_of(const TrackedThread& thread);
  void record_datagram(TrackedThread& thread, const ReceiveRequest& request, const Call& call, const QueueState& queue,
                       Socket& socket, int fd);
  void record_stream(TrackedThread& thread, const ReceiveRequest& request, const Call& call, const QueueState& queue,
                     int fd);
  void goes_on_unseen(const ReceiveRequest& request, int fd);
  void takes_several(const ReceiveRequest& request, const Call& call, const std::optional<WaitingDatagram>& first,
                     int fd);
  void several_are_over(std::uint32_t tid);

  Shared& shared_;
  CallInspector& inspector_;
  HeldCalls& held_;
  RestartedCalls& restarts_;
  Sends& sends_;
  Accepts accepts_;
  TurnTaking turns_;
  SeveralDatagrams several_;
};

}  // namespace dpm
