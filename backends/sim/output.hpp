// The child's end of the pipe: collects events and writes them in frames of thousands, each after the additions to the
// tables that its events use.
#pragma once

#include <span>
#include <vector>

#include "backends/sim/names.hpp"
#include "backends/sim/wire.hpp"

namespace dpm::sim {

class Output {
 public:
  Output(int fd, Names& names) : fd_(fd), names_(names), told_(TableSizes::of(names.info())) {}

  // What a filter received.
  void append(std::span<const Event> events);

  // Everything collected, then the last frame.
  void end(const RunEnd& end);

  std::uint64_t delivered_events() const { return delivered_events_; }

 private:
  static constexpr std::size_t kEventsPerFrame = 4096;

  void write_events();
  void write_frame(FrameKind kind, const void* payload, std::size_t size_bytes);
  void write_all(const void* bytes, std::size_t size_bytes);

  int fd_;
  Names& names_;
  TableSizes told_;
  std::vector<Event> events_;
  std::uint64_t delivered_events_ = 0;
};

}  // namespace dpm::sim
