#include "control/client/launcher_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "os/net/asio.hpp"
#include "os/own_program.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr std::size_t kSaidBytesMax = 2000;
constexpr std::chrono::seconds kPatience{1};  // for its last words, and after each signal

// As one line, for an error message.
std::string as_line(const std::string& said) {
  std::string text;
  for (const char c : said) text += c == '\n' || c == '\r' ? ' ' : c;
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Waits for the end of the process, and kills it when it is late.
asio::awaitable<void> await_end(asio::io_context& context, pid_t pid) {
  UniqueFd process = open_process(static_cast<std::uint32_t>(pid));
  if (process) {
    asio::posix::stream_descriptor end(context, process.release());
    Timer patience(context);
    patience.start(kPatience, [pid, &patience] {
      ::kill(pid, SIGTERM);
      patience.start(kPatience, [pid] { ::kill(pid, SIGKILL); });
    });
    co_await until_ready(end, asio::posix::descriptor_base::wait_read);
  } else {
    ::kill(pid, SIGKILL);  // without a descriptor to wait for it
  }
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

Result<LauncherProcess::Started> LauncherProcess::start(asio::io_context& context,
                                                        const std::vector<std::string>& command) {
  const std::string doing = fmt::format("start '{}'", command.front());
  int ends[2], errors[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno(doing);
  UniqueFd channel(ends[0]);
  const UniqueFd its_channel(ends[1]);
  if (::pipe2(errors, O_CLOEXEC) != 0) return Error::from_errno(doing);
  UniqueFd its_words(errors[0]);
  const UniqueFd its_errors(errors[1]);
  ::fcntl(its_words.get(), F_SETFL, O_NONBLOCK);

  // In a session of its own: an interrupt at the controller's terminal is not meant for it.
  const auto pid = start_in_session(command, {its_channel.get(), its_channel.get(), its_errors.get()});
  if (!pid) return pid.error();
  std::unique_ptr<LauncherProcess> process(new LauncherProcess(context, *pid, std::move(its_words)));
  return Started{std::move(process), std::move(channel)};
}

LauncherProcess::LauncherProcess(asio::io_context& context, pid_t pid, UniqueFd errors)
    : context_(context),
      pid_(pid),
      patience_(context),
      errors_(std::make_unique<Descriptor>(context, std::move(errors))) {
  errors_->when_readable([this] { read_errors(); });
}

LauncherProcess::~LauncherProcess() { spawn(context_, await_end(context_, pid_)); }

void LauncherProcess::read_errors() {
  std::array<char, 1024> part;
  const ssize_t length = ::read(errors_->fd(), part.data(), part.size());
  if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) {
    errors_.reset();
    return fall_silent();
  }
  if (length > 0) said_.append(part.data(), static_cast<std::size_t>(length));
  if (said_.size() > kSaidBytesMax) said_.erase(0, said_.size() - kSaidBytesMax);
  errors_->when_readable([this] { read_errors(); });
}

void LauncherProcess::when_silent(std::function<void(const std::string& said)> then) {
  then_ = std::move(then);
  if (errors_ == nullptr) return fall_silent();
  patience_.start(kPatience, [this] { fall_silent(); });
}

void LauncherProcess::fall_silent() {
  patience_.cancel();
  if (const auto then = std::exchange(then_, nullptr)) then(as_line(said_));  // may destroy us
}

}  // namespace dpm
