#include "backends/linux/program/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "backends/linux/calls/metered_call.hpp"
#include "os/descriptors.hpp"
#include "os/kernel/futex.hpp"
#include "os/kernel/seccomp_program.hpp"
#include "os/kernel/tracee.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

// Shared between the process that becomes the program and its supervisor, until the program has begun.
struct Gate {
  std::atomic<std::uint32_t> prepared{0};   // 1: the program may become ready; 2: `error` says why not
  std::atomic<std::uint32_t> installed{0};  // 1: `listener` is valid; 2: `error` says why not
  std::atomic<std::uint32_t> open{0};       // 1: begin; 2: the supervisor has failed: end
  std::atomic<pid_t> supervisor{0};
  int listener = -1;
  bool privileges_given_up = false;
  char error[2048] = "";
};

Gate* new_gate() {
  void* page = ::mmap(nullptr, sizeof(Gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? nullptr : new (page) Gate;
}

constexpr std::uint32_t kPrepared = 1, kNotPrepared = 2;
constexpr std::uint32_t kInstalled = 1, kNotInstalled = 2;
constexpr std::uint32_t kBegin = 1, kEnd = 2;
constexpr int kNotMetered = 2, kNotExecutable = 126, kNotFound = 127;
constexpr long kLookAgainNs = 50'000'000;

void announce(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  word.store(value);
  wake_all(word);
}

std::vector<int> notified_calls(const LaunchOptions& options) {
  const auto harmless = harmless_calls();
  std::vector<int> calls(harmless.begin(), harmless.end());
  if (options.exact_paths) calls.insert(calls.end(), path_calls().begin(), path_calls().end());
  return calls;
}

// The supervisor's word; 0 if it was killed before it gave one.
std::uint32_t await(const std::atomic<std::uint32_t>& word, const Gate& gate) {
  while (word.load() == 0) {
    wait_while(word, 0, kLookAgainNs);
    const pid_t supervisor = gate.supervisor.load();
    if (word.load() == 0 && supervisor != 0 && ::kill(supervisor, 0) != 0 && errno == ESRCH) return 0;
  }
  return word.load();
}

void keep_error(Gate& gate, const Error& error) { std::strncpy(gate.error, error.what.c_str(), sizeof gate.error - 1); }

// What a child needs, made before the fork: in the child of a process with several threads, an allocator's lock may be
// held by a thread that the child does not have.
struct Becoming {
  Becoming(const std::vector<std::string>& command, const LaunchOptions& options) : own_session(options.own_session) {
    if (options.notifies) notifying = seccomp_program({notified_calls(options), calls_of_32_bit_code()});
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
  }
  bool own_session;
  std::vector<SeccompInstruction> notifying;  // empty: no call waits
  std::vector<char*> arguments;               // of the command, which lives on
};

// From here on this process must not read or write before the gate is open: no supervisor answers its calls yet.
UniqueFd install_filter(const Becoming& becoming, Gate& gate) {
  const bool had_to_give_up = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
  auto listener = install_seccomp_program(becoming.notifying);
  if (!listener) {
    keep_error(gate, listener.error());
    announce(gate.installed, kNotInstalled);
    ::_exit(kNotMetered);
  }
  gate.listener = listener->get();
  gate.privileges_given_up = had_to_give_up && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  return *std::move(listener);
}

[[noreturn]] void become(const Becoming& becoming, Gate& gate) {
  if (becoming.own_session) ::setsid();
  rlimit descriptors = {};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  const UniqueFd listener = becoming.notifying.empty() ? UniqueFd() : install_filter(becoming, gate);
  announce(gate.installed, kInstalled);
  if (await(gate.open, gate) != kBegin) ::_exit(kNotMetered);

  if (listener) ::fcntl(listener.get(), F_DUPFD, listener_number(descriptors.rlim_cur));
  ::execvp(becoming.arguments.front(), becoming.arguments.data());
  const int why = errno;
  std::fprintf(stderr, "dpm: cannot run '%s': %s\n", becoming.arguments.front(), std::strerror(why));
  ::_exit(why == ENOENT || why == ENOTDIR ? kNotFound : kNotExecutable);
}

void leave_the_terminal() {
  ::setsid();
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  close_descriptors_but({});
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGXFSZ}) ::signal(signal, SIG_IGN);
  ::prctl(PR_SET_NAME, "dpm-meter");
}

Result<void> await_installation(Gate& gate, int program_fd) {
  while (gate.installed.load() == 0) {
    wait_while(gate.installed, 0, kLookAgainNs);
    pollfd program{program_fd, POLLIN, 0};
    if (gate.installed.load() == 0 && ::poll(&program, 1, 0) == 1)
      return Error{"the program's process ended before it could begin"};
  }
  if (gate.installed.load() == kNotInstalled) return Error{gate.error};
  return {};
}

Result<LaunchedProgram> supervise(pid_t pid, const std::vector<std::string>& command, const LaunchOptions& options,
                                  Gate& gate) {
  const UniqueFd program_fd = open_process(static_cast<std::uint32_t>(pid));
  if (!program_fd) return Error::from_errno("watch the program's process");
  if (auto installed = await_installation(gate, program_fd.get()); !installed) return installed.error();
  UniqueFd listener;
  if (options.notifies) {
    listener = borrow_descriptor(program_fd.get(), gate.listener);
    if (!listener) return Error::from_errno("take the program's listener (dpm doctor says what this machine allows)");
  }
  auto slots = NotificationSlots::create();
  if (!slots) return slots.error();

  std::string line;
  for (const auto& word : command) line += (line.empty() ? "" : " ") + word;
  MeteredProgram program{.pid = static_cast<std::uint32_t>(pid),
                         .command = line,
                         .from_start = true,
                         .exact_paths = options.exact_paths,
                         .privileges_given_up = gate.privileges_given_up,
                         .listener = std::move(listener),
                         .slots = *std::move(slots)};
  return LaunchedProgram(std::move(program), &gate);
}

}  // namespace

int listener_number(std::uint64_t descriptor_limit) {
  constexpr std::uint64_t kHighEnough = 999;  // below the 1024 of select(), and no large descriptor table
  return static_cast<int>(std::min(kHighEnough, descriptor_limit > 0 ? descriptor_limit - 1 : 0));
}

LaunchedProgram::~LaunchedProgram() {
  if (gate_ != nullptr) announce(static_cast<Gate*>(gate_)->open, kEnd);
}

void LaunchedProgram::start() { announce(static_cast<Gate*>(std::exchange(gate_, nullptr))->open, kBegin); }

Result<LaunchedProgram> launch_as_child(const std::vector<std::string>& command, const LaunchOptions& options) {
  if (options.prepare)
    if (auto prepared = options.prepare(); !prepared) return prepared.error();
  Gate* gate = new_gate();
  if (gate == nullptr) return Error::from_errno("make memory to share with the program");
  gate->supervisor = ::getpid();
  const Becoming becoming(command, options);
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(fmt::format("start '{}'", command.front()));
  if (pid == 0) become(becoming, *gate);
  auto launched = supervise(pid, command, options, *gate);
  if (!launched) announce(gate->open, kEnd);
  return launched;
}

Result<LaunchedProgram> launch(const std::vector<std::string>& command, const LaunchOptions& options) {
  Gate* gate = new_gate();
  if (gate == nullptr) return Error::from_errno("make memory to share with the program");
  const Becoming becoming(command, options);
  const pid_t pid = ::getpid();
  const pid_t between = ::fork();
  if (between < 0) return Error::from_errno("start the supervisor");
  if (between > 0) {
    int status = 0;
    while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return Error{"start the supervisor: no process could be made"};
    if (options.prepare)
      if (const auto prepared = await(gate->prepared, *gate); prepared != kPrepared)
        return Error{prepared == kNotPrepared ? gate->error : "start the supervisor: it was killed"};
    become(becoming, *gate);
  }
  const pid_t supervisor = ::fork();
  if (supervisor != 0) ::_exit(supervisor < 0 ? 1 : 0);
  gate->supervisor = ::getpid();
  leave_the_terminal();
  if (options.prepare) {
    if (auto prepared = options.prepare(); !prepared) {
      keep_error(*gate, prepared.error());
      announce(gate->prepared, kNotPrepared);
      ::_exit(0);
    }
    announce(gate->prepared, kPrepared);
  }
  auto launched = supervise(pid, command, options, *gate);
  if (!launched) announce(gate->open, kEnd);
  return launched;
}

}  // namespace dpm
