#include "backends/linux/calls/bypass_account.hpp"

#include <fmt/format.h>

#include <array>

#include "backends/linux/calls/process_names.hpp"
#include "model/unchecked.hpp"

namespace dpm {
namespace {

struct Way {
  const char* what;
  bool is_lost;  // each call moved something that is not recorded. Otherwise it is not known what is wrong, if anything
};

constexpr std::array<Way, static_cast<std::size_t>(Bypass::count)> kWays = {{
    {"", false},
    {"operations of io_submit() on pipes and eventfds are not recorded", true},
    {"contexts of io_submit(), whose messages are not recorded", false},
    {"rings of io_uring, whose messages through pipes and eventfds are not recorded", false},
    {"operations of io_uring on pipes and eventfds are not recorded", true},
    {"calls of 32-bit code (int 0x80) are not recorded", true},
    {"calls on sockets of MPTCP are not recorded", true},
    {"messages over sockets of kinds that are not metered (such as SCTP, vsock, netlink) are not recorded", true},
    {"writes into pipes that keep packets (O_DIRECT), whose readers may leave a part of each", false},
    {"calls for urgent bytes (MSG_OOB), which come out of their order", false},
    {"uses of pseudo-terminals, which are not recorded", false},
    {"calls on POSIX message queues are not recorded", true},
    {"calls on System V message queues are not recorded", true},
    {"calls of process_vm_readv() and process_vm_writev() are not recorded", true},
}};

const Way& way_of(Bypass way) { return kWays[static_cast<std::size_t>(way)]; }

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

void BypassAccount::add_calls(Bypass way, const std::string& process, std::uint64_t calls) {
  Used& used = used_[way];
  used.calls += calls;
  used.processes.insert(process);
}

std::vector<Loss> BypassAccount::losses() const {
  std::vector<Loss> losses;
  for (const auto& [way, used] : used_)
    if (way_of(way).is_lost)
      losses.push_back({fmt::format("{}: of {}", way_of(way).what, listed(used.processes)), used.calls});
  return losses;
}

std::vector<std::string> BypassAccount::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [way, used] : used_)
    if (!way_of(way).is_lost)
      warnings.push_back(
          fmt::format("{}{} {}: of {}", kNotCheckable, used.calls, way_of(way).what, listed(used.processes)));
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
    warnings.push_back(fmt::format("memory is shared (such as {}) by {}: what they exchange there is not in the trace",
                                   example, listed(sharing)));
  return warnings;
}

}  // namespace dpm
