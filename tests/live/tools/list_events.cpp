// list_events TRACE: a trace as lines of text, for checkers that are scripts.
//
//   process ID PID TID NAME...
//   channel ID KIND NAME...
//   event PROCESS TYPE LENGTH SEQUENCE CHANNEL PEER LOCAL_TIME_NS EVIDENCE CODE PROCTIME_NS
//   lost N REASON...
#include <cinttypes>
#include <cstdio>
#include <string>

#include "trace/trace_reader.hpp"

namespace dpm {
namespace {

template <typename Id>
std::string number(Id id) {
  return id.is_none() ? "-" : std::to_string(id.value);
}

void list_names(const TraceInfo& info) {
  for (std::size_t i = 0; i < info.processes.size(); ++i)
    std::printf("process %zu %u %u %s\n", i, info.processes[i].pid, info.processes[i].tid,
                info.processes[i].name.c_str());
  for (std::size_t i = 0; i < info.channels.size(); ++i)
    std::printf("channel %zu %s %s\n", i, info.channels[i].kind == ChannelKind::stream ? "stream" : "datagram",
                info.channels[i].name.c_str());
}

void list_event(const Event& event) {
  std::printf("event %s %.*s %u %" PRIu64 " %s %s %" PRId64 " %s %u %" PRIu64 "\n", number(event.process).c_str(),
              static_cast<int>(name_of(event.type).size()), name_of(event.type).data(), event.length_bytes,
              event.sequence, number(event.channel).c_str(), number(event.peer).c_str(), event.local_time.ns,
              event.evidence == Evidence::observed ? "observed" : "inferred", event.code, event.proc_time_ns);
}

int list(const std::string& directory) {
  auto reader = TraceReader::open(directory);
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.error().what.c_str());
    return 1;
  }
  list_names(reader->info());
  const LossReport losses = reader->read([](std::span<const Event> batch) {
    for (const auto& event : batch) list_event(event);
  });
  for (const auto& loss : losses.losses) std::printf("lost %" PRIu64 " %s\n", loss.events, loss.reason.c_str());
  if (!reader->is_finished()) std::puts("unfinished");
  return 0;
}

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: list_events TRACE\n");
    return 2;
  }
  return dpm::list(argv[1]);
}
