#include "os/kernel/capabilities.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>

#include "os/fork_bound.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/kernel/cpu_counter.hpp"
#include "os/kernel/process_connector.hpp"
#include "os/kernel/seccomp_listener.hpp"
#include "os/kernel/seccomp_program.hpp"
#include "os/kernel/socket_diagnosis.hpp"
#include "os/kernel/tracee.hpp"
#include "os/process_handle.hpp"
#include "os/process_namespace.hpp"

namespace dpm {
namespace {

constexpr int kPatienceMs = 2000;
constexpr int kNothingToSee = ENODATA;                  // for attempts that fail without an errno
constexpr unsigned kAdministrate = 21, kTraceAll = 19;  // CAP_SYS_ADMIN, CAP_SYS_PTRACE

Attempt attempt(bool worked) { return {true, worked ? 0 : errno != 0 ? errno : kNothingToSee}; }

// ---- the trial: a program with one notified call, and its supervisor

// Shared by the two and the process that asked.
struct Trial {
  Attempt notification, sync_wake_up, borrow_descriptor, read_memory, transfer_counts;
};

void send_descriptor(int socket, int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  ::sendmsg(socket, &message, 0);
}

UniqueFd receive_descriptor(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) return {};
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return UniqueFd(fd);
}

void look_at(std::uint32_t program, int its_descriptor, Trial& trial) {
  errno = 0;
  const UniqueFd thread = open_thread(program, program);
  trial.borrow_descriptor = attempt(static_cast<bool>(thread) && borrow_descriptor(thread.get(), its_descriptor));
  errno = 0;
  std::array<std::byte, sizeof(Trial)> copy{};
  trial.read_memory = attempt(read_memory(program, reinterpret_cast<std::uint64_t>(&trial), copy) == copy.size());
  errno = 0;
  ThreadFiles files(program, program);
  ThreadFiles::Transferred bytes;
  trial.transfer_counts = attempt(files.transferred(bytes));
}

void supervise_trial(std::uint32_t program, int its_descriptor, int socket, Trial& trial) {
  SeccompListener listener(receive_descriptor(socket));
  if (listener.fd() < 0) return;
  errno = 0;
  trial.sync_wake_up = attempt(listener.set_sync_wake_up(true));
  pollfd waits{listener.fd(), POLLIN, 0};
  Notification call;
  errno = 0;
  const bool received = ::poll(&waits, 1, kPatienceMs) == 1 && listener.receive(call) == SeccompListener::Received::one;
  if (received) look_at(program, its_descriptor, trial);
  errno = 0;
  trial.notification = attempt(received && listener.let_go(call.id));
}

[[noreturn]] void perform_trial(Trial& trial) {
  int sockets[2];
  const auto program = static_cast<std::uint32_t>(::getpid());
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) ::_exit(1);
  const pid_t supervisor = fork_bound();
  if (supervisor < 0) ::_exit(1);
  if (supervisor == 0) {
    ::close(sockets[0]);
    supervise_trial(program, sockets[0], sockets[1], trial);
    ::_exit(0);
  }
  ::close(sockets[1]);
  const std::array calls = {static_cast<int>(SYS_getppid)};
  {
    errno = 0;
    const UniqueFd listener = try_seccomp_program(seccomp_program({calls, {}}));
    trial.notification = attempt(static_cast<bool>(listener));
    if (listener) send_descriptor(sockets[0], listener.get());
  }  // closed, so that the wait below ends when the supervisor fails
  if (trial.notification.worked()) ::syscall(SYS_getppid);
  ::close(sockets[0]);
  ::waitpid(supervisor, nullptr, 0);
  ::_exit(0);
}

// Waits for the program for a limited time, because what is being tried may not work.
void await_trial(pid_t program) {
  const UniqueFd watched = open_process(static_cast<std::uint32_t>(program));
  pollfd ended{watched.get(), POLLIN, 0};
  if (!watched || ::poll(&ended, 1, 2 * kPatienceMs) != 1) ::kill(program, SIGKILL);
  while (::waitpid(program, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Returns the process id of the program of the trial, 0 if it could not be made.
std::uint32_t try_metering(MachineCapabilities& found) {
  void* page = ::mmap(nullptr, sizeof(Trial), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 0;
  auto& trial = *new (page) Trial;
  const pid_t program = ::fork();
  if (program == 0) perform_trial(trial);
  if (program > 0) await_trial(program);
  found.notification = trial.notification;
  found.sync_wake_up = trial.sync_wake_up;
  found.borrow_descriptor = trial.borrow_descriptor;
  found.read_memory = trial.read_memory;
  found.transfer_counts = trial.transfer_counts;
  ::munmap(page, sizeof(Trial));
  return program > 0 ? static_cast<std::uint32_t>(program) : 0;
}

// ---- announcements

// Outside the first process namespace the kernel accepts the subscription and then announces nothing.
std::string problem_with(Result<ProcessConnector>& connector, std::uint32_t child) {
  if (!connector) return connector.error().what;
  bool announced = false;
  connector->drain([&](const ProcessChange& change) {
    announced = announced || (change.kind == ProcessChange::Kind::fork && change.pid == child);
  });
  return announced ? "" : "a process was made and not announced (inside a container?)";
}

// ---- what files say

std::string line_of(const std::string& path, const std::string& beginning) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(beginning)) return line.substr(beginning.size());
  return "";
}

void read_own_status(MachineCapabilities& found) {
  const std::string path = "/proc/self/status";
  const std::uint64_t effective = std::strtoull(line_of(path, "CapEff:").c_str(), nullptr, 16);
  found.may_administrate = (effective >> kAdministrate & 1u) != 0;
  found.may_trace_all = (effective >> kTraceAll & 1u) != 0;
  found.no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  found.filters_above = std::atoi(line_of(path, "Seccomp_filters:").c_str());
  found.proc_mounted = ::access(path.c_str(), R_OK) == 0;
  found.proc_is_ours = shows_own_process_ids();
}

// "proc /proc proc rw,nosuid,hidepid=2 0 0"
std::string hidepid_option() {
  std::ifstream mounts("/proc/self/mounts");
  std::string hidden;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, place, kind, options;
    words >> device >> place >> kind >> options;
    if (place != "/proc" || kind != "proc") continue;
    hidden.clear();  // the last mount is the one in force
    std::istringstream list(options);
    for (std::string option; std::getline(list, option, ',');)
      if (option.starts_with("hidepid=") && option != "hidepid=0" && option != "hidepid=off") hidden = option;
  }
  return hidden;
}

// Makes one and removes it.
std::string try_cgroup() {
  const auto own = find_delegated_cgroup();
  if (!own) return own.error().what;
  const std::string folder = fmt::format("{}/dpm-doctor-{}", *own, ::getpid());
  const auto made = make_cgroup(folder);
  if (!made) return made.error().what;
  ::rmdir(folder.c_str());
  return "";
}

void read_limits(MachineCapabilities& found) {
  rlimit descriptors = {};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  found.descriptors_max = descriptors.rlim_cur;
  found.descriptors_limit = descriptors.rlim_max;
  found.login = login_policy();
  found.cgroup_problem = try_cgroup();
  const std::string scope = line_of("/proc/sys/kernel/yama/ptrace_scope", "");
  found.yama_scope = scope.empty() ? -1 : std::atoi(scope.c_str());
}

Attempt try_thread_times() {
  std::uint64_t cpu_ns = 0;
  errno = 0;
  const auto pid = static_cast<std::uint32_t>(::getpid());
  return attempt(ThreadFiles(pid, pid).cpu_time_ns(cpu_ns));
}

Attempt try_cpu_counter() {
  errno = 0;
  return attempt(static_cast<bool>(CpuCounter(static_cast<std::uint32_t>(::getpid()), CpuCounter::Scope::thread, 0)));
}

Attempt try_unix_peers() {
  int ends[2];
  errno = 0;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return attempt(false);
  const UniqueFd one(ends[0]), other(ends[1]);
  struct stat one_status = {}, other_status = {};
  ::fstat(one.get(), &one_status);
  ::fstat(other.get(), &other_status);
  errno = ENOENT;
  return attempt(unix_peer_inode(one_status.st_ino) == other_status.st_ino);
}

Attempt try_io_uring() {
  alignas(8) std::array<char, 256> parameters{};  // a zeroed struct io_uring_params, with room for it to grow
  errno = 0;
  const UniqueFd ring(static_cast<int>(::syscall(SYS_io_uring_setup, 1, parameters.data())));
  return attempt(static_cast<bool>(ring));
}

}  // namespace

MachineCapabilities probe_capabilities() {
  MachineCapabilities found;
  utsname system = {};
  ::uname(&system);
  found.kernel_release = system.release;
  found.architecture = system.machine;
  auto connector = ProcessConnector::open();
  const std::uint32_t child = try_metering(found);
  found.announcements_problem = problem_with(connector, child);
  read_own_status(found);
  found.hidden_processes = hidepid_option();
  read_limits(found);
  found.thread_times = try_thread_times();
  found.cpu_counter = try_cpu_counter();
  found.unix_peers = try_unix_peers();
  found.io_uring = try_io_uring();
  return found;
}

}  // namespace dpm
