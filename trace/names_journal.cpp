#include "trace/names_journal.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "trace/files.hpp"
#include "trace/info_json.hpp"
#include "trace/meter_names.hpp"

namespace dpm {
namespace {

using namespace info_json;

constexpr std::size_t kLineBytesMax = 64 * 1024;  // about; so that a reader needs little memory for one

// Collects entries into lines.
class Lines {
 public:
  void add(const char* table, const Json& entry) {
    if (table != table_) begin_table(table);
    if (text_.back() != '[') text_ += ',';
    text_ += entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text_.size() - line_at_ > kLineBytesMax) finish_line();
  }
  std::string take() {
    finish_line();
    return std::move(text_);
  }

 private:
  void begin_table(const char* table) {
    text_ += table_ == nullptr ? "{\"" : "],\"";
    text_ += table;
    text_ += "\":[";
    table_ = table;
  }
  void finish_line() {
    if (table_ == nullptr) return;
    text_ += "]}\n";
    table_ = nullptr;
    line_at_ = text_.size();
  }

  std::string text_;
  const char* table_ = nullptr;
  std::size_t line_at_ = 0;
};

template <typename Entry>
Json with_id(std::uint32_t id, const Entry& entry) {
  Json json = {{"id", id}};
  json.update(to_json(entry));
  return json;
}

// What became known of a channel in the growth that describes it is told with it.
TraceGrowth with_late_news_taken_in(TraceGrowth growth, std::uint32_t first_process, std::uint32_t first_channel) {
  std::erase_if(growth.renamed, [&](const TraceGrowth::Renamed& renamed) {
    if (renamed.process.value < first_process) return false;
    ProcessInfo& process = growth.processes.at(renamed.process.value - first_process);
    process.name = renamed.name;
    process.program = renamed.program;
    return true;
  });
  std::erase_if(growth.owned, [&](const TraceGrowth::Owned& owned) {
    if (owned.channel.value < first_channel) return false;
    growth.channels.at(owned.channel.value - first_channel).owner = owned.owner;
    return true;
  });
  std::erase_if(growth.ends, [&](const TraceGrowth::End& known) {
    if (known.channel.value < first_channel) return false;
    ChannelInfo& channel = growth.channels.at(known.channel.value - first_channel);
    (known.sending ? channel.sender : channel.receiver) = known.end;
    return true;
  });
  return growth;
}

}  // namespace

// Processes first: channels name their owners. An entry of a process may name its group, which came before it.
Result<void> NamesJournal::append(const TraceGrowth& told) {
  if (told.empty()) return {};
  const TraceGrowth growth = with_late_news_taken_in(told, processes_, channels_);
  Lines lines;
  for (const auto& process : growth.processes) lines.add("processes", with_id(processes_++, process));
  for (const auto& [process, name, program] : growth.renamed)
    lines.add("renamed", {{"id", process.value}, {"name", name}, {"program", program}});
  for (const auto& channel : growth.channels) lines.add("channels", with_id(channels_++, channel));
  for (const auto& [channel, owner] : growth.owned)
    lines.add("owners", {{"id", channel.value}, {"owner", id_to_json(owner)}});
  for (const auto& [channel, sending, end] : growth.ends)
    lines.add("ends", {{"id", channel.value}, {sending ? "sender" : "receiver", end_to_json(end)}});
  for (const auto only : growth.channel_sets)
    lines.add("channel_sets", {{"id", channel_sets_++}, {"channels", {only.value}}});
  for (const auto& module : growth.modules) lines.add("modules", to_json(module));
  const std::string text = lines.take();
  if (auto written = append_to_file(path_, std::as_bytes(std::span(text))); !written) return written;
  bytes_ += text.size();
  return {};
}

Result<bool> read_names_journal(const std::string& path, TraceInfo& info) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const auto bytes = file->bytes();
  std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos || !take_names(left.substr(0, end), info)) return false;
    left.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace dpm
