#include "trace/names_journal.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "trace/ids_in_use.hpp"
#include "trace/meter_names.hpp"

namespace dpm {

namespace {

constexpr std::size_t kJournalBytesMax = std::size_t{1} << 32;

// A journal that was written again tells of modules, waits and sets as a whole, which only add to those that are known.
void leave_out_known(const TraceInfo& info, TraceGrowth& growth) {
  const auto key = [](const CodeModule& module) {
    return std::tuple(module.process, module.start, module.end, module.file_offset, module.path);
  };
  if (!growth.modules.empty()) {
    std::set<decltype(key(growth.modules.front()))> known;
    for (const CodeModule& module : info.modules) known.insert(key(module));
    std::erase_if(growth.modules, [&](const CodeModule& module) { return known.contains(key(module)); });
  }
  std::erase_if(growth.wait_causes, [&](const WaitCause& cause) {
    return std::find(info.wait_causes.begin(), info.wait_causes.end(), cause) != info.wait_causes.end();
  });
  std::erase_if(growth.primitive_events, [&](const PrimitiveEvent& event) {
    return std::find(info.primitive_events.begin(), info.primitive_events.end(), event) != info.primitive_events.end();
  });
  for (auto& [set, channels] : growth.more_of_sets) {
    const auto& told = info.channel_sets.at(set);
    const std::set<ChannelId> known(told.begin(), told.end());
    std::erase_if(channels, [&](ChannelId channel) { return known.contains(channel); });
  }
}

}  // namespace

Result<void> NamesJournal::append(const TraceGrowth& growth) {
  TraceGrowth lasting = growth;
  lasting.ended.clear();
  lasting.closed.clear();
  if (lasting.empty()) return {};
  for (const auto& text : to_names(lasting, told_)) rest_ += text + "\n";
  return write_rest();
}

Result<void> NamesJournal::write_rest() {
  if (rest_.empty()) return {};
  if (auto written = append_to_file(path_, std::as_bytes(std::span(rest_))); !written) {
    if (rest_.size() > kRestBytesMax) rest_.clear();
    return written;
  }
  bytes_ += std::exchange(rest_, {}).size();
  return {};
}

Result<void> NamesJournal::replace(const std::string& text) {
  if (auto replaced = replace_file(path_, text); !replaced) return replaced;
  rest_.clear();
  bytes_ = text.size();
  return {};
}

Result<NamesJournalReader> NamesJournalReader::open(const std::string& path, const TableSizes& known) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  return NamesJournalReader(*std::move(file), known);
}

Result<void> NamesJournalReader::reopen(const std::string& path) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  file_ = *std::move(file);
  unread_.clear();
  is_damaged_ = false;
  is_again_ = true;
  return {};
}

bool NamesJournalReader::read(TraceInfo& info, const TableSizes& in_use) {
  constexpr std::size_t kReadBytes = 256 * 1024;
  std::size_t got = kReadBytes;
  while (got == kReadBytes && !is_damaged_) {
    const std::size_t before = unread_.size();
    if (before + kReadBytes > kJournalBytesMax) return false;
    unread_.resize(before + kReadBytes);
    got = file_.read(std::as_writable_bytes(std::span(unread_).subspan(before)));
    unread_.resize(before + got);
    std::string_view left = unread_;
    for (auto end = left.find('\n'); end != std::string_view::npos && !is_damaged_; end = left.find('\n')) {
      is_damaged_ = !take(left.substr(0, end), in_use, info);
      left.remove_prefix(end + 1);
    }
    unread_.erase(0, unread_.size() - left.size());
  }
  is_again_ = false;
  return !is_damaged_;
}

bool NamesJournalReader::take(std::string_view line, const TableSizes& in_use, TraceInfo& info) {
  if (const auto next = read_skipped_names(line)) {
    skip(*next, in_use, info);
    return true;
  }
  TraceGrowth growth;
  const bool is_read = read_names(line, ids_.known, growth).has_value();
  if (ids_.has_gaps()) ids_.to_rows(growth);
  if (is_again_) leave_out_known(info, growth);
  growth.add_to(info);
  return is_read;
}

void NamesJournalReader::skip(const TableSizes& next, const TableSizes& in_use, TraceInfo& info) {
  TableSizes rows = TableSizes::of(info);
  const auto skip_in = [](IdGaps& gaps, std::size_t& known, std::size_t to, std::size_t used, std::size_t& count) {
    if (to <= known) return;
    const std::size_t shown = std::min(std::max(used, count) - count, to - known);
    count += shown;
    gaps.add(known + shown, to);
    known = to;
  };
  skip_in(ids_.processes, ids_.known.processes, next.processes, in_use.processes, rows.processes);
  skip_in(ids_.channels, ids_.known.channels, next.channels, in_use.channels, rows.channels);
  skip_in(ids_.channel_sets, ids_.known.channel_sets, next.channel_sets, in_use.channel_sets, rows.channel_sets);
  name_unnamed(info, rows);
}

Result<bool> read_names_journal(const std::string& path, TraceInfo& info, NameIds& ids) {
  auto reader = NamesJournalReader::open(path, TableSizes::of(info));
  if (!reader) return reader.error();
  const bool is_whole = reader->read(info) && reader->is_at_line_end();
  ids = reader->ids();
  return is_whole;
}

}  // namespace dpm
