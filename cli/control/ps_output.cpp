#include "cli/control/ps_output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/unique_fd.hpp"
#include "os/whole_io.hpp"

extern char** environ;

namespace dpm::cli {

Result<std::vector<std::string>> ps_output(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe for ps");
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  std::vector<std::string> command{"ps"};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "ps", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{"ps cannot be run here (Debian: the package procps)"};
  input.reset();
  const std::string text = read_to_end(output.get());
  int status = 0;
  ::waitpid(pid, &status, 0);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace dpm::cli
