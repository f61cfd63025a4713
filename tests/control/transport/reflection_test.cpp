// Bytes of an end of the meter path that come back to it, or to another end of the same kind: no handshake with oneself.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <utility>

#include "control/transport/frames/preamble.hpp"
#include "tests/control/transport/live_path.hpp"

namespace dpm::test {
namespace {

// Accepts connections of meters, and sends what it reads from one socket to the one that `join` names for it.
class Relay {
 public:
  struct Way {
    int from, to;
    std::size_t skipped;  // of the first bytes
  };
  // Gets a meter's socket. Returns the ways that exist from then on. It may keep sockets of its own in `opened`.
  using Join = std::function<std::vector<Way>(int meter, std::deque<UniqueFd>& opened)>;

  explicit Relay(Join join) : join_(std::move(join)), thread_([this] { run(); }) {}
  ~Relay() {
    is_over_ = true;
    thread_.join();
  }
  // The address of a filter, to which this leads.
  FilterAddress instead_of(FilterAddress filter) const {
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    filter.port = ntohs(address.sin_port);
    return filter;
  }
  std::size_t closed_ways() const { return closed_; }

 private:
  void run() {
    while (!is_over_) {
      pollfd waiting = {listener_.get(), POLLIN, 0};
      ::poll(&waiting, 1, 5);
      UniqueFd meter(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (meter) {
        const int fd = meter.get();
        opened_.push_back(std::move(meter));
        const auto added = join_(fd, opened_);
        ways_.insert(ways_.end(), added.begin(), added.end());
      }
      std::erase_if(ways_, [this](Way& way) { return !carry(way); });
    }
  }
  // False: an end has closed its connection.
  bool carry(Way& way) {
    std::array<char, 10'000> bytes;
    const ssize_t got = ::recv(way.from, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      ::shutdown(way.from, SHUT_RDWR);
      ::shutdown(way.to, SHUT_RDWR);
      ++closed_;
      return false;
    }
    const auto all = static_cast<std::size_t>(got), skipped = std::min(all, way.skipped);
    way.skipped -= skipped;
    // Few bytes: they fit into the socket's buffer.
    (void)!::send(way.to, bytes.data() + skipped, all - skipped, MSG_NOSIGNAL | MSG_DONTWAIT);
    return true;
  }

  Join join_;
  UniqueFd listener_ = MeterConnections::listen({.loopback_only = true}).value();
  std::deque<UniqueFd> opened_;
  std::vector<Way> ways_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::size_t> closed_{0};
  std::thread thread_;  // the last member: it uses the others
};

MeterLinkOptions impatient(const TemporaryFolder& folder, const std::string& name) {
  MeterLinkOptions options;
  options.folder = folder / name;
  options.end_wait = Duration::from_seconds(.3);
  return options;
}

std::size_t preamble_bytes() { return kPreambleHeadBytes + identity_of({"red", kJob}).size(); }

TEST_CASE("meter path: through a relay that leads both ways, a meter is served", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  const Relay relay([&](int meter, std::deque<UniqueFd>& opened) {
    opened.push_back(connect_plain(collector.port()));
    const int filter = opened.back().get();
    return std::vector<Relay::Way>{{meter, filter, 0}, {filter, meter, 0}};
  });
  LinkedMeter red(relay.instead_of(collector.address()), "red", 1, patient(folder));
  red.record(100);
  CHECK(red.end().confirmed == 100);
}

TEST_CASE("meter path: a meter refuses its own bytes", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  const std::size_t skipped = GENERATE(0, 1) * preamble_bytes();
  const Relay relay([&](int meter, std::deque<UniqueFd>&) { return std::vector<Relay::Way>{{meter, meter, skipped}}; });
  LinkedMeter red(relay.instead_of(collector.address()), "red", 1, impatient(folder, "spool"));
  red.record(100);
  CHECK(eventually([&] { return relay.closed_ways() >= 1; }));  // it hung up
  const auto report = red.end();
  CHECK(report.confirmed == 0);
  CHECK(report.left == 100);
}

TEST_CASE("meter path: a meter refuses the bytes of another meter of the same machine and job", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  int alone = -1;
  const Relay relay([&](int meter, std::deque<UniqueFd>&) {
    const int other = std::exchange(alone, alone < 0 ? meter : -1);
    if (other < 0) return std::vector<Relay::Way>{};
    return std::vector<Relay::Way>{{meter, other, preamble_bytes()}, {other, meter, preamble_bytes()}};
  });
  const auto address = relay.instead_of(collector.address());
  LinkedMeter first(address, "red", 1, impatient(folder, "first")),
      second(address, "red", 2, impatient(folder, "second"));
  for (auto* meter : {&first, &second}) meter->record(100);
  CHECK(eventually([&] { return relay.closed_ways() >= 2; }));
  for (auto* meter : {&first, &second}) {
    const auto report = meter->end();
    CHECK(report.confirmed == 0);
    CHECK(report.left == 100);
  }
}

TEST_CASE("meter path: a filter refuses its own bytes", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  const Relay relay([&](int meter, std::deque<UniqueFd>& opened) {
    opened.push_back(connect_plain(collector.port()));
    const int filter = opened.back().get();
    // What a meter says makes the filter speak; it hears itself then.
    return std::vector<Relay::Way>{{meter, filter, 0}, {filter, filter, 0}};
  });
  LinkedMeter red(relay.instead_of(collector.address()), "red", 1, impatient(folder, "spool"));
  red.record(100);
  CHECK(collector.reports([](const auto& report) { return report.refused.not_authenticated >= 1; }));
  CHECK(red.end().confirmed == 0);
  collector.stop();
  CHECK(collector.stream().count == 0);
}

}  // namespace
}  // namespace dpm::test
