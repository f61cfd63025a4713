#include "os/own_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstring>

#include "os/unique_fd.hpp"

namespace dpm {

std::string own_program() {
  constexpr const char* kSelf = "/proc/self/exe";
  char path[PATH_MAX];
  const ssize_t length = ::readlink(kSelf, path, sizeof path);
  const std::string found(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  // After an upgrade our file has no name any more, but can still be started.
  return !found.empty() && ::access(found.c_str(), X_OK) == 0 ? found : kSelf;
}

Result<pid_t> start_in_session(const std::vector<std::string>& command, const StandardStreams& streams) {
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto or_nowhere = [&nowhere](int fd) { return fd >= 0 ? fd : nowhere.get(); };
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, or_nowhere(streams.input), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, or_nowhere(streams.output), STDOUT_FILENO);
  if (streams.error >= 0) ::posix_spawn_file_actions_adddup2(&files, streams.error, STDERR_FILENO);
  // What our own caller left open, such as the lock of a script, is not for a process that may outlive it.
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, arguments.front(), &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return Error{fmt::format("start '{}': {}", command.front(), std::strerror(failed))};
  return pid;
}

}  // namespace dpm
