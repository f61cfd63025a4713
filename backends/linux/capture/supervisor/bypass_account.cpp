#include "backends/linux/capture/supervisor/bypass_account.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNamesShown = 5;

std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& name : names) {
    if (shown++ == kNamesShown) return text + " and " + std::to_string(names.size() - kNamesShown) + " more";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

void BypassAccount::add(const std::string& process, const OpenBypasses& open) {
  if (open.io_uring) with_rings_.insert(process);
  if (!open.native) not_native_.insert(process);
  for (const auto& shared : open.shared_memory) {
    Segment& segment = segments_[shared.device_and_inode];
    segment.name = shared.name;
    segment.processes.insert(process);
  }
}

std::vector<std::string> BypassAccount::warnings() const {
  std::vector<std::string> warnings;
  if (!with_rings_.empty())
    warnings.push_back("io_uring is used by " + listed(with_rings_) +
                       ": messages that pass through a ring are not in the trace (gaps in TCP streams show where)");
  if (!not_native_.empty())
    warnings.push_back("32-bit programs are not metered: " + listed(not_native_) + " left no messages in the trace");
  if (!unseen_.empty())
    warnings.push_back("32-bit programs are not metered, and " + listed(unseen_) +
                       " may be one: it ended before it could be looked at, and made no metered call");
  std::set<std::string> sharing;
  std::string example;
  for (const auto& [key, segment] : segments_) {
    if (segment.processes.size() < 2) continue;
    sharing.insert(segment.processes.begin(), segment.processes.end());
    example = segment.name;
  }
  if (!sharing.empty())
    warnings.push_back("memory is shared (such as " + example + ") by " + listed(sharing) +
                       ": what they tell each other there is not in the trace");
  return warnings;
}

}  // namespace dpm
