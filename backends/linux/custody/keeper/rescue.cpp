#include "backends/linux/custody/keeper/rescue.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/keeper_process.hpp"
#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/tracee.hpp"
#include "os/kernel/waiting_call.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

// A process and the listeners that it holds.
struct SeenProcess {
  ThreadStatus status;
  std::vector<int> listeners;

  std::uint32_t pid() const { return status.pid; }
};

class SeenProcesses {
 public:
  SeenProcesses() {
    for (const std::uint32_t pid : read_process_ids()) {
      if (const auto status = read_status(pid)) all_.push_back({*status, read_listener_numbers(pid)});
    }
  }

  const std::vector<SeenProcess>& all() const { return all_; }
  const SeenProcess* find(std::uint32_t pid) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [pid](const auto& process) { return process.pid() == pid; });
    return found == all_.end() ? nullptr : &*found;
  }
  bool descends(const SeenProcess* process, std::uint32_t ancestor) const {
    for (; process != nullptr; process = find(process->status.parent_pid)) {
      if (process->pid() == ancestor) return true;
    }
    return false;
  }

 private:
  std::vector<SeenProcess> all_;
};

// One open file, and one of its descriptors.
struct Listener {
  std::uint32_t holder = 0;
  int fd = -1;
};

bool holds(const SeenProcess& process, const Listener& listener) {
  return std::any_of(process.listeners.begin(), process.listeners.end(), [&](int fd) {
    return (process.pid() == listener.holder && fd == listener.fd) ||
           is_same_file(process.pid(), fd, listener.holder, listener.fd);
  });
}

// The process and its ancestors that carry filters: the last is the oldest that can belong to the program.
std::vector<const SeenProcess*> line_of(const SeenProcesses& seen, std::uint32_t pid) {
  std::vector<const SeenProcess*> line;
  for (const auto* process = seen.find(pid); process != nullptr && process->status.seccomp_filters > 0;
       process = seen.find(process->status.parent_pid))
    line.push_back(process);
  return line;
}

// The listener that the process holds, or a parent, or a child; or its other relatives, if they agree.
Result<Listener> find_listener(const SeenProcesses& seen, const std::vector<const SeenProcess*>& line) {
  const auto first_of = [](const SeenProcess& process) { return Listener{process.pid(), process.listeners.front()}; };
  for (const auto* process : line) {
    if (!process->listeners.empty()) return first_of(*process);
  }
  const std::uint32_t pid = line.front()->pid(), oldest = line.back()->pid();
  const pid_t session = ::getsid(static_cast<pid_t>(pid));
  std::optional<Listener> of_relation;
  for (const auto& process : seen.all()) {
    if (process.listeners.empty() || process.status.seccomp_filters == 0) continue;
    if (seen.descends(&process, pid)) return first_of(process);
    if (!seen.descends(&process, oldest) && ::getsid(static_cast<pid_t>(process.pid())) != session) continue;
    if (of_relation && !holds(process, *of_relation)) {
      return Error{
          fmt::format("processes {} and {}, both related to process {}, belong to different metered programs: name a "
                      "process of the one you mean",
                      of_relation->holder, process.pid(), pid)};
    }
    of_relation = first_of(process);
  }
  if (of_relation) return *of_relation;
  return Error{
      fmt::format("process {} carries a filter, but neither it nor its relations hold the listener of one: either its "
                  "supervisor is not dpm's, or its calls fail with ENOSYS and nothing can be done",
                  pid)};
}

std::string read_command_line(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!line.empty() && line.back() == '\0') line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

// Another account may give its processes any name.
bool may_keep(const SeenProcess& process, const SeenProcess& program) {
  return process.status.user_id == 0 || process.status.user_id == program.status.user_id;
}

// The process that answers for the listener holds it without carrying its filter. We cannot see the descriptors of other
// accounts' keepers, but their names tell the program that they keep.
std::optional<std::uint32_t> find_supervisor(const SeenProcesses& seen, const std::vector<const SeenProcess*>& line,
                                             const Listener& listener) {
  for (const auto& process : seen.all()) {
    const bool carries_less = process.status.seccomp_filters < line.front()->status.seccomp_filters;
    if (carries_less && !seen.descends(line.front(), process.pid()) && holds(process, listener)) return process.pid();
    if (process.status.user_id == ::geteuid() || read_command_name(process.pid(), process.pid()) != "dpm-keeper")
      continue;
    const std::string called = read_command_line(process.pid());
    for (const auto* member : line) {
      if (may_keep(process, *member) && called == "dpm-keeper " + std::to_string(member->pid())) return process.pid();
    }
  }
  return std::nullopt;
}

struct Abandoned {
  Listener listener;
  std::uint32_t first_process = 0;  // the oldest known
  std::vector<std::uint32_t> processes;
};

Result<Abandoned> find_abandoned(std::uint32_t pid) {
  const SeenProcesses seen;
  const auto line = line_of(seen, pid);
  if (line.empty()) return not_kept(pid);
  const auto listener = find_listener(seen, line);
  if (!listener) return listener.error();
  if (const auto supervisor = find_supervisor(seen, line, *listener)) {
    return Error{
        fmt::format("process {} is supervised by process {} ({}), which cannot be asked: if you end that one with "
                    "SIGKILL the program waits, and can be taken then",
                    pid, *supervisor, read_command_name(*supervisor, *supervisor))};
  }
  Abandoned abandoned{*listener, pid, {}};
  for (const auto* process : line) {
    if (holds(*process, *listener)) abandoned.first_process = process->pid();
  }
  for (const auto& process : seen.all()) {
    const bool belongs =
        holds(process, *listener) || seen.descends(&process, pid) || seen.descends(&process, abandoned.first_process);
    if (belongs && process.status.seccomp_filters > 0) abandoned.processes.push_back(process.pid());
  }
  return abandoned;
}

// No process answers in the meantime, so a thread that is seen waiting still waits when it is taken out.
void restart_waiting_calls(const std::vector<std::uint32_t>& processes) {
  for (const std::uint32_t pid : processes) {
    for (const std::uint32_t tid : read_thread_ids(pid)) {
      if (waits_for_supervisor(pid, tid)) restart_waiting_call(tid);
    }
  }
}

bool has_no_new_privileges(std::uint32_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line == "NoNewPrivs:\t1") return true;
  }
  return false;
}

}  // namespace

Custody custody_of(std::uint32_t pid) {
  if (find_kept_program(pid)) return Custody::kept;
  return find_abandoned(pid) ? Custody::abandoned : Custody::none;
}

Result<MeteredProgram> rescue(std::uint32_t pid) {
  const auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  const UniqueFd alone = folder->lock();  // two rescues at a time would make two keepers
  if (const auto kept = find_kept_program(pid)) {
    return Error{
        fmt::format("process {} has a keeper (process {}): it needs no rescue, take it over", pid, kept->keeper_pid)};
  }
  const auto abandoned = find_abandoned(pid);
  if (!abandoned) return abandoned.error();
  const UniqueFd holder = open_process(abandoned->listener.holder);
  UniqueFd listener = borrow_descriptor(holder.get(), abandoned->listener.fd);
  if (!listener) {
    return Error::from_errno(
        fmt::format("take the listener that process {} holds, for which one must be allowed to trace it",
                    abandoned->listener.holder));
  }
  auto slots = NotificationSlots::create();
  if (!slots) return slots.error();
  const std::uint32_t first = abandoned->first_process;
  const MeteredProgram program{.pid = first,
                               .command = read_command_line(first),
                               .from_start = false,
                               .privileges_given_up = has_no_new_privileges(first),
                               .listener = std::move(listener),
                               .slots = *std::move(slots)};

  restart_waiting_calls(abandoned->processes);
  KeeperBegins begins;
  begins.calls_were_lost = true;
  if (auto spawned = spawn_keeper(program, std::move(begins)); !spawned) return spawned.error();
  const auto kept = find_program_by_listener(static_cast<std::uint32_t>(::getpid()));
  if (!kept) return Error{fmt::format("the new keeper of program {} has ended: so has the program", first)};
  return take_over(*kept);
}

}  // namespace dpm
