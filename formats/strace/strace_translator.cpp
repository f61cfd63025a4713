#include "formats/strace/strace_translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace dpm {
namespace {

// The text between the first two quotes.
std::string_view first_string(std::string_view text) {
  const auto begin = text.find('"');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin + 1, text.find('"', begin + 1) - begin - 1);
}

}  // namespace

std::optional<StraceCallKind> strace_call_kind(std::string_view call) {
  using enum StraceCallKind;
  static constexpr std::pair<std::string_view, StraceCallKind> kCalls[] = {
      {"write", send},
      {"writev", send},
      {"send", send},
      {"sendto", send},
      {"sendmsg", send},
      {"sendfile", send},
      {"vmsplice", send},
      {"read", receive},
      {"readv", receive},
      {"recv", receive},
      {"recvfrom", receive},
      {"recvmsg", receive},
      {"sendmmsg", send_several},
      {"recvmmsg", receive_several},
      {"splice", splice},
      {"accept", accept},
      {"accept4", accept},
      {"socket", StraceCallKind::socket},
      {"pipe", new_pair},
      {"pipe2", new_pair},
      {"socketpair", new_pair},
      {"fork", create_process},
      {"vfork", create_process},
      {"clone", create_process},
      {"clone3", create_process},
      {"execve", execute},
      {"execveat", execute},
      {"wait4", wait_for_end},
      {"waitpid", wait_for_end},
  };
  const auto found =
      std::find_if(std::begin(kCalls), std::end(kCalls), [&](const auto& known) { return known.first == call; });
  return found == std::end(kCalls) ? std::nullopt : std::optional(found->second);
}

void StraceTranslator::begins(StraceCallKind kind, const StraceLine& line) {
  const bool receives = kind == StraceCallKind::receive || kind == StraceCallKind::receive_several;
  if (!receives) return;
  if (connected(line.text)) add(EventType::receive_call, line.tid, line.time_ns, Evidence::observed);
}

void StraceTranslator::translate(const StraceCall& call) {
  switch (call.kind) {
    case StraceCallKind::send:
      if (call.outcome.result > 0) send(call, 0, call.outcome.result);
      break;
    case StraceCallKind::receive:
      if (call.outcome.result > 0 && !peeks(call)) receive(call, 0, call.outcome.result);
      break;
    case StraceCallKind::send_several:
    case StraceCallKind::receive_several:
      several(call);
      break;
    case StraceCallKind::splice:
      if (call.outcome.result <= 0) break;
      receive(call, 0, call.outcome.result);
      send(call, 2, call.outcome.result);
      break;
    case StraceCallKind::accept:
      accept(call);
      break;
    case StraceCallKind::socket:
      socket(call);
      break;
    case StraceCallKind::new_pair:
      new_pair(call);
      break;
    case StraceCallKind::create_process:
      create(call);
      break;
    case StraceCallKind::execute:
      if (call.outcome.result != 0) break;
      add(EventType::exec, call);
      processes_.executes(processes_.at(call.tid), first_string(call.outcome.arguments));
      break;
    case StraceCallKind::wait_for_end:
      wait(call);
      break;
  }
}

void StraceTranslator::ended(const StraceLine& line) {
  Event& event = add(EventType::destroy_process, line.tid, line.time_ns, Evidence::observed);
  event.peer = event.process;
  event.code = line.code;
  processes_.ended(line.tid);
}

std::optional<StraceDescriptor> StraceTranslator::connected(std::string_view text) {
  auto descriptor = parse_descriptor(text);
  if (!descriptor) return std::nullopt;
  saw_descriptors_ = true;
  descriptor = channels_.completed(*descriptor);
  const bool is_unix_stream = descriptor->medium == ChannelMedium::unix_socket && !descriptor->is_datagram;
  const bool has_ends = descriptor->medium != ChannelMedium::unknown && (is_unix_stream || !descriptor->remote.empty());
  return has_ends ? descriptor : std::nullopt;
}

Event& StraceTranslator::add(EventType type, std::uint32_t tid, std::int64_t time_ns, Evidence evidence) {
  Event event;
  event.type = type;
  event.process = processes_.at(tid);
  event.machine = kLogMachine;
  event.local_time.ns = time_ns;
  event.evidence = evidence;
  events_.push_back(event);
  return events_.back();
}

Event& StraceTranslator::add(EventType type, const StraceCall& call) {
  return add(type, call.tid, call.ended_ns, call.end_known ? Evidence::observed : Evidence::inferred);
}

void StraceTranslator::message(EventType type, const StraceCall& call, StraceChannels::Channel& channel,
                               bool is_datagram, std::int64_t bytes) {
  Event& event = add(type, call);
  const bool sends = type == EventType::send;
  std::uint64_t& count = sends ? channel.sent : channel.received;
  event.channel = channel.id;
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, UINT32_MAX));
  event.sequence = is_datagram && !sends ? 0 : count;
  count += is_datagram ? 1 : static_cast<std::uint64_t>(bytes);
  if (!sends && info_.channels[channel.id.value].owner.is_none())
    info_.channels[channel.id.value].owner = event.process;
}

std::optional<StraceDescriptor> StraceTranslator::carrier(const StraceCall& call, std::size_t n) {
  const std::string_view text = argument(call.outcome.arguments, n);
  const auto descriptor = connected(text);
  if (!descriptor && parse_descriptor(text).value_or(StraceDescriptor{}).is_datagram) ++unconnected_;
  return descriptor;
}

void StraceTranslator::send(const StraceCall& call, std::size_t n, std::int64_t bytes) {
  const auto descriptor = carrier(call, n);
  if (descriptor) message(EventType::send, call, channels_.sending(*descriptor), descriptor->is_datagram, bytes);
}

void StraceTranslator::receive(const StraceCall& call, std::size_t n, std::int64_t bytes) {
  const auto descriptor = carrier(call, n);
  if (descriptor) message(EventType::receive, call, channels_.receiving(*descriptor), descriptor->is_datagram, bytes);
}

void StraceTranslator::several(const StraceCall& call) {
  constexpr std::string_view kLength = "msg_len=";
  std::string_view rest = call.outcome.arguments;
  for (std::int64_t i = 0; i < call.outcome.result; ++i) {
    const auto at = rest.find(kLength);
    if (at == std::string_view::npos) return;
    rest.remove_prefix(at + kLength.size());
    std::uint32_t bytes = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), bytes);
    call.kind == StraceCallKind::send_several ? send(call, 0, bytes) : receive(call, 0, bytes);
  }
}

void StraceTranslator::accept(const StraceCall& call) {
  if (call.outcome.result < 0) return;
  const std::string descriptor_text = returned(call);
  const auto descriptor = connected(descriptor_text);
  if (!descriptor) return;
  channels_.begins(*descriptor);
  const ChannelId sends_on = channels_.sending(*descriptor).id, receives_on = channels_.receiving(*descriptor).id;
  Event& event = add(EventType::accept, call);
  event.channel = sends_on;
  event.passed_channel = receives_on;
  event.code = ChannelId::kNone;
}

std::string StraceTranslator::returned(const StraceCall& call) {
  return fmt::format("{}{}", call.outcome.result, call.outcome.result_note);
}

void StraceTranslator::socket(const StraceCall& call) {
  const std::string descriptor_text = returned(call);
  if (const auto descriptor = parse_descriptor(descriptor_text)) channels_.is_new(*descriptor);
}

void StraceTranslator::new_pair(const StraceCall& call) {
  if (call.outcome.result != 0) return;
  for (std::size_t n = 0; n < 4; ++n) {
    std::string_view list = argument(call.outcome.arguments, n);
    if (!list.starts_with('[')) continue;
    if (const auto descriptor = connected(list.substr(1))) channels_.begins(*descriptor);
  }
}

void StraceTranslator::create(const StraceCall& call) {
  if (call.outcome.result <= 0) return;
  const bool is_thread = call.outcome.arguments.find("CLONE_THREAD") != std::string_view::npos;
  const ProcessId parent = processes_.at(call.tid);
  const ProcessId child = processes_.created(static_cast<std::uint32_t>(call.outcome.result), parent, is_thread);
  add(EventType::create_process, call).peer = child;
}

void StraceTranslator::wait(const StraceCall& call) {
  if (call.outcome.result <= 0) return;
  const ProcessId child = processes_.last_ended(static_cast<std::uint32_t>(call.outcome.result));
  if (child.is_none()) return;
  Event& event = add(EventType::wait, call);
  event.peer = child;
  event.code = static_cast<std::uint32_t>(WaitKind::process_end);
  event.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(call.ended_ns - call.began_ns, 0));
}

}  // namespace dpm
