// make_hostile_trace DIRECTORY: a client and a server whose names contain what the formats of other tools use for
// themselves, on machines whose clocks are an hour apart; and 7 events are lost.
#include <iostream>

#include "filter/event_filter.hpp"
#include "tests/support/memory_source.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

int main(int argc, char** argv) {
  using namespace dpm;
  if (argc != 2) return 2;
  Recording recording = client_and_server(60);
  TraceInfo& info = recording.info;
  info.processes[0].name = "a \"b\" \\N, {c}: <d>;\n#%e'f\x1b[31m";
  info.processes[1].name = "twin";
  info.processes.push_back(info.processes[1]);
  for (ChannelInfo& channel : info.channels) channel.name = "=\xff\"; DROP TABLE event; --,\r\n";
  info.machines.front().name = "red \"\\\n";
  if (info.machines.size() == 1) info.machines.push_back({"blue", 1});
  info.processes[1].machine = MachineId{1};
  for (Event& event : recording.events) {
    if (event.process.value != 1) continue;
    event.machine = MachineId{1};
    event.local_time.ns += 3600'000'000'000;
  }
  recording.losses.seen += 7;
  recording.losses.losses.push_back({"the disk \"full\" \\ was {full},\nreally", 7});
  recording.losses.warnings.push_back("look \"here\", first\n");
  recording.losses.warnings.push_back("long " + std::string(20'001, '\\'));  // more than Graphviz reads in quotes

  std::vector<RuleSet> rules(1, RuleSet::keep_all(event_layouts()));
  auto writer = TraceWriter::create(argv[1], describe_events({"filter"}, rules));
  if (!writer) {
    std::cerr << writer.error().what << '\n';
    return 1;
  }
  EventFilter filter(rules, **writer);
  MemorySource source(std::move(recording));
  return source.run(filter) ? 0 : 1;
}
