#include "trace/info_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trace/json_number.hpp"

namespace dpm::info_json {
namespace {

// Times divided by a speed stay finite, and fit an integer of nanoseconds.
constexpr double kSpeedMin = 1e-6, kSpeedMax = 1e6;

constexpr std::array kKindNames = {"numbered", "stream", "datagram"};  // by ChannelKind

const char* kind_name(ChannelKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

ChannelKind kind_named(const std::string& name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  require(found != kKindNames.end(), fmt::format("there is no kind of channel '{}'", name));
  return static_cast<ChannelKind>(found - kKindNames.begin());
}

constexpr std::array kMediumNames = {"unknown", "tcp", "udp", "unix", "pipe", "eventfd", "memory"};  // by ChannelMedium

ChannelMedium medium_named(const std::string& name) {
  const auto found = std::find(kMediumNames.begin(), kMediumNames.end(), name);
  require(found != kMediumNames.end(), fmt::format("there is no medium '{}'", name));
  return static_cast<ChannelMedium>(found - kMediumNames.begin());
}

struct Property {
  const char* name;
  bool SourceProperties::*holds;
};

constexpr std::array kProperties = {
    Property{"delays_known", &SourceProperties::delays_known},
    Property{"every_arrival_metered", &SourceProperties::every_arrival_metered},
    Property{"scripted", &SourceProperties::scripted},
    Property{"metering_takes_time", &SourceProperties::metering_takes_time},
};

// What the sources that there were before they stated it have always done. A delay model other than the default was
// given by someone who knew it.
SourceProperties properties_of_source_named(const std::string& source, const std::string& delays) {
  const bool is_simulated = source == "sim";
  const bool is_live = source.find("linux") != std::string::npos;
  return {.delays_known = is_simulated || delays != DelayModel().name,
          .every_arrival_metered = !is_live,
          .scripted = is_simulated,
          .metering_takes_time = is_live};
}

}  // namespace

void require(bool condition, const std::string& what) {
  if (!condition) throw WrongContent{what};
}

Json end_to_json(const ChannelEnd& end) {
  return Json::array({end.address, end.port, id_to_json(end.machine), end.socket});
}

ChannelEnd end_from_json(const Json& json, std::size_t machines) {
  ChannelEnd end;
  end.address = json.at(0).get<std::string>();
  const auto port = whole_number<std::uint64_t>(json.at(1));
  require(port <= std::numeric_limits<std::uint16_t>::max(), "there is no port " + std::to_string(port));
  end.port = static_cast<std::uint16_t>(port);
  end.machine = id_from_json<MachineId>(json.at(2), machines, "machine");
  end.socket = whole_number<std::uint64_t>(json.at(3));
  return end;
}

Json to_json(const SourceProperties& properties) {
  Json names = Json::array();
  for (const auto& [name, holds] : kProperties)
    if (properties.*holds) names.push_back(name);
  return names;
}

SourceProperties properties_from_json(const Json& described) {
  if (!described.contains("properties")) {
    const Json none = Json::object();
    const Json& delays = described.contains("delay_model") ? described.at("delay_model") : none;
    return properties_of_source_named(described.at("source").get<std::string>(),
                                      delays.value("name", DelayModel().name));
  }
  SourceProperties properties;
  for (const auto& stated : described.at("properties")) {
    const auto name = stated.get<std::string>();
    for (const auto& [known, holds] : kProperties)
      if (name == known) properties.*holds = true;
  }
  return properties;
}

Json to_json(const MachineInfo& machine) {
  Json json = {{"name", machine.name}, {"speed", machine.speed}};
  if (machine.cores != 1) json["cores"] = machine.cores;
  if (!machine.addresses.empty()) json["addresses"] = machine.addresses;
  if (!machine.host.empty()) json["host"] = machine.host;
  if (!machine.accepts) json["accepts"] = false;
  return json;
}

Json to_json(const ProcessInfo& process) {
  Json json = {{"name", process.name},
               {"program", process.program},
               {"machine", id_to_json(process.machine)},
               {"filter", process.filter},
               {"in_computation", process.in_computation}};
  if (process.pid != 0) json["pid"] = process.pid;
  if (process.tid != 0) json["tid"] = process.tid;
  if (!process.group.is_none()) json["group"] = process.group.value;
  if (process.began_ns != 0) json["began_ns"] = process.began_ns;
  if (process.acquired) json["acquired"] = true;
  if (!process.cgroup.empty()) json["cgroup"] = process.cgroup;
  return json;
}

Json to_json(const ChannelInfo& channel) {
  Json json = {{"owner", id_to_json(channel.owner)}, {"name", channel.name}};
  if (channel.kind != ChannelKind::numbered) json["kind"] = kind_name(channel.kind);
  if (channel.medium == ChannelMedium::unknown) return json;
  json["medium"] = kMediumNames.at(static_cast<std::size_t>(channel.medium));
  json["sender"] = end_to_json(channel.sender);
  json["receiver"] = end_to_json(channel.receiver);
  return json;
}

Json to_json(const CodeModule& module) {
  return {{"process", id_to_json(module.process)},
          {"start", module.start},
          {"end", module.end},
          {"file_offset", module.file_offset},
          {"path", module.path}};
}

Json to_json(const WaitCause& cause) {
  return {{"process", id_to_json(cause.process)},
          {"for", kWaitReasonNames.at(static_cast<std::size_t>(cause.reason))},
          {"other", id_to_json(cause.other)},
          {"name", cause.name},
          {"time_ns", cause.time_ns}};
}

Json to_json(const PrimitiveEvent& event) {
  return {{"action", event.action}, {"object", event.object}, {"function", event.function}};
}

MachineInfo machine_from_json(const Json& json) {
  MachineInfo machine{json.at("name").get<std::string>(), json.at("speed").get<double>()};
  if (json.contains("cores")) machine.cores = number<std::uint16_t>(json, "cores");
  require(machine.speed >= kSpeedMin && machine.speed <= kSpeedMax,
          fmt::format("machine '{}' has an impossible speed", machine.name));
  require(machine.cores > 0, fmt::format("machine '{}' has no cores", machine.name));
  if (json.contains("addresses")) machine.addresses = json.at("addresses").get<std::vector<std::string>>();
  if (json.contains("host")) machine.host = json.at("host").get<std::string>();
  if (json.contains("accepts")) machine.accepts = json.at("accepts").get<bool>();
  return machine;
}

ProcessInfo process_from_json(const Json& json, std::size_t processes, std::size_t machines) {
  ProcessInfo process{json.at("name").get<std::string>(), json.at("program").get<std::string>(),
                      id_from_json<MachineId>(json.at("machine"), machines, "machine"),
                      number<std::uint16_t>(json, "filter"), json.at("in_computation").get<bool>()};
  if (json.contains("pid")) process.pid = number<std::uint32_t>(json, "pid");
  if (json.contains("tid")) process.tid = number<std::uint32_t>(json, "tid");
  if (json.contains("group")) process.group = id_from_json<ProcessId>(json.at("group"), processes, "process");
  if (json.contains("began_ns")) process.began_ns = whole_number<std::uint64_t>(json.at("began_ns"));
  process.acquired = json.contains("acquired") && json.at("acquired").get<bool>();
  if (json.contains("cgroup")) process.cgroup = json.at("cgroup").get<std::string>();
  return process;
}

ChannelInfo channel_from_json(const Json& json, std::size_t processes, std::size_t machines) {
  ChannelInfo channel{id_from_json<ProcessId>(json.at("owner"), processes, "process"),
                      json.at("name").get<std::string>()};
  if (json.contains("kind")) channel.kind = kind_named(json.at("kind").get<std::string>());
  if (!json.contains("medium")) return channel;
  channel.medium = medium_named(json.at("medium").get<std::string>());
  channel.sender = end_from_json(json.at("sender"), machines);
  channel.receiver = end_from_json(json.at("receiver"), machines);
  return channel;
}

CodeModule module_from_json(const Json& json, std::size_t processes) {
  return {id_from_json<ProcessId>(json.at("process"), processes, "process"),
          whole_number<std::uint64_t>(json.at("start")), whole_number<std::uint64_t>(json.at("end")),
          whole_number<std::uint64_t>(json.at("file_offset")), json.at("path").get<std::string>()};
}

WaitCause wait_cause_from_json(const Json& json, std::size_t processes) {
  const auto reason = json.at("for").get<std::string>();
  const auto known = std::find(kWaitReasonNames.begin(), kWaitReasonNames.end(), reason);
  require(known != kWaitReasonNames.end(), fmt::format("'{}' is not a reason to wait", reason));
  return {id_from_json<ProcessId>(json.at("process"), processes, "process"),
          static_cast<WaitReason>(known - kWaitReasonNames.begin()),
          id_from_json<ProcessId>(json.at("other"), processes, "process"), json.at("name").get<std::string>(),
          whole_number<std::uint64_t>(json.at("time_ns"))};
}

PrimitiveEvent primitive_event_from_json(const Json& json) {
  return {json.at("action").get<std::string>(), json.at("object").get<std::string>(),
          json.at("function").get<std::string>()};
}

}  // namespace dpm::info_json
