#include "backends/linux/supervisor/unmade_calls.hpp"

#include <utility>

namespace dpm {

bool is_same_call(const Notification& one, const Notification& other) {
  return one.call == other.call && one.pc == other.pc && one.arguments == other.arguments;
}

bool is_restart(LocalTime interrupted_at, LocalTime now) {
  constexpr std::int64_t kRestartMaxNs = 100'000'000;
  return (now - interrupted_at).ns < kRestartMaxNs;
}

void note_unmade(Shared& shared, TrackedThread& thread, const Notification& notification) {
  thread.process->is_interrupted = true;
  thread.unmade = {notification, shared.clock.now(), !shared.meter.take_back(*thread.metered)};
}

std::optional<UnmadeCall> take_unmade(TrackedThread& thread, const Notification& notification, LocalTime now) {
  if (!thread.unmade) return std::nullopt;
  const bool is_recent = is_restart(thread.unmade->at, now);
  const bool is_it = is_recent && is_same_call(thread.unmade->notification, notification);
  if (is_it) return std::exchange(thread.unmade, std::nullopt);
  if (!is_recent) thread.unmade.reset();
  return std::nullopt;
}

}  // namespace dpm
