#include "backends/linux/supervisor/last_news.hpp"

namespace dpm {

// The listener ends before the kernel announces that the last process has ended, or shows it where nothing is announced; on a busy machine,
// long before. Announcements of other processes come meanwhile, so a time limit ends the wait.
void LastNews::await_ends_of_processes() {
  constexpr std::int64_t kWaitMaxNs = 5'000'000'000;
  constexpr int kWaitMs = 10;
  const std::int64_t until_ns = shared_.clock.steady_now_ns() + kWaitMaxNs;
  while (!shared_.table.threads().empty() && shared_.clock.steady_now_ns() < until_ns) {
    shared_.news.await(kWaitMs);
    handler_.tracker().read_news();
    handler_.tracker().look_around();
  }
}

// The kernel announces the end of a socket a moment after it. As long as announcements come in time, more may follow.
void LastNews::await_ends_of_sockets() {
  constexpr int kNextWithinMs = 20;
  constexpr std::int64_t kWaitMaxNs = 200'000'000;
  const std::int64_t until_ns = shared_.clock.steady_now_ns() + kWaitMaxNs;
  while (shared_.meter.awaits_ends() && shared_.clock.steady_now_ns() < until_ns) {
    if (!shared_.news.await_closed_socket(kNextWithinMs)) return;
    handler_.read_closed_sockets();
  }
}

}  // namespace dpm
