#include "backends/linux/supervisor/receive_records.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

std::uint64_t units_taken(const EventCounter& counter) {
  return counter.is_semaphore ? std::min<std::uint64_t>(counter.count, 1) : counter.count;
}

}  // namespace

Flow& ReceiveRecords::eventfd_of(const TrackedThread& thread, const EventCounter& counter) {
  return shared_.meter.conversations().eventfds().used_by(thread.metered->pid(), counter.id, counter.count);
}

// What was seen belongs to this call now.
void ReceiveRecords::record(TrackedThread& thread, const Asking& asking, const QueueSight& sight, int fd) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  const Call call = parts_.inspector.at_present(asking.call);  // the data that was seen had come by now
  const bool others_wait = parts_.held.others_wait_for(asking.identity.number());
  if (sight.readable && (others_wait || !parts_.looks.tells_its_share(asking))) {
    QueueFront front = sight.front;
    front.with_others = shape.length == LengthForm::messages;
    parts_.turns.give(thread, asking, call, front);
  }
  if (sight.units) return record_units(thread, asking, call, *sight.units);
  // The socket may have been forgotten while the call waited, and may be closed, so that it cannot be described again.
  const bool is_socket = asking.identity.kind == DescriptorIdentity::Kind::socket;
  Socket* socket = is_socket ? parts_.inspector.socket_behind(fd, asking.identity.id) : nullptr;
  if (is_socket && socket == nullptr) return;
  if (is_socket && shape.family == CallFamily::accept)
    return parts_.accepts.record(thread, call, asking.notification, *socket);
  if (is_socket && sight.datagram) return record_datagram(thread, asking, call, sight, *socket, fd);
  record_stream(thread, asking, call, sight, fd);
}

void ReceiveRecords::record_units(TrackedThread& thread, const Asking& asking, const Call& call,
                                  const EventCounter& counter) {
  Flow& flow = eventfd_of(thread, counter);
  shared_.meter.takes_units(call, flow, units_taken(counter), counter.count);
  parts_.restarts.moves_units(thread, asking.notification, asking.identity, flow, counter.count);
}

void ReceiveRecords::record_datagram(TrackedThread& thread, const Asking& asking, const Call& call,
                                     const QueueSight& sight, Socket& socket, int fd) {
  Flow* flow = parts_.looks.flow_of(asking);
  // It may have got its name by a send since it was looked at.
  if (flow == nullptr && socket.description.local_name.ends_with(":0"))
    socket.description = shared_.files.describe_socket(fd);
  if (find_metered_call(asking.notification.call)->length == LengthForm::messages)
    return takes_several(asking, call, sight.datagram, fd);
  if (flow == nullptr) flow = &shared_.meter.conversations().datagrams_from(sight.datagram->sender_name, socket);
  shared_.meter.receives_datagram(call, *flow, sight.datagram->length_bytes);
  if (flow == socket.in && !socket.program_peeks)
    parts_.restarts.receives(thread, asking.notification, fd, asking.identity, *flow, *sight.datagram);
}

void ReceiveRecords::record_stream(TrackedThread& thread, const Asking& asking, const Call& call,
                                   const QueueSight& sight, int fd) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  Flow& flow = *parts_.looks.flow_of(asking);
  if (flow.passed_by) shared_.meter.align(call, flow, shared_.files.bytes_waiting(fd));
  const bool guesses = call.takes_all && sight.bytes == sight.front.bytes;  // nothing that was seen ends it earlier
  Amount amount{asking.asked, guesses ? asking.asked : sight.bytes, sight.offset};
  amount.stands_beyond = sight.stands_beyond;
  shared_.meter.receives(call, flow, amount);
  if (sight.bytes > 0)
    parts_.restarts.receives_bytes(thread, asking.notification, asking.identity, flow, sight.front.bytes,
                                   call.counted_in_io || call.takes_all);
  if (shape.family == CallFamily::transfer) parts_.sends.send(asking.notification, shape, thread, amount.probable);
}

void ReceiveRecords::goes_on_unseen(const Asking& asking, int fd) {
  if (find_metered_call(asking.notification.call)->length != LengthForm::messages) return;
  const Socket* socket = shared_.meter.conversations().find(asking.identity.id);
  if (socket != nullptr && keeps_boundaries(socket->description.medium))
    takes_several(asking, asking.call, std::nullopt, fd);
}

// A recvmmsg() on datagrams goes on. `first`: the first datagram that waits.
void ReceiveRecords::takes_several(const Asking& asking, const Call& call, const std::optional<WaitingDatagram>& first,
                                   int fd) {
  const auto& arguments = asking.notification.arguments;
  SeveralDatagrams::Asked asked;
  asked.call = call;
  asked.address = arguments[1];
  asked.count = std::min<std::uint64_t>(static_cast<std::uint32_t>(arguments[2]), MessageArray::kEntriesMax);
  asked.socket = asking.identity.id;
  const bool stops_early = (arguments[3] & MSG_WAITFORONE) != 0 || arguments[4] != 0;
  asked.takes_all = call.may_wait && !stops_early && shared_.files.receive_timeout_ns(fd) == 0;
  const Socket* socket = shared_.meter.conversations().find(asked.socket);
  std::vector<WaitingDatagram> seen;
  if (first && asked.count > 0) seen.push_back(*first);
  if (!seen.empty() && socket != nullptr && !socket->program_peeks)
    for (auto& next : shared_.files.datagrams_behind(fd, *first, asked.count - 1)) seen.push_back(std::move(next));
  several_.goes_on(asked, seen);
}

void ReceiveRecords::is_over(std::uint32_t tid) {
  const LocalTime now = shared_.clock.now();
  several_.is_over(tid, now, shared_.clock.steady_ns(now));
}

void ReceiveRecords::settle_several(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& [tid, descriptor] : several_.waiting(now_ns - kOldNs)) {
    TrackedThread* thread = shared_.table.thread(tid);
    if (thread != nullptr && !parts_.progress.may_be_in_call(*thread, descriptor)) is_over(tid);
  }
}

}  // namespace dpm
