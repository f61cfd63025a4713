#include "backends/linux/custody/acquire/refusals.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "os/kernel/open_descriptors.hpp"

namespace dpm {
namespace {

std::string user_name(std::uint32_t user_id) {
  const passwd* user = ::getpwuid(user_id);
  return (user == nullptr ? "" : std::string(user->pw_name) + ", ") + "user id " + std::to_string(user_id);
}

// -1 without Yama.
int yama_scope() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = -1;
  file >> scope;
  return file ? scope : -1;
}

bool is_protected_from_us(std::uint32_t pid) {
  // The /proc files of a process that cannot be dumped belong to root.
  struct stat status = {};
  return ::stat(("/proc/" + std::to_string(pid) + "/maps").c_str(), &status) == 0 && status.st_uid != ::geteuid();
}

bool runs_under_filters() {
  const auto self = read_status(static_cast<std::uint32_t>(::getpid()));
  return self && self->seccomp_filters > 0;
}

std::string reason_of_no_right(const AcquireTarget& target) {
  if (::geteuid() != 0 && target.user_id != ::geteuid()) {
    return fmt::format("it belongs to another user ({}), and dpm runs as {}: run dpm as that user, or as root",
                       user_name(target.user_id), user_name(::geteuid()));
  }
  if (const int scope = yama_scope(); scope == 3)
    return "this machine does not let any account trace programs (kernel.yama.ptrace_scope is 3) until it is rebooted";
  else if (scope > 0 && ::geteuid() != 0)
    return fmt::format(
        "this machine lets only root trace a running program (kernel.yama.ptrace_scope is {}): run dpm as root, or set "
        "it to 0",
        scope);
  if (runs_under_filters()) {
    return "dpm itself runs under a seccomp filter, as in a container, which may forbid it: run it outside, or start "
           "the "
           "container with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined";
  }
  if (is_protected_from_us(target.pid)) {
    return "it is protected from others of its user (it is or was a program with privileges): run dpm as root";
  }
  return "this account has no right to trace it (dpm doctor says what this machine allows): run dpm as root, in a "
         "container with --cap-add=SYS_PTRACE";
}

}  // namespace

Error tracing_refused(const AcquireTarget& target, int error_number) {
  if (error_number == ESRCH) return has_ended(target);
  if (error_number == EPERM || error_number == EACCES || error_number == ENOSYS)
    return Error{about(target) + reason_of_no_right(target)};
  return Error{fmt::format("{}the kernel does not let dpm trace it: {}", about(target), std::strerror(error_number))};
}

Error suspension_refused(const AcquireTarget& target) {
  return Error{about(target) + "it runs under " + std::to_string(target.filters) + " seccomp filter" +
               (target.filters == 1 ? "" : "s") +
               " of its own, which may kill it for calls it does not usually make, and dpm has no right to suspend "
               "them for a moment: run dpm as root, and not under a filter itself (CAP_SYS_ADMIN)"};
}

Error filter_refused(const AcquireTarget& target, int error_number) {
  switch (error_number) {
    case ESRCH:
      return Error{about(target) +
                   "one of its threads runs under a seccomp filter that the others do not have, and the kernel gives a "
                   "filter either to all threads alike or to none"};
    case EACCES:
      return Error{
          about(target) +
          "it can be metered only if it permanently gives up gaining privileges (no_new_privs: setuid programs "
          "that it starts run without their privileges), and that was not allowed"};
    case EBUSY:
      return Error{about(target) +
                   "it runs under a supervisor already that is notified of its calls and is not dpm (a container's, or "
                   "another monitor), and the kernel allows one"};
    case EMFILE:
      return Error{fmt::format(
          "{}it has no descriptor left, and needs one for a moment; raise its limit: prlimit --nofile=N --pid {}",
          about(target), target.pid)};
    case EINVAL:
      return Error{about(target) +
                   "the kernel does not know filters with user notification for all threads (Linux before 5.7)"};
    default:
      return Error{
          fmt::format("{}the kernel does not give it a filter with user notification: {} (dpm doctor says what this "
                      "machine allows)",
                      about(target), std::strerror(error_number))};
  }
}

std::optional<Error> metered_already(const AcquireTarget& target) {
  if (target.filters == 0) return std::nullopt;
  if (const auto kept = find_kept_program(target.pid)) {
    if (kept->meter_pid != 0)
      return Error{fmt::format("{}it is metered already, by process {}", about(target), kept->meter_pid)};
    return Error{
        fmt::format("{}it was metered before and has been released: its keeper (process {}) answers its calls; take it "
                    "over instead",
                    about(target), kept->keeper_pid)};
  }
  if (read_listener_numbers(target.pid).empty() || custody_of(target.pid) != Custody::abandoned) return std::nullopt;
  return Error{about(target) +
               "it was metered before, and the processes that answered its calls are dead; take it over instead"};
}

Error unstoppable(const AcquireTarget& target, Duration waited) {
  std::string states;
  for (const auto& thread : target.threads) {
    const auto now = read_status(thread.tid);
    if (now) states += fmt::format("{}{} in state {}", states.empty() ? "" : ", ", thread.tid, now->state);
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", waited.seconds());
  return Error{
      fmt::format("{}none of its threads could be stopped within {} s ({}; D waits for a disk, or for a child made "
                  "with vfork that has not begun its own program): try again later",
                  about(target), seconds, states)};
}

Error has_ended(const AcquireTarget& target) {
  return Error{about(target) + "it has ended, or begun another program, in the meantime"};
}

}  // namespace dpm
