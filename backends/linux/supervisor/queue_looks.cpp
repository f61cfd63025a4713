#include "backends/linux/supervisor/queue_looks.hpp"

#include <algorithm>

namespace dpm {

Flow* QueueLooks::flow_of(const Asking& asking) {
  Conversations& conversations = shared_.meter.conversations();
  if (asking.identity.kind == DescriptorIdentity::Kind::pipe)
    return &conversations.pipe(asking.identity.device, asking.identity.id);
  if (asking.identity.kind != DescriptorIdentity::Kind::socket) return nullptr;
  const Socket* socket = conversations.find(asking.identity.id);
  return socket == nullptr ? nullptr : socket->in;
}

bool QueueLooks::is_exact(const Asking& asking) {
  const Flow* flow = flow_of(asking);
  return flow != nullptr && flow->exact;
}

bool QueueLooks::tells_its_share(const Asking& asking) {
  const Flow* flow = flow_of(asking);
  return flow != nullptr && flow->kind == ChannelKind::stream && (flow->exact || asking.call.counted_in_io);
}

std::optional<QueueSight> QueueLooks::look(const Asking& asking, int fd) {
  if (asking.identity.kind == DescriptorIdentity::Kind::eventfd) return look_at_eventfd(fd);
  Socket* const socket = asking.identity.kind == DescriptorIdentity::Kind::socket
                             ? shared_.meter.conversations().find(asking.identity.id)
                             : nullptr;
  if (socket != nullptr && socket->description.listening) {
    QueueSight sight;
    sight.readable = shared_.files.is_readable(fd);
    sight.front.stream = true;
    return sight;
  }
  if (socket != nullptr && socket->description.medium == Medium::udp) look_at_memory(asking, *socket, fd);
  if (socket != nullptr && keeps_boundaries(socket->description.medium)) return look_at_datagrams(fd);
  return look_at_stream(asking, socket, fd);
}

void QueueLooks::look_at_memory(const Asking& asking, Socket& socket, int fd) {
  // Bound by a send.
  if (socket.description.local_name.ends_with(":0")) socket.description = shared_.files.describe_socket(fd);
  if (const auto memory = shared_.files.datagram_memory(fd)) shared_.meter.looks_at(asking.call, socket, *memory);
}

QueueSight QueueLooks::look_at_datagrams(int fd) {
  QueueSight sight;
  DatagramQueue queue = shared_.files.look_at_datagrams(fd);
  sight.readable = !queue.quiet;
  sight.takes_nothing = !queue.next;
  if (queue.next) sight.front = {queue.next->length_bytes, queue.next->beginning, false};
  sight.datagram = std::move(queue.next);
  return sight;
}

std::optional<QueueSight> QueueLooks::look_at_eventfd(int fd) {
  QueueSight sight;
  sight.units = shared_.files.read_event_counter(fd);
  if (!sight.units) return std::nullopt;
  sight.readable = sight.units->count > 0;
  sight.front = {sight.units->count, 0, true};
  return sight;
}

std::optional<QueueSight> QueueLooks::look_at_stream(const Asking& asking, const Socket* socket, int fd) {
  QueueSight sight;
  Flow& flow = *flow_of(asking);
  bool ended = false;
  if (flow.exact) {
    const auto state = shared_.files.tcp_receive_state(fd, flow.received.expected());
    if (!state) return std::nullopt;
    sight.offset = state->offset;
    sight.bytes = state->waiting;
    ended = state->ended;
  } else {
    sight.bytes = shared_.files.bytes_waiting(fd);
  }
  const bool only_sends_tell = !flow.exact && socket != nullptr && !asking.call.counted_in_io;
  if (only_sends_tell) {
    const auto received = received_by_sends(flow, fd, sight.bytes);
    if (received) (received->certain ? sight.offset : sight.stands_beyond) = received->bytes;
  }
  sight.front = {sight.bytes, 0, true};
  sight.readable = sight.bytes > 0 || ended || shared_.files.is_readable(fd);
  sight.bytes = only_sends_tell ? shared_.files.bytes_of_one_receive(fd, asking.asked, sight.bytes)
                                : std::min(asking.asked, sight.bytes);
  return sight;
}

std::optional<StreamBalance::Received> QueueLooks::received_by_sends(Flow& flow, int fd, std::uint64_t& waiting) {
  auto received = shared_.meter.received(flow, waiting, false);
  // Bytes of a send that was being made when the socket was looked at may be there now.
  if (received && !received->certain && progress_.forget_finished(flow.balance)) {
    waiting = shared_.files.bytes_waiting(fd);
    received = shared_.meter.received(flow, waiting, false);
  }
  if (!received || received->certain || waiting > 0) return received;
  if (!shared_.files.comes_no_more(fd) || shared_.files.bytes_waiting(fd) > 0) return received;
  return shared_.meter.received(flow, 0, true);
}

}  // namespace dpm
