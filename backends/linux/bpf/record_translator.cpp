#include "backends/linux/bpf/record_translator.hpp"

#include <algorithm>
#include <cstring>

#include "backends/linux/calls/flow_names.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kNoDescriptor = 0xffff;
constexpr std::int64_t kOldNs = 100'000'000;

// The record is at the beginning of the bytes.
template <typename Record>
const Record& as(std::span<const std::byte> bytes) {
  return *reinterpret_cast<const Record*>(bytes.data());
}

std::int64_t time_of(const dpm_record& record) { return static_cast<std::int64_t>(record.time_ns); }

std::int64_t began_at(const dpm_record& record) {
  constexpr int kCoarseBits = 20;
  const bool is_coarse = (record.flags & dpm_coarse) != 0;
  return time_of(record) - (std::int64_t{record.before_ns} << (is_coarse ? kCoarseBits : 0));
}

// The call and what it received.
std::uint64_t events_of(const dpm_record& record) {
  return record.kind == dpm_received && (record.flags & dpm_began) != 0 ? 2 : 1;
}

bool is_hand_over(dpm_record_kind kind) { return kind == dpm_slept || kind == dpm_gave || kind == dpm_took; }

bool is_message(dpm_record_kind kind) { return kind == dpm_sent || kind == dpm_received || kind == dpm_asked; }

}  // namespace

// A record with what it is about.
struct RecordTranslator::Seen {
  const dpm_record& record;
  const std::string& peer;  // of a datagram, if the program named it
  FollowedThread& thread;
  Socket* socket = nullptr;
  Flow* flow = nullptr;

  dpm_record_kind kind() const { return static_cast<dpm_record_kind>(record.kind); }
  bool sends() const { return kind() == dpm_sent; }
  bool has(dpm_record_flag flag) const { return (record.flags & flag) != 0; }
};

RecordTranslator::RecordTranslator(Meter& meter, const FollowedThreads::Program& program, std::int64_t clock_offset_ns)
    : meter_(meter), threads_(meter, program, clock_offset_ns), files_(meter.conversations()) {
  meter_.paths().are_told();
}

void RecordTranslator::take(std::span<const std::byte> record) {
  const auto kind = static_cast<dpm_record_kind>(as<dpm_record>(record).kind);
  ++records_;
  switch (kind) {
    case dpm_socket:
      return files_.take(as<dpm_socket_record>(record));
    case dpm_pipe:
      return files_.take(as<dpm_pipe_record>(record));
    case dpm_forked:
    case dpm_executed:
    case dpm_exited:
    case dpm_gone:
    case dpm_entered:
      return threads_.take(as<dpm_task_record>(record));
    case dpm_site: {
      const auto& site = as<dpm_site_record>(record);
      FollowedThread* thread = threads_.find(site.tid);
      if (thread != nullptr && site.slot < thread->sites.size()) thread->sites[site.slot] = site.pc;
      return;
    }
    case dpm_waits: {
      const auto& waits = as<dpm_waits_record>(record);
      if (FollowedThread* thread = threads_.find(waits.tid)) thread->metered->read_waits(waits.ready_ns, waits.disk_ns);
      return;
    }
    default:
      break;
  }
  const auto& message = as<dpm_record>(record);
  std::string peer;
  if ((message.flags & dpm_has_address) != 0) peer = name_of_address(as<dpm_datagram_record>(record).peer);
  if ((message.flags & dpm_has_path) != 0) peer = name_of_address(as<dpm_path_record>(record).peer);
  take_message(message, peer);
}

void RecordTranslator::take_message(const dpm_record& record, const std::string& peer) {
  FollowedThread* thread = threads_.find(record.tid);
  if (thread == nullptr) {
    events_not_understood_ += events_of(record);
    return;
  }
  Seen seen{record, peer, *thread};
  const bool is_of_pipe = seen.has(dpm_is_pipe) || seen.has(dpm_is_eventfd);
  if (is_of_pipe && !files_.knows_pipe(record.file)) {
    events_not_understood_ += events_of(record);
    return;
  }
  ++thread->metered->call_number;
  if (!is_message(seen.kind())) {
    thread->read_cpu_time(record.cpu_ns);
    return is_hand_over(seen.kind()) ? hands_over(seen) : changed_path(seen);
  }
  if ((record.flags & dpm_began) != 0) asked(seen);
  if (seen.kind() != dpm_asked) moved(seen);
}

void RecordTranslator::give_up_old(std::int64_t now_ns) {
  meter_.paths().give_up_old_connects(now_ns - kOldNs);
  meter_.give_up_old_senders(now_ns - kOldNs);
}

Call RecordTranslator::call_of(const dpm_record& record, FollowedThread& thread, std::int64_t at_ns) const {
  Call call;
  call.thread = thread.metered;
  call.time = threads_.local(at_ns);
  call.now_ns = time_of(record);
  call.load = load_;
  if ((record.flags & dpm_in_call) != 0) call.pc = thread.sites[record.flags >> dpm_site_shift & 7];
  call.descriptor = record.descriptor == kNoDescriptor ? -1 : static_cast<std::int32_t>(record.descriptor);
  call.may_wait = (record.flags & dpm_does_not_wait) == 0;
  return call;
}

bool RecordTranslator::finds_channel(Seen& seen, const Call& call) {
  if (seen.has(dpm_is_pipe)) {
    seen.flow = files_.pipe(seen.record.file);
    return seen.flow != nullptr;
  }
  if (seen.has(dpm_is_eventfd)) {
    seen.flow = files_.eventfd(seen.record.file, call.thread->pid());
    return seen.flow != nullptr;
  }
  seen.socket = files_.socket(seen.record.file);
  if (seen.socket == nullptr && !files_.carries_none(seen.record.file)) ++events_not_understood_;
  if (seen.socket == nullptr || seen.socket->description.listening) return false;
  meter_.paths().uses(call, *seen.socket);
  seen.flow = seen.sends() ? seen.socket->out : seen.socket->in;
  return true;
}

// A thread that was not interrupted since has used as much CPU time as time has passed.
void RecordTranslator::asked(const Seen& record_seen) {
  Seen seen = record_seen;
  const std::int64_t began_ns = began_at(seen.record);
  const auto passed_ns = static_cast<std::uint64_t>(time_of(seen.record) - began_ns);
  if (seen.record.cpu_ns >= passed_ns) seen.thread.read_cpu_time(seen.record.cpu_ns - passed_ns);
  const Call call = call_of(seen.record, seen.thread, began_ns);
  if (finds_channel(seen, call)) meter_.asks_to_receive(call, seen.flow);
}

void RecordTranslator::moved(const Seen& record_seen) {
  Seen seen = record_seen;
  const dpm_record& record = seen.record;
  seen.thread.read_cpu_time(record.cpu_ns);
  const Call call = call_of(record, seen.thread, seen.sends() ? began_at(record) : time_of(record));
  if (!finds_channel(seen, call)) return;
  if (seen.socket != nullptr && keeps_boundaries(seen.socket->description.medium)) return moved_datagrams(seen, call);
  if (seen.flow == nullptr) return;
  const std::uint64_t told = seen.has(dpm_is_eventfd) ? ToldOffset::kNotTold : record.offset;
  meter_.moved(call, *seen.flow, seen.sends(),
               {told, static_cast<std::uint64_t>(record.result), some_are_lost_, seen.has(dpm_is_urgent),
                seen.has(dpm_passed_urgent)});
}

// The record of datagrams that one call moved in several, or took as one: they have the same length, but for the last.
void RecordTranslator::moved_datagrams(const Seen& seen, const Call& call) {
  const auto bytes = static_cast<std::uint64_t>(seen.record.result);
  const bool is_udp = seen.socket->description.medium == Medium::udp;
  const std::uint64_t segment = is_udp ? seen.record.offset : 0;
  if (segment == 0) return moved_datagram(seen, call, bytes);
  for (std::uint64_t left = bytes; left > 0; left -= std::min(left, segment))
    moved_datagram(seen, call, std::min(left, segment));
}

void RecordTranslator::moved_datagram(const Seen& seen, const Call& call, std::uint64_t bytes) {
  const SocketDescription& socket = seen.socket->description;
  std::string peer = seen.peer.empty() ? socket.peer_name : seen.peer;
  Flow* flow = seen.peer.empty() ? seen.flow : nullptr;  // of a socket that is connected for good
  const bool is_udp = socket.medium == Medium::udp;
  const auto own_port = is_udp ? end_named(Medium::udp, socket.local_name).port : std::uint16_t{0};
  if (seen.sends()) {
    if (flow == nullptr && peer.empty()) return;
    if (flow == nullptr) flow = &meter_.conversations().datagrams_to(*seen.socket, peer);
    if (is_udp) senders_.sent(end_named(Medium::udp, peer).port, socket.local_name, bytes);
    return meter_.sends_datagram(call, *flow, {.bytes = bytes, .socket = seen.socket->id});
  }
  if (is_udp && peer.empty()) {
    peer = senders_.sender_of(own_port, bytes);
  } else if (is_udp) {
    senders_.received(own_port, peer, bytes);
  }
  if (flow == nullptr) flow = &meter_.conversations().datagrams_from(peer, *seen.socket);
  meter_.receives_datagram(call, *flow, {.bytes = bytes, .socket = is_udp ? 0 : std::uint64_t{seen.record.offset}});
}

void RecordTranslator::changed_path(const Seen& seen) {
  const dpm_record& record = seen.record;
  Call call = call_of(record, seen.thread, seen.kind() == dpm_accepted ? time_of(record) : began_at(record));
  Socket* socket = files_.socket(record.file);
  switch (seen.kind()) {
    case dpm_accepted: {
      if (socket == nullptr) return;
      Socket listener;
      listener.description.local_name = socket->description.local_name;
      meter_.paths().accepts(call, listener);
      return meter_.paths().uses(call, *socket);
    }
    case dpm_connected:
      // MPTCP does not count the SYN, by which the side that connected is known.
      if (socket != nullptr && !keeps_boundaries(socket->description.medium)) socket->description.syn_counted = true;
      return meter_.paths().connected(call, socket);
    case dpm_listened:
      if (socket != nullptr) meter_.paths().listens(call, *socket);
      return;
    case dpm_created:
      return meter_.paths().creates_socket(call, static_cast<std::uint32_t>(record.offset));
    case dpm_duplicated: {
      const Socket unconnected;  // of no channel yet
      return meter_.paths().duplicates(call, socket == nullptr ? unconnected : *socket, record.result);
    }
    case dpm_closed:
      return meter_.paths().closes(call);
    case dpm_waited:
      call.time = threads_.local(time_of(record));
      return threads_.waited(call, static_cast<std::uint32_t>(record.result), time_of(record) - began_at(record));
    default:
      return;
  }
}

void RecordTranslator::hands_over(const Seen& seen) {
  const dpm_record& record = seen.record;
  const Call call = call_of(record, seen.thread, time_of(record));
  if (seen.kind() == dpm_slept) return meter_.hand_overs().sleeps(call);
  const HandOvers::HandOver what{record.offset, seen.has(dpm_at_end)};
  const FollowedThread* other = threads_.find(record.file);
  if (seen.kind() == dpm_took)
    return meter_.hand_overs().takes(call, what, other == nullptr ? nullptr : other->metered);
  if (other == nullptr) {
    events_not_understood_ += events_of(record);
  } else {
    meter_.hand_overs().gives(call, what, *other->metered);
  }
}

}  // namespace dpm
