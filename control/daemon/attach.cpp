#include "control/daemon/attach.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>

#include "os/descriptors.hpp"
#include "os/login_policy.hpp"
#include "os/net/asio.hpp"
#include "os/net/descriptor.hpp"
#include "os/own_program.hpp"
#include "os/process_handle.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

constexpr off_t kLogBytesMax = 1024 * 1024;

// Copies in one direction until an end closes. Other processes may share the descriptors, so they must stay blocking. A
// read returns what there is, and a pipe that is ready takes PIPE_BUF bytes without waiting.
class OneWay {
 public:
  OneWay(asio::io_context& context, int from, int to)
      : from_(context, duplicate(from).release()), to_(context, duplicate(to).release()) {}

  asio::awaitable<void> copy(std::function<void()> then) {
    using Wait = asio::posix::descriptor_base::wait_type;
    for (bool is_open = true; is_open;) {
      if (bytes_.empty()) {
        const bool is_ready = co_await until_ready(from_, Wait::wait_read);
        is_open = is_ready && read_some();
      } else {
        const bool is_ready = co_await until_ready(to_, Wait::wait_write);
        is_open = is_ready && write_some();
      }
    }
    then();
  }

 private:
  bool read_some() {
    std::array<char, 64 * 1024> part;
    const ssize_t length = ::read(from_.native_handle(), part.data(), part.size());
    if (length > 0) bytes_.assign(part.data(), static_cast<std::size_t>(length));
    return length > 0 || (length < 0 && (errno == EINTR || errno == EAGAIN));
  }

  bool write_some() {
    const ssize_t length = ::write(to_.native_handle(), bytes_.data(), std::min<std::size_t>(bytes_.size(), PIPE_BUF));
    if (length > 0) bytes_.erase(0, static_cast<std::size_t>(length));
    return length >= 0 || errno == EINTR || errno == EAGAIN;
  }

  asio::posix::stream_descriptor from_, to_;
  std::string bytes_;
};

Result<UniqueFd> open_log(const std::string& machine) {
  const auto path = meterd_log(machine);
  if (!path) return path.error();
  UniqueFd log(::open(path->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log) return Error::from_errno("write " + *path);
  // People read its end.
  if (::lseek(log.get(), 0, SEEK_END) > kLogBytesMax && ::ftruncate(log.get(), 0) != 0)
    return Error::from_errno("empty " + *path);
  return log;
}

// Waits until the daemon's standard output closes: it is ready, or has ended because another was faster.
Result<void> start_meterd(const Meterd::Options& options, const LoginPolicy& policy) {
  auto log = open_log(options.machine);
  if (!log) return log.error();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("start the meterdaemon");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  std::vector<std::string> command = {own_program(), "meterd",
                                      "--idle",      std::to_string(options.idle.count()),
                                      "--keep",      std::to_string(options.keep.count())};
  if (!options.machine.empty()) command.insert(command.end(), {"--machine", options.machine});
  if (!options.uses_cgroups) command.emplace_back("--signals");
  command.insert(command.end(), {"--source", options.source});
  command = outliving_session(std::move(command), policy);
  if (auto started = start_in_session(command, {.output = writing.get(), .error = log->get()}); !started)
    return started.error();
  writing.reset();
  read_to_end(reading.get());
  return {};
}

Result<UniqueFd> reach_meterd(const Meterd::Options& options) {
  const auto folders = SocketFolder::all_own();
  if (!folders) return folders.error();
  const std::string name = meterd_socket(options.machine);
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (const auto& folder : *folders) {
      UniqueFd socket = folder.connect(name, SOCK_STREAM);
      if (socket) return socket;
    }
    // If its service manager refuses, the daemon is started as part of the session.
    if (auto started = start_meterd(options, attempt == 0 ? login_policy() : LoginPolicy()); !started)
      return started.error();
  }
  const auto log = meterd_log(options.machine);
  return Error{"the meterdaemon does not start: " + (log ? *log + " says why" : log.error().what)};
}

}  // namespace

Result<std::string> meterd_log(const std::string& machine) {
  auto folder = make_state_folder();
  if (!folder) return folder.error();
  return *folder + "/meterd" + (machine.empty() ? "" : "-" + machine) + ".log";
}

Result<void> attach(const AttachOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  auto socket = reach_meterd(options.meterd);
  if (!socket) return socket.error();
  const int fd = socket->get();
  const timeval no_limit = {0, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &no_limit, sizeof no_limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &no_limit, sizeof no_limit);
  UniqueFd daemon = open_process(static_cast<std::uint32_t>(peer_of(fd).pid));

  asio::io_context context(1);
  OneWay asked(context, STDIN_FILENO, fd), answered(context, fd, STDOUT_FILENO);
  std::optional<Descriptor> daemon_end;
  spawn(context, asked.copy([fd] { ::shutdown(fd, SHUT_WR); }));
  spawn(context, answered.copy([&] {
    ::shutdown(fd, SHUT_RDWR);
    if (!options.stay || !daemon) return context.stop();
    daemon_end.emplace(context, std::move(daemon));
    daemon_end->when_readable([&context] { context.stop(); });
  }));
  context.run();
  return {};
}

}  // namespace dpm
