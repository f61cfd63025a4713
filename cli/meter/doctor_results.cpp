#include "cli/meter/doctor_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "text/printable.hpp"
#include "text/text_table.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kDescriptorsWanted = 1024;

std::string reason(const Attempt& attempt) {
  return attempt.made ? std::strerror(attempt.error_number) : "could not be tried";
}

bool is_forbidden(const Attempt& attempt) {
  return attempt.made && (attempt.error_number == EPERM || attempt.error_number == EACCES);
}

Check kernel_check(const MachineCapabilities& machine) {
  const std::string found = "Linux " + machine.kernel_release + ", " + machine.architecture;
  if (machine.architecture == "x86_64") return {"kernel", Verdict::good, found, ""};
  return {"kernel", Verdict::missing, found, "The meter knows the system calls of x86-64 only."};
}

// What only calls that wait for the meter need: without it, the eBPF source may still meter.
Verdict without_notified_calls(const MachineCapabilities& machine) {
  return machine.kernel_source_problem.empty() ? Verdict::limited : Verdict::missing;
}

Check notification_check(const MachineCapabilities& machine) {
  const Attempt& tried = machine.notification;
  const std::string name = "user notification";
  if (tried.worked()) return {name, Verdict::good, "a call waited for its supervisor and went on", ""};
  if (tried.made && tried.error_number == EBUSY)
    return {name, without_notified_calls(machine), "another supervisor is notified already",
            "Run dpm outside of the meter, sandbox or container that is notified of its calls: the kernel allows one "
            "such supervisor per process."};
  if (is_forbidden(tried))
    return {name, without_notified_calls(machine), "forbidden: " + reason(tried),
            "A container or sandbox forbids seccomp(2). Start the container with a profile that allows it (podman and "
            "docker: --security-opt seccomp=unconfined), or run dpm outside and meter from there."};
  if (tried.made && (tried.error_number == ENOSYS || tried.error_number == EINVAL))
    return {name, without_notified_calls(machine), "not in this kernel: " + reason(tried),
            "Linux 5.6 or newer is needed, built with CONFIG_SECCOMP_FILTER."};
  return {name, without_notified_calls(machine), reason(tried),
          "A call that should have waited for its supervisor did not."};
}

Check wake_up_check(const MachineCapabilities& machine) {
  const std::string name = "wake-up on one CPU";
  if (machine.sync_wake_up.worked()) return {name, Verdict::good, "a metered call costs a few microseconds", ""};
  if (!machine.notification.worked()) return {name, Verdict::limited, "could not be tried", ""};
  return {name, Verdict::limited, "not in this kernel: metered calls wait longer",
          "Linux 6.6 or newer wakes the meter on the CPU of the waiting call, which is several times as fast."};
}

Check access_check(const MachineCapabilities& machine) {
  const std::string name = "access to programs";
  const bool works = machine.borrow_descriptor.worked() && machine.read_memory.worked();
  if (works) return {name, Verdict::good, "descriptors and memory can be read", ""};
  if (!machine.notification.worked()) return {name, without_notified_calls(machine), "could not be tried", ""};
  const Attempt& failed = machine.borrow_descriptor.worked() ? machine.read_memory : machine.borrow_descriptor;
  std::string advice =
      "The meter needs pidfd_getfd(2) and process_vm_readv(2): Linux 5.6 or newer, and no container that "
      "forbids them.";
  if (is_forbidden(failed) && machine.yama_scope >= 1)
    advice = fmt::format(
        "Yama (kernel.yama.ptrace_scope={}) forbids reading other programs: run dpm as root, or as root set "
        "'sysctl kernel.yama.ptrace_scope=0'.",
        machine.yama_scope);
  return {name, without_notified_calls(machine), "refused: " + reason(failed), advice};
}

Check counts_check(const MachineCapabilities& machine) {
  const std::string name = "byte counts";
  if (machine.transfer_counts.worked()) return {name, Verdict::good, "results of read() and write() are known", ""};
  return {
      name, Verdict::limited, "/proc/PID/task/TID/io: " + reason(machine.transfer_counts),
      "Lengths on pipes and UNIX sockets are those that the program asked for, not those that it got. A kernel with "
      "CONFIG_TASK_IO_ACCOUNTING reports them."};
}

Check cpu_time_check(const MachineCapabilities& machine) {
  const std::string name = "CPU time";
  if (!machine.thread_times.worked())
    return {name, Verdict::limited, "/proc/PID/task/TID/schedstat: " + reason(machine.thread_times),
            "The CPU time of threads is not known, nor how long they waited for a processor. A kernel with "
            "CONFIG_SCHED_INFO tells both."};
  if (machine.cpu_counter.worked()) return {name, Verdict::good, "known up to the end of each process", ""};
  return {name, Verdict::limited, "counters are refused: " + reason(machine.cpu_counter),
          "With --source notify, the CPU time of some processes after their last metered call is not known. Run dpm as "
          "root, or as root set 'sysctl kernel.perf_event_paranoid=2'."};
}

Check unix_peers_check(const MachineCapabilities& machine) {
  const std::string name = "UNIX sockets";
  if (machine.unix_peers.worked()) return {name, Verdict::good, "their other ends are known", ""};
  return {
      name, Verdict::limited, "the kernel does not tell their other ends",
      "With --source notify, messages over UNIX sockets may have an unknown sender or receiver; a warning names the "
      "processes. As root load the module unix_diag (CONFIG_UNIX_DIAG)."};
}

Check samples_check(const MachineCapabilities& machine) {
  const std::string name = "samples";
  if (machine.iterator_problem.empty()) return {name, Verdict::good, "dpm sample looks by the kernel's iterator", ""};
  return {name, Verdict::note, "dpm sample looks in /proc",
          "The kernel's iterator sees short states better: " + machine.iterator_problem + "."};
}

Check privilege_check(const MachineCapabilities& machine) {
  const std::string name = "privileges";
  if (machine.may_administrate) return {name, Verdict::good, "setuid programs keep their privileges", ""};
  if (machine.no_new_privileges)
    return {name, Verdict::note, "no_new_privs is set already: metering changes nothing", ""};
  return {name, Verdict::limited, "no_new_privs will be set: setuid programs gain no privileges",
          "Programs that gain privileges when they start (sudo, su, ping) run with yours instead. To meter those, run "
          "dpm as root."};
}

Check acquire_check(const MachineCapabilities& machine) {
  const std::string name = "running programs";
  if (machine.may_trace_all && machine.yama_scope < 3)
    return {name, Verdict::good, "dpm acquire works on any process", ""};
  if (machine.yama_scope < 1) return {name, Verdict::good, "dpm acquire works on your own processes", ""};
  return {name, Verdict::limited,
          fmt::format("dpm acquire does not work: kernel.yama.ptrace_scope={}", machine.yama_scope),
          machine.yama_scope >= 3 ? "Scope 3 stays until the machine is restarted."
                                  : "Run dpm as root, or as root set 'sysctl kernel.yama.ptrace_scope=0'."};
}

Check announcements_check(const MachineCapabilities& machine) {
  const std::string name = "starts and ends";
  if (machine.announcements_problem.empty()) return {name, Verdict::good, "announced by the kernel", ""};
  return {name, Verdict::limited, "read from /proc instead",
          fmt::format(
              "The kernel does not announce processes to dpm ({}). With --source notify, dpm looks for forks, execs "
              "and ends: their times are up to a millisecond late, and a child that makes no call and is gone at once "
              "may be missing. Warnings count by name what was missed.",
              machine.announcements_problem)};
}

Check filters_check(const MachineCapabilities& machine) {
  const std::string name = "other filters";
  if (machine.filters_above == 0) return {name, Verdict::good, "none", ""};
  return {name, Verdict::note, fmt::format("seccomp filters of other programs: {}", machine.filters_above), ""};
}

Check proc_check(const MachineCapabilities& machine) {
  if (!machine.proc_mounted) return {"/proc", Verdict::missing, "not mounted", "As root: mount -t proc proc /proc"};
  if (!machine.proc_is_ours)
    return {
        "/proc", Verdict::missing, "shows another process namespace",
        "The numbers of processes in it are not those that dpm gets. Mount one of this namespace: 'mount -t proc proc "
        "/proc', or 'unshare --mount-proc'."};
  if (machine.hidden_processes.empty()) return {"/proc", Verdict::good, "shows every process", ""};
  return {"/proc", Verdict::note, machine.hidden_processes + ": other users' processes are not shown",
          machine.may_trace_all ? "" : "Your own are shown, which is enough to meter them."};
}

Check descriptors_check(const MachineCapabilities& machine) {
  const std::string name = "descriptors";
  const std::string found = fmt::format("{}, can be raised to {}", machine.descriptors_max, machine.descriptors_limit);
  if (machine.descriptors_limit >= kDescriptorsWanted) return {name, Verdict::good, found, ""};
  return {name, Verdict::limited, found,
          "The meter keeps a few for each thread of the program: raise the hard limit with 'ulimit -Hn'."};
}

Check tasks_check(const MachineCapabilities& machine) {
  const std::string name = "processes and threads";
  if (machine.tasks_problem.empty()) return {name, Verdict::good, "a meter can start its own", ""};
  return {name, Verdict::missing, "a meter cannot start its own", machine.tasks_problem + "."};
}

Check sockets_check(const MachineCapabilities& machine) {
  const std::string name = "sockets of meters";
  if (machine.sockets_problem.empty()) return {name, Verdict::good, "have a folder", ""};
  return {name, without_notified_calls(machine), "have no folder", machine.sockets_problem + "."};
}

Check io_uring_check(const MachineCapabilities& machine) {
  const std::string name = "io_uring";
  if (!machine.io_uring.worked())
    return {name, Verdict::good, "not available: no program can bypass the meter with it", ""};
  return {name, Verdict::note, "available: messages through it bypass the meter",
          "The meter reports which processes used io_uring. As root 'sysctl kernel.io_uring_disabled=2' makes programs "
          "fall back to metered calls."};
}

Check logout_check(const MachineCapabilities& machine) {
  const std::string name = "logout";
  const LoginPolicy& login = machine.login;
  if (!login.has_logind || (!login.kills_at_logout && !login.lingers))
    return {name, Verdict::good, "ends no program", ""};
  if (!login.kills_at_logout)
    return {
        name, Verdict::good,
        login.scope_runner.empty() ? "ends no program" : "ends no program; dpm control uses scopes of systemd --user",
        ""};
  if (login.lingers && !login.scope_runner.empty())
    return {name, Verdict::note, "kills the processes of a session, but not those of dpm control",
            "KillUserProcesses=yes in logind.conf. You linger, so the programs of dpm control run in a scope of your "
            "service manager. Start others with 'systemd-run --user --scope dpm meter ...'."};
  return {name, Verdict::limited, "kills programs and their meters",
          "KillUserProcesses=yes in logind.conf: when you log out, or a controller's ssh connection ends, programs are "
          "killed. 'loginctl enable-linger' lets the programs of dpm control stay."};
}

Check cgroup_check(const MachineCapabilities& machine) {
  const std::string name = "stop and kill";
  if (machine.cgroup_problem.empty())
    return {name, Verdict::good, "dpm control freezes and kills a program's cgroup", ""};
  if (machine.login.lingers && !machine.login.scope_runner.empty())
    return {name, Verdict::good, "dpm control freezes and kills a program's cgroup, in a scope of systemd --user", ""};
  return {name, Verdict::good, "dpm control signals a program's processes: " + machine.cgroup_problem, ""};
}

Check kernel_source_check(const MachineCapabilities& machine) {
  const std::string name = "eBPF source";
  if (machine.kernel_source_problem.empty())
    return {name, Verdict::good, "dpm meter --source ebpf: no call waits for the meter", ""};
  return {name, Verdict::note, "not available", "dpm meter --source ebpf: " + machine.kernel_source_problem + "."};
}

std::string name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::note:
      return "note";
    case Verdict::limited:
      return "limited";
    case Verdict::missing:
      return "missing";
  }
  return "";
}

std::string conclusion(const Diagnosis& diagnosis) {
  if (!can_meter(diagnosis)) return "metering does not work here";
  const auto is_limited = [&](const char* name) {
    return std::any_of(diagnosis.begin(), diagnosis.end(),
                       [&](const auto& check) { return check.name == name && check.verdict == Verdict::limited; });
  };
  if (is_limited("user notification") || is_limited("access to programs"))
    return "metering works here with the eBPF source only";
  const bool whole = std::none_of(diagnosis.begin(), diagnosis.end(),
                                  [](const auto& check) { return check.verdict == Verdict::limited; });
  return whole ? "metering works here" : "metering works here, with limits";
}

}  // namespace

Diagnosis diagnose(const MachineCapabilities& machine) {
  return {
      kernel_check(machine),   notification_check(machine),  access_check(machine),     proc_check(machine),
      wake_up_check(machine),  counts_check(machine),        unix_peers_check(machine), cpu_time_check(machine),
      samples_check(machine),  announcements_check(machine), privilege_check(machine),  acquire_check(machine),
      filters_check(machine),  descriptors_check(machine),   tasks_check(machine),      sockets_check(machine),
      io_uring_check(machine), logout_check(machine),        cgroup_check(machine),     kernel_source_check(machine)};
}

bool can_meter(const Diagnosis& diagnosis) {
  return std::none_of(diagnosis.begin(), diagnosis.end(),
                      [](const auto& check) { return check.verdict == Verdict::missing; });
}

std::string diagnosis_text(const Diagnosis& diagnosis, int width) {
  constexpr std::size_t kIndent = 2;
  TextTable table({"check", "verdict", "found"});
  std::string advice;
  for (const auto& check : diagnosis) {
    table.add_row({check.name, name_of(check.verdict), printable(check.found)});
    if (check.advice.empty()) continue;
    advice += "\n" + check.name + "\n";
    for (const auto& line : wrapped(printable(check.advice), static_cast<std::size_t>(width) - kIndent))
      advice += std::string(kIndent, ' ') + line + "\n";
  }
  return table.to_text(width) + advice + "\n" + conclusion(diagnosis) + "\n";
}

nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const MachineCapabilities& machine) {
  using Json = nlohmann::ordered_json;
  Json checks = Json::array();
  for (const auto& check : diagnosis)
    checks.push_back(
        {{"check", check.name}, {"verdict", name_of(check.verdict)}, {"found", check.found}, {"advice", check.advice}});
  return {{"can_meter", can_meter(diagnosis)},
          {"kernel", machine.kernel_release},
          {"architecture", machine.architecture},
          {"user_notification", machine.notification.worked()},
          {"sync_wake_up", machine.sync_wake_up.worked()},
          {"access", machine.borrow_descriptor.worked() && machine.read_memory.worked()},
          {"announcements", machine.announcements_problem.empty()},
          {"no_new_privs", !machine.may_administrate},
          {"yama_scope", machine.yama_scope},
          {"filters_above", machine.filters_above},
          {"descriptors_max", machine.descriptors_max},
          {"io_uring", machine.io_uring.worked()},
          {"program_cgroups", machine.cgroup_problem.empty()},
          {"kernel_source", machine.kernel_source_problem.empty()},
          {"checks", std::move(checks)}};
}

}  // namespace dpm::cli
