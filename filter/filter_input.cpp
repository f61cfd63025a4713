#include "filter/filter_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <vector>

namespace dpm {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::chrono::seconds kCheckpointPause{1};
constexpr int kRetryMs = 1000;
constexpr int kQuietMs = 100;  // a controller that fetches the log waits longer (control/daemon/log_settling.hpp)

}  // namespace

Result<void> read_filter_input(int input, const FilterSteps& steps) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::byte> buffer(kBufferBytes);
  bool unwritten = false, is_refused = false;
  Clock::time_point due = Clock::now();
  while (true) {
    pollfd waiting = {input, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, !unwritten ? -1 : is_refused ? kRetryMs : kQuietMs);
    if (ready < 0 && errno != EINTR) return Error::from_errno("wait for meter messages");
    if (unwritten && (ready == 0 || Clock::now() >= due)) {
      is_refused = unwritten = !steps.checkpoint();
      due = Clock::now() + kCheckpointPause;
    }
    if (ready <= 0) continue;
    const ssize_t bytes = ::read(input, buffer.data(), buffer.size());
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes < 0) return Error::from_errno("read meter messages");
    if (bytes == 0) return {};
    if (!unwritten) due = Clock::now() + kCheckpointPause;
    unwritten = steps.feed(std::span(buffer).first(static_cast<std::size_t>(bytes))) || is_refused;
  }
}

}  // namespace dpm
