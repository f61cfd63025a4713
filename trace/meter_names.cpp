#include "trace/meter_names.hpp"

#include <algorithm>

#include "trace/info_json.hpp"

namespace dpm {
namespace {

using namespace info_json;

// Names come from the world. Escaped in JSON one byte takes six at most, and an entry has two names, and some
// addresses.
constexpr std::size_t kNameBytesMax = 4096, kAddressBytesMax = 128, kAddressesMax = 32;
constexpr std::size_t kSetPiece = 1000;  // channels of a set told at once
// More of a kind is damage, or somebody who wants our memory.
constexpr std::size_t kProcessesMax = 1 << 24, kChannelsMax = 1 << 26, kSetsMax = 1 << 24, kModulesMax = 1 << 20;
constexpr std::size_t kSetChannelsMax = 1 << 20;

std::string shortened(const std::string& name) { return name.substr(0, kNameBytesMax); }

Json entry(const MachineInfo& machine) {
  MachineInfo told = machine;
  told.name = shortened(machine.name);
  if (told.addresses.size() > kAddressesMax) told.addresses.resize(kAddressesMax);
  for (auto& address : told.addresses) address = address.substr(0, kAddressBytesMax);
  told.host = told.host.substr(0, kAddressBytesMax);
  return to_json(told);
}

Json entry(const ProcessInfo& process) {
  ProcessInfo told = process;
  told.name = shortened(process.name);
  told.program = shortened(process.program);
  return to_json(told);
}

Json entry(const ChannelInfo& channel) {
  ChannelInfo told = channel;
  told.name = shortened(channel.name);
  for (ChannelEnd* end : {&told.sender, &told.receiver}) end->address = end->address.substr(0, kAddressBytesMax);
  return to_json(told);
}

// What can be told of it while `known` processes have been.
const MachineInfo& tellable(const MachineInfo& machine, std::size_t) { return machine; }
const ChannelInfo& tellable(const ChannelInfo& channel, std::size_t) { return channel; }
ProcessInfo tellable(ProcessInfo process, std::size_t known) {
  if (!process.group.is_none() && process.group.value > known) process.group = ProcessId{};
  return process;
}

// Collects entries into texts, each no longer than kNamesBytesMax.
class Texts {
 public:
  void add(const char* table, Json item) {
    // An upper bound of what the entry adds, escapes included, without building the text twice.
    const std::size_t bytes = item.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 32;
    if (bytes_ + bytes > kNamesBytesMax) finish();
    bytes_ += bytes;
    text_[table].push_back(std::move(item));
  }
  void set(const char* key, const std::string& value) {
    text_[key] = shortened(value);
    bytes_ += 6 * kNameBytesMax;
  }
  std::vector<std::string> take() {
    finish();
    return std::move(texts_);
  }

 private:
  void finish() {
    if (!text_.empty()) texts_.push_back(text_.dump(-1, ' ', false, Json::error_handler_t::replace));
    text_ = Json();
    bytes_ = 0;
  }

  Json text_;
  std::size_t bytes_ = 0;
  std::vector<std::string> texts_;
};

template <typename Entry>
void tell_table(const char* table, const std::vector<Entry>& now, std::vector<Entry>& told, bool changes,
                Texts& texts) {
  const auto add = [&](std::size_t id) {
    Json item = {{"id", id}};
    item.update(entry(told[id]));
    texts.add(table, std::move(item));
  };
  const std::size_t known = told.size();
  for (std::size_t id = known; id < now.size(); ++id) {
    told.push_back(tellable(now[id], id));
    add(id);
  }
  for (std::size_t id = 0; changes && id < now.size(); ++id) {
    if (now[id] == told[id]) continue;
    told[id] = now[id];
    add(id);
  }
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

template <typename Entry, typename Read>
void take_table(const Json& text, const char* key, std::vector<Entry>& table, std::size_t entries_max, Read read) {
  if (!text.contains(key)) return;
  for (const auto& item : text.at(key)) {
    const auto id = item.at("id").get<std::uint64_t>();
    require(id <= table.size() && id < entries_max, std::string(key) + " " + std::to_string(id) + " comes too early");
    if (id == table.size())
      table.push_back(read(item));
    else
      table[id] = read(item);
  }
}

void take_sets(const Json& text, TraceInfo& info) {
  if (!text.contains("channel_sets")) return;
  for (const auto& item : text.at("channel_sets")) {
    const auto id = item.at("id").get<std::uint64_t>();
    require(id > 0 && id <= info.channel_sets.size() && id < kSetsMax, "a set of channels comes too early");
    if (id == info.channel_sets.size()) info.channel_sets.emplace_back();
    auto& set = info.channel_sets[id];
    for (const auto& channel : item.at("channels")) {
      require(set.size() < kSetChannelsMax, "a set of channels is too large");
      set.push_back(id_from_json<ChannelId>(channel, info.channels.size(), "channel"));
    }
  }
}

// Calls handle(entry, item) for what is told of entries that are there.
template <typename IdType, typename Entry, typename Handle>
void take_news(const Json& text, const char* key, std::vector<Entry>& table, Handle handle) {
  if (!text.contains(key)) return;
  for (const auto& item : text.at(key)) {
    const IdType id = id_from_json<IdType>(item.at("id"), table.size(), key);
    require(!id.is_none(), std::string(key) + " of nothing");
    handle(table[id.value], item);
  }
}

void take_all_news(const Json& text, TraceInfo& info) {
  take_news<ProcessId>(text, "renamed", info.processes, [](ProcessInfo& process, const Json& item) {
    process.name = item.at("name").get<std::string>();
    process.program = item.at("program").get<std::string>();
  });
  take_news<ChannelId>(text, "owners", info.channels, [&](ChannelInfo& channel, const Json& item) {
    channel.owner = id_from_json<ProcessId>(item.at("owner"), info.processes.size(), "process");
  });
  take_news<ChannelId>(text, "ends", info.channels, [&](ChannelInfo& channel, const Json& item) {
    for (const auto& [name, end] : {std::pair("sender", &channel.sender), std::pair("receiver", &channel.receiver)})
      if (item.contains(name)) *end = end_from_json(item.at(name), info.machines.size());
  });
}

void take_all(const Json& text, TraceInfo& info) {
  require(text.is_object(), "it is no object");
  if (text.contains("source")) info.source = text.at("source").get<std::string>();
  if (text.contains("scenario")) info.scenario = text.at("scenario").get<std::string>();
  take_table(text, "machines", info.machines, MachineId::kNone, machine_from_json);
  take_table(text, "processes", info.processes, kProcessesMax, [&](const Json& item) {
    // A process may belong to itself, which is being added here.
    const auto known = std::max<std::size_t>(info.processes.size(), item.at("id").get<std::uint64_t>() + 1);
    ProcessInfo process = process_from_json(item, known, info.machines.size());
    process.filter = 0;  // whoever reads this is the filter
    return process;
  });
  take_table(text, "channels", info.channels, kChannelsMax,
             [&](const Json& item) { return channel_from_json(item, info.processes.size(), info.machines.size()); });
  take_sets(text, info);
  take_all_news(text, info);
  if (!text.contains("modules")) return;
  for (const auto& item : text.at("modules")) {
    require(info.modules.size() < kModulesMax, "there are too many modules");
    info.modules.push_back(module_from_json(item, info.processes.size()));
  }
}

}  // namespace

std::vector<std::string> NamesTeller::tell(const TraceInfo& info, bool changes) {
  Texts texts;
  if (info.source != told_.source) texts.set("source", told_.source = info.source);
  if (info.scenario != told_.scenario) texts.set("scenario", told_.scenario = info.scenario);
  tell_table("machines", info.machines, told_.machines, changes, texts);
  tell_table("processes", info.processes, told_.processes, changes, texts);
  tell_table("channels", info.channels, told_.channels, changes, texts);
  for (std::size_t id = told_.channel_sets.size(); id < info.channel_sets.size(); ++id) {
    tell_set(id, info.channel_sets[id], texts);
    told_.channel_sets.push_back(info.channel_sets[id]);
  }
  for (std::size_t i = told_.modules.size(); i < info.modules.size(); ++i) {
    Json item = to_json(info.modules[i]);
    item["path"] = shortened(info.modules[i].path);
    texts.add("modules", std::move(item));
    told_.modules.push_back(info.modules[i]);
  }
  return texts.take();
}

Result<void> take_names(std::string_view text, TraceInfo& info) {
  try {
    take_all(Json::parse(text), info);
    return {};
  } catch (const WrongContent& wrong) {
    return Error{wrong.what};
  } catch (const nlohmann::json::exception& wrong) {
    return Error{wrong.what()};
  }
}

}  // namespace dpm
