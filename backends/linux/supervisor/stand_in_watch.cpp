#include "backends/linux/supervisor/stand_in_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  if (changed && changes % 2 == 1) {
    noticed_ns_ = now_ns;
    until_ns_ = now_ns + kSeesUsWithinNs;
  }
  if (changed && changes % 2 == 0) until_ns_ = now_ns;
  const bool passes_all = changed || (until_ns_ != 0 && until_ns_ <= now_ns);
  if (until_ns_ <= now_ns) until_ns_ = 0;
  return {until_ns_ != 0, passes_all};
}

// A keeper that ends with its program, or is killed, does not report the end of the stop either: it was over when the meter looked.
std::int64_t StandInWatch::stopped_ns(std::int64_t now_ns) const {
  const std::int64_t told_ns = stand_in_.stopped_ns - stopped_before_ns_;
  if (stand_in_.changes % 2 == 0) return told_ns;
  const std::int64_t over_ns = changes_ == stand_in_.changes && noticed_ns_ != 0 ? noticed_ns_ : now_ns;
  return told_ns + std::max<std::int64_t>(over_ns - stand_in_.stopped_since_ns, 0);
}

std::optional<Loss> StandInWatch::loss(std::int64_t now_ns) const {
  const std::uint64_t calls = stand_in_.calls - calls_before_ + passed_calls_;
  if (calls == 0) return std::nullopt;
  const std::int64_t stopped_ms = stopped_ns(now_ns) / 1'000'000;
  return Loss{
      fmt::format("the meter was stopped (SIGSTOP or a debugger) for {}.{} s: calls of that time were not recorded",
                  stopped_ms / 1000, stopped_ms / 100 % 10),
      calls};
}

}  // namespace dpm
