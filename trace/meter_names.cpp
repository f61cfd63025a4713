#include "trace/meter_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/info_json.hpp"
#include "trace/json_number.hpp"
#include "trace/refused_json.hpp"

namespace dpm {
namespace {

using namespace info_json;

// Names come from outside. Escaped in JSON, one byte takes at most six, and an entry has two names, a
// cgroup, or some addresses.
constexpr std::size_t kNameBytesMax = 4096, kCgroupBytesMax = 1024, kAddressBytesMax = 128, kAddressesMax = 32;
constexpr std::size_t kSetPiece = 1000;  // channels of a set in one text
// A recorder with a window skips the ids of what has ended, and comes far in months. Rows cost memory in proportion to the
// text that describes them.
constexpr std::size_t kIdsMax = std::size_t{1} << 31;
// More is damage, or an attempt to exhaust our memory.
constexpr std::size_t kModulesMax = 1 << 20, kWaitCausesMax = 1 << 20, kPrimitiveEventsMax = 1 << 20;
constexpr std::size_t kSetChannelsMax = 1 << 20;

std::string within_name_limit(const std::string& name) { return name.substr(0, kNameBytesMax); }

Json entry(const MachineInfo& machine) {
  MachineInfo sent = machine;
  sent.name = within_name_limit(machine.name);
  if (sent.addresses.size() > kAddressesMax) sent.addresses.resize(kAddressesMax);
  for (auto& address : sent.addresses) address = address.substr(0, kAddressBytesMax);
  sent.host = sent.host.substr(0, kAddressBytesMax);
  return to_json(sent);
}

Json entry(const ProcessInfo& process) {
  ProcessInfo sent = process;
  sent.name = within_name_limit(process.name);
  sent.program = within_name_limit(process.program);
  sent.cgroup = process.cgroup.substr(0, kCgroupBytesMax);
  return to_json(sent);
}

Json entry(const ChannelInfo& channel) {
  ChannelInfo sent = channel;
  sent.name = within_name_limit(channel.name);
  for (ChannelEnd* end : {&sent.sender, &sent.receiver}) end->address = end->address.substr(0, kAddressBytesMax);
  return to_json(sent);
}

// Collects entries into texts, each no longer than kNamesBytesMax.
class Texts {
 public:
  void add(const char* table, Json item) {
    const std::size_t bytes = dumped_bytes(item);
    if (bytes_ + bytes > kNamesBytesMax) finish();
    bytes_ += bytes;
    text_[table].push_back(std::move(item));
  }
  void set(const char* key, Json value) {
    bytes_ += dumped_bytes(value);
    text_[key] = std::move(value);
  }
  std::vector<std::string> take() {
    finish();
    return std::move(texts_);
  }

 private:
  // An upper bound of what the item adds, escapes included, without building the text twice.
  static std::size_t dumped_bytes(const Json& item) {
    return item.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 32;
  }
  void finish() {
    if (!text_.empty()) texts_.push_back(text_.dump(-1, ' ', false, Json::error_handler_t::replace));
    text_ = Json();
    bytes_ = 0;
  }

  Json text_;
  std::size_t bytes_ = 0;
  std::vector<std::string> texts_;
};

// An entry refers only to entries written before it.
Json new_entry(const ProcessInfo& process, std::size_t id) {
  ProcessInfo sent = process;
  if (!sent.group.is_none() && sent.group.value > id) sent.group = ProcessId{};
  return entry(sent);
}
template <typename Entry>
Json new_entry(const Entry& added, std::size_t) {
  return entry(added);
}

Json with_id(std::size_t id, const Json& item) {
  Json json = {{"id", id}};
  json.update(item);
  return json;
}

template <typename Entry>
void add_rows(const char* table, const std::vector<Entry>& added, std::size_t first, Texts& texts) {
  for (std::size_t i = 0; i < added.size(); ++i) texts.add(table, with_id(first + i, new_entry(added[i], first + i)));
}

template <typename Entries>
void add_changed_rows(const char* table, const Entries& again, Texts& texts) {
  for (const auto& [id, entry_now] : again) texts.add(table, with_id(id.value, entry(entry_now)));
}

void tell_set(std::size_t id, const std::vector<ChannelId>& set, Texts& texts) {
  std::size_t at = 0;
  do {
    Json channels = Json::array();
    for (const std::size_t end = std::min(set.size(), at + kSetPiece); at < end; ++at)
      channels.push_back(set[at].value);
    texts.add("channel_sets", {{"id", id}, {"channels", std::move(channels)}});
  } while (at < set.size());
}

// Changes to a row are written with the row if the same growth adds it.
TraceGrowth with_changes_merged(TraceGrowth growth, const TableSizes& sent) {
  std::erase_if(growth.renamed, [&](const TraceGrowth::Renamed& renamed) {
    if (renamed.process.value < sent.processes) return false;
    ProcessInfo& process = growth.processes.at(renamed.process.value - sent.processes);
    process.name = renamed.name;
    process.program = renamed.program;
    return true;
  });
  std::erase_if(growth.owned, [&](const TraceGrowth::Owned& owned) {
    if (owned.channel.value < sent.channels) return false;
    growth.channels.at(owned.channel.value - sent.channels).owner = owned.owner;
    return true;
  });
  std::erase_if(growth.ends, [&](const TraceGrowth::End& known) {
    if (known.channel.value < sent.channels) return false;
    ChannelInfo& channel = growth.channels.at(known.channel.value - sent.channels);
    (known.sending ? channel.sender : channel.receiver) = known.end;
    return true;
  });
  return growth;
}

void tell_processes(const TraceGrowth& growth, std::size_t first, Texts& texts) {
  add_rows("processes", growth.processes, first, texts);
  for (std::size_t i = 0; i < growth.processes.size(); ++i) {
    const ProcessInfo& process = growth.processes[i];
    if (!process.group.is_none() && process.group.value > first + i)
      texts.add("processes", with_id(first + i, entry(process)));
  }
  add_changed_rows("processes", growth.processes_again, texts);
  for (const auto& [process, name, program] : growth.renamed)
    texts.add("renamed",
              {{"id", process.value}, {"name", within_name_limit(name)}, {"program", within_name_limit(program)}});
}

void tell_channels(const TraceGrowth& growth, std::size_t first, Texts& texts) {
  add_rows("channels", growth.channels, first, texts);
  add_changed_rows("channels", growth.channels_again, texts);
  for (const auto& [channel, owner] : growth.owned)
    texts.add("owners", {{"id", channel.value}, {"owner", id_to_json(owner)}});
  for (const auto& [channel, sending, end] : growth.ends) {
    ChannelEnd sent = end;
    sent.address = end.address.substr(0, kAddressBytesMax);
    texts.add("ends", {{"id", channel.value}, {sending ? "sender" : "receiver", end_to_json(sent)}});
  }
}

// ---- reading

template <typename IdType, typename Entry, typename Read>
void read_table(const Json& text, const char* key, std::size_t& known, std::size_t entries_max,
                std::vector<Entry>& added, std::vector<TraceGrowth::Again<IdType, Entry>>& again, Read read) {
  if (!text.contains(key)) return;
  for (const auto& item : text.at(key)) {
    const auto id = whole_number<std::uint64_t>(item.at("id"));
    require(id <= known && id < entries_max, fmt::format("{} {} comes too early", key, id));
    if (id < known) {
      again.push_back({IdType{static_cast<decltype(IdType::value)>(id)}, read(item)});
      continue;
    }
    added.push_back(read(item));
    ++known;
  }
}

// Pieces of one set join; `first` is the set that growth.channel_sets begins with.
void read_sets(const Json& text, TableSizes& known, std::size_t first, TraceGrowth& growth) {
  if (!text.contains("channel_sets")) return;
  for (const auto& item : text.at("channel_sets")) {
    const auto id = whole_number<std::uint64_t>(item.at("id"));
    require(id > 0 && id <= known.channel_sets && id < kIdsMax, "a set of channels comes too early");
    if (id == known.channel_sets) {
      growth.channel_sets.emplace_back();
      ++known.channel_sets;
    }
    const bool is_new = id >= first;
    if (!is_new) growth.more_of_sets.push_back({static_cast<std::uint32_t>(id), {}});
    auto& set = is_new ? growth.channel_sets[id - first] : growth.more_of_sets.back().channels;
    for (const auto& channel : item.at("channels")) {
      require(set.size() < kSetChannelsMax, "a set of channels is too large");
      set.push_back(id_from_json<ChannelId>(channel, known.channels, "channel"));
    }
  }
}

// Calls handle(id, item) for changes to existing entries.
template <typename IdType, typename Handle>
void read_changes(const Json& text, const char* key, std::size_t known, Handle handle) {
  if (!text.contains(key)) return;
  for (const auto& item : text.at(key)) {
    const IdType id = id_from_json<IdType>(item.at("id"), known, key);
    require(!id.is_none(), std::string(key) + " of nothing");
    handle(id, item);
  }
}

void read_all_news(const Json& text, const TableSizes& known, TraceGrowth& growth) {
  read_changes<ProcessId>(text, "renamed", known.processes, [&](ProcessId id, const Json& item) {
    growth.renamed.push_back({id, item.at("name").get<std::string>(), item.at("program").get<std::string>()});
  });
  read_changes<ChannelId>(text, "owners", known.channels, [&](ChannelId id, const Json& item) {
    growth.owned.push_back({id, id_from_json<ProcessId>(item.at("owner"), known.processes, "process")});
  });
  read_changes<ProcessId>(text, "ended", known.processes,
                          [&](ProcessId id, const Json&) { growth.ended.push_back(id); });
  read_changes<ChannelId>(text, "closed", known.channels,
                          [&](ChannelId id, const Json&) { growth.closed.push_back(id); });
  read_changes<ChannelId>(text, "ends", known.channels, [&](ChannelId id, const Json& item) {
    for (const bool sending : {true, false}) {
      const char* name = sending ? "sender" : "receiver";
      if (item.contains(name)) growth.ends.push_back({id, sending, end_from_json(item.at(name), known.machines)});
    }
  });
}

// Of a table whose rows have no ids.
template <typename Row, typename FromJson>
void read_rows(const Json& text, const char* table, std::size_t most, std::size_t& known, std::vector<Row>& rows,
               FromJson from_json) {
  if (!text.contains(table)) return;
  for (const auto& item : text.at(table)) {
    require(known < most, std::string("there are too many ") + table);
    rows.push_back(from_json(item));
    ++known;
  }
}

void read_all(const Json& text, TableSizes& known, TraceGrowth& growth) {
  require(text.is_object(), "it is not an object");
  const std::size_t first_set = known.channel_sets - growth.channel_sets.size();
  if (text.contains("source")) growth.source = text.at("source").get<std::string>();
  if (text.contains("source") || text.contains("properties")) growth.properties = properties_from_json(text);
  if (text.contains("scenario")) growth.scenario = text.at("scenario").get<std::string>();
  read_table(text, "machines", known.machines, MachineId::kNone, growth.machines, growth.machines_again,
             machine_from_json);
  read_table(
      text, "processes", known.processes, kIdsMax, growth.processes, growth.processes_again, [&](const Json& item) {
        // A process may refer to itself, which is being added here.
        const auto members = std::max<std::size_t>(known.processes, whole_number<std::uint64_t>(item.at("id")) + 1);
        ProcessInfo process = process_from_json(item, members, known.machines);
        process.filter = 0;  // the reader is the filter
        return process;
      });
  read_table(text, "channels", known.channels, kIdsMax, growth.channels, growth.channels_again,
             [&](const Json& item) { return channel_from_json(item, known.processes, known.machines); });
  read_sets(text, known, first_set, growth);
  read_all_news(text, known, growth);
  read_rows(text, "modules", kModulesMax, known.modules, growth.modules,
            [&](const Json& item) { return module_from_json(item, known.processes); });
  read_rows(text, "wait_causes", kWaitCausesMax, known.wait_causes, growth.wait_causes,
            [&](const Json& item) { return wait_cause_from_json(item, known.processes); });
  read_rows(text, "primitive_events", kPrimitiveEventsMax, known.primitive_events, growth.primitive_events,
            [](const Json& item) { return primitive_event_from_json(item); });
}

}  // namespace

std::vector<std::string> to_names(const TraceGrowth& given, TableSizes& sent) {
  const TraceGrowth growth = with_changes_merged(given, sent);
  Texts texts;
  if (!growth.source.empty()) texts.set("source", within_name_limit(growth.source));
  if (growth.properties) texts.set("properties", to_json(*growth.properties));
  if (!growth.scenario.empty()) texts.set("scenario", within_name_limit(growth.scenario));
  add_rows("machines", growth.machines, sent.machines, texts);
  add_changed_rows("machines", growth.machines_again, texts);
  tell_processes(growth, sent.processes, texts);
  tell_channels(growth, sent.channels, texts);
  for (std::size_t i = 0; i < growth.channel_sets.size(); ++i)
    tell_set(sent.channel_sets + i, growth.channel_sets[i], texts);
  for (const auto& [set, channels] : growth.more_of_sets) tell_set(set, channels, texts);
  for (const auto& module : growth.modules) {
    Json item = to_json(module);
    item["path"] = within_name_limit(module.path);
    texts.add("modules", std::move(item));
  }
  for (const auto& cause : growth.wait_causes) {
    Json item = to_json(cause);
    item["name"] = within_name_limit(cause.name);
    texts.add("wait_causes", std::move(item));
  }
  for (const auto& event : growth.primitive_events)
    texts.add("primitive_events",
              to_json(PrimitiveEvent{within_name_limit(event.action), within_name_limit(event.object),
                                     within_name_limit(event.function)}));
  for (const ProcessId process : growth.ended) texts.add("ended", {{"id", process.value}});
  for (const ChannelId channel : growth.closed) texts.add("closed", {{"id", channel.value}});
  growth.add_to(sent);
  return texts.take();
}

Result<void> read_names(std::string_view text, TableSizes& known, TraceGrowth& growth) {
  try {
    read_all(Json::parse(text), known, growth);
    return {};
  } catch (const WrongContent& wrong) {
    return Error{wrong.what};
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(text, wrong);
  }
}

Result<void> take_names(std::string_view text, TraceInfo& info) {
  TableSizes known = TableSizes::of(info);
  TraceGrowth growth;
  auto read = read_names(text, known, growth);
  growth.add_to(info);
  return read;
}

std::string skipped_names(const TableSizes& next) {
  return Json{
      {"skipped", {{"processes", next.processes}, {"channels", next.channels}, {"channel_sets", next.channel_sets}}}}
      .dump();
}

std::optional<TableSizes> read_skipped_names(std::string_view text) {
  if (!text.starts_with("{\"skipped\"")) return std::nullopt;
  try {
    const Json json = Json::parse(text);
    const Json& skipped = json.at("skipped");
    TableSizes next;
    next.processes = whole_number<std::uint64_t>(skipped.at("processes"));
    next.channels = whole_number<std::uint64_t>(skipped.at("channels"));
    next.channel_sets = whole_number<std::uint64_t>(skipped.at("channel_sets"));
    if (next.processes > kIdsMax || next.channels > kIdsMax || next.channel_sets > kIdsMax) return std::nullopt;
    return next;
  } catch (const WrongContent&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace dpm
