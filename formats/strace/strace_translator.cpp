#include "formats/strace/strace_translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace dpm {
namespace {

constexpr std::uint64_t kPeek = 2, kCloneFiles = 0x400, kCloneThread = 0x10000, kFifo = 010000, kFileType = 0170000;

// "7<TCP:[...]>"
std::string returned(const StraceCall& call) {
  return fmt::format("{}{}", call.outcome.result, call.outcome.result_note);
}

// Where the address of a message stands.
std::string peer_of(const StraceCall& call) {
  const StraceArguments& arguments = call.outcome.arguments;
  if (call.name == "sendto" || call.name == "recvfrom") return socket_address(arguments[4]);
  if (call.name != "sendmsg" && call.name != "recvmsg") return {};
  const auto name = find_field(arguments[1], "msg_name");
  return name == std::string_view::npos ? std::string() : socket_address(arguments[1].substr(name));
}

bool peeks(const StraceCall& call) {
  const StraceArguments& arguments = call.outcome.arguments;
  const std::size_t flags = call.name == "recv" || call.name == "recvfrom" || call.name == "recvmmsg" ? 3
                            : call.name == "recvmsg"                                                  ? 2
                                                     : StraceArguments::kMax;
  return has_flag(arguments[flags], "MSG_PEEK", kPeek);
}

bool is_of_sockets(std::string_view call) { return call.starts_with("send") || call.starts_with("recv"); }

// "{st_mode=S_IFIFO|0644, ...}"
bool says_fifo(std::string_view mode) {
  if (mode.starts_with("S_IFIFO")) return true;
  if (mode.empty() || mode.front() != '0') return false;
  std::uint64_t value = 0;
  for (const char c : mode) {
    if (c < '0' || c > '7') break;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return (value & kFileType) == kFifo;
}

// What stands between < and > behind a descriptor or AT_FDCWD.
std::string_view annotation_of(std::string_view text) {
  const auto open = text.find('<');
  const auto close = text.rfind('>');
  return open == std::string_view::npos || close == std::string_view::npos || close < open
             ? std::string_view()
             : text.substr(open + 1, close - open - 1);
}

std::string path_at(std::string_view folder, std::string_view path) {
  std::string name = first_string(path);
  const std::string_view where = annotation_of(folder);
  return name.starts_with('/') || where.empty() ? name : fmt::format("{}/{}", where, name);
}

}  // namespace

std::optional<StraceCallKind> strace_call_kind(std::string_view call) {
  using enum StraceCallKind;
  static const std::unordered_map<std::string_view, StraceCallKind> kCalls = {
      {"write", send},
      {"writev", send},
      {"send", send},
      {"sendto", send},
      {"sendmsg", send},
      {"sendfile", send},
      {"sendfile64", send},
      {"vmsplice", send},
      {"read", receive},
      {"readv", receive},
      {"recv", receive},
      {"recvfrom", receive},
      {"recvmsg", receive},
      {"sendmmsg", send_several},
      {"recvmmsg", receive_several},
      {"recvmmsg_time64", receive_several},
      {"splice", splice},
      {"accept", accept},
      {"accept4", accept},
      {"socket", StraceCallKind::socket},
      {"pipe", new_pipe},
      {"pipe2", new_pipe},
      {"socketpair", new_pair},
      {"fork", create_process},
      {"vfork", create_process},
      {"clone", create_process},
      {"clone2", create_process},
      {"clone3", create_process},
      {"execve", execute},
      {"execveat", execute},
      {"wait4", wait_for_end},
      {"waitpid", wait_for_end},
      {"wait3", wait_for_end},
      {"waitid", wait_by_id},
      {"connect", StraceCallKind::connect},
      {"bind", StraceCallKind::bind},
      {"getsockname", local_name},
      {"getpeername", remote_name},
      {"getsockopt", option},
      {"dup", duplicate},
      {"dup2", duplicate_to},
      {"dup3", duplicate_to},
      {"fcntl", control},
      {"fcntl64", control},
      {"close", StraceCallKind::close},
      {"close_range", StraceCallKind::close_range},
      {"open", StraceCallKind::open},
      {"openat", open_at},
      {"mknod", make_node},
      {"mknodat", make_node_at},
      {"fstat", state},
      {"fstat64", state},
  };
  const auto found = kCalls.find(call);
  return found == kCalls.end() ? std::nullopt : std::optional(found->second);
}

bool may_wait(StraceCallKind kind) {
  using enum StraceCallKind;
  return kind == receive || kind == receive_several || kind == accept || kind == wait_for_end || kind == wait_by_id ||
         kind == splice;
}

void StraceTranslator::begins(StraceCallKind kind, std::string_view name, std::uint32_t tid, std::int64_t time_ns,
                              std::string_view text) {
  if (kind == StraceCallKind::receive || kind == StraceCallKind::receive_several) {
    const StraceSocketId socket = sockets_.find(processes_.at(tid), text);
    if (socket != kNoSocket && sockets_.receiving(socket, {}) != kNoDirection)
      add(EventType::receive_call, processes_.at(tid), time_ns, Evidence::observed);
  } else if (kind == StraceCallKind::connect) {
    const StraceArguments arguments = parse_arguments(text);
    sockets_.connects(processes_.at(tid), arguments[0], socket_address(arguments[1]));
  } else if (kind == StraceCallKind::close) {
    // The number is free before the call returns: another thread may have it again by then.
    if (const auto fd = leading_number(text)) sockets_.closed(processes_.at(tid), *fd, *fd);
  } else if (kind == StraceCallKind::send && name == "sendto") {
    // The receiver may have it before the call has returned.
    const StraceArguments arguments = parse_arguments(text);
    const std::string peer = socket_address(arguments[4]);
    if (peer.empty()) return;
    const StraceSocketId socket = sockets_.find(processes_.at(tid), arguments[0]);
    if (socket != kNoSocket) sockets_.sending(socket, peer);
  }
}

void StraceTranslator::translate(const StraceCall& call) {
  const StraceArguments& arguments = call.outcome.arguments;
  const std::int64_t result = call.outcome.result;
  switch (call.kind) {
    case StraceCallKind::send:
      if (result <= 0) break;
      if (call.name == "sendmsg")
        if (const auto rights = find_field(arguments[1], "cmsg_data=["); rights != std::string_view::npos)
          sockets_.passes(process(call), arguments[0], arguments[1].substr(rights + 10));
      send(call, arguments[0], peer_of(call), result);
      break;
    case StraceCallKind::receive:
      if (result <= 0 || peeks(call)) break;
      if (call.name == "recvmsg")
        if (const auto rights = find_field(arguments[1], "cmsg_data=["); rights != std::string_view::npos)
          sockets_.takes(process(call), arguments[0], arguments[1].substr(rights + 10));
      receive(call, arguments[0], peer_of(call), result);
      break;
    case StraceCallKind::send_several:
    case StraceCallKind::receive_several:
      several(call);
      break;
    case StraceCallKind::splice:
      if (result <= 0) break;
      receive(call, arguments[0], {}, result);
      send(call, arguments[2], {}, result);
      break;
    case StraceCallKind::accept:
      accept(call);
      break;
    case StraceCallKind::create_process:
      create(call);
      break;
    case StraceCallKind::execute: {
      if (result != 0) break;
      add(EventType::exec, call);
      const ProcessId executing = process(call);
      sockets_.executed(executing);
      processes_.executes(executing, first_string(arguments[call.name == "execveat" ? 1 : 0]));
      break;
    }
    case StraceCallKind::wait_for_end: {
      const bool other = arguments[1].find("WIFSTOPPED") != std::string_view::npos ||
                         arguments[1].find("WIFCONTINUED") != std::string_view::npos;
      if (result > 0 && !other) wait(call, static_cast<std::uint32_t>(result));
      break;
    }
    case StraceCallKind::wait_by_id: {
      const std::string_view info = arguments[2];
      const bool is_end = info.find("CLD_EXITED") != std::string_view::npos ||
                          info.find("CLD_KILLED") != std::string_view::npos ||
                          info.find("CLD_DUMPED") != std::string_view::npos;
      const bool stays = arguments[3].find("WNOWAIT") != std::string_view::npos;
      const auto child = number_behind(info, "si_pid=");
      if (result == 0 && is_end && !stays && child && *child > 0) wait(call, static_cast<std::uint32_t>(*child));
      break;
    }
    default:
      follow(call);
      break;
  }
}

void StraceTranslator::follow(const StraceCall& call) {
  const StraceArguments& arguments = call.outcome.arguments;
  const std::int64_t result = call.outcome.result;
  const ProcessId of = process(call);
  using enum StraceCallKind;
  switch (call.kind) {
    case StraceCallKind::socket:
      if (result >= 0) sockets_.made(of, returned(call), arguments[0], arguments[1]);
      return;
    case new_pipe:
    case new_pair: {
      const std::string_view list = arguments[call.kind == new_pipe ? 0 : 3];
      if (result != 0 || !list.starts_with('[') || !list.ends_with(']')) return;
      const StraceArguments both = parse_arguments(list.substr(1, list.size() - 2));
      if (both[0] == "...") {  // -s 0
        ++gaps_.pipes;
        return;
      }
      if (call.kind == new_pipe) return sockets_.made_pipe(of, both[0], both[1], arguments[1]);
      return sockets_.made_pair(of, both[0], both[1], arguments[0], arguments[1]);
    }
    case StraceCallKind::connect: {
      const bool goes_on = call.outcome.result_note.find("EINPROGRESS") != std::string_view::npos ||
                           call.outcome.result_note.find("EALREADY") != std::string_view::npos ||
                           call.outcome.result_note.find("EISCONN") != std::string_view::npos ||
                           call.outcome.result_note.find("EINTR") != std::string_view::npos;
      if (result < 0 && !goes_on) sockets_.connect_failed(of, arguments[0]);
      return;
    }
    case StraceCallKind::bind:
      if (result == 0) sockets_.has_local(of, arguments[0], socket_address(arguments[1]));
      return;
    case local_name:
      if (result == 0) sockets_.has_local(of, arguments[0], socket_address(arguments[1]));
      return;
    case remote_name:
      if (result == 0) sockets_.has_remote(of, arguments[0], socket_address(arguments[1]));
      return;
    case option:
      if (result == 0 && arguments[2].starts_with("SO_ERROR") && arguments[3].starts_with('[') &&
          !arguments[3].starts_with("[0]"))
        sockets_.connect_failed(of, arguments[0]);
      return;
    case duplicate:
      if (result >= 0) sockets_.copied(of, arguments[0], result, false);
      return;
    case duplicate_to:
      if (result >= 0 && arguments[0] != arguments[1])
        sockets_.copied(of, arguments[0], result, has_flag(arguments[2], "O_CLOEXEC", 02000000));
      return;
    case control:
      if (result >= 0 && arguments[1].starts_with("F_DUPFD"))
        sockets_.copied(of, arguments[0], result, arguments[1].starts_with("F_DUPFD_CLOEXEC"));
      else if (result >= 0 && arguments[1].starts_with("F_SETFD"))
        sockets_.close_by_exec(of, arguments[0], has_flag(arguments[2], "FD_CLOEXEC", 1));
      return;
    case StraceCallKind::close_range: {
      const auto first = leading_number(arguments[0]), last = leading_number(arguments[1]);
      if (result == 0 && first && last && arguments[2].find("CLOEXEC") == std::string_view::npos)
        sockets_.closed(of, *first, *last);
      return;
    }
    case StraceCallKind::open:
      if (result >= 0) sockets_.opened(of, first_string(arguments[0]), result, arguments[1]);
      return;
    case open_at:
      if (result >= 0) sockets_.opened(of, path_at(arguments[0], arguments[1]), result, arguments[2]);
      return;
    case make_node:
      if (result == 0 && says_fifo(arguments[1])) sockets_.is_fifo(first_string(arguments[0]));
      return;
    case make_node_at:
      if (result == 0 && says_fifo(arguments[2])) sockets_.is_fifo(path_at(arguments[0], arguments[1]));
      return;
    case state: {
      const auto mode = find_field(arguments[1], "st_mode=");
      const std::string_view path = annotation_of(arguments[0]);
      if (result == 0 && mode != std::string_view::npos && path.starts_with('/') &&
          says_fifo(arguments[1].substr(mode + 8)))
        sockets_.is_fifo(path);
      return;
    }
    default:
      return;
  }
}

void StraceTranslator::ended(std::uint32_t tid, std::int64_t time_ns, std::uint32_t code) {
  const bool known = ended_by_wait_.erase(tid) > 0 && !processes_.is_running(tid);
  const ProcessId process = known ? processes_.last_ended(tid) : processes_.at(tid);
  Event& event = add(EventType::destroy_process, process, time_ns, Evidence::observed);
  event.peer = process;
  event.code = code;
  sockets_.ended(process);
  processes_.ended(tid);
}

void StraceTranslator::end() {
  processes_.settle();
  sockets_.settle();
}

Event& StraceTranslator::add(EventType type, ProcessId process, std::int64_t time_ns, Evidence evidence) {
  Event event;
  event.type = type;
  event.process = process;
  event.machine = kLogMachine;
  event.local_time.ns = time_ns;
  event.evidence = evidence;
  events_.push_back(event);
  return events_.back();
}

Event& StraceTranslator::add(EventType type, const StraceCall& call) {
  return add(type, process(call), call.ended_ns, call.end_known ? Evidence::observed : Evidence::inferred);
}

void StraceTranslator::message(EventType type, const StraceCall& call, StraceDirectionId direction,
                               std::int64_t bytes) {
  const bool sends = type == EventType::send;
  StraceDirection& used = sockets_.channels().used(direction, sends);
  Event& event = add(type, call);
  std::uint64_t& count = sends ? used.sent : used.received;
  event.channel = used.id;
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, UINT32_MAX));
  event.sequence = used.is_datagram && !sends ? 0 : count;
  count += used.is_datagram ? 1 : static_cast<std::uint64_t>(bytes);
  if (!sends && info_.channels[used.id.value].owner.is_none()) info_.channels[used.id.value].owner = event.process;
}

void StraceTranslator::count_unknown(const StraceCall& call, std::string_view descriptor, StraceSocketId socket) {
  const std::string_view shown = annotation_of(descriptor);
  const bool names_family =
      shown.find(":[") != std::string_view::npos && !shown.starts_with("socket:[");  // "NETLINK:["
  if (socket != kNoSocket ? sockets_[socket].is_foreign : is_of_sockets(call.name) && names_family)
    ++gaps_.foreign;
  else if (socket != kNoSocket && sockets_[socket].is_datagram)
    ++gaps_.datagrams;
  else if (is_of_sockets(call.name) ? !call.name.starts_with("sendfile") : shown.starts_with("socket:["))
    ++gaps_.messages;
}

void StraceTranslator::send(const StraceCall& call, std::string_view descriptor, const std::string& peer,
                            std::int64_t bytes) {
  const StraceSocketId socket = sockets_.find(process(call), descriptor);
  const StraceDirectionId direction = socket == kNoSocket ? kNoDirection : sockets_.sending(socket, peer);
  if (direction == kNoDirection) return count_unknown(call, descriptor, socket);
  message(EventType::send, call, direction, bytes);
}

void StraceTranslator::receive(const StraceCall& call, std::string_view descriptor, const std::string& peer,
                               std::int64_t bytes) {
  const StraceSocketId socket = sockets_.find(process(call), descriptor);
  const StraceDirectionId direction = socket == kNoSocket ? kNoDirection : sockets_.receiving(socket, peer);
  if (direction == kNoDirection) return count_unknown(call, descriptor, socket);
  message(EventType::receive, call, direction, bytes);
}

void StraceTranslator::several(const StraceCall& call) {
  constexpr std::string_view kLength = "msg_len=", kName = "msg_name";
  const StraceArguments& arguments = call.outcome.arguments;
  if (peeks(call)) return;
  std::size_t at = 0;
  for (std::int64_t i = 0; i < call.outcome.result; ++i) {
    const std::size_t length = find_field(arguments[1], kLength, at);
    if (length == std::string_view::npos) return;
    const auto bytes = number_behind(arguments[1].substr(length), kLength);
    const std::string_view message_text = arguments[1].substr(at, length - at);
    const auto name = find_field(message_text, kName);
    const std::string peer = name == std::string_view::npos ? std::string() : socket_address(message_text.substr(name));
    at = length + kLength.size();
    if (!bytes || *bytes < 0) return;
    call.kind == StraceCallKind::send_several ? send(call, arguments[0], peer, *bytes)
                                              : receive(call, arguments[0], peer, *bytes);
  }
}

void StraceTranslator::accept(const StraceCall& call) {
  if (call.outcome.result < 0) return;
  const StraceArguments& arguments = call.outcome.arguments;
  const StraceSocketId socket =
      sockets_.accepted(process(call), arguments[0], returned(call), socket_address(arguments[1]), arguments[3]);
  if (socket == kNoSocket) return;
  const StraceDirectionId out = sockets_.sending(socket, {}), in = sockets_.receiving(socket, {});
  if (out == kNoDirection || in == kNoDirection) return;
  const ChannelId sends_on = sockets_.channels().used(out, true).id,
                  receives_on = sockets_.channels().used(in, false).id;
  Event& event = add(EventType::accept, call);
  event.channel = sends_on;
  event.passed_channel = receives_on;
  event.code = ChannelId::kNone;
}

void StraceTranslator::create(const StraceCall& call) {
  if (call.outcome.result <= 0) return;
  const StraceArguments& arguments = call.outcome.arguments;
  std::string_view flags;
  for (std::size_t n = 0; n < arguments.count && flags.empty(); ++n)
    if (const auto at = find_field(arguments[n], "flags="); at != std::string_view::npos) {
      flags = arguments[n].substr(at);
      flags = flags.substr(0, flags.find(','));
    }
  const bool is_thread = has_flag(flags, "CLONE_THREAD", kCloneThread);
  const ProcessId parent = process(call);
  const ProcessId child = processes_.created(static_cast<std::uint32_t>(call.outcome.result), parent, is_thread);
  sockets_.created(child, parent, is_thread || has_flag(flags, "CLONE_FILES", kCloneFiles));
  add(EventType::create_process, call).peer = child;
}

void StraceTranslator::wait(const StraceCall& call, std::uint32_t tid) {
  ProcessId child = processes_.last_ended(tid);
  if (processes_.is_running(tid)) {  // older versions of strace do not print that it ended
    child = processes_.at(tid);
    processes_.ended(tid);
    ended_by_wait_.insert(tid);
  }
  if (child.is_none()) return;
  Event& event = add(EventType::wait, call);
  event.peer = child;
  event.code = static_cast<std::uint32_t>(WaitKind::process_end);
  event.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(call.ended_ns - call.began_ns, 0));
}

}  // namespace dpm
