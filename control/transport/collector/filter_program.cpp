#include "control/transport/collector/filter_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr int kPipeBytes = 1 << 20;  // if the system allows it; the default is 64 KB

// In the child. Returns only if a step failed: which one.
const char* become(char* const* arguments, const char* folder, int input) {
  if (::chdir(folder) != 0) return "go to the folder of its log";
  const int out = ::open("filter.out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int err = ::open("filter.err", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0 || err < 0) return "make the file of its output";
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0)
    return "connect its input and output";
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
  ::execvp(arguments[0], arguments);
  return "start it";
}

}  // namespace

Result<FilterProgram> FilterProgram::start(asio::io_context& context, const std::vector<std::string>& command,
                                           const std::string& folder) {
  DPM_CHECK(!command.empty());
  std::array<int, 2> stream = {-1, -1}, told = {-1, -1};
  if (::pipe2(stream.data(), O_CLOEXEC) != 0) return Error::from_errno("make a pipe to the filter");
  UniqueFd read_end(stream[0]), write_end(stream[1]);
  if (::pipe2(told.data(), O_CLOEXEC) != 0) return Error::from_errno("make a pipe to the filter");
  UniqueFd hear(told[0]), tell(told[1]);
  ::fcntl(write_end.get(), F_SETPIPE_SZ, kPipeBytes);
  ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);

  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno("start the filter");
  if (pid == 0) {
    const char* step = become(arguments.data(), folder.c_str(), read_end.get());
    const int problem = errno;
    (void)!::write(tell.get(), &problem, sizeof problem);
    (void)!::write(tell.get(), step, std::strlen(step));
    ::_exit(127);
  }
  tell.reset();
  int problem = 0;
  if (::read(hear.get(), &problem, sizeof problem) == sizeof problem) {
    std::array<char, 100> step = {};
    (void)!::read(hear.get(), step.data(), step.size() - 1);
    ::waitpid(pid, nullptr, 0);
    return Error{fmt::format("the filter {}: {}: {}", command[0], step.data(), std::strerror(problem))};
  }
  UniqueFd ended = open_process(static_cast<std::uint32_t>(pid));
  if (!ended) return Error::from_errno("watch the filter");
  return FilterProgram(context, pid, std::move(ended), std::move(write_end));
}

FilterProgram::Written FilterProgram::write(std::string_view text, std::size_t& bytes) {
  bytes = 0;
  if (input_ == nullptr) return Written::never_again;
  const ssize_t written = ::write(input_->fd(), text.data(), text.size());
  if (written < 0) return errno == EAGAIN || errno == EINTR ? Written::none_now : Written::never_again;
  bytes = static_cast<std::size_t>(written);
  return Written::some;
}

void FilterProgram::end_by_force(int signal) const {
  ::syscall(SYS_pidfd_send_signal, ended_->fd(), signal, nullptr, 0);
}

std::string FilterProgram::reap() {
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) return "ended, for an unknown reason";
  if (!WIFSIGNALED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

}  // namespace dpm
