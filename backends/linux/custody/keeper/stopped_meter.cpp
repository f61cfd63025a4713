#include "backends/linux/custody/keeper/stopped_meter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace dpm {

bool StoppedMeter::is_suspicious(std::uint64_t heartbeat) {
  if (heartbeat == heartbeat_) return true;
  heartbeat_ = heartbeat;
  stopped_since_ns_ = 0;
  return false;
}

bool StoppedMeter::look(std::int64_t now_ns, bool stopped) {
  if (!stopped) {
    stopped_since_ns_ = 0;
    return false;
  }
  if (stopped_since_ns_ == 0) stopped_since_ns_ = now_ns;
  return now_ns - stopped_since_ns_ >= kBoundNs;
}

// "4711 (name) T ...": the name may contain anything, but no bracket follows it.
bool says_stopped(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return false;
  const char state = stat[name_end + 2];
  return state == 'T' || state == 't';
}

UniqueFd open_process_state(std::uint32_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
  return UniqueFd(::open(path, O_RDONLY | O_CLOEXEC));
}

bool is_stopped(const UniqueFd& state) {
  char text[256];
  const ssize_t length = state ? ::pread(state.get(), text, sizeof text, 0) : 0;
  return length > 0 && says_stopped({text, static_cast<std::size_t>(length)});
}

}  // namespace dpm
