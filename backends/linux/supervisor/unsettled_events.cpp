#include "backends/linux/supervisor/unsettled_events.hpp"

namespace dpm {

namespace {

constexpr std::int64_t kOldNs = 100'000'000;
constexpr std::int64_t kOldestNs = 1'000'000'000;  // not held open any longer for the evidence of others

}  // namespace

void UnsettledEvents::settle_old(std::int64_t now_ns) {
  for (const auto& oldest : shared_.meter.unfinished(now_ns - kOldNs)) {
    const MeteredThread& metered = *oldest.operation.thread;
    // One after the other, as long as each look finishes one.
    for (auto unfinished = std::optional(oldest); unfinished;) {
      const std::uint64_t before = metered.first_waiting();
      settle(*unfinished, now_ns);
      unfinished = shared_.meter.first_unfinished(metered, now_ns - kOldNs);
      if (metered.first_waiting() == before) break;
    }
  }
  shared_.meter.forget_ended();
}

void UnsettledEvents::settle(const Meter::Unfinished& unfinished, std::int64_t now_ns) {
  MeteredThread& metered = *unfinished.operation.thread;
  TrackedThread* thread = shared_.table.thread(metered.tid());
  if (thread == nullptr) return shared_.meter.assume_probable(unfinished);
  if (inspector_.may_be_in_call(*thread, unfinished.operation.first_argument)) return;
  metered.was_seen(shared_.clock.now());
  Flow& flow = *unfinished.end.flow;
  if (metered.counted.flow == &flow) return inspector_.read_counters(*thread);
  const bool is_young = metered.waiting_since_ns() > now_ns - kOldestNs;
  if (unfinished.operation.shows_in_pipe) {
    if (!inspector_.settle_pipe(flow, nullptr) && !is_young) shared_.meter.assume_probable(unfinished);
    return;
  }
  if (unfinished.operation.told_by_other_end) return settle_other_end(metered, now_ns);
  if (unfinished.end.sending && flow.partial) return static_cast<void>(inspector_.settle_partial(flow, nullptr));
  const UniqueFd fd = shared_.files.borrow(thread->thread_fd.get(), unfinished.operation.descriptor);
  if (flow.counts_units) return settle_units(unfinished, fd.get(), now_ns);
  const Socket* socket = fd ? shared_.meter.conversations().find(shared_.files.identify(fd.get()).id) : nullptr;
  const bool ours = socket != nullptr && (unfinished.end.sending ? socket->out : socket->in) == &flow;
  const auto offset = ours ? offset_of(unfinished, *socket, fd.get()) : Offset{};
  if (!offset.certain && is_young) return;
  if (!offset.bytes) return shared_.meter.assume_probable(unfinished);
  const LocalTime now = shared_.clock.now();
  shared_.meter.resolve_unfinished(unfinished, *offset.bytes, now, shared_.clock.steady_ns(now));
}

void UnsettledEvents::settle_units(const Meter::Unfinished& unfinished, int fd, std::int64_t now_ns) {
  Flow& flow = *unfinished.end.flow;
  auto counter = fd < 0 ? std::nullopt : shared_.files.read_event_counter(fd);
  if (!counter || shared_.meter.conversations().eventfds().find(counter->id) != &flow)
    return shared_.meter.assume_probable(unfinished);
  const Call call{.thread = unfinished.operation.thread, .time = shared_.clock.now(), .now_ns = now_ns};
  inspector_.settle_units(call, flow, fd, *counter);
}

void UnsettledEvents::settle_other_end(const MeteredThread& metered, std::int64_t now_ns) {
  for (const FlowEnd& end : metered.open_ends()) {
    const OpenOperation* told = position_of(end).find(&metered);
    if (told != nullptr && told->tells_other_end) return settle({end, *told}, now_ns);
  }
}

UnsettledEvents::Offset UnsettledEvents::offset_of(const Meter::Unfinished& unfinished, const Socket& socket, int fd) {
  Flow& flow = *unfinished.end.flow;
  if (!flow.exact && unfinished.end.sending) return {};
  if (!flow.exact) {
    std::uint64_t waiting = shared_.files.bytes_waiting(fd);
    const auto received = inspector_.received_by_sends(flow, fd, waiting);
    return received ? Offset{received->bytes, received->certain} : Offset{};
  }
  if (unfinished.end.sending) {
    const auto state = shared_.files.tcp_send_state(fd, socket.description.syn_counted, flow.sent.expected());
    return state ? Offset{state->offset} : Offset{};
  }
  const auto state = shared_.files.tcp_receive_state(fd, flow.received.expected(), flow.may_be_urgent);
  return state ? Offset{state->offset} : Offset{};
}

}  // namespace dpm
