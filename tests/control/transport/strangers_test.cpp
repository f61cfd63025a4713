// Processes that are not meters of this filter: the port is open to all, but a stranger learns nothing from it, keeps no
// meter away and does not end it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>

#include "control/transport/frames/meter_frames.hpp"
#include "control/transport/frames/preamble.hpp"
#include "control/transport/tls/tls_stream.hpp"
#include "model/random.hpp"
#include "os/random.hpp"
#include "tests/control/transport/live_path.hpp"

namespace dpm::test {
namespace {

using namespace std::chrono_literals;

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd waiting = {socket, POLLOUT, 0};
    ::poll(&waiting, 1, 10'000);
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool is_closed(int socket) {
  return eventually([&] {
    char byte = 0;
    const ssize_t got = ::recv(socket, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  });
}

const MeterScope kRed = {"red", kJob};

std::string preamble_of(const FilterAddress& address, const MeterScope& scope, const std::string& identity) {
  Nonce nonce;
  REQUIRE(draw_random(nonce));
  return make_preamble(identity, meter_key(address.secret, identity_of(scope)).value(), nonce).value();
}

// Proves the key of `scope`; then offers an identity with the key of `keyed`, as far as the handshake gets.
struct Stranger {
  explicit Stranger(const FilterAddress& address, const MeterScope& scope = kRed)
      : Stranger(address, scope, identity_of(scope), scope) {}
  Stranger(const FilterAddress& address, const MeterScope& scope, const std::string& offered, const MeterScope& keyed)
      : context(TlsContext::client(offered, meter_key(address.secret, identity_of(keyed)).value()).value()),
        tls(asio::ip::tcp::socket(io, asio::ip::tcp::v4(), connect_plain(address.port).release()), context.asio()) {
    send_all(tls.next_layer().native_handle(), preamble_of(address, scope, identity_of(scope)));
  }
  bool shake_hands() {
    AsioError failed;
    tls.handshake(asio::ssl::stream_base::client, failed);
    return !failed;
  }
  void send(std::string_view bytes) {
    AsioError failed;
    asio::write(tls, asio::buffer(bytes), failed);
  }
  bool is_dropped() {
    std::array<char, 1000> bytes;
    AsioError failed;
    while (!failed) tls.read_some(asio::buffer(bytes), failed);
    return true;
  }
  asio::io_context io;
  TlsContext context;
  TlsStream tls;
};

// After whatever was tried, a meter is served as if nothing had been.
void check_unharmed(CollectorProcess& collector, const TemporaryFolder& folder, std::uint64_t lost = 0) {
  LinkedMeter red(collector.address(), "red", 1, patient(folder));
  red.record(1000);
  const auto report = red.end();
  CHECK(report.confirmed == 1000);
  collector.stop();
  const auto stream = collector.stream();
  CHECK(stream.count == 1000);
  CHECK(counts_from_zero(stream));
  CHECK(stream.lost() == lost);
}

TEST_CASE("meter path: a wrong secret is refused", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  auto wrong = collector.address();
  wrong.secret = new_secret().value();
  Stranger stranger(wrong);
  CHECK_FALSE(stranger.shake_hands());
  auto options = patient(folder);
  options.end_wait = Duration::from_seconds(.3);
  LinkedMeter meter(wrong, "green", 2, options);
  meter.record(10);
  const auto report = meter.end();
  CHECK(report.confirmed == 0);
  CHECK(report.left == 10);
  CHECK_FALSE(report.problem.empty());
  CHECK(collector.reports([](const auto& delivered) { return delivered.refused.not_authenticated >= 2; }));
  check_unharmed(collector, folder);
  CHECK(collector.report().meters.size() == 1);
}

TEST_CASE("meter path: the key of a machine and job is of no use for another", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  const MeterScope green = {"green", kJob};
  for (const auto& offered : {identity_of(kRed), identity_of({"green", "other"}), std::string("dpm meter"),
                              std::string("dpm meter "), std::string("dpm meter /job"), std::string(700, 'x')})
    CHECK_FALSE(Stranger(collector.address(), green, offered, green).shake_hands());
  {
    const auto stranger = connect_plain(collector.port());
    send_all(stranger.get(), preamble_of(collector.address(), green, identity_of(kRed)));
    CHECK(is_closed(stranger.get()));
  }
  // With the keys of two, one after the other: the client's handshake ends before the filter looks.
  {
    Stranger stranger(collector.address(), green, identity_of(kRed), kRed);
    (void)stranger.shake_hands();
    CHECK(stranger.is_dropped());
  }
  // With its own key, but in another's name.
  for (const bool is_named : {false, true}) {
    Stranger stranger(collector.address(), green);
    REQUIRE(stranger.shake_hands());
    std::string bytes;
    wire::append_meter_frame(
        bytes, wire::Hello{wire::kMeterVersion, wire::MeterKey{{7}}, {is_named ? "green" : "red", 1, kJob, "a"}, 0});
    LittleMeter red("red", 1);
    TableSizes told;
    wire::append_meter_frame(bytes, wire::Names{0, to_names(red.growth(), told).at(0)});
    stranger.send(bytes);
    CHECK(stranger.is_dropped());
  }
  CHECK(collector.reports([](const auto& report) { return report.refused.other_machine == 2; }));
  // One was known as a meter of green, and what it recorded never came.
  check_unharmed(collector, folder, 1);
}

TEST_CASE("meter path: garbage, half of a handshake and silence are dropped, counted, and disturb no meter",
          "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream, {300ms, 300ms, 8, 8});
  Random random(1);
  std::string garbage(100'000, '\0');
  for (char& byte : garbage) byte = static_cast<char>(random.next());
  for (const auto& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), garbage, std::string("\x16\x03\x01\xff\xff\x01", 6) + garbage}) {
    const auto socket = connect_plain(collector.port());
    send_all(socket.get(), bytes);
    CHECK(is_closed(socket.get()));
  }
  // Half of a preamble, nothing at all, and half of a handshake.
  const auto half = connect_plain(collector.port()), silent = connect_plain(collector.port()),
             halting = connect_plain(collector.port());
  const std::string preamble = preamble_of(collector.address(), kRed, identity_of(kRed));
  send_all(half.get(), preamble.substr(0, preamble.size() - 1));
  send_all(halting.get(), preamble + std::string("\x16\x03\x01\x01\x00\x01", 6));
  for (const int socket : {half.get(), silent.get(), halting.get()}) CHECK(is_closed(socket));
  // With the secret, but never a word.
  Stranger mute(collector.address());
  CHECK(mute.shake_hands());
  CHECK(mute.is_dropped());
  CHECK(collector.reports(
      [](const auto& report) { return report.refused.not_authenticated >= 3 && report.refused.too_slow >= 4; }));
  check_unharmed(collector, folder);
}

TEST_CASE("meter path: many connections that never authenticate make room for a meter", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream, {60'000ms, 60'000ms, 8, 8});
  std::vector<UniqueFd> knocking;
  for (int i = 0; i < 50; ++i) knocking.push_back(connect_plain(collector.port()));
  CHECK(collector.reports([](const auto& report) { return report.refused.too_many >= 40; }));
  check_unharmed(collector, folder);
}

TEST_CASE("meter path: a proof is believed once, byte by byte or at once", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream, {60'000ms, 60'000ms, 8, 8});
  const std::string identity = identity_of(kRed), preamble = preamble_of(collector.address(), kRed, identity);
  const auto open = connect_plain(collector.port());
  for (const char byte : preamble) send_all(open.get(), {&byte, 1});
  // Places of those that prove nothing are not its own.
  std::vector<UniqueFd> knocking;
  for (int i = 0; i < 50; ++i) knocking.push_back(connect_plain(collector.port()));
  CHECK(collector.reports([](const auto& report) { return report.refused.too_many >= 40; }));
  const auto replayed = connect_plain(collector.port());
  send_all(replayed.get(), preamble);
  CHECK(is_closed(replayed.get()));
  std::string wrong = preamble_of(collector.address(), kRed, identity);
  wrong.back() ^= 1;
  const auto stranger = connect_plain(collector.port());
  send_all(stranger.get(), wrong);
  CHECK(is_closed(stranger.get()));
  char byte = 0;
  CHECK((::recv(open.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN));
  check_unharmed(collector, folder);
}

TEST_CASE("meter path: with the secret but without the protocol a connection is dropped and counted", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  const auto framed = [](const wire::MeterFrame& frame) {
    std::string bytes;
    wire::append_meter_frame(bytes, frame);
    return bytes;
  };
  const std::string hello = framed(wire::Hello{wire::kMeterVersion, wire::MeterKey{{9}}, {"red", 9, "", ""}, 0});
  std::string other_version = framed(wire::Hello{wire::kMeterVersion + 1, wire::MeterKey{{8}}, {"red", 8, "", ""}, 0});
  const std::vector<std::string> tries = {"no frame at all",
                                          std::string("\xff\xff\xff\x7f\x01\x40\x00\x00", 8),
                                          other_version,
                                          framed(wire::Ack{}),
                                          framed(wire::Events{0, std::string(84, '\0')}),
                                          hello + hello,
                                          hello + framed(wire::Events{5, std::string(84, '\0')}),
                                          hello + framed(wire::Names{0, "{\"machines\": 7}"})};
  for (const auto& bytes : tries) {
    Stranger stranger(collector.address());
    REQUIRE(stranger.shake_hands());
    stranger.send(bytes);
    CHECK(stranger.is_dropped());
  }
  CHECK(collector.reports([&](const auto& report) { return report.refused.broken_protocol == tries.size(); }));
  // Half a frame, then gone.
  {
    Stranger stranger(collector.address());
    REQUIRE(stranger.shake_hands());
    stranger.send(hello.substr(0, 20));
  }
  LinkedMeter red(collector.address(), "red", 1, patient(folder));
  red.record(1000);
  CHECK(red.end().confirmed == 1000);
  collector.stop();
  CHECK(collector.stream().count == 1000);
}

TEST_CASE("meter path: overheard bytes cannot be sent again", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  // A proxy that remembers what a meter said.
  const auto listener = MeterConnections::listen({.loopback_only = true}).value();
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  auto through = collector.address();
  through.port = ntohs(address.sin_port);
  std::string said;
  std::atomic<bool> over{false};
  std::thread proxy([&] {
    pollfd knocking = {listener.get(), POLLIN, 0};
    ::poll(&knocking, 1, 60'000);
    const UniqueFd meter(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK)),
        there = connect_plain(collector.port());
    std::array<char, 10'000> bytes;
    while (!over) {
      std::array<pollfd, 2> waiting = {pollfd{meter.get(), POLLIN, 0}, pollfd{there.get(), POLLIN, 0}};
      ::poll(waiting.data(), waiting.size(), 20);
      for (const auto& [from, to] : {std::pair(meter.get(), there.get()), std::pair(there.get(), meter.get())}) {
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got <= 0) continue;
        if (from == meter.get()) said.append(bytes.data(), static_cast<std::size_t>(got));
        send_all(to, {bytes.data(), static_cast<std::size_t>(got)});
      }
    }
  });
  LinkedMeter red(through, "red", 7, patient(folder));
  red.record(500);
  CHECK(red.end().confirmed == 500);
  over = true;
  proxy.join();
  CHECK(said.find("program") == std::string::npos);  // nor could it be read
  const auto replay = connect_plain(collector.port());
  send_all(replay.get(), said);
  CHECK(is_closed(replay.get()));
  collector.stop();
  CHECK(collector.report().refused.not_authenticated == 1);
  CHECK(collector.stream().count == 500);
}

TEST_CASE("meter path: a false collector learns nothing", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess false_one(folder / "log", kKeepStream);
  const FilterAddress address = {{"127.0.0.1"}, false_one.port(), new_secret().value(), "", false, ""};
  auto options = patient(folder);
  options.end_wait = Duration::from_seconds(.3);
  LinkedMeter red(address, "red", 1, options);
  red.record(100);
  CHECK(red.end().left == 100);
  false_one.stop();
  CHECK(false_one.stream().count == 0);
}

}  // namespace
}  // namespace dpm::test
