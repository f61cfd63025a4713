// From calls to events: what each notified call means to the programmer, as records of model/event.hpp.
//
// Pure: it is told what was asked for and what was seen, and never looks itself. The supervisor does the looking
// (backends/linux/capture/supervisor), under one lock, while the call waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/capture/calls/awaited_paths.hpp"
#include "backends/linux/capture/calls/conversation.hpp"
#include "backends/linux/capture/calls/descriptor_table.hpp"
#include "backends/linux/capture/calls/execution.hpp"
#include "backends/linux/capture/calls/record_output.hpp"
#include "backends/linux/capture/kernel/closed_sockets.hpp"
#include "backends/linux/capture/kernel/socket_queue.hpp"
#include "backends/linux/capture/kernel/tracee.hpp"

namespace dpm {

// The circumstances of one call.
struct Call {
  Execution* execution = nullptr;
  LocalTime time;
  std::int64_t now_ns = 0;  // by a clock that is never set
  std::uint64_t pc = 0;
  std::uint16_t load = 0;
  std::int32_t descriptor = -1;
  bool counted_in_io = false;  // the thread's I/O counters will tell its result
  bool may_wait = true;        // neither the call nor the descriptor is non-blocking
  bool takes_all = false;      // it waits until it has all that it asks for (MSG_WAITALL)
  bool data_is_there = true;   // of a receive: what it will take was there at `time`
};

// How much a call wants to move, and will.
struct Amount {
  std::uint64_t asked = 0;
  std::uint64_t probable = 0;
  std::optional<std::uint64_t> offset = std::nullopt;  // where the stream stands, if that is known
  bool moves_all = true;                               // of a send: it cannot move a part
  // Where it stands is not known yet, but will be; so far at least.
  std::optional<std::uint64_t> stands_beyond = std::nullopt;
};

class Meter {
 public:
  Meter() : conversations_(growth_, checks_) {}
  Meter(const Meter&) = delete;

  // ---- processes
  Execution* find(std::uint32_t tid);
  struct Birth {
    std::uint32_t pid = 0, tid = 0;
    std::string name, program;
    std::uint64_t began_ns = 0;  // as in ProcessInfo
    bool acquired = false;
    std::uint64_t cpu_before_ns = 0;  // that the process used before it became the program
    // The creator performed the fork itself; otherwise it is known only that an execution of its process did.
    bool by_creator_itself = false;
    MeterFlags flags;  // of one without a metered creator; others inherit
  };
  // `creator` gets the CREATEPROCESS; nullptr for a program's first process, or when nobody saw the fork.
  Execution& begin(const Birth& birth, Execution* creator, LocalTime time, std::int64_t now_ns);
  // What its I/O counters say from now on is not what its last call moved: the kernel counts the new program's file.
  void executed(Execution& execution, const std::string& name, const std::string& program, LocalTime time,
                std::int64_t now_ns);
  void ended(Execution& execution, std::uint32_t exit_code, LocalTime time, std::int64_t now_ns);
  // The execution goes on because its peer has ended, at the latest at call.time; it had waited so long.
  void waited(const Call& call, ProcessId peer, WaitKind kind, std::int64_t waited_ns, Evidence evidence);
  // It goes on, without us: nothing more will be known about it.
  void leave(Execution& execution);
  // Forgets executions that have ended and whose events have all been taken, and flows that were removed.
  void bury();

  void code_lies(CodeModule module) { growth_.modules.push_back(std::move(module)); }

  // ---- paths
  Conversations& conversations() { return conversations_; }
  // The process uses the socket by this descriptor: what that shows about paths made, duplicated and closed before.
  void uses(const Call& call, Socket& socket);
  // The call goes on with a connection that waits at this listener.
  void accepts(const Call& call, const Socket& listener);
  // The other end's name, as the kernel told it to the last accept of this execution.
  void accepted_from(const Execution& execution, const std::string& peer) {
    awaited_paths_.accepted_from(execution, peer);
  }
  // The accepts whose connection has not been used since before `since_ns`.
  std::vector<AwaitedPath> old_accepts(std::int64_t since_ns) const { return awaited_paths_.old_accepts(since_ns); }
  // The process holds this socket. True if one of its accepts was for it.
  bool has_connection(std::uint32_t pid, Socket& socket);
  void give_up_accept(const AwaitedPath& accept, bool it_failed);
  // What the metered processes have open (Conversations): those named here did not let themselves be looked at, and
  // have open what they last used.
  void end_survey(OpenFiles open, const std::vector<std::uint32_t>& not_seen);
  // With every path call notified nothing has to be inferred from the first use.
  void paths_are_told() { paths_are_told_ = true; }
  void creates_socket(const Call& call, std::uint32_t kind);
  void connects(const Call& call);                                                       // Call::descriptor
  void duplicates(const Call& call, const Socket& socket, std::int32_t new_descriptor);  // -1: the kernel's choice
  void closes(const Call& call);                                                         // Call::descriptor

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
  void settle_at(const Call& call, Flow& flow, bool sending, std::uint64_t offset);
  // The kernel said what a socket had moved when it was closed.
  void closed(const ClosedSocket& closed, LocalTime time, std::int64_t now_ns);
  // From now on it will: operations of TCP sockets that are closed stay open until then.
  void ends_are_told() { ends_are_told_ = true; }
  // It does not, or has not told all.
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
  bool has_unfinished() const;                                                 // of whatever age
  void accept(const Unfinished& unfinished);                                   // it moved what it probably would
  void settle_unfinished(const Unfinished& unfinished, std::uint64_t offset);  // the exact flow stands there now

  // ---- the outcome
  // Everything finished since the last time.
  RecordBatch take();
  std::size_t finished() const { return ready_.size(); }
  void set_flags(std::uint32_t pid, MeterFlags flags);  // 0: every process, now and later
  struct Gaps {
    std::uint64_t ranges = 0, bytes = 0;
    std::uint64_t unplaced_bytes = 0;  // of these, without an event: every process had ended
  };
  const Gaps& gaps() const { return gaps_; }
  // Nothing more is recorded: what is still open is checked as well.
  void finish(LocalTime time, std::int64_t now_ns);
  std::vector<std::string> check_warnings() const { return checks_.warnings(); }
  std::size_t process_count() const { return processes_seen_; }
  std::size_t execution_count() const { return executions_seen_; }

 private:
  // What a process's descriptors were when it last used them.
  struct ProcessState {
    DescriptorTable sockets;
    std::uint32_t executions = 0;
    std::uint32_t threads_named = 0;
    ProcessId first;
    std::string name, command_name;
  };
  Event event_of(const Call& call, EventType type) const;
  void accept(FlowEnd end, const Execution* execution);
  std::uint64_t record(const Call& call, const Event& event, bool finished = true, FlowEnd end = {});
  void record_units(const Call& call, Flow& flow, bool sending, std::uint64_t units);
  void record_gap(const Call& call, const Flow& flow, bool sending, StreamPosition::Gap gap);
  void forget_sends(Flow& flow);
  void operate(const Call& call, FlowEnd end, const Amount& amount, EventType type);
  void announce(const Call& call, Socket& socket);
  void announce_pair(const Call& call, Socket& socket);
  void await_connection(const Call& call, const Event& event, AwaitedPath path);
  bool settle_path(const std::optional<AwaitedPath>& path, const Socket& socket);
  static void end_wait(const AwaitedPath& path);
  void record_path(const Call& call, EventType type, const Socket& socket, std::uint32_t code,
                   Evidence evidence = Evidence::inferred);
  void put_descriptor(const Call& call, ProcessState& process, std::size_t fd, std::uint64_t socket, Evidence evidence);
  void accept_of_process(std::uint32_t pid, const Socket& socket) const;
  Execution* user_of_end(const EndUser& user);
  DatagramAccount* account_of(const Flow& flow);
  void settle_datagrams(const DatagramAccount::Verdict& verdict, LocalTime time, std::int64_t now_ns);
  void end_at(Flow& flow, bool sending, std::uint64_t offset, LocalTime time, std::int64_t now_ns);
  std::string distinct_name(const std::string& wanted);
  std::string name_for(const Birth& birth, ProcessState& process);

  TraceGrowth growth_;
  std::vector<Event> ready_;
  KernelChecks checks_;
  Conversations conversations_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Execution>> executions_;  // by thread
  std::vector<std::unique_ptr<Execution>> dead_;
  std::unordered_map<std::uint32_t, ProcessState> processes_;  // by process
  AwaitedPaths awaited_paths_;
  bool was_acquired_ = false;  // a process of the program: its sockets are older than our metering
  bool paths_are_told_ = false, ends_are_told_ = false;
  Gaps gaps_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::optional<MeterFlags> flags_for_all_;
  std::size_t processes_seen_ = 0, executions_seen_ = 0;
};

}  // namespace dpm
