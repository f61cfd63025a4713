#include "control/transport/collector/meter_connections.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <utility>

#include "control/transport/collector/fair_places.hpp"
#include "control/transport/collector/meter_entrance.hpp"
#include "control/transport/frames/frame.hpp"
#include "control/transport/tls/tls_stream.hpp"
#include "os/net/listener.hpp"

namespace dpm {
namespace {

constexpr std::size_t kReadPiece = 16 * 1024;  // one TLS record
constexpr int kBacklog = 4096;  // a flood fills it while the collector is busy: then the kernel drops connections

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

// At most two coroutines for each connection: one reads, one writes while there is something to send.
class MeterConnections::Work : public std::enable_shared_from_this<Work> {
 public:
  Work(asio::io_context& context, TlsContext::FindKey find_key, TlsContext tls, ConnectionLimits limits,
       MergedStream& stream, Handlers handlers)
      : context_(context),
        tls_(std::move(tls)),
        limits_(limits),
        stream_(stream),
        handlers_(std::move(handlers)),
        entrance_(context, {limits.preamble, limits.unproved_max},
                  {std::move(find_key), [this](MeterEntrance::Proved proved) { begin(std::move(proved)); },
                   [this](MeterEntrance::Refusal why) {
                     ++(refused_.*why);
                     if (!abandoned_) handlers_.on_change();
                   }}),
        greeting_(limits.greeting_max),
        resumed_(context) {
    resumed_.expires_at(asio::steady_timer::time_point::max());
  }

  void listen(UniqueFd socket) {
    listener_.emplace(
        context_, std::move(socket), [this](UniqueFd knocking) { accept(std::move(knocking)); },
        [this] { make_room(); });
  }
  void stop_listening() { listener_.reset(); }
  int listener_fd() const { return listener_ ? listener_->fd() : -1; }

  void accept(UniqueFd socket) { entrance_.accept(std::move(socket)); }

  void abandon() {
    abandoned_ = true;
    listener_.reset();
    entrance_.drop_all();
    while (!connections_.empty()) drop(*connections_.front());
    resume();
  }

  void resume() { resumed_.cancel(); }

  void answer_all() {
    for (const auto& connection : connections_) answer(connection);
  }

  template <typename Condition>
  bool any(Condition condition) const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [&](const auto& connection) { return condition(*connection); });
  }
  bool has_ended(std::uint32_t meter) const { return stream_.has_ended(meter); }
  const RefusedConnections& refused() const { return refused_; }

  struct Connection {
    Connection(asio::io_context& context, TlsContext& tls, MeterEntrance::Proved proved, std::uint64_t its_number)
        : stream(asio::ip::tcp::socket(context, asio::ip::tcp::v6(), proved.socket.release()), tls.asio()),
          identity(std::move(proved.identity)),
          network(std::move(proved.network)),
          number(its_number),
          frames(wire::kMeterFrameBodyBytesMax),
          greeting(context) {}
    TlsStream stream;
    const std::string identity, network;
    const std::uint64_t number;
    FrameReader frames;
    Timer greeting;  // runs until the meter is known
    bool dropped = false, told_gone = false, writing = false;
    bool has_other_machine = false;  // spoke for one
    std::optional<std::uint32_t> meter;
    std::string out;  // being written
    wire::Ack acked;
  };
  using Shared = std::shared_ptr<Connection>;

 private:
  // No descriptor is left.
  void make_room() {
    if (!entrance_.make_room()) drop_number(greeting_.evict());
  }

  void drop_number(std::optional<FairPlaces::Number> number) {
    const auto found = std::find_if(connections_.begin(), connections_.end(),
                                    [&](const auto& connection) { return connection->number == number; });
    if (found == connections_.end()) return;
    ++refused_.too_many;
    const Shared kept = *found;
    drop(*kept);
  }

  void begin(MeterEntrance::Proved proved) {
    notice_silence(proved.socket.get());
    const auto connection =
        connections_.emplace_back(std::make_shared<Connection>(context_, tls_, std::move(proved), ++last_number_));
    connection->greeting.start(limits_.greeting, [this, connection = connection.get()] {
      ++refused_.too_slow;
      drop(*connection);
    });
    drop_number(greeting_.enter(connection->number, connection->identity));
    spawn(context_, converse(shared_from_this(), connection));
  }

  void drop(Connection& connection) {
    if (std::exchange(connection.dropped, true)) return;
    connection.greeting.cancel();
    greeting_.leave(connection.number);
    AsioError ignored;
    connection.stream.lowest_layer().close(ignored);
    connections_.remove_if([&](const auto& other) { return other.get() == &connection; });
    if (!abandoned_) handlers_.on_change();
  }

  asio::awaitable<void> converse([[maybe_unused]] std::shared_ptr<Work> self, Shared connection) {
    const std::string stranger = co_await shake_hands(connection->stream, TlsRole::server);
    const bool is_proved = stranger.empty() && proved_identity(connection->stream) == connection->identity;
    if (!is_proved && !connection->dropped) ++refused_.not_authenticated;
    if (!is_proved) drop(*connection);
    if (is_proved) entrance_.note_meter(connection->network);
    std::array<char, kReadPiece> bytes;
    while (!connection->dropped) {
      if (!handlers_.may_read()) {
        AsioError ignored;
        co_await resumed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      AsioError failed;
      const std::size_t length = co_await connection->stream.async_read_some(
          asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, failed));
      if (failed) drop(*connection);
      if (!connection->dropped) take_bytes(*connection, {bytes.data(), length});
    }
  }

  void take_bytes(Connection& connection, std::string_view bytes) {
    connection.frames.feed(bytes);
    while (!connection.dropped) {
      auto frame = connection.frames.next();
      if (frame && !frame->has_value()) break;
      if (frame && take(connection, *std::move(*frame))) continue;
      ++(connection.has_other_machine ? refused_.other_machine : refused_.broken_protocol);
      drop(connection);
    }
    handlers_.on_change();
  }

  Result<void> take(Connection& connection, Frame frame) {
    auto parsed = wire::parse_meter_frame(std::move(frame));
    if (!parsed) return parsed.error();
    if (const auto* hello = std::get_if<wire::Hello>(&*parsed)) {
      if (connection.meter) return Error{"it identifies itself twice"};
      return meet(connection, *hello);
    }
    if (!connection.meter) return Error{"it does not identify itself"};
    auto taken = stream_.take(*connection.meter, *std::move(parsed));
    connection.has_other_machine = stream_.has_other_machine(*connection.meter);
    return taken;
  }

  Result<void> meet(Connection& connection, const wire::Hello& hello) {
    const auto scope = scope_from(connection.identity).value_or(MeterScope());
    const auto result = stream_.register_meter(hello, scope);
    if (!result) {
      connection.has_other_machine = true;
      return result.error();
    }
    const auto& registered = *result;
    connection.greeting.cancel();
    greeting_.leave(connection.number);
    // A meter has one connection: an older one is broken, and we have not noticed yet.
    const auto older = std::find_if(connections_.begin(), connections_.end(),
                                    [&](const auto& other) { return other->meter == registered.meter; });
    if (older != connections_.end()) drop(**older);
    connection.meter = registered.meter;
    connection.acked = {registered.resume.names_passed, registered.resume.events_passed, false};
    wire::append_meter_frame(connection.out, registered.resume);
    return {};
  }

  void answer(const Shared& connection) {
    if (connection->dropped || connection->writing || !fill(*connection)) return;
    connection->writing = true;
    spawn(context_, write(shared_from_this(), connection));
  }

  // Puts into `out` what is to be sent. True if there is something.
  bool fill(Connection& connection) {
    if (!connection.meter) return false;
    if (!stream_.why_gone().empty() && !std::exchange(connection.told_gone, true))
      wire::append_meter_frame(connection.out, wire::FilterGone{stream_.why_gone()});
    const wire::Ack ack = stream_.ack(*connection.meter);
    const bool is_new = ack.names > connection.acked.names || ack.events > connection.acked.events ||
                        (ack.over && !connection.acked.over);
    if (is_new) {
      connection.acked = ack;
      wire::append_meter_frame(connection.out, ack);
    }
    return !connection.out.empty();
  }

  asio::awaitable<void> write([[maybe_unused]] std::shared_ptr<Work> self, Shared connection) {
    while (!connection->dropped) {
      AsioError failed;
      co_await asio::async_write(connection->stream, asio::buffer(connection->out),
                                 asio::redirect_error(asio::use_awaitable, failed));
      connection->out.clear();
      if (failed) drop(*connection);
      if (connection->dropped || !fill(*connection)) break;
    }
    connection->writing = false;
    if (!abandoned_) handlers_.on_change();
  }

  asio::io_context& context_;
  TlsContext tls_;
  ConnectionLimits limits_;
  MergedStream& stream_;
  Handlers handlers_;
  std::optional<Listener> listener_;
  std::list<Shared> connections_;  // the oldest first
  RefusedConnections refused_;
  MeterEntrance entrance_;
  FairPlaces greeting_;  // connections from the preamble to Hello, by identity
  std::uint64_t last_number_ = 0;
  asio::steady_timer resumed_;  // never due: cancelled by resume()
  bool abandoned_ = false;
};

namespace {

Result<UniqueFd> listen_at(bool loopback_only, std::uint16_t port) {
  sockaddr_in loopback = {};
  loopback.sin_family = AF_INET;
  loopback.sin_port = htons(port);
  loopback.sin_addr.s_addr = htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
  if (!loopback_only) {
    sockaddr_in6 any = {};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(port);
    any.sin6_addr = in6addr_any;
    auto socket = listen_on(reinterpret_cast<sockaddr*>(&any), sizeof any, true);
    if (socket) return socket;  // the kernel may lack IPv6: then IPv4 only
  }
  return listen_on(reinterpret_cast<sockaddr*>(&loopback), sizeof loopback, false);
}

}  // namespace

Result<UniqueFd> MeterConnections::listen(const Place& place) {
  Result<UniqueFd> socket = listen_at(place.loopback_only, place.port_first);
  for (unsigned port = place.port_first + 1U; !socket && port <= place.port_last; ++port)
    socket = listen_at(place.loopback_only, static_cast<std::uint16_t>(port));
  if (socket || place.port_first == 0) return socket;
  const std::string last = place.port_last == place.port_first ? "" : fmt::format("-{}", place.port_last);
  return Error{fmt::format("--port {}{}: {}", place.port_first, last, socket.error().what)};
}

MeterConnections::MeterConnections(asio::io_context& context, UniqueFd listener, TlsContext::FindKey find_key,
                                   TlsContext tls, ConnectionLimits limits, MergedStream& stream, Handlers handlers)
    : work_(std::make_shared<Work>(context, std::move(find_key), std::move(tls), limits, stream, std::move(handlers))) {
  if (listener) work_->listen(std::move(listener));
}

MeterConnections::~MeterConnections() { work_->abandon(); }

void MeterConnections::accept(UniqueFd connection) { work_->accept(std::move(connection)); }

std::uint16_t MeterConnections::port() const {
  if (work_->listener_fd() < 0) return 0;
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  DPM_CHECK(::getsockname(work_->listener_fd(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

void MeterConnections::resume() { work_->resume(); }
void MeterConnections::answer_all() { work_->answer_all(); }
void MeterConnections::stop_listening() { work_->stop_listening(); }

bool MeterConnections::has_open_meters() const {
  return work_->any([this](const auto& c) { return c.meter && !work_->has_ended(*c.meter); });
}

bool MeterConnections::has_unsaid() const {
  return work_->any([](const auto& c) { return c.writing; });
}

bool MeterConnections::is_connected(std::uint32_t meter) const {
  return work_->any([meter](const auto& c) { return c.meter == meter; });
}

const RefusedConnections& MeterConnections::refused() const { return work_->refused(); }

}  // namespace dpm
