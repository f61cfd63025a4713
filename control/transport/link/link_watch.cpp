#include "control/transport/link/link_watch.hpp"

#include <utility>

namespace dpm {

std::optional<LinkStatus> LinkWatch::look(Clock::time_point now, Seen seen) {
  const bool is_good = seen.is_connected && (seen.waiting == 0 || seen.confirmed != confirmed_);
  if (is_good) good_at_ = now;
  confirmed_ = seen.confirmed;
  LinkStatus status;
  if (now - good_at_ >= (seen.is_connected ? kUnconfirmedMax : kUnconnectedMax)) {
    status.waiting = seen.waiting;
    status.problem = std::move(seen.problem);
    if (seen.is_connected) {
      status.problem = "it is connected, but confirms nothing";
    } else if (status.problem.empty()) {
      status.problem = "no answer";
    }
  } else if (!seen.is_connected && !told_.problem.empty()) {
    return std::nullopt;  // not good again before it is connected
  }
  if (status == told_) return std::nullopt;
  told_ = status;
  return status;
}

}  // namespace dpm
