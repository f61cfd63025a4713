#include "backends/linux/remote/daemon/attach.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "os/own_program.hpp"
#include "os/process_handle.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

constexpr off_t kLogBytesMax = 1024 * 1024;

// Until one end closes. Blocking: each direction has a thread of its own, so that none waits for the other.
void copy(int from, int to) {
  char part[64 * 1024];
  for (;;) {
    const ssize_t length = ::read(from, part, sizeof part);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0 || !write_all(to, {part, static_cast<std::size_t>(length)})) return;
  }
}

Result<UniqueFd> open_log(const std::string& machine) {
  const auto path = meterd_log(machine);
  if (!path) return path.error();
  UniqueFd log(::open(path->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log) return Error::from_errno("write " + *path);
  // It is for people, who want its end.
  if (::lseek(log.get(), 0, SEEK_END) > kLogBytesMax && ::ftruncate(log.get(), 0) != 0)
    return Error::from_errno("empty " + *path);
  return log;
}

// It says on its standard output that it is ready, or why not; or nothing, if another was faster.
Result<void> start_meterd(const Meterd::Options& options) {
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
  if (auto started = start_in_session(command, {.output = writing.get(), .error = log->get()}); !started)
    return started.error();
  writing.reset();
  read_to_end(reading.get());
  return {};
}

Result<UniqueFd> reach_meterd(const Meterd::Options& options) {
  auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  const std::string name = meterd_socket(options.machine);
  for (int attempt = 0; attempt < 3; ++attempt) {
    UniqueFd socket = folder->connect(name, SOCK_STREAM);
    if (socket) return socket;
    if (auto started = start_meterd(options); !started) return started.error();
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
  const UniqueFd daemon = open_process(static_cast<std::uint32_t>(peer_of(fd).pid));
  std::thread([fd] {
    copy(STDIN_FILENO, fd);
    ::shutdown(fd, SHUT_WR);
  }).detach();  // it may wait for an input that never ends
  copy(fd, STDOUT_FILENO);
  ::shutdown(fd, SHUT_RDWR);
  if (options.stay && daemon) {
    pollfd ended{daemon.get(), POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
  }
  // The other thread may still be at work with our descriptors: they go with the process.
  (void)socket->release();
  return {};
}

}  // namespace dpm
