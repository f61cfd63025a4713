#include "backends/linux/capture/supervisor/unsettled_events.hpp"

namespace dpm {

void UnsettledEvents::settle_old(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& oldest : shared_.meter.unfinished(now_ns - kOldNs)) {
    const MeteredThread& metered = *oldest.operation.thread;
    // One after the other, as long as each look finishes one.
    for (auto unfinished = std::optional(oldest); unfinished;) {
      const std::uint64_t before = metered.first_waiting();
      settle(*unfinished);
      unfinished = shared_.meter.first_unfinished(metered, now_ns - kOldNs);
      if (metered.first_waiting() == before) break;
    }
  }
  shared_.meter.forget_ended();
}

void UnsettledEvents::settle(const Meter::Unfinished& unfinished) {
  MeteredThread& metered = *unfinished.operation.thread;
  TrackedThread* thread = shared_.table.thread(metered.tid());
  if (thread == nullptr) return shared_.meter.assume_probable(unfinished);
  if (progress_.may_be_in_call(*thread, unfinished.operation.descriptor)) return;
  metered.was_seen(shared_.clock.now());
  Flow& flow = *unfinished.end.flow;
  if (metered.counted.flow == &flow) return progress_.read_counters(*thread);
  const UniqueFd fd = shared_.files.borrow(thread->thread_fd.get(), unfinished.operation.descriptor);
  const Socket* socket = fd ? shared_.meter.conversations().find(shared_.files.identify(fd.get()).id) : nullptr;
  const bool ours = socket != nullptr && (unfinished.end.sending ? socket->out : socket->in) == &flow;
  const auto offset = ours ? offset_of(unfinished, *socket, fd.get()) : std::nullopt;
  if (!offset) return shared_.meter.assume_probable(unfinished);
  const LocalTime now = shared_.clock.now();
  shared_.meter.resolve_unfinished(unfinished, *offset, now, shared_.clock.steady_ns(now));
}

std::optional<std::uint64_t> UnsettledEvents::offset_of(const Meter::Unfinished& unfinished, const Socket& socket,
                                                        int fd) {
  Flow& flow = *unfinished.end.flow;
  if (!flow.exact && unfinished.end.sending) return std::nullopt;
  if (!flow.exact) {
    const auto received = looks_.received_by_sends(flow, fd, shared_.files.bytes_waiting(fd));
    return received ? std::optional(received->bytes) : std::nullopt;
  }
  if (unfinished.end.sending) {
    const auto state = shared_.files.tcp_send_state(fd, socket.description.syn_counted, flow.sent.expected());
    return state ? std::optional(state->offset) : std::nullopt;
  }
  const auto state = shared_.files.tcp_receive_state(fd, flow.received.expected());
  return state ? std::optional(state->offset) : std::nullopt;
}

}  // namespace dpm
