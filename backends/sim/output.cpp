#include "backends/sim/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace dpm::sim {

void Output::append(std::span<const Event> events) {
  events_.insert(events_.end(), events.begin(), events.end());
  delivered_events_ += events.size();
  if (events_.size() >= kEventsPerFrame) write_events();
}

void Output::end(const RunEnd& end) {
  write_events();
  const std::string payload = encode_end(end);
  write_frame(FrameKind::end, payload.data(), payload.size());
}

void Output::write_events() {
  TraceGrowth growth = TraceGrowth::since(told_, names_.info());
  if (!growth.empty()) {
    growth.add_to(told_);
    const std::string payload = encode_growth(std::move(growth));
    write_frame(FrameKind::growth, payload.data(), payload.size());
  }
  if (!events_.empty()) write_frame(FrameKind::events, events_.data(), events_.size() * sizeof(Event));
  events_.clear();
}

void Output::write_frame(FrameKind kind, const void* payload, std::size_t size_bytes) {
  const FrameHeader header{kind, static_cast<std::uint32_t>(size_bytes)};
  write_all(&header, sizeof header);
  write_all(payload, size_bytes);
}

void Output::write_all(const void* bytes, std::size_t size_bytes) {
  const char* at = static_cast<const char*>(bytes);
  while (size_bytes > 0) {
    const ssize_t written = ::write(fd_, at, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);  // the parent is gone
    at += written;
    size_bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace dpm::sim
