// From calls to events: what each notified call means to the programmer, as records of model/event.hpp.
//
// Pure: it is told what was asked for and what was seen, and never looks itself. The supervisor does the looking
// (backends/linux/capture/supervisor), under one lock, while the call waits.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/capture/calls/call.hpp"
#include "backends/linux/capture/calls/conversation.hpp"
#include "backends/linux/capture/calls/event_recorder.hpp"
#include "backends/linux/capture/calls/kernel_checks.hpp"
#include "backends/linux/capture/calls/paths.hpp"
#include "backends/linux/capture/calls/processes.hpp"
#include "backends/linux/capture/calls/record_output.hpp"
#include "backends/linux/capture/kernel/closed_sockets.hpp"
#include "backends/linux/capture/kernel/socket_queue.hpp"
#include "backends/linux/capture/kernel/tracee.hpp"

namespace dpm {

class Meter {
 public:
  Meter() : conversations_(recorder_.growth(), checks_), paths_(recorder_, conversations_, checks_) {}
  Meter(const Meter&) = delete;

  // ---- processes
  Processes& processes() { return processes_; }
  // What its I/O counters say from now on is not what its last call moved: the kernel counts the new program's file.
  void executed(Execution& execution, const std::string& name, const std::string& program, LocalTime time,
                std::int64_t now_ns);
  void ended(Execution& execution, std::uint32_t exit_code, LocalTime time, std::int64_t now_ns);
  // It goes on, without us: nothing more will be known about it.
  void leave(Execution& execution);
  // Forgets executions that have ended and whose events have all been taken, and flows that were removed.
  void forget_ended();

  void add_code_module(CodeModule module) { recorder_.growth().modules.push_back(std::move(module)); }

  // ---- paths
  Paths& paths() { return paths_; }
  Conversations& conversations() { return conversations_; }

  // ---- messages
  void sends(const Call& call, Flow& flow, const Amount& amount);
  void sends_datagram(const Call& call, Flow& flow, std::uint64_t bytes);
  // How much has been received from a stream that only its sends tell of, of which so much waits (StreamBalance).
  std::optional<StreamBalance::Received> received(Flow& flow, std::uint64_t waiting, bool ended);
  void asks_to_receive(const Call& call, Flow* flow);
  void receives(const Call& call, Flow& flow, const Amount& amount);
  void receives_datagram(const Call& call, Flow& flow, std::uint64_t bytes);
  // What the kernel says of a UDP socket that is asked for datagrams.
  void looks_at(const Call& call, const Socket& socket, const DatagramMemory& memory);
  // Datagrams may have been taken from this socket that were not seen.
  void missed_datagrams(const Socket& socket);
  // Of eventfds. `count`: what it holds before units of it are taken.
  void adds_units(const Call& call, Flow& flow, std::uint64_t units);
  void takes_units(const Call& call, Flow& flow, std::uint64_t units, std::uint64_t count);
  // The kernel said where an exact flow stands, without an operation.
  void resolve_at(const Call& call, Flow& flow, bool sending, std::uint64_t offset);
  // The kernel said what a socket had moved when it was closed.
  void closed(const ClosedSocket& closed, LocalTime time, std::int64_t now_ns);
  // Such reports were missed, and more may be if `still_missed`.
  void ends_are_missed(bool still_missed);
  // There are operations of which nothing but that will tell the length.
  bool awaits_ends() const { return conversations_.has_unchecked_tcp(); }
  // For a while calls were made that we did not see.
  void was_passed_by();
  // A receive since then from a stream whose offsets are counted here (Flow::passed_by): `bytes_waiting` wait in it. The
  // ends are moved to where that is true; where bytes are missing from an end, a GAP says so.
  void align(const Call& call, Flow& flow, std::uint64_t bytes_waiting);
  // The thread's I/O counters, read while it makes the call after a counted one (Execution::counted). Counters that
  // went back are another's.
  void io_counters(Execution& execution, const ThreadFiles::Transferred& transferred);

  // ---- what is not known yet
  struct Unfinished {
    FlowEnd end;
    OpenOperation operation;
  };
  // What the first event of each execution waits for, if it has waited since before `since_ns`.
  std::vector<Unfinished> unfinished(std::int64_t since_ns);
  // The same of one execution.
  std::optional<Unfinished> first_unfinished(const Execution& execution, std::int64_t since_ns) const;
  bool has_unfinished() const { return paths_.has_awaited() || processes_.has_unfinished(); }  // of whatever age
  void assume_probable(const Unfinished& unfinished);  // it moved what it probably would
  // The exact flow stands there now.
  void resolve_unfinished(const Unfinished& unfinished, std::uint64_t offset);

  // ---- the outcome
  // Everything finished since the last time.
  RecordBatch take() { return recorder_.take(); }
  std::size_t finished() const { return recorder_.finished(); }
  struct Gaps {
    std::uint64_t ranges = 0, bytes = 0;
    std::uint64_t unplaced_bytes = 0;  // of these, without an event: every process had ended
  };
  const Gaps& gaps() const { return gaps_; }
  // Nothing more is recorded: what is still open is checked as well.
  void finish(LocalTime time, std::int64_t now_ns);
  std::vector<std::string> check_warnings() const { return checks_.warnings(); }

 private:
  void assume_probable(FlowEnd end, const Execution* execution);
  void record_units(const Call& call, Flow& flow, bool sending, std::uint64_t units);
  void record_gap(const Call& call, const Flow& flow, bool sending, StreamPosition::Gap gap);
  void forget_sends(Flow& flow);
  void operate(const Call& call, FlowEnd end, const Amount& amount, EventType type);
  Execution* user_of_end(const EndUser& user) { return processes_.find(user.tid, user.id); }
  DatagramAccount* account_of(const Flow& flow);
  void record_verdict(const DatagramAccount::Verdict& verdict, LocalTime time, std::int64_t now_ns);
  void end_at(Flow& flow, bool sending, std::uint64_t offset, LocalTime time, std::int64_t now_ns);

  EventRecorder recorder_;
  KernelChecks checks_;
  Conversations conversations_;
  Processes processes_{recorder_};
  Paths paths_;
  Gaps gaps_;
};

}  // namespace dpm
