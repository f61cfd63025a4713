#include "trace/names_journal.hpp"

#include <span>
#include <string_view>

#include "trace/files.hpp"
#include "trace/meter_names.hpp"

namespace dpm {

namespace {

constexpr std::size_t kJournalBytesMax = std::size_t{1} << 32;

}  // namespace

Result<void> NamesJournal::append(const TraceGrowth& growth) {
  TraceGrowth lasting = growth;
  lasting.ended.clear();
  lasting.closed.clear();
  if (lasting.empty()) return {};
  std::string lines;
  for (const auto& text : to_names(lasting, told_)) lines += text + "\n";
  if (auto written = append_to_file(path_, std::as_bytes(std::span(lines))); !written) return written;
  bytes_ += lines.size();
  return {};
}

Result<NamesJournalReader> NamesJournalReader::open(const std::string& path) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  return NamesJournalReader(*std::move(file));
}

bool NamesJournalReader::read(TraceInfo& info) {
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
      is_damaged_ = !take_names(left.substr(0, end), info);
      left.remove_prefix(end + 1);
    }
    unread_.erase(0, unread_.size() - left.size());
  }
  return !is_damaged_;
}

Result<bool> read_names_journal(const std::string& path, TraceInfo& info) {
  const auto text = read_text_file(path, kJournalBytesMax);
  if (!text) return text.error();
  std::string_view left = *text;
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos || !take_names(left.substr(0, end), info)) return false;
    left.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace dpm
