// A meter that is told of calls, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "backends/linux/calls/meter.hpp"

namespace dpm {

// A meter with one process that performs calls, a microsecond after each other.
struct Scene {
  Meter meter;
  TraceInfo info;
  std::vector<Event> events;
  std::int64_t now_ns = 0;

  MeteredThread& process(std::uint32_t pid, const std::string& name, MeteredThread* creator = nullptr) {
    Processes::Birth birth{.pid = pid, .tid = pid, .name = name, .program = "/bin/" + name, .flags = MeterFlags::all()};
    return meter.processes().begin(birth, creator, LocalTime{++now_ns}, now_ns);
  }
  MeteredThread& thread(MeteredThread& of, std::uint32_t tid) {
    Processes::Birth birth{.pid = of.pid(), .tid = tid, .name = "worker", .flags = MeterFlags::all()};
    return meter.processes().begin(birth, &of, LocalTime{++now_ns}, now_ns);
  }
  Call call(MeteredThread& by, std::int32_t descriptor) {
    ++by.call_number;
    now_ns += 1000;
    return {.thread = &by, .time = LocalTime{now_ns}, .now_ns = now_ns, .descriptor = descriptor};
  }
  void take() {
    RecordBatch batch = meter.take();
    batch.growth.add_to(info);
    events.insert(events.end(), batch.events.begin(), batch.events.end());
  }
  std::vector<EventType> types() {
    take();
    std::vector<EventType> found;
    for (const auto& event : events) found.push_back(event.type);
    return found;
  }
  std::size_t count(EventType type) {
    const auto found = types();
    return static_cast<std::size_t>(std::count(found.begin(), found.end(), type));
  }
};

inline SocketDescription tcp(const std::string& local, const std::string& peer, bool connecting) {
  SocketDescription socket;
  socket.medium = Medium::tcp;
  socket.domain = 2;
  socket.type = 1;
  socket.protocol = 6;
  socket.connected = !peer.empty();
  socket.listening = peer.empty();
  socket.local_name = local;
  socket.peer_name = peer;
  socket.syn_counted = connecting;
  return socket;
}

}  // namespace dpm
