// What calls of a strace log mean: events of messages, of processes and of connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/strace/strace_channels.hpp"
#include "formats/strace/strace_line.hpp"
#include "formats/strace/strace_processes.hpp"
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
  new_pair,  // pipe, socketpair
  create_process,
  execute,
  wait_for_end,
};

// None: a call that means nothing here.
std::optional<StraceCallKind> strace_call_kind(std::string_view call);

// A call that has returned.
struct StraceCall {
  StraceCallKind kind = StraceCallKind::send;
  std::uint32_t tid = 0;
  std::int64_t began_ns = 0, ended_ns = 0;
  bool end_known = false;
  StraceOutcome outcome;
};

// Lines and calls come in the order of the log.
class StraceTranslator {
 public:
  explicit StraceTranslator(TraceInfo& info) : processes_(info), channels_(info), info_(info) {}

  void begins(StraceCallKind kind, const StraceLine& line);  // a call that may wait
  void translate(const StraceCall& call);
  void ended(const StraceLine& line);
  void end() { processes_.settle(); }  // of the log

  std::vector<Event>& events() { return events_; }            // made so far; the caller clears them
  std::uint64_t unconnected() const { return unconnected_; }  // datagrams whose ends are not known
  bool saw_descriptors() const { return saw_descriptors_; }   // the log was written with -yy

 private:
  static bool peeks(const StraceCall& call) {
    return call.outcome.arguments.find("MSG_PEEK") != std::string_view::npos;
  }

  // What the text says of a descriptor, if it is connected. A UNIX stream is: others can neither be written nor read.
  std::optional<StraceDescriptor> connected(std::string_view text);
  Event& add(EventType type, std::uint32_t tid, std::int64_t time_ns, Evidence evidence);
  Event& add(EventType type, const StraceCall& call);
  void message(EventType type, const StraceCall& call, StraceChannels::Channel& channel, bool is_datagram,
               std::int64_t bytes);
  std::optional<StraceDescriptor> carrier(const StraceCall& call, std::size_t n);
  void send(const StraceCall& call, std::size_t n, std::int64_t bytes);
  void receive(const StraceCall& call, std::size_t n, std::int64_t bytes);
  void several(const StraceCall& call);
  void accept(const StraceCall& call);

  // The descriptor that a call returned, as text.
  static std::string returned(const StraceCall& call);
  void socket(const StraceCall& call);
  void new_pair(const StraceCall& call);
  void create(const StraceCall& call);
  void wait(const StraceCall& call);

  StraceProcesses processes_;
  StraceChannels channels_;
  TraceInfo& info_;
  std::vector<Event> events_;
  std::uint64_t unconnected_ = 0;
  bool saw_descriptors_ = false;
};

}  // namespace dpm
