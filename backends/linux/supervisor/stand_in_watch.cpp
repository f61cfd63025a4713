#include "backends/linux/supervisor/stand_in_watch.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace dpm {

StandInWatch::StandInWatch(const StandIn& stand_in)
    : stand_in_(stand_in),
      changes_(stand_in.changes),
      calls_before_(stand_in.calls),
      stopped_before_ns_(stand_in.stopped_ns) {}

// A keeper that was killed meanwhile does not report that it has stopped answering.
StandInWatch::Look StandInWatch::look(std::int64_t now_ns) {
  constexpr std::int64_t kSeesUsWithinNs = 1'000'000'000;
  const std::uint64_t changes = stand_in_.changes;
  const bool changed = changes != std::exchange(changes_, changes);
  if (changed && changes % 2 == 1) until_ns_ = now_ns + kSeesUsWithinNs;
  if (changed && changes % 2 == 0) until_ns_ = now_ns;
  const bool passes_all = changed || (until_ns_ != 0 && until_ns_ <= now_ns);
  if (until_ns_ <= now_ns) until_ns_ = 0;
  return {until_ns_ != 0, passes_all};
}

std::optional<Loss> StandInWatch::loss() const {
  const std::uint64_t calls = stand_in_.calls - calls_before_ + passed_calls_;
  if (calls == 0) return std::nullopt;
  const std::int64_t stopped_ms = (stand_in_.stopped_ns - stopped_before_ns_) / 1'000'000;
  return Loss{
      fmt::format("the meter was stopped (SIGSTOP or a debugger) for {}.{} s: calls of that time were not recorded",
                  stopped_ms / 1000, stopped_ms / 100 % 10),
      calls};
}

}  // namespace dpm
