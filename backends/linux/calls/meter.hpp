// Turns one program's calls into events: what each notified call means to the programmer, as records of
// model/event.hpp.
//
// Pure: the supervisor (backends/linux/supervisor) tells the meter what a call asks for and what was seen,
// under one lock, while the call waits. The meter never asks the kernel.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/calls/awaited_senders.hpp"
#include "backends/linux/calls/call.hpp"
#include "backends/linux/calls/conversation.hpp"
#include "backends/linux/calls/event_recorder.hpp"
#include "backends/linux/calls/hand_overs.hpp"
#include "backends/linux/calls/kernel_checks.hpp"
#include "backends/linux/calls/paths.hpp"
#include "backends/linux/calls/processes.hpp"
#include "backends/linux/calls/record_output.hpp"
#include "os/kernel/closed_sockets.hpp"
#include "os/kernel/socket_queue.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {

class Meter {
 public:
  Meter() : conversations_(recorder_.growth(), checks_), paths_(recorder_, conversations_, checks_, processes_) {}
  Meter(const Meter&) = delete;

  // ---- processes
  Processes& processes() { return processes_; }
  // The thread's I/O counters do not tell any more what its last call moved, because the kernel adds the bytes of the
  // new program's file.
  void executed(MeteredThread& thread, const std::string& name, const std::string& program, LocalTime time,
                std::int64_t now_ns);
  void ended(MeteredThread& thread, std::uint32_t exit_code, LocalTime time, std::int64_t now_ns);
  // The thread is not metered any more: nothing more will be known about its calls.
  void leave(MeteredThread& thread);
  // Forgets threads that have ended and whose events have all been taken, and flows that were removed.
  void forget_ended();

  void add_code_module(CodeModule module) { recorder_.growth().modules.push_back(std::move(module)); }

  void add_wait_cause(WaitCause cause) { recorder_.growth().wait_causes.push_back(std::move(cause)); }

  // ---- memory that threads share
  HandOvers& hand_overs() { return hand_overs_; }

  // SUMMARYs of the machine (machine_summaries.hpp).
  void summarises(std::vector<Event> summaries, std::uint16_t load, const Processes::Own& meter);

  // ---- paths
  Paths& paths() { return paths_; }
  Conversations& conversations() { return conversations_; }

  // ---- messages
  void sends(const Call& call, Flow& flow, const Amount& amount);
  // No call is moving anything through the pipe, in which `waiting` bytes wait: what was sent was received or waits. Settles the operations
  // of one of its ends whose length shows so, if all others are known.
  bool settle_pipe(Flow& flow, std::uint64_t waiting);
  // The send that Flow::partial describes is over. `waiting`: the bytes at the other end, if they tell how much it moved.
  void settle_partial(Flow& flow, std::optional<std::uint64_t> waiting);
  void sends_datagram(const Call& call, Flow& flow, const DatagramMark& mark);
  // How much has been received from a stream that has no offsets and no counters (StreamBalance). `waiting`: the bytes
  // that wait in it.
  std::optional<StreamBalance::Received> received(Flow& flow, std::uint64_t waiting, bool ended);
  void asks_to_receive(const Call& call, Flow* flow);
  void receives(const Call& call, Flow& flow, const Amount& amount);
  // The call was to move what it receives `from` here on, where its length will show. If its send was not recorded, nothing will tell.
  void transferred(const Call& call, FlowEnd from, Flow& to);
  void receives_datagram(const Call& call, Flow& flow, const DatagramMark& mark);
  // Several that the kernel has merged into one, each of `part_bytes` but the last; 0: it is one, which may be empty.
  void receives_datagrams(const Call& call, Flow& flow, DatagramMark mark, std::uint64_t part_bytes);
  // Datagrams that were received before `since_ns`, and whose SEND was not seen: it will not be.
  void give_up_old_senders(std::int64_t since_ns) { awaited_senders_.give_up_old(since_ns); }
  // A look at a UDP socket that the call wants to receive from.
  void looks_at(const Call& call, const Socket& socket, const DatagramMemory& memory);
  // Datagrams may have been taken from this socket that were not seen.
  void missed_datagrams(const Socket& socket);
  // A write of an eventfd.
  void adds_units(const Call& call, Flow& flow, std::uint64_t units);
  // A read of it. What it takes shows when it is over, by what is missing then: units that come after the look are taken, too.
  void takes_units(const Call& call, Flow& flow, const EventCounter& counter);
  // The eventfd holds `count` units, and its reads have taken `received` together: those that are over took what those in progress did not.
  void settle_units(const Call& call, Flow& flow, const StreamBalance::Received& received, std::uint64_t count);
  // The kernel told what an operation moved, and where the stream stood by its own count (ToldOffset): nothing is left
  // open. Of an eventfd, bytes are units.
  struct Told {
    std::uint64_t offset = 0, bytes = 0;
    bool some_are_lost = false;
    bool is_urgent = false;      // an urgent byte of TCP, taken out of its order: `offset` is its place in the stream
    bool passed_urgent = false;  // the stream has passed such a byte before these
  };
  void moved(const Call& call, Flow& flow, bool sending, const Told& told);
  // The kernel told the offset of an exact flow, without an operation.
  void resolve_at(const Call& call, Flow& flow, bool sending, std::uint64_t offset);
  // The stream stands before an urgent byte at `offset`, which the next receive passes.
  void passes_urgent(const Call& call, Flow& flow, std::uint64_t offset);
  // A call takes the urgent byte at `offset`, out of the order of the stream.
  void takes_urgent(const Call& call, Flow& flow, std::uint64_t offset);
  // The kernel reported what a socket had moved when it was closed.
  void closed(const ClosedSocket& closed, LocalTime time, std::int64_t now_ns);
  // Such reports were missed, and more may be if `still_missed`.
  void ends_are_missed(bool still_missed);
  // Whether there are operations whose length only these reports will tell.
  bool awaits_ends() const { return conversations_.has_unchecked_tcp(); }
  // Whether metered threads use both ends of the flow, and none but this one may be in a call that moves something there.
  bool is_quiet(const Flow& flow, const MeteredThread& but);
  // Whether the thread that received there last may be in that call.
  bool may_be_received_from(const Flow& flow);
  // The thread's last call was not carried out. True if nothing of it is left: a SEND or RECEIVE that is already
  // finished stays.
  bool take_back(MeteredThread& thread);
  // For a while the program made calls that the meter did not see.
  void was_passed_by();
  // The first receive since then from a stream whose offsets are counted here (Flow::passed_by), in which
  // `bytes_waiting` wait. Moves the ends of the flow so that this is true, and records a GAP where bytes are missing.
  void align(const Call& call, Flow& flow, std::uint64_t bytes_waiting);
  // The thread's I/O counters, read during the call after a counted one (MeteredThread::counted). Counters that went
  // back belong to another thread.
  void io_counters(MeteredThread& thread, const ThreadFiles::Transferred& transferred);

  // ---- what is not known yet
  struct Unfinished {
    FlowEnd end;
    OpenOperation operation;
  };
  // The operation that each thread's first event waits for, if the event has waited since before `since_ns`.
  std::vector<Unfinished> unfinished(std::int64_t since_ns);
  // The same for one thread.
  std::optional<Unfinished> first_unfinished(const MeteredThread& thread, std::int64_t since_ns) const;
  bool has_unfinished() const { return paths_.has_awaited() || processes_.has_unfinished(); }  // of whatever age
  void assume_probable(const Unfinished& unfinished);  // it moved what it probably would
  // The exact flow stands at `offset` now.
  void resolve_unfinished(const Unfinished& unfinished, std::uint64_t offset, LocalTime time, std::int64_t now_ns);

  // ---- the outcome
  // Everything finished since the last time.
  RecordBatch take() { return recorder_.take(); }
  std::size_t finished() const { return recorder_.finished(); }
  struct Gaps {
    std::uint64_t ranges = 0, bytes = 0;
    std::uint64_t unplaced_bytes = 0;  // of these, without an event, because no process is known for them
  };
  const Gaps& gaps() const { return gaps_; }
  // Nothing more is recorded. Compares what is still open with the kernel's counts.
  void finish(LocalTime time, std::int64_t now_ns);
  std::vector<std::string> check_warnings() const { return checks_.warnings(); }

 private:
  void assume_probable(FlowEnd end, const MeteredThread* thread);
  void record_gap(const Call& call, const Flow& flow, bool sending, StreamPosition::Gap gap);
  // For what the kernel counted afterwards. Of a thread that has ended, at its end; without a thread if it is not known.
  Call last_call_of(const EndUser& user, LocalTime time, std::int64_t now_ns);
  void note_send(const Call& call, Flow& flow, std::uint64_t bytes, bool moves_all);
  void forget_sends(Flow& flow);
  bool may_move(const EndUser& user, const MeteredThread& but);
  void operate(const Call& call, FlowEnd end, const Amount& amount, EventType type);
  MeteredThread* user_of_end(const EndUser& user) { return processes_.find(user.tid, user.id); }
  DatagramAccount* account_of(const Flow& flow);
  void record_from_sender(const Call& call, Flow& flow, Event received, const DatagramMark& mark);
  void record_verdict(const DatagramAccount::Verdict& verdict, LocalTime time, std::int64_t now_ns);
  void end_told(Flow& flow, bool sending, LocalTime time, std::int64_t now_ns);
  void record_last_gap(Flow& flow, bool sending, StreamPosition::Gap gap, LocalTime time, std::int64_t now_ns);
  void end_at(Flow& flow, bool sending, std::uint64_t offset, LocalTime time, std::int64_t now_ns);

  EventRecorder recorder_;
  KernelChecks checks_;
  Conversations conversations_;
  Processes processes_{recorder_};
  Paths paths_;
  HandOvers hand_overs_{recorder_, conversations_, processes_};
  AwaitedSenders awaited_senders_;
  Gaps gaps_;
};

}  // namespace dpm
