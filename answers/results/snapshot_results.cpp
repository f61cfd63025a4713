#include "answers/results/snapshot_results.hpp"

#include <nlohmann/json.hpp>

#include "model/value.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// "SEND of 5 bytes to client", "integer_assign on i in main = 3".
std::string last_text(const Event& event, const TraceInfo& info) {
  if (is_primitive(event.type)) {
    const PrimitiveEvent& row = info.primitive_events.at(event.code);
    std::string text = printable(row.action);
    if (!row.object.empty()) text += " on " + printable(row.object);
    if (!row.function.empty()) text += " in " + printable(row.function);
    return event.type == EventType::value ? text + " = " + number_of(event).to_text() : text;
  }
  std::string text(name_of(event.type));
  if (event.type == EventType::summary) return text;
  if (event.length_bytes != 0) text += " of " + std::to_string(event.length_bytes) + " bytes";
  if (!event.peer.is_none())
    text += (event.type == EventType::send      ? " to "
             : event.type == EventType::receive ? " from "
                                                : " with ") +
            printable(info[event.peer].name);
  return text;
}

std::string owner_name(ChannelId channel, const TraceInfo& info) {
  const ProcessId owner = info[channel].owner;
  return owner.is_none() ? "" : info[owner].name;
}

}  // namespace

std::string snapshot_text(const SnapshotView& view, int width) {
  std::vector<std::string> headings{"process", ">events"};
  if (view.before != nullptr) headings.emplace_back(">before");
  headings.emplace_back("last did");
  TextTable processes(std::move(headings));
  for (std::uint32_t p = 0; p < view.info.processes.size(); ++p) {
    std::vector<std::string> row{printable(view.info.processes[p].name),
                                 std::to_string(view.snapshot.events_of(ProcessId{p}))};
    if (view.before != nullptr) row.push_back(std::to_string(view.before->count_of(p)));
    const bool has_begun = view.snapshot.events_of(ProcessId{p}) != 0;
    row.push_back(has_begun ? last_text(*view.snapshot.processes()[p].last, view.info) : "nothing yet");
    processes.add_row(std::move(row));
  }
  std::string text = processes.to_text(width);
  TextTable under_way({"in transit from", "to", ">channel", ">messages", ">bytes"});
  for (const Snapshot::UnderWay& each : view.snapshot.under_way()) {
    const std::string to = owner_name(each.channel, view.info);
    under_way.add_row({printable(view.info[each.sender].name), to.empty() ? "-" : printable(to),
                       std::to_string(each.channel.value), std::to_string(each.messages), std::to_string(each.bytes)});
  }
  return text + (under_way.empty() ? "no message is in transit\n" : under_way.to_text(width));
}

Json snapshot_json(const SnapshotView& view) {
  Json processes = Json::array(), under_way = Json::array();
  for (std::uint32_t p = 0; p < view.info.processes.size(); ++p) {
    const std::uint32_t events = view.snapshot.events_of(ProcessId{p});
    Json process = {{"process", view.info.processes[p].name}, {"process_number", p}, {"events", events}};
    if (view.before != nullptr) process["before"] = view.before->count_of(p);
    if (events != 0) {
      const Event& last = *view.snapshot.processes()[p].last;
      process["last"] = name_of(last.type);
      process["last_local_time_ns"] = last.local_time.ns;
      if (last.type == EventType::value) process["last_value"] = number_of(last).as_json<Json>();
    }
    processes.push_back(std::move(process));
  }
  for (const Snapshot::UnderWay& each : view.snapshot.under_way())
    under_way.push_back({{"channel", each.channel.value},
                         {"from", view.info[each.sender].name},
                         {"to", owner_name(each.channel, view.info)},
                         {"messages", each.messages},
                         {"bytes", each.bytes}});
  return {{"processes", std::move(processes)}, {"under_way", std::move(under_way)}};
}

}  // namespace dpm::cli
