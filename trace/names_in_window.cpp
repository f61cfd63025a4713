#include "trace/names_in_window.hpp"

#include <algorithm>

#include "trace/meter_names.hpp"

namespace dpm {
namespace {

void add_lines(const TraceGrowth& growth, TableSizes& told, std::string& lines) {
  if (growth.empty()) return;
  for (const auto& text : to_names(growth, told)) lines += text + "\n";
}

void skip_to(std::size_t id, std::size_t TableSizes::*table, TableSizes& told, std::string& lines) {
  if (told.*table >= id) return;
  told.*table = id;
  lines += skipped_names(told) + "\n";
}

// One line for each run of ids that follow each other; `append(growth, row)` adds a new row, and what changed of a row in
// trace.json is passed to `change`.
template <typename Rows, typename Append, typename Change>
void add_rows(const Rows& rows, std::size_t TableSizes::*table, TableSizes& told, std::string& lines, Append append,
              Change change) {
  TraceGrowth growth;
  std::size_t next = told.*table;
  for (const auto& [id, row] : rows) {
    if (id < told.*table && growth.empty()) {
      TraceGrowth changed;
      change(changed, id, row);
      add_lines(changed, told, lines);
      continue;
    }
    if (id != next) {
      add_lines(growth, told, lines);
      growth = {};
      skip_to(id, table, told, lines);
      next = id;
    }
    append(growth, row);
    ++next;
  }
  add_lines(growth, told, lines);
}

}  // namespace

NamesInWindow::NamesInWindow(const TraceInfo& known) : known_(known), first_(TableSizes::of(known)), sizes_(first_) {}

ProcessInfo& NamesInWindow::row(ProcessId id) {
  if (id.value < first_.processes) return processes_.try_emplace(id.value, known_[id]).first->second;
  return processes_[id.value];
}

ChannelInfo& NamesInWindow::row(ChannelId id) {
  if (id.value < first_.channels) return channels_.try_emplace(id.value, known_[id]).first->second;
  return channels_[id.value];
}

void NamesInWindow::add(const TraceGrowth& growth, std::int64_t now_ns) {
  const auto next = [](std::size_t& size) { return static_cast<std::uint32_t>(size++); };
  for (const auto& process : growth.processes) processes_[next(sizes_.processes)] = process;
  for (const auto& channel : growth.channels) channels_[next(sizes_.channels)] = channel;
  for (const auto& set : growth.channel_sets) sets_[next(sizes_.channel_sets)] = set;
  for (const auto& module : growth.modules) modules_[module.process.value].push_back(module);
  for (const auto& cause : growth.wait_causes) causes_[cause.process.value].push_back(cause);
  primitive_events_.insert(primitive_events_.end(), growth.primitive_events.begin(), growth.primitive_events.end());
  for (const auto& [id, entry] : growth.processes_again) row(id) = entry;
  for (const auto& [id, entry] : growth.channels_again) row(id) = entry;
  for (const auto& [set, channels] : growth.more_of_sets)
    sets_[set].insert(sets_[set].end(), channels.begin(), channels.end());
  for (const auto& [process, name, program] : growth.renamed) {
    row(process).name = name;
    row(process).program = program;
  }
  for (const auto& [channel, owner] : growth.owned) row(channel).owner = owner;
  for (const auto& [channel, sending, end] : growth.ends) (sending ? row(channel).sender : row(channel).receiver) = end;
  for (const ProcessId process : growth.ended) ended_.emplace_back(now_ns, process);
  for (const ChannelId channel : growth.closed) closed_.emplace_back(now_ns, channel);
}

void NamesInWindow::forget_ended_before(std::int64_t instant_ns) {
  for (; !ended_.empty() && ended_.front().first < instant_ns; ended_.pop_front()) {
    const ProcessId process = ended_.front().second;
    modules_.erase(process.value);
    causes_.erase(process.value);
    if (process.value >= first_.processes) processes_.erase(process.value);
  }
  for (; !closed_.empty() && closed_.front().first < instant_ns; closed_.pop_front())
    if (closed_.front().second.value >= first_.channels) channels_.erase(closed_.front().second.value);
  forget_empty_sets();
}

void NamesInWindow::forget_empty_sets() {
  for (auto set = sets_.begin(); set != sets_.end();) {
    std::erase_if(set->second, [&](ChannelId channel) {
      return channel.value >= first_.channels && !channels_.contains(channel.value);
    });
    set = set->second.empty() ? sets_.erase(set) : std::next(set);
  }
}

std::string NamesInWindow::journal() const {
  std::string lines;
  TableSizes told = first_;
  add_rows(
      processes_, &TableSizes::processes, told, lines,
      [](TraceGrowth& growth, const ProcessInfo& row) { growth.processes.push_back(row); },
      [](TraceGrowth& growth, std::uint32_t id, const ProcessInfo& row) {
        growth.processes_again.push_back({ProcessId{id}, row});
      });
  skip_to(sizes_.processes, &TableSizes::processes, told, lines);
  add_rows(
      channels_, &TableSizes::channels, told, lines,
      [](TraceGrowth& growth, const ChannelInfo& row) { growth.channels.push_back(row); },
      [](TraceGrowth& growth, std::uint32_t id, const ChannelInfo& row) {
        growth.channels_again.push_back({ChannelId{id}, row});
      });
  skip_to(sizes_.channels, &TableSizes::channels, told, lines);
  add_rows(
      sets_, &TableSizes::channel_sets, told, lines,
      [](TraceGrowth& growth, const std::vector<ChannelId>& row) { growth.channel_sets.push_back(row); },
      [](TraceGrowth& growth, std::uint32_t id, const std::vector<ChannelId>& row) {
        growth.more_of_sets.push_back({id, row});
      });
  skip_to(sizes_.channel_sets, &TableSizes::channel_sets, told, lines);
  TraceGrowth others;
  for (const auto& [process, of_process] : modules_)
    others.modules.insert(others.modules.end(), of_process.begin(), of_process.end());
  for (const auto& [process, of_process] : causes_)
    others.wait_causes.insert(others.wait_causes.end(), of_process.begin(), of_process.end());
  others.primitive_events = primitive_events_;
  add_lines(others, told, lines);
  return lines;
}

}  // namespace dpm
