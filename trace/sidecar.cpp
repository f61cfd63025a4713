#include "trace/sidecar.hpp"

#include <fmt/format.h>

#include "trace/event_fields.hpp"
#include "trace/info_json.hpp"
#include "trace/json_number.hpp"
#include "trace/names_journal.hpp"
#include "trace/refused_json.hpp"

namespace dpm {
namespace {

using namespace info_json;

Json line_to_json(const PiecewiseLinear& line) {
  Json points = Json::array();
  for (const auto& [x, y] : line.points()) points.push_back(Json::array({x, y}));
  return points;
}

PiecewiseLinear line_from_json(const Json& json) {
  std::vector<std::pair<double, double>> points;
  for (const auto& point : json) points.emplace_back(point.at(0).get<double>(), point.at(1).get<double>());
  if (points.empty()) return {};
  auto line = PiecewiseLinear::through(std::move(points));
  require(line.has_value(), line ? "" : line.error().what);
  return *line;
}

Json delays_to_json(const DelayClass& delays) {
  return {{"delivery_s", line_to_json(delays.delivery_s)},
          {"sender_cpu_s", line_to_json(delays.sender_cpu_s)},
          {"receiver_cpu_s", line_to_json(delays.receiver_cpu_s)}};
}

DelayClass delays_from_json(const Json& json) {
  return {line_from_json(json.at("delivery_s")), line_from_json(json.at("sender_cpu_s")),
          line_from_json(json.at("receiver_cpu_s"))};
}

Json model_to_json(const DelayModel& model) {
  Json pairs = Json::array();
  for (const auto& pair : model.pairs)
    pairs.push_back(
        {{"machine_a", pair.machine_a}, {"machine_b", pair.machine_b}, {"delays", delays_to_json(pair.delays)}});
  return {{"name", model.name},
          {"local", delays_to_json(model.local)},
          {"remote", delays_to_json(model.remote)},
          {"pairs", pairs}};
}

DelayModel model_from_json(const Json& json) {
  DelayModel model;
  model.name = json.at("name").get<std::string>();
  model.local = delays_from_json(json.at("local"));
  model.remote = delays_from_json(json.at("remote"));
  for (const auto& pair : json.at("pairs"))
    model.pairs.push_back({pair.at("machine_a").get<std::string>(), pair.at("machine_b").get<std::string>(),
                           delays_from_json(pair.at("delays"))});
  return model;
}

void info_to_json(const TraceInfo& info, Json& json) {
  json["source"] = info.source;
  json["properties"] = to_json(info.properties);
  json["scenario"] = info.scenario;
  json["placement"] = info.placement;
  json["seed"] = info.seed;
  json["machines"] = Json::array();
  for (const auto& machine : info.machines) json["machines"].push_back(to_json(machine));
  json["processes"] = Json::array();
  for (const auto& process : info.processes) json["processes"].push_back(to_json(process));
  json["channels"] = Json::array();
  for (const auto& channel : info.channels) json["channels"].push_back(to_json(channel));
  json["channel_sets"] = Json::array();
  for (const auto& set : info.channel_sets) {
    Json ids = Json::array();
    for (const auto channel : set) ids.push_back(channel.value);
    json["channel_sets"].push_back(std::move(ids));
  }
  if (!info.modules.empty()) json["modules"] = Json::array();
  for (const auto& module : info.modules) json["modules"].push_back(to_json(module));
  if (!info.wait_causes.empty()) json["wait_causes"] = Json::array();
  for (const auto& cause : info.wait_causes) json["wait_causes"].push_back(to_json(cause));
  if (!info.primitive_events.empty()) json["primitive_events"] = Json::array();
  for (const auto& event : info.primitive_events) json["primitive_events"].push_back(to_json(event));
  json["delay_model"] = model_to_json(info.delays);
}

TraceInfo info_from_json(const Json& json) {
  TraceInfo info;
  info.source = json.at("source").get<std::string>();
  info.properties = properties_from_json(json);
  info.scenario = json.at("scenario").get<std::string>();
  info.placement = json.at("placement").get<std::string>();
  info.seed = whole_number<std::uint64_t>(json.at("seed"));
  for (const auto& machine : json.at("machines")) info.machines.push_back(machine_from_json(machine));
  require(info.machines.size() < MachineId::kNone, "there are too many machines");
  for (const auto& process : json.at("processes"))
    info.processes.push_back(process_from_json(process, json.at("processes").size(), info.machines.size()));
  for (const auto& channel : json.at("channels"))
    info.channels.push_back(channel_from_json(channel, info.processes.size(), info.machines.size()));
  info.channel_sets.clear();
  for (const auto& set : json.at("channel_sets")) {
    auto& ids = info.channel_sets.emplace_back();
    for (const auto& id : set) ids.push_back(id_from_json<ChannelId>(id, info.channels.size(), "channel"));
  }
  require(!info.channel_sets.empty() && info.channel_sets[0].empty(), "channel set 0 must be \"any channel\"");
  if (json.contains("modules"))
    for (const auto& module : json.at("modules"))
      info.modules.push_back(module_from_json(module, info.processes.size()));
  if (json.contains("wait_causes"))
    for (const auto& cause : json.at("wait_causes"))
      info.wait_causes.push_back(wait_cause_from_json(cause, info.processes.size()));
  if (json.contains("primitive_events"))
    for (const auto& event : json.at("primitive_events"))
      info.primitive_events.push_back(primitive_event_from_json(event));
  info.delays = model_from_json(json.at("delay_model"));
  return info;
}

Json layout_to_json(const RecordLayout& layout) {
  Json fields = Json::array();
  for (const auto& field : layout.fields)
    fields.push_back(
        {{"name", field.name}, {"offset", field.offset_bytes}, {"length", field.length_bytes}, {"base", field.base}});
  return {{"name", layout.name}, {"type", layout.type}, {"size", layout.size_bytes}, {"fields", fields}};
}

RecordLayout layout_from_json(const Json& json) {
  RecordLayout layout{json.at("name").get<std::string>(),
                      whole_number<std::uint64_t>(json.at("type")),
                      number<std::uint32_t>(json, "size"),
                      {}};
  for (const auto& field : json.at("fields"))
    layout.fields.push_back({field.at("name").get<std::string>(), number<std::uint32_t>(field, "offset"),
                             number<std::uint32_t>(field, "length"), number<std::uint32_t>(field, "base")});
  require(layout.fields.size() <= kFieldsMax, fmt::format("layout {} has too many fields", layout.name));
  require(layout.size_bytes <= 32 * 1024, fmt::format("layout {} is too large", layout.name));
  for (const auto& field : layout.fields) {
    require(field.base >= 2 && field.base <= 16,
            fmt::format("field {} has base {}; 2 to 16 are possible", field.name, field.base));
    require(field.length_bytes > 0 && field.length_bytes <= layout.size_bytes &&
                field.offset_bytes <= layout.size_bytes - field.length_bytes,
            fmt::format("field {} lies outside its layout {}", field.name, layout.name));
  }
  return layout;
}

void description_to_json(const TraceDescription& description, Json& json) {
  json["layouts"] = Json::array();
  for (const auto& layout : description.layouts) json["layouts"].push_back(layout_to_json(layout));
  json["filters"] = Json::array();
  for (const auto& filter : description.filters) {
    Json classes = Json::array();
    for (const auto& record : filter.classes) {
      Json discarded = Json::array();
      const auto& fields = description.layouts.at(record.layout).fields;
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (!record.has(i)) discarded.push_back(fields[i].name);
      classes.push_back({{"layout", record.layout}, {"discarded", discarded}});
    }
    json["filters"].push_back({{"name", filter.name}, {"rules", filter.rules}, {"classes", classes}});
  }
}

TraceDescription description_from_json(const Json& json) {
  TraceDescription description;
  for (const auto& layout : json.at("layouts")) description.layouts.push_back(layout_from_json(layout));
  for (const auto& item : json.at("filters")) {
    TraceFilter filter{item.at("name").get<std::string>(), item.at("rules").get<std::string>(), {}};
    for (const auto& json_class : item.at("classes")) {
      RecordClass record{number<std::uint32_t>(json_class, "layout"), 0};
      require(record.layout < description.layouts.size(), "a class names a layout that is not there");
      const auto& fields = description.layouts[record.layout].fields;
      for (const auto& name : json_class.at("discarded"))
        for (std::size_t i = 0; i < fields.size(); ++i)
          if (fields[i].name == name.get<std::string>()) record.discarded_fields |= std::uint64_t{1} << i;
      filter.classes.push_back(record);
    }
    require(filter.classes.size() < kNotKept, fmt::format("filter {} has too many classes", filter.name));
    description.filters.push_back(std::move(filter));
  }
  return description;
}

Json ledger_to_json(const Ledger& ledger) {
  Json losses = Json::array();
  for (const auto& loss : ledger.losses) losses.push_back({{"reason", loss.reason}, {"events", loss.events}});
  Json json = {{"seen", ledger.seen}, {"kept", ledger.kept}, {"filtered", ledger.filtered},
               {"lost", ledger.lost}, {"losses", losses},    {"warnings", ledger.warnings}};
  if (ledger.removed > 0) json["removed"] = ledger.removed;
  return json;
}

Ledger ledger_from_json(const Json& json) {
  Ledger ledger;
  ledger.seen = whole_number<std::uint64_t>(json.at("seen"));
  ledger.kept = whole_number<std::uint64_t>(json.at("kept"));
  ledger.filtered = whole_number<std::uint64_t>(json.at("filtered"));
  ledger.lost = whole_number<std::uint64_t>(json.at("lost"));
  if (json.contains("removed")) ledger.removed = whole_number<std::uint64_t>(json.at("removed"));
  for (const auto& loss : json.at("losses"))
    ledger.losses.push_back({loss.at("reason").get<std::string>(), whole_number<std::uint64_t>(loss.at("events"))});
  ledger.warnings = json.at("warnings").get<std::vector<std::string>>();
  return ledger;
}

StreamSummary stream_from_json(const Json& json, const Sidecar& sidecar) {
  StreamSummary stream{json.at("file").get<std::string>(),
                       id_from_json<MachineId>(json.at("machine"), MachineId::kNone, "machine"),
                       number<std::uint16_t>(json, "filter"), whole_number<std::uint64_t>(json.at("records"))};
  require(!stream.file.empty() && stream.file.front() != '.' && stream.file.find('/') == std::string::npos,
          "a stream's file must be a plain name");
  require(!stream.machine.is_none(), "a stream needs a machine");
  require(stream.filter < sidecar.description.filters.size(), "a stream names a filter that is not there");
  return stream;
}

Sidecar from_document(const Json& json) {
  require(json.is_object() && json.value("format", "") == "dpm-trace", "this is not the description of a dpm trace");
  const auto version = whole_number<std::uint32_t>(json.at("version"));
  require(version >= kOldestTraceFormatVersion && version <= kNewestTraceFormatVersion,
          fmt::format("format version {} (this program reads versions {} to {})", version, kOldestTraceFormatVersion,
                      kNewestTraceFormatVersion));
  Sidecar sidecar;
  const auto state = json.at("state").get<std::string>();
  sidecar.finished = state == "finished";
  sidecar.paused = state == "paused";
  if (json.contains("compression")) {
    sidecar.compressed = json.at("compression").get<std::string>() == kCompression;
    require(sidecar.compressed, "the packets are compressed in a way that this program does not know");
  }
  if (json.contains("names")) {
    sidecar.has_journal = json.at("names").get<std::string>() == kNamesJournalName;
    require(sidecar.has_journal, "names are in a file that this program does not know");
  }
  if (json.contains("window_ns")) {
    const auto window_ns = whole_number<std::uint64_t>(json.at("window_ns"));
    require(window_ns > 0 && window_ns <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
            "'window_ns' is not a length of time");
    sidecar.window_ns = static_cast<std::int64_t>(window_ns);
  }
  sidecar.info = info_from_json(json);
  sidecar.description = description_from_json(json);
  sidecar.info.filters.clear();
  for (const auto& filter : sidecar.description.filters) sidecar.info.filters.push_back(filter.name);
  for (const auto& stream : json.at("streams")) sidecar.streams.push_back(stream_from_json(stream, sidecar));
  if (json.contains("split_processes")) {
    auto& split = sidecar.split_processes.emplace();
    const std::size_t processes = sidecar.has_journal ? ProcessId::kNone : sidecar.info.processes.size();
    for (const auto& id : json.at("split_processes"))
      split.push_back(id_from_json<ProcessId>(id, processes, "process"));
  }
  sidecar.ledger = ledger_from_json(json.at("ledger"));
  return sidecar;
}

int format_version(const Sidecar& sidecar) {
  const bool has_summaries = carries_events(sidecar.description.layouts) &&
                             sidecar.description.layouts.size() > program_event_layouts().size();
  if (has_summaries) return kSummaryFormatVersion;
  return sidecar.compressed ? kCompressedFormatVersion : kTraceFormatVersion;
}

// Names come from outside: bytes that are not UTF-8 are replaced instead of throwing.
std::string text_of(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_json(const Sidecar& sidecar) {
  Json json;
  json["format"] = "dpm-trace";
  json["version"] = format_version(sidecar);
  if (sidecar.compressed) json["compression"] = kCompression;
  json["state"] = sidecar.finished ? "finished" : sidecar.paused ? "paused" : "recording";
  if (sidecar.has_journal) json["names"] = kNamesJournalName;
  if (sidecar.window_ns > 0) json["window_ns"] = sidecar.window_ns;
  json["ledger"] = ledger_to_json(sidecar.ledger);
  info_to_json(sidecar.info, json);
  description_to_json(sidecar.description, json);
  json["streams"] = Json::array();
  for (const auto& stream : sidecar.streams)
    json["streams"].push_back({{"file", stream.file},
                               {"machine", stream.machine.value},
                               {"filter", stream.filter},
                               {"records", stream.records}});
  if (sidecar.split_processes) {
    json["split_processes"] = Json::array();
    for (const auto process : *sidecar.split_processes) json["split_processes"].push_back(process.value);
  }
  return text_of(json);
}

Result<Sidecar> sidecar_from_json(const std::string& path, const std::string& text) {
  try {
    return from_document(Json::parse(text));
  } catch (const WrongContent& wrong) {
    return Error{fmt::format("{}: {}", path, wrong.what)};
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(path, "not a dpm trace", text, wrong);
  }
}

Result<std::string> sidecar_compressed(const std::string& path, const std::string& text, bool compressed) {
  try {
    const Json json = Json::parse(text);
    Json changed;
    for (const auto& [key, value] : json.items()) {
      if (key == "compression") continue;
      changed[key] = value;
      if (key != "version") continue;
      if (value != kSummaryFormatVersion) changed[key] = compressed ? kCompressedFormatVersion : kTraceFormatVersion;
      if (compressed) changed["compression"] = kCompression;
    }
    return text_of(changed);
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(path, "not a dpm trace", text, wrong);
  }
}

}  // namespace dpm
