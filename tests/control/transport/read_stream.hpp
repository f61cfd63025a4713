// What a filter read, as events by process: the names of processes and the events they performed, in their order.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/meter_stream.hpp"

namespace dpm::test {

struct StreamContents : EventSink {
  const TraceInfo* info = nullptr;
  std::map<std::string, std::vector<Event>> events;  // by machine and process
  std::uint64_t count = 0;
  LossReport losses;

  void on_begin(const TraceInfo& described) override { info = &described; }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch)
      events[info->machines[event.machine.value].name + " " + (*info)[event.process].name].push_back(event);
    count += batch.size();
  }
  void on_end(const LossReport& report) override { losses = report; }

  std::uint64_t lost() const { return losses.lost(); }
  std::string reasons() const {
    std::string text;
    for (const auto& loss : losses.losses) text += std::to_string(loss.events) + " " + loss.reason + "\n";
    for (const auto& warning : losses.warnings) text += warning + "\n";
    return text;
  }
};

inline StreamContents contents_of(std::string_view stream) {
  StreamContents contents;
  MeterStreamReader reader(contents);
  reader.feed(std::as_bytes(std::span(stream)));
  reader.end();
  contents.info = nullptr;
  return contents;
}

// A meter's tables and events, for which nothing else is needed: `processes` processes on one machine, each of which
// sends to the next; the sequence numbers of a process count from 0.
struct LittleMeter {
  LittleMeter(const std::string& machine, std::size_t processes) {
    info.source = "test";
    info.machines.push_back({machine, 1});
    for (std::size_t i = 0; i < processes; ++i) add_process();
  }
  void add_process() {
    const std::uint32_t id = static_cast<std::uint32_t>(info.processes.size());
    info.processes.push_back({"p" + std::to_string(id), "program", MachineId{0}, 0, true});
    info.processes.back().pid = info.processes.back().tid = 100 + id;
    info.channels.push_back({ProcessId{id}, "to p" + std::to_string(id)});
    next.push_back(0);
  }
  Event event(std::uint32_t process) {
    Event event;
    event.type = EventType::send;
    event.process = ProcessId{process};
    event.machine = MachineId{0};
    event.channel = ChannelId{(process + 1) % static_cast<std::uint32_t>(info.processes.size())};
    event.peer = ProcessId{event.channel.value};
    event.sequence = next[process]++;
    event.length_bytes = 100;
    return event;
  }
  std::vector<Event> events(std::size_t count) {
    std::vector<Event> made;
    for (std::size_t i = 0; i < count; ++i)
      made.push_back(event(static_cast<std::uint32_t>(turn_++ % info.processes.size())));
    return made;
  }
  // What was added since the last call.
  TraceGrowth growth() {
    TraceGrowth added = TraceGrowth::since(told_, info);
    added.add_to(told_);
    return added;
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto count : next) sum += count;
    return sum;
  }

  TraceInfo info;
  std::vector<std::uint64_t> next;  // by process

 private:
  std::size_t turn_ = 0;
  TableSizes told_;
};

// Nothing twice, nothing left out, everything in order: up to where it ends, every process's numbers count from 0.
inline bool counts_from_zero(const StreamContents& contents) {
  for (const auto& [name, events] : contents.events)
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].sequence != i) return false;
  return true;
}

}  // namespace dpm::test
