// eventfds: one thread adds a number, another takes what has been added. To the analyses that is a stream of units: a
// SEND is as long as the number that was written, a RECEIVE as what was there to be taken, so that a RECEIVE depends on
// the SEND whose unit it took last.
#include <algorithm>
#include <cerrno>

#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kCallBytes = 8;              // that every read and write of an eventfd moves
constexpr std::uint64_t kCountMax = UINT64_MAX - 1;  // a write that would go beyond waits, or fails

std::uint64_t units_taken(const EventCounter& counter) {
  return counter.is_semaphore ? std::min<std::uint64_t>(counter.count, 1) : counter.count;
}

}  // namespace

Flow& Supervisor::eventfd_behind(const TrackedThread& thread, const EventCounter& counter) {
  return meter_.conversations().eventfds().used_by(thread.execution->pid(), counter.id, counter.count);
}

Supervisor::Outcome Supervisor::receive_units(const Notification& notification, const MeteredCall& shape,
                                              TrackedThread& thread, const Way& way) {
  const auto counter = read_event_counter(way.fd.get());
  if (!counter || asked_bytes(notification, shape) < kCallBytes) return Outcome::let_go;
  Call call = circumstances(notification, shape, thread);
  call.may_wait = !is_non_blocking(way.fd.get());
  Flow& flow = eventfd_behind(thread, *counter);
  if (!thread.asks_again) meter_.asks_to_receive(call, &flow);
  if (counter->count > 0) {
    call.time = local_time();
    meter_.takes_units(call, flow, units_taken(*counter), counter->count);
    return Outcome::let_go;
  }
  if (call.may_wait && !may_be_held(notification, shape)) return Outcome::let_go;
  if (call.may_wait) {
    Asking asking;
    asking.notification = notification;
    asking.identity = way.identity;
    asking.call = call;
    asking.asked = kCallBytes;
    asking.terms.may_wait = true;
    return hold(thread, asking, way.fd.get());
  }
  // What the kernel would say at this instant. Let go, the call could take what comes meanwhile, unseen.
  listener_.fail(notification.id, EAGAIN);
  return Outcome::answered;
}

bool Supervisor::take_held_units(TrackedThread& thread, int fd) {
  const Hold& held = *thread.hold;
  const std::uint64_t id = held.notification.id;
  const auto counter = read_event_counter(fd);
  if (counter && counter->count == 0) {
    holds_.watch_again(held.ticket, fd);
    return false;
  }
  if (!listener_.waits(id)) {
    interrupt_hold(thread);
    return false;
  }
  if (counter) {
    Call call = held.call;
    call.time = local_time();
    call.now_ns = call.time.ns - clock_offset_ns_;
    call.load = load_.runnable(call.now_ns);
    meter_.takes_units(call, eventfd_behind(thread, *counter), units_taken(*counter), counter->count);
  }
  end_hold(thread);
  listener_.let_go(id);
  return true;
}

void Supervisor::send_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                            const Way& way) {
  std::uint64_t value = 0;
  const auto into = std::as_writable_bytes(std::span(&value, 1));
  // From several parts, or a file, a number is hardly ever written.
  if (shape.family != CallFamily::send || shape.length != LengthForm::argument) return;
  if (asked_bytes(notification, shape) < kCallBytes ||
      read_memory(notification.tid, notification.arguments[1], into) != into.size())
    return;
  const auto counter = read_event_counter(way.fd.get());
  if (!counter || value == 0 || value > kCountMax - std::min(counter->count, kCountMax)) return;
  const Call call = circumstances(notification, shape, thread);
  meter_.adds_units(call, eventfd_behind(thread, *counter), value);
}

}  // namespace dpm
