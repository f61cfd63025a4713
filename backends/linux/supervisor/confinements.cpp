#include "backends/linux/supervisor/confinements.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "backends/linux/calls/process_names.hpp"
#include "backends/linux/supervisor/bypass_watch.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kStrictMode = 1, kStrictOperation = 0;  // <linux/seccomp.h>, which only os/kernel includes

// A seccomp() of strict mode with other arguments fails without a meter, too.
bool asks_for_strict_mode(const Notification& notification) {
  const auto& arguments = notification.arguments;
  if (notification.call == SYS_prctl) return arguments[1] == kStrictMode;
  return static_cast<std::uint32_t>(arguments[0]) == kStrictOperation &&
         static_cast<std::uint32_t>(arguments[1]) == 0 && arguments[2] == 0;
}

bool asks_for_listener(const Notification& notification) {
  return notification.call == SYS_seccomp && static_cast<std::uint32_t>(notification.arguments[0]) != kStrictOperation;
}

}  // namespace

CallOutcome Confinements::confine(const Notification& notification, const TrackedThread& thread) {
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  const std::string name = name_for_people(shared_.kernel, pid);
  if (asks_for_listener(notification)) {
    without_listener_.insert(name);
    return CallOutcome::let_go;
  }
  // With a filter besides ours, the kernel refuses it without a meter, too.
  const auto status = shared_.kernel.read_status(tid);
  if (!asks_for_strict_mode(notification) || !status || status->seccomp_filters != 1) return CallOutcome::let_go;
  if (shared_.kernel.enter_strict_mode(tid, pid)) {
    in_strict_mode_.insert(name);
    return CallOutcome::answered;
  }
  refused_.insert(name);
  return shared_.answers.waits(notification.id) ? CallOutcome::let_go : CallOutcome::answered;
}

std::vector<std::string> Confinements::warnings() const {
  std::vector<std::string> warnings;
  if (!in_strict_mode_.empty())
    warnings.push_back(
        fmt::format("{} locked itself in (seccomp's strict mode): because of the meter's filter, a second filter and a "
                    "tracer enforce that mode",
                    listed(in_strict_mode_)));
  if (!refused_.empty())
    warnings.push_back(fmt::format(
        "{} could not lock itself in (seccomp's strict mode: EINVAL), because the meter's filter excludes that "
        "mode and it could not be traced: use --source ebpf",
        listed(refused_)));
  if (!without_listener_.empty())
    warnings.push_back(
        fmt::format("{} asked for a seccomp listener of its own, and did not get it (EBUSY), because the meter has the "
                    "only one: use --source ebpf",
                    listed(without_listener_)));
  return warnings;
}

}  // namespace dpm
