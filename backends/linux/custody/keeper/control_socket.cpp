#include "backends/linux/custody/keeper/control_socket.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

#include "backends/linux/custody/keeper/keeper_protocol.hpp"
#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "backends/linux/custody/keeper/program_lookup.hpp"

namespace dpm {
namespace {

constexpr std::size_t kControlClientsMax = 16;
constexpr std::size_t kProcessesToldMax = 10'000;  // an answer must fit the socket's buffer
constexpr std::string_view kOk = "ok ", kError = "error ";

std::string meter_socket(std::uint32_t meter_pid) { return kMeterSockets + std::to_string(meter_pid); }

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte >= ' ' && byte != 0x7f; });
}

// A command may contain anything; an answer is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char byte) {
        return !is_text({&byte, 1});
      },
      ' ');
  return text;
}

bool watch(int epoll, int fd) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

std::string numbers_line(const std::vector<std::uint32_t>& numbers) {
  std::string line;
  for (std::size_t i = 0; i < std::min(numbers.size(), kProcessesToldMax); ++i)
    line += (line.empty() ? "" : " ") + std::to_string(numbers[i]);
  return line;
}

bool is_stream_socket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

Result<MeterChange> read_change(const std::string& words, UniqueFd given) {
  constexpr std::array<std::string_view, 4> kConnections = {"keep", "none", "trace", "given"};
  std::istringstream in(words);
  std::string flags, connection;
  MeterChange change;
  if (!(in >> change.pid >> flags >> connection))
    return Error{"setmeter: a process, flags and a connection are required"};
  const auto* const found = std::find(kConnections.begin(), kConnections.end(), connection);
  if (found == kConnections.end()) return Error{fmt::format("setmeter: no connection '{}'", connection)};
  change.connection = static_cast<MeterChange::Connection>(found - kConnections.begin());
  if (change.connection == MeterChange::Connection::given && !is_stream_socket(given.get()))
    return Error{"setmeter: a meter connection is a stream socket"};
  change.given = std::move(given);
  if (flags == "keep") return change;
  const auto named = flags == "none" ? MeterFlags() : apply_flags(MeterFlags(), flags);
  if (!named) return named.error();
  change.flags = *named;
  return change;
}

Result<std::string> set_meter(const std::string& words, const MeterControl& control, UniqueFd given) {
  auto change = read_change(words, std::move(given));
  if (!change) return change.error();
  const auto processes = control.processes();
  if (std::find(processes.begin(), processes.end(), change->pid) == processes.end())
    return Error{fmt::format("process {} is not metered here", change->pid)};
  if (auto done = control.set_meter(*std::move(change)); !done) return done.error();
  return std::string("set");
}

Result<std::string> perform(std::string_view line, const MeterControl& control, UniqueFd given) {
  if (line == "status") return to_line(control.status());
  if (line == "processes") return numbers_line(control.processes());
  if (line == "stop") {
    control.stop();
    return std::string("stopping");
  }
  constexpr std::string_view kFlags = "flags ";
  if (line.starts_with(kFlags)) {
    const auto flags = apply_flags(control.status().flags, line.substr(kFlags.size()));
    if (!flags) return flags.error();
    control.set_flags(*flags);
    return to_string(*flags);
  }
  constexpr std::string_view kSetMeter = "setmeter ";
  if (line.starts_with(kSetMeter))
    return set_meter(std::string(line.substr(kSetMeter.size())), control, std::move(given));
  return Error{
      fmt::format("a meter understands 'status', 'processes', 'stop', 'flags LIST' and 'setmeter', not '{}'", line)};
}

}  // namespace

std::string answer_request(std::string_view line, const MeterControl& control, UniqueFd given) {
  const auto done = perform(line, control, std::move(given));
  return one_line(done ? std::string(kOk) + *done : std::string(kError) + done.error().what);
}

Result<ControlServer> ControlServer::open(MeterControl control) {
  auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  const std::string name = meter_socket(static_cast<std::uint32_t>(::getpid()));
  auto socket = folder->listen(name, SOCK_STREAM);
  if (!socket) return socket.error();
  UniqueFd ready(::epoll_create1(EPOLL_CLOEXEC));
  if (!ready || !watch(ready.get(), socket->get())) return Error::from_errno("watch the meter's control socket");
  return ControlServer(std::move(control), *std::move(folder), name, *std::move(socket), std::move(ready));
}

ControlServer::ControlServer(MeterControl control, SocketFolder folder, std::string name, UniqueFd socket,
                             UniqueFd ready)
    : control_(std::move(control)),
      folder_(std::move(folder)),
      socket_name_(std::move(name)),
      socket_(std::move(socket)),
      ready_(std::move(ready)) {}

ControlServer::~ControlServer() {
  if (socket_) folder_.remove(socket_name_);
}

void ControlServer::handle() {
  std::array<epoll_event, kControlClientsMax + 1> events = {};
  const int count = ::epoll_wait(ready_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    if (fd == socket_.get()) continue;
    const auto client = std::find_if(clients_.begin(), clients_.end(),
                                     [fd](const auto& candidate) { return candidate.connection.get() == fd; });
    if (client != clients_.end() && !serve(*client)) clients_.erase(client);
  }
  // Last, so that a descriptor number that has just become free is not mistaken for its old client.
  for (int i = 0; i < count; ++i) {
    if (events[static_cast<std::size_t>(i)].data.fd == socket_.get()) accept_client();
  }
}

void ControlServer::accept_client() {
  UniqueFd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!connection || !peer_of(connection.get()).may_ask()) return;
  if (clients_.size() == kControlClientsMax) clients_.pop_front();
  if (watch(ready_.get(), connection.get())) clients_.push_back({std::move(connection), "", {}});
}

bool ControlServer::serve(Client& client) const {
  auto packet = receive_packet(client.connection.get());
  if (!packet) return true;
  if (packet->bytes.empty()) return false;
  client.pending.append(reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size());
  if (!packet->descriptors.empty()) client.given = std::move(packet->descriptors.front());
  for (auto end = client.pending.find('\n'); end != std::string::npos; end = client.pending.find('\n')) {
    const std::string line = client.pending.substr(0, end);
    client.pending.erase(0, end + 1);
    if (line.size() > kLineMax || !is_text(line)) return false;
    const std::string answer = answer_request(line, control_, std::move(client.given)) + "\n";
    const ssize_t sent = ::send(client.connection.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(answer.size())) return false;
  }
  return client.pending.size() <= kLineMax && is_text(client.pending);
}

namespace {

UniqueFd connect_to_meter(const KeptProgram& program) {
  for (const auto& folder : SocketFolder::about(program.user)) {
    UniqueFd meter = folder.connect(meter_socket(program.meter_pid), SOCK_STREAM);
    if (meter) return meter;
  }
  return UniqueFd();
}

// The line without its newline; empty if none came.
std::string receive_line(int connection) {
  std::string line;
  char part[1024];
  ssize_t length = 0;
  while ((length = ::recv(connection, part, sizeof part, 0)) > 0 || (length < 0 && errno == EINTR)) {
    if (length > 0) line.append(part, static_cast<std::size_t>(length));
    if (line.ends_with('\n')) return line.substr(0, line.size() - 1);
  }
  return "";
}

}  // namespace

Result<std::string> ask_meter(std::uint32_t pid, const std::string& request, int given) {
  const auto program = look_up_program(pid);
  if (!program) return program.error();
  return ask_meter(*program, request, given);
}

Result<std::string> ask_meter(const KeptProgram& program, const std::string& request, int given) {
  if (request.size() > ControlServer::kLineMax || !is_text(request))
    return Error{fmt::format("ask a meter: a request is one line of at most {} bytes", ControlServer::kLineMax)};
  const std::string described = fmt::format("{} ({})", program.pid, program.command);
  if (program.meter_pid == 0)
    return Error{
        fmt::format("program {} is not metered at the moment (its keeper, process {}, lets its calls pass): dpm "
                    "acquire meters it again",
                    described, program.keeper_pid)};
  const std::string meter = fmt::format("the meter of {}, process {}", described, program.meter_pid);
  const UniqueFd connection = connect_to_meter(program);
  const std::string line = request + "\n";
  const auto with_it = std::span(&given, given < 0 ? 0 : 1);
  if (!connection || !send_packet(connection.get(), std::as_bytes(std::span(line)), with_it))
    return Error{fmt::format("ask {}: it cannot be reached", meter)};
  const std::string answer = receive_line(connection.get());
  if (answer.starts_with(kOk)) return answer.substr(kOk.size());
  if (answer.starts_with(kError)) return Error{answer.substr(kError.size())};
  return Error{fmt::format("ask {}: it does not answer", meter)};
}

}  // namespace dpm
