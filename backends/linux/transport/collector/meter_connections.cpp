#include "backends/linux/transport/collector/meter_connections.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace dpm {
namespace {

constexpr std::size_t kReadAtOnce = 64 * 1024;  // of one connection, before it is another one's turn
constexpr int kBacklog = 256;

Result<UniqueFd> listen_on(const sockaddr* address, socklen_t size, bool both_families) {
  UniqueFd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno("make a socket for meters");
  const int off = 0;
  if (both_families) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return Error::from_errno("listen for meters");
  return socket;
}

void notice_silence(int socket) {
  const int on = 1, idle_s = 30, pause_s = 10, tries = 3;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &pause_s, sizeof pause_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
}

}  // namespace

Result<UniqueFd> MeterConnections::listen(bool loopback_only) {
  sockaddr_in loopback = {};
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
  if (!loopback_only) {
    sockaddr_in6 any = {};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    auto socket = listen_on(reinterpret_cast<sockaddr*>(&any), sizeof any, true);
    if (socket) return socket;  // without IPv6 in the kernel: IPv4 alone
  }
  return listen_on(reinterpret_cast<sockaddr*>(&loopback), sizeof loopback, false);
}

MeterConnections::MeterConnections(UniqueFd listener, TlsContext tls, ConnectionLimits limits, MergedStream& stream)
    : listener_(std::move(listener)), tls_(std::move(tls)), limits_(limits), stream_(stream) {}

std::uint16_t MeterConnections::port() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  DPM_CHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

void MeterConnections::add_to(std::vector<pollfd>& waiting, bool may_read) const {
  if (listener_) waiting.push_back({listener_.get(), POLLIN, 0});
  for (const auto& connection : connections_) {
    short events = may_read || !connection.authenticated ? POLLIN : 0;
    if (connection.wants_write) events |= POLLOUT;
    // A connection that has ended would be announced for ever, also to who does not ask.
    if (events != 0) waiting.push_back({connection.tls.fd(), events, 0});
  }
}

std::chrono::milliseconds MeterConnections::due(bool may_read) const {
  auto due = std::chrono::milliseconds(60'000);
  const auto now = Clock::now();
  for (const auto& connection : connections_) {
    if (may_read && connection.authenticated && connection.unread) return std::chrono::milliseconds(0);
    if (connection.meter) continue;
    due = std::min(due, std::chrono::ceil<std::chrono::milliseconds>(connection.greeting_due - now));
  }
  return std::max(due, std::chrono::milliseconds(0));
}

void MeterConnections::serve(bool may_read) {
  accept_all();
  const auto now = Clock::now();
  for (auto& connection : connections_) {
    if (!connection.authenticated && !connection.broken) shake_hands(connection);
    if (connection.authenticated && !connection.broken && may_read) read(connection);
    if (!connection.meter && !connection.broken && now >= connection.greeting_due) {
      ++refused_.too_slow;
      connection.broken = true;
    }
  }
}

void MeterConnections::answer_all() {
  for (auto& connection : connections_) {
    if (connection.authenticated && !connection.broken) answer(connection);
    if (connection.authenticated && !connection.broken) write(connection);
  }
  connections_.remove_if([](const Connection& connection) { return connection.broken; });
}

void MeterConnections::accept_all() {
  while (listener_) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Without a descriptor for it, it would be announced for ever: somebody has to go.
      if (errno == EMFILE || errno == ENFILE) make_room();
      return;
    }
    notice_silence(socket.get());
    const auto knocking = std::count_if(connections_.begin(), connections_.end(),
                                        [](const auto& connection) { return !connection.authenticated; });
    if (static_cast<std::size_t>(knocking) >= limits_.unauthenticated_max) make_room();
    connections_.emplace_back(tls_, std::move(socket), Clock::now() + limits_.greeting);
  }
}

// The oldest of those who have not shown that they have the secret goes: who has it shows that at once.
void MeterConnections::make_room() {
  const auto oldest = std::find_if(connections_.begin(), connections_.end(),
                                   [](const auto& connection) { return !connection.authenticated; });
  if (oldest == connections_.end()) return;
  ++refused_.too_many;
  connections_.erase(oldest);
}

void MeterConnections::shake_hands(Connection& connection) {
  const TlsStatus status = connection.tls.handshake();
  connection.wants_write = status == TlsStatus::wants_write;
  connection.authenticated = status == TlsStatus::done;
  connection.broken = status == TlsStatus::failed || status == TlsStatus::closed;
  if (connection.broken) ++refused_.not_authenticated;
}

void MeterConnections::read(Connection& connection) {
  std::array<char, 16 * 1024> bytes;
  connection.unread = false;
  for (std::size_t taken = 0; !connection.broken;) {
    const auto got = connection.tls.read(bytes);
    if (got.status == TlsStatus::failed || got.status == TlsStatus::closed) connection.broken = true;
    if (got.status != TlsStatus::done) return;
    taken += got.bytes;
    connection.frames.feed({bytes.data(), got.bytes});
    while (true) {
      auto frame = connection.frames.next();
      if (frame && !frame->has_value()) break;
      if (frame && take(connection, *std::move(*frame))) continue;
      ++refused_.broken_protocol;
      connection.broken = true;
      return;
    }
    if (taken >= kReadAtOnce) {
      connection.unread = true;
      return;
    }
  }
}

Result<void> MeterConnections::take(Connection& connection, Frame frame) {
  auto parsed = wire::parse_meter_frame(std::move(frame));
  if (!parsed) return parsed.error();
  if (const auto* hello = std::get_if<wire::Hello>(&*parsed)) {
    if (connection.meter) return Error{"it says twice who it is"};
    meet(connection, *hello);
    return {};
  }
  if (!connection.meter) return Error{"it does not say who it is"};
  return stream_.take(*connection.meter, *std::move(parsed));
}

void MeterConnections::meet(Connection& connection, const wire::Hello& hello) {
  const auto met = stream_.meet(hello);
  // One connection for a meter: an older one is broken, and only we have not noticed.
  for (auto& other : connections_)
    if (other.meter == met.meter) other.broken = true;
  connection.meter = met.meter;
  connection.acked = {met.resume.names_passed, met.resume.events_passed, false};
  wire::append_meter_frame(connection.out, met.resume);
}

void MeterConnections::answer(Connection& connection) {
  if (!connection.meter) return;
  if (!stream_.why_gone().empty() && !std::exchange(connection.told_gone, true))
    wire::append_meter_frame(connection.out, wire::FilterGone{stream_.why_gone()});
  const wire::Ack ack = stream_.ack(*connection.meter);
  const bool is_new = ack.names > connection.acked.names || ack.events > connection.acked.events ||
                      (ack.over && !connection.acked.over);
  if (!is_new) return;
  connection.acked = ack;
  wire::append_meter_frame(connection.out, ack);
}

void MeterConnections::write(Connection& connection) {
  connection.wants_write = false;
  while (connection.sent < connection.out.size()) {
    const auto written = connection.tls.write(std::string_view(connection.out).substr(connection.sent));
    connection.sent += written.bytes;
    if (written.status == TlsStatus::done) continue;
    connection.wants_write = written.status == TlsStatus::wants_write;
    connection.broken = written.status == TlsStatus::failed || written.status == TlsStatus::closed;
    return;
  }
  connection.out.clear();
  connection.sent = 0;
}

bool MeterConnections::has_open_meters() const {
  return std::any_of(connections_.begin(), connections_.end(), [this](const auto& connection) {
    return connection.meter && !stream_.has_ended(*connection.meter);
  });
}

bool MeterConnections::has_unsaid() const {
  return std::any_of(connections_.begin(), connections_.end(), [](const auto& c) { return !c.out.empty(); });
}

bool MeterConnections::is_connected(std::uint32_t meter) const {
  return std::any_of(connections_.begin(), connections_.end(), [meter](const auto& c) { return c.meter == meter; });
}

}  // namespace dpm
