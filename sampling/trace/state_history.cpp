#include "sampling/trace/state_history.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm::sampling {
namespace {

std::int64_t grown(std::uint64_t before, std::uint64_t after, std::int64_t most_ns) {
  if (before == kNotMeasured || after == kNotMeasured || after < before) return 0;
  return std::min(static_cast<std::int64_t>(after - before), most_ns);
}

State read_of(ChannelMedium medium) {
  switch (medium) {
    case ChannelMedium::tcp:
    case ChannelMedium::udp:
      return State::inet_read;
    case ChannelMedium::unix_socket:
      return State::unix_read;
    case ChannelMedium::pipe:
      return State::pipe_read;
    case ChannelMedium::eventfd:
      return State::event;
    case ChannelMedium::memory:
      return State::futex;
    case ChannelMedium::unknown:
      break;
  }
  return State::message_queue;
}

State state_of_wait(std::uint32_t kind) {
  switch (static_cast<WaitKind>(kind)) {
    case WaitKind::process_end:
      return State::child;
    case WaitKind::signal:
      return State::signal;
    case WaitKind::thread_end:
    case WaitKind::futex:
      break;
  }
  return State::futex;
}

State idle_state(const Event& before, const Event& after, const TraceInfo& info) {
  if (before.type == EventType::stop_process) return State::stopped;
  if (after.type == EventType::wait) return state_of_wait(after.code);
  if (before.type != EventType::receive_call) return State::sleep;
  const bool is_known = after.type == EventType::receive && after.channel.value < info.channels.size();
  return is_known ? read_of(info.channels[after.channel.value].medium) : State::message_queue;
}

Stretch stretch_between(const Event& before, const Event& after, std::int64_t from_ns, std::int64_t to_ns,
                        const TraceInfo& info) {
  Stretch stretch{.from_ns = from_ns, .to_ns = to_ns, .idle_state = idle_state(before, after, info)};
  std::int64_t left_ns = to_ns - from_ns;
  left_ns -= stretch.cpu_ns = std::min(static_cast<std::int64_t>(cpu_between_ns(before, after, info)), left_ns);
  left_ns -= stretch.ready_ns = grown(before.ready_time_ns, after.ready_time_ns, left_ns);
  left_ns -= stretch.disk_ns = grown(before.disk_time_ns, after.disk_time_ns, left_ns);
  if (before.type == EventType::receive_call || before.type == EventType::stop_process) stretch.idle_first_ns = left_ns;
  return stretch;
}

}  // namespace

StateHistory::StateHistory(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info)
    : stretches_(info.processes.size()) {
  DPM_CHECK(events.size() == times_ns.size());
  struct Last {
    const Event* event = nullptr;
    std::int64_t time_ns = 0, created_ns = -1;
  };
  std::vector<Last> last(info.processes.size());
  if (!events.empty()) from_ns_ = to_ns_ = times_ns[0];
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    from_ns_ = std::min(from_ns_, times_ns[i]);
    to_ns_ = std::max(to_ns_, times_ns[i]);
    if (event.type == EventType::create_process && event.peer.value < last.size())
      last[event.peer.value].created_ns = times_ns[i];
    // The arrival of a message is not what its receiver does.
    if (event.type == EventType::message_queued || event.process.value >= last.size()) continue;
    is_measured_ = is_measured_ && event.has_ready_time() && event.has_disk_time();
    Last& own = last[event.process.value];
    auto& stretches = stretches_[event.process.value];
    const std::int64_t now_ns = std::max(own.event == nullptr ? times_ns[i] : own.time_ns, times_ns[i]);
    if (own.event != nullptr) {
      stretches.push_back(stretch_between(*own.event, event, own.time_ns, now_ns, info));
    } else if (own.created_ns >= 0 && own.created_ns < now_ns) {
      stretches.push_back({.from_ns = own.created_ns, .to_ns = now_ns, .idle_state = State::created});
    }
    own.event = &event;
    own.time_ns = now_ns;
  }
}

}  // namespace dpm::sampling
