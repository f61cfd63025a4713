// What calls of a strace log mean: events of messages, of processes and of connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "formats/strace/strace_processes.hpp"
#include "formats/strace/strace_sockets.hpp"
#include "formats/strace/strace_text.hpp"
#include "model/event.hpp"

namespace dpm {

enum class StraceCallKind : std::uint8_t {
  send,
  receive,
  send_several,  // sendmmsg: returns the number of messages
  receive_several,
  splice,  // from one descriptor to another
  accept,
  socket,
  new_pipe,
  new_pair,  // socketpair
  create_process,
  execute,
  wait_for_end,
  wait_by_id,  // waitid
  connect,
  bind,
  local_name,   // getsockname
  remote_name,  // getpeername
  option,       // getsockopt
  duplicate,
  duplicate_to,  // dup2, dup3
  control,       // fcntl
  close,
  close_range,
  open,
  open_at,
  make_node,
  make_node_at,
  state,  // fstat and the like: says what a path is
};

// None: a call that means nothing here.
std::optional<StraceCallKind> strace_call_kind(std::string_view call);

// Whether the call may wait for another process, so that its end matters and not its beginning.
bool may_wait(StraceCallKind kind);

// A call that has returned.
struct StraceCall {
  StraceCallKind kind = StraceCallKind::send;
  std::string_view name;
  std::uint32_t tid = 0;
  std::int64_t began_ns = 0, ended_ns = 0;
  bool end_known = false;
  StraceOutcome outcome;
};

// What the log did not tell.
struct StraceGaps {
  std::uint64_t datagrams = 0;  // of sockets that are not connected, between ends that are not known
  std::uint64_t messages = 0;   // over sockets whose ends are not known
  std::uint64_t foreign = 0;    // over sockets of families that lead to no process
  std::uint64_t pipes = 0;      // and pairs of sockets, whose descriptors are abbreviated
};

// Lines and calls come in the order of the log.
class StraceTranslator {
 public:
  explicit StraceTranslator(TraceInfo& info) : processes_(info), sockets_(info), info_(info) {}

  // `name` is that of the call, `text` what follows its "(" as far as it goes.
  void begins(StraceCallKind kind, std::string_view name, std::uint32_t tid, std::int64_t time_ns,
              std::string_view text);
  void translate(const StraceCall& call);
  void ended(std::uint32_t tid, std::int64_t time_ns, std::uint32_t code);
  void end();  // of the log

  StraceProcesses& processes() { return processes_; }
  const StraceSockets& sockets() const { return sockets_; }
  std::vector<Event>& events() { return events_; }  // made so far; the caller clears them
  const StraceGaps& gaps() const { return gaps_; }

 private:
  Event& add(EventType type, ProcessId process, std::int64_t time_ns, Evidence evidence);
  Event& add(EventType type, const StraceCall& call);
  void message(EventType type, const StraceCall& call, StraceDirectionId direction, std::int64_t bytes);
  void send(const StraceCall& call, std::string_view descriptor, const std::string& peer, std::int64_t bytes);
  void receive(const StraceCall& call, std::string_view descriptor, const std::string& peer, std::int64_t bytes);
  void count_unknown(const StraceCall& call, std::string_view descriptor, StraceSocketId socket);
  void several(const StraceCall& call);
  void accept(const StraceCall& call);
  void create(const StraceCall& call);
  void wait(const StraceCall& call, std::uint32_t tid);
  void follow(const StraceCall& call);  // of descriptors
  ProcessId process(const StraceCall& call) { return processes_.at(call.tid); }

  StraceProcesses processes_;
  StraceSockets sockets_;
  TraceInfo& info_;
  std::vector<Event> events_;
  StraceGaps gaps_;
  std::unordered_set<std::uint32_t> ended_by_wait_;  // numbers; the line of their ends may follow
};

}  // namespace dpm
