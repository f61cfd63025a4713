// make_live_trace DIRECTORY: a trace as a meter of live programs writes it, from text, so that a case can say what
// programs did. Each line of standard input is one of
//
//   machine NAME [CORES [ADDRESS...]]
//   process NAME MACHINE [GROUP]     a thread names the process it belongs to
//   acquired PROCESS                 it was metered from its middle
//   stream NUMBER NAME OF CHANNEL    channels have numbers, which need not be dense
//   datagrams NUMBER NAME OF CHANNEL
//   tcp|udp NUMBER SENDER RECEIVER WHERE WHERE   with names of ends, and at which machines they were seen ("-": none)
//   at MS                            the clock that all machines share, for the events that follow
//   EVENT PROCESS CPU_MS [field=NUMBER...]       fields: channel, passed, peer (a process), sequence, length, code
//
// A RECEIVECALL with channel=N waits for that channel alone.
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace {

using namespace dpm;

struct Script {
  TraceInfo info;
  std::vector<Event> events;
  std::map<std::string, MachineId> machines;
  std::map<std::string, ProcessId> processes;
  std::map<std::string, ChannelId> channels;  // by number
  double now_ms = 0;

  bool read(const std::string& line);
  void read_ends(const std::string& medium, std::istringstream& words);
  bool read_event(EventType type, std::istringstream& words);
};

std::uint64_t nanoseconds(double ms) { return static_cast<std::uint64_t>(ms * 1e6); }

bool Script::read(const std::string& line) {
  std::istringstream words(line);
  std::string what, name;
  words >> what;
  if (what == "machine") {
    words >> name;
    machines[name] = MachineId{static_cast<std::uint16_t>(info.machines.size())};
    info.machines.push_back({name, 1});
    if (std::uint16_t cores = 0; words >> cores) info.machines.back().cores = cores;
    for (std::string address; words >> address;) info.machines.back().addresses.push_back(address);
  } else if (what == "process") {
    std::string machine, group;
    words >> name >> machine >> group;
    ProcessInfo process{name, name, machines.at(machine)};
    process.pid = process.tid = static_cast<std::uint32_t>(1000 + info.processes.size());
    if (!group.empty()) {
      process.group = processes.at(group);
      process.pid = info[process.group].pid;
    }
    processes[name] = ProcessId{static_cast<std::uint32_t>(info.processes.size())};
    info.processes.push_back(process);
  } else if (what == "acquired") {
    words >> name;
    info.processes.at(processes.at(name).value).acquired = true;
  } else if (what == "tcp" || what == "udp") {
    read_ends(what, words);
  } else if (what == "stream" || what == "datagrams") {
    std::string number;
    words >> number >> std::ws;
    std::getline(words, name);
    channels[number] = ChannelId{static_cast<std::uint32_t>(info.channels.size())};
    info.channels.push_back({{}, name, what == "stream" ? ChannelKind::stream : ChannelKind::datagram});
  } else if (what == "at") {
    words >> now_ms;
  } else if (const auto type = event_type_from_name(what)) {
    return read_event(*type, words);
  } else {
    return what.empty();
  }
  return true;
}

void Script::read_ends(const std::string& medium, std::istringstream& words) {
  std::string number, from, to, sent_at, received_at;
  words >> number >> from >> to >> sent_at >> received_at;
  ChannelInfo channel{{}, medium + " " + from + " > " + to};
  channel.kind = medium == "tcp" ? ChannelKind::stream : ChannelKind::datagram;
  channel.medium = medium == "tcp" ? ChannelMedium::tcp : ChannelMedium::udp;
  channel.sender = parse_internet_name(from);
  channel.receiver = parse_internet_name(to);
  if (sent_at != "-") channel.sender.machine = machines.at(sent_at);
  if (received_at != "-") channel.receiver.machine = machines.at(received_at);
  channels[number] = ChannelId{static_cast<std::uint32_t>(info.channels.size())};
  info.channels.push_back(channel);
}

bool Script::read_event(EventType type, std::istringstream& words) {
  std::string process;
  double cpu_ms = 0;
  words >> process >> cpu_ms;
  Event event;
  event.type = type;
  event.process = processes.at(process);
  event.machine = info[event.process].machine;
  event.local_time.ns = static_cast<std::int64_t>(nanoseconds(now_ms));
  event.proc_time_ns = nanoseconds(cpu_ms);
  for (std::string word; words >> word;) {
    const std::string field = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (field == "channel") event.channel = channels.at(value);
    if (field == "passed") event.passed_channel = channels.at(value);
    if (field == "peer") event.peer = processes.at(value);
    if (field == "sequence") event.sequence = std::stoull(value);
    if (field == "length") event.length_bytes = static_cast<std::uint32_t>(std::stoul(value));
    if (field == "code") event.code = static_cast<std::uint32_t>(std::stoul(value));
  }
  if (type == EventType::receive_call && !event.channel.is_none()) {
    event.code = static_cast<std::uint32_t>(info.channel_sets.size());
    info.channel_sets.push_back({event.channel});
    event.channel = {};
  }
  events.push_back(event);
  return true;
}

int refuse(const std::string& why) {
  std::cerr << "make_live_trace: " << why << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return refuse("usage: make_live_trace DIRECTORY < TEXT");
  Script script;
  script.info.source = "script";
  for (std::string line; std::getline(std::cin, line);) {
    if (!script.read(line)) return refuse("cannot understand '" + line + "'");
  }
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(argv[1], describe_events(script.info.filters, rules));
  if (!writer) return refuse(writer.error().what);
  EventFilter filter(std::move(rules), **writer);
  filter.on_begin(script.info);
  filter.on_events(script.events);
  LossReport losses;
  losses.seen = script.events.size();
  filter.on_end(losses);
  return (*writer)->status() ? 0 : refuse((*writer)->status().error().what);
}
