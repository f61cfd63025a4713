#include "backends/sim/timers.hpp"

#include "backends/sim/simulation.hpp"
#include "model/check.hpp"

namespace dpm::sim {

// The entry in the calendar stays when the timer is cleared. The number says that it means nothing any more.
void Timers::set(Process& process, TrueTime at) {
  DPM_CHECK(process.timer == 0);
  const std::uint64_t number = process.timer = ++last_number_;
  ++set_;
  simulation_.delivery().after_messages_at(at, [this, &process, number] {
    if (process.timer == number) simulation_.scheduler().wake(process);
  });
}

void Timers::clear(Process& process) {
  if (process.timer == 0) return;
  process.timer = 0;
  --set_;
}

}  // namespace dpm::sim
