#include "tests/support/memory_source.hpp"

#include <algorithm>
#include <map>

#include "model/random.hpp"

namespace dpm {
namespace {

constexpr ProcessId kClient{0};
constexpr ProcessId kServer{1};
constexpr ChannelId kToServer{0};
constexpr ChannelId kToClient{1};

// Records what one process does, with its clocks.
class Actor {
 public:
  Actor(ProcessId process, MachineId machine, std::int64_t clock_ns)
      : process_(process), machine_(machine), clock_ns_(clock_ns) {}

  Event does(EventType type, std::int64_t cpu_ns, std::int64_t idle_ns = 0) {
    clock_ns_ += cpu_ns + idle_ns;
    proc_time_ns_ += static_cast<std::uint64_t>(cpu_ns);
    Event event;
    event.local_time = {clock_ns_};
    event.proc_time_ns = proc_time_ns_;
    event.process = process_;
    event.machine = machine_;
    event.load = 1;
    event.type = type;
    return event;
  }

 private:
  ProcessId process_;
  MachineId machine_;
  std::int64_t clock_ns_;
  std::uint64_t proc_time_ns_ = 0;
};

Event with_message(Event event, ProcessId peer, ChannelId channel, std::uint64_t sequence, std::uint32_t length_bytes) {
  event.peer = peer;
  event.channel = channel;
  event.sequence = sequence;
  event.length_bytes = length_bytes;
  return event;
}

}  // namespace

Result<void> MemorySource::run(EventSink& sink) {
  sink.on_begin(recording_.info);
  const std::span<const Event> events = recording_.events;
  for (std::size_t first = 0; first < events.size(); first += batch_events_) {
    sink.on_events(events.subspan(first, std::min(batch_events_, events.size() - first)));
  }
  sink.on_end(recording_.losses);
  return {};
}

void RecordingSink::on_events(std::span<const Event> batch) {
  recording_.events.insert(recording_.events.end(), batch.begin(), batch.end());
}

void RecordingSink::on_end(const LossReport& losses) {
  DPM_CHECK(info_ != nullptr);
  recording_.info = *info_;
  recording_.losses = losses;
}

Result<Recording> record(EventSource& source) {
  RecordingSink sink;
  if (const auto run = source.run(sink); !run) return run.error();
  return sink.recording();
}

Recording client_and_server(std::uint32_t messages) {
  Recording recording;
  TraceInfo& info = recording.info;
  info.source = "memory";
  info.scenario = "client-and-server";
  info.machines = {{"red", 1}, {"blue", 1}};
  info.processes = {{"client", "client", MachineId{0}, 0, true}, {"server", "server", MachineId{1}, 0, true}};
  info.channels = {{kServer, "requests"}, {kClient, "replies"}};

  Actor client(kClient, MachineId{0}, 1000);
  Actor server(kServer, MachineId{1}, 700'000);  // its clock is far ahead
  for (std::uint32_t number = 1; number <= messages; ++number) {
    auto& events = recording.events;
    events.push_back(with_message(client.does(EventType::send, 2000), kServer, kToServer, number, 100));
    events.push_back(client.does(EventType::receive_call, 0));
    events.push_back(server.does(EventType::receive_call, 10));
    events.push_back(with_message(server.does(EventType::receive, 0, 3000), kClient, kToServer, number, 100));
    events.push_back(with_message(server.does(EventType::send, 5000), kClient, kToClient, number, 1000));
    events.push_back(with_message(client.does(EventType::receive, 0, 9000), kServer, kToClient, number, 1000));
  }
  for (auto& event : recording.events) {
    if (event.type == EventType::receive_call) event.code = kAnyChannel.value;
  }
  recording.losses.seen = recording.events.size();
  return recording;
}

Recording told_in_bytes(Recording recording) {
  for (auto& channel : recording.info.channels) channel = {ProcessId{}, channel.name, ChannelKind::stream};
  for (auto& process : recording.info.processes) process.pid = process.tid = 100;
  std::map<ChannelId, std::uint64_t> next;
  std::map<std::pair<ChannelId, std::uint64_t>, std::uint64_t> offset_of;
  for (auto& event : recording.events) {
    if (event.type != EventType::send && event.type != EventType::receive) continue;
    const std::pair message(event.channel, event.sequence);
    if (event.type == EventType::send) {
      offset_of[message] = next[event.channel];
      next[event.channel] += event.length_bytes;
    }
    event.sequence = offset_of.at(message);
    event.peer = {};
  }
  return recording;
}

Recording reordered_between_processes(const Recording& recording, std::uint64_t seed) {
  std::map<std::uint32_t, std::vector<Event>> of_process;
  for (const auto& event : recording.events) of_process[event.process.value].push_back(event);

  std::vector<std::span<const Event>> remaining;
  for (const auto& [process, events] : of_process) remaining.emplace_back(events);

  Random random(seed);
  Recording reordered = recording;
  reordered.events.clear();
  while (!remaining.empty()) {
    auto& next = remaining[random.below(remaining.size())];
    reordered.events.push_back(next.front());
    next = next.subspan(1);
    std::erase_if(remaining, [](const auto& events) { return events.empty(); });
  }
  return reordered;
}

}  // namespace dpm
