#include "backends/linux/custody/acquire/target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "os/kernel/bypass_survey.hpp"
#include "os/kernel/cgroups.hpp"

namespace dpm {
namespace {

std::string process(std::uint32_t pid) {
  const std::string name = read_command_name(pid, pid);
  return "process " + std::to_string(pid) + (name.empty() ? "" : fmt::format(" ({})", name));
}

bool uses_descriptor(std::uint32_t pid, int number) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, number);
  return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

// Below the 1024 of select(). Growing the descriptor table of a program with threads takes 10 to 30 ms (the kernel must
// wait until no thread uses the old one), so such a program gets a number that its table has.
int find_spare_number(const AcquireTarget& target) {
  constexpr rlim_t kHighEnough = 999;
  rlimit limit = {kHighEnough + 1, kHighEnough + 1};
  ::prlimit(static_cast<pid_t>(target.pid), RLIMIT_NOFILE, nullptr, &limit);
  int number = static_cast<int>(std::min(limit.rlim_cur, kHighEnough + 1)) - 1;
  if (target.threads.size() > 1) number = std::min(number, target.threads.front().descriptor_table_size - 1);
  while (number > 0 && uses_descriptor(target.pid, number)) --number;
  return std::max(number, 0);
}

// What is wrong with the pid itself.
std::optional<Error> misnamed(std::uint32_t pid, const std::optional<ThreadStatus>& status) {
  const std::string beginning = fmt::format("acquire {}: ", pid);
  if (pid == static_cast<std::uint32_t>(::getpid())) return Error{beginning + "this is dpm itself"};
  if (pid == 1) {
    return Error{beginning +
                 "the first process of a machine or container is not acquired, because everything depends on it; "
                 "acquire the process you want to know about"};
  }
  if (!status) return Error{beginning + "there is no such process (it may have ended; ps -e lists those there are)"};
  if (status->pid != pid) {
    return Error{fmt::format("{}this is a thread of {}; acquire {}, and all its threads are metered", beginning,
                             process(status->pid), status->pid)};
  }
  return std::nullopt;
}

std::optional<Error> unsuitable(const AcquireTarget& target, const ThreadStatus& status) {
  if (status.kernel_thread) return Error{about(target) + "this is a thread of the kernel, which makes no system calls"};
  if (target.threads.empty()) {
    return Error{fmt::format("{}it has ended already; its parent, {}, has not yet asked for its exit status",
                             about(target), process(status.parent_pid))};
  }
  if (program_kind(target.pid) == ProgramKind::not_native)
    return Error{about(target) + "it is a 32-bit program; dpm meters 64-bit programs"};
  if (const std::string frozen = read_frozen_cgroup(target.pid); !frozen.empty()) {
    return Error{
        fmt::format("{}it is frozen with its cgroup {}, so that it cannot take the filter: thaw it first "
                    "(docker unpause, systemctl thaw, or the tool that froze it)",
                    about(target), frozen)};
  }
  for (const auto& thread : target.threads) {
    if (thread.tracer_pid != 0) {
      return Error{fmt::format("{}it is traced already, by {}, and the kernel allows one tracer: end that first",
                               about(target), process(thread.tracer_pid))};
    }
    if (thread.strict_seccomp)
      return Error{about(target) + "it has restricted itself to read, write and exit (strict seccomp)"};
    if (thread.seccomp_filters != target.filters) {
      return Error{
          fmt::format("{}thread {} runs under other seccomp filters than thread {} ({} and {}), and the kernel gives a "
                      "filter either to all threads alike or to none",
                      about(target), thread.tid, target.threads.front().tid, thread.seccomp_filters, target.filters)};
    }
  }
  return std::nullopt;
}

std::vector<ThreadStatus> living_threads(std::uint32_t pid) {
  std::vector<ThreadStatus> threads;
  for (const std::uint32_t tid : read_thread_ids(pid)) {
    const auto status = read_status(tid);
    if (status && status->pid == pid && status->state != 'Z' && status->state != 'X') threads.push_back(*status);
  }
  std::sort(threads.begin(), threads.end(),
            [pid](const auto& a, const auto& b) { return (a.tid != pid) < (b.tid != pid); });
  return threads;
}

}  // namespace

std::string about(const AcquireTarget& target) {
  return "acquire " + std::to_string(target.pid) + (target.name.empty() ? "" : fmt::format(" ({})", target.name)) +
         ": ";
}

Result<AcquireTarget> examine_target(std::uint32_t pid) {
  const auto status = read_status(pid);
  if (auto error = misnamed(pid, status)) return *error;
  AcquireTarget target;
  target.pid = pid;
  target.user_id = status->user_id;
  target.name = read_command_name(pid, pid);
  target.threads = living_threads(pid);
  if (!target.threads.empty()) target.filters = target.threads.front().seccomp_filters;
  if (auto error = unsuitable(target, *status)) return *error;
  target.spare_number = find_spare_number(target);
  return target;
}

}  // namespace dpm
