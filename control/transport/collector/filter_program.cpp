#include "control/transport/collector/filter_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
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
constexpr int kStatusFd = 3;         // of the filter: a shell's redirection can name it

// "NAME=VALUE", as in the environment, which has none of this name beside it.
std::vector<std::string> environment_with(const std::string& name, const std::string& value) {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with(name + "=")) all.emplace_back(*entry);
  all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child. Returns only if a step failed: which one.
const char* become(char* const* arguments, char* const* environment, const char* folder, int input, int status) {
  if (::chdir(folder) != 0) return "go to the folder of its log";
  const int out = ::open("filter.out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int err = ::open("filter.err", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0 || err < 0) return "make the file of its output";
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0)
    return "connect its input and output";
  if (status == kStatusFd ? ::fcntl(status, F_SETFD, 0) != 0 : ::dup2(status, kStatusFd) < 0)
    return "connect its reports";
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
  ::execvpe(arguments[0], arguments, environment);
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
  std::array<int, 2> reports = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, reports.data()) != 0)
    return Error::from_errno("make a socket to the filter");
  UniqueFd from_filter(reports[0]), to_us(reports[1]);

  const auto arguments = pointers_to(command);
  const auto variables = environment_with(kFilterStatusVariable, std::to_string(kStatusFd));
  const auto environment = pointers_to(variables);
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno("start the filter");
  if (pid == 0) {
    const int failed = ::fcntl(tell.get(), F_DUPFD_CLOEXEC, kStatusFd + 1);  // another one may become kStatusFd
    const char* step = become(arguments.data(), environment.data(), folder.c_str(), read_end.get(), to_us.get());
    const int problem = errno;
    (void)!::write(failed, &problem, sizeof problem);
    (void)!::write(failed, step, std::strlen(step));
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
  return FilterProgram(context, pid, std::move(ended), std::move(write_end), std::move(from_filter));
}

void FilterProgram::when_reported(std::function<void()> then) {
  reports_->then = std::move(then);
  reports_->read();
}

// A filter is any program: what is not a report is passed over.
void FilterProgram::Reports::read() {
  std::array<char, kFilterAccountBytesMax> bytes = {};
  const ssize_t got = ::read(socket.fd(), bytes.data(), bytes.size());
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;  // it has closed its end
  if (got > 0) unread.append(bytes.data(), static_cast<std::size_t>(got));
  bool is_new = false;
  for (auto end = unread.find('\n'); end != std::string::npos; end = unread.find('\n')) {
    if (auto told = filter_account_from(std::string_view(unread).substr(0, end))) {
      is_new = is_new || *told != account;
      account = *std::move(told);
    }
    unread.erase(0, end + 1);
  }
  if (unread.size() > kFilterAccountBytesMax) unread.clear();
  socket.when_readable([this] { read(); });
  if (is_new) then();
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
