#include "os/kernel/waiting_call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "os/unique_fd.hpp"

namespace dpm {

bool waits_for_supervisor(std::uint32_t pid, std::uint32_t tid) {
  const std::string path = fmt::format("/proc/{}/task/{}/wchan", pid, tid);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char symbol[128];
  const ssize_t length = file ? ::read(file.get(), symbol, sizeof symbol) : 0;
  // "seccomp_do_user_notification", with whatever the compiler has appended to it.
  return length > 0 && std::string(symbol, static_cast<std::size_t>(length)).find("seccomp") != std::string::npos;
}

bool restart_waiting_call(std::uint32_t tid) {
  const auto thread = static_cast<pid_t>(tid);
  if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) return false;
  ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  int status = 0;
  pid_t waited = 0;
  while ((waited = ::waitpid(thread, &status, __WALL)) < 0 && errno == EINTR) {
  }
  if (waited != thread || !WIFSTOPPED(status)) return false;
  // It stopped for us, or because a signal was about to be delivered: that one must reach it.
  const long signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
  return ::ptrace(PTRACE_DETACH, thread, nullptr, signal) == 0;
}

}  // namespace dpm
