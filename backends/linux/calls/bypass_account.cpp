#include "backends/linux/calls/bypass_account.hpp"

#include <fmt/format.h>

#include "backends/linux/calls/process_names.hpp"

namespace dpm {
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
    warnings.push_back(
        fmt::format("io_uring is used by {}: messages that pass through a ring are not in the trace (gaps in TCP "
                    "streams show where)",
                    listed(with_rings_)));
  if (!not_native_.empty())
    warnings.push_back(
        fmt::format("32-bit programs are not metered: {} left no messages in the trace", listed(not_native_)));
  if (!unseen_.empty())
    warnings.push_back(
        fmt::format("32-bit programs are not metered, and {} may be one: it ended before it could be looked at, and "
                    "made no metered call",
                    listed(unseen_)));
  std::set<std::string> sharing;
  std::string example;
  for (const auto& [key, segment] : segments_) {
    if (segment.processes.size() < 2) continue;
    sharing.insert(segment.processes.begin(), segment.processes.end());
    example = segment.name;
  }
  if (!sharing.empty())
    warnings.push_back(
        fmt::format("memory is shared (such as {}) by {}: what they tell each other there is not in the trace", example,
                    listed(sharing)));
  return warnings;
}

}  // namespace dpm
