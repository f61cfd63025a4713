// The whole way, with the real standard filter: a million events, connections that break, disks that are full, and
// processes that are killed.
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>

#include "model/random.hpp"
#include "tests/control/transport/live_path.hpp"
#include "tests/support/sanitizer.hpp"

namespace dpm::test {
namespace {

const std::vector<std::string> kStandardFilter = standard_filter(DPM_PROGRAM, "", "");

// A wire that can be cut: it passes on bytes from its port to another, until the test breaks it.
class Wire {
 public:
  explicit Wire(std::uint16_t to)
      : to_(to), listener_(MeterConnections::listen({.loopback_only = true}).value()), thread_([this] { run(); }) {}
  ~Wire() {
    over_ = true;
    thread_.join();
  }
  std::uint16_t port() const {
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    return ntohs(address.sin_port);
  }
  void cut() { cut_ = true; }
  void set_down(bool down) { down_ = down; }
  std::uint64_t cuts() const { return cuts_; }

 private:
  struct Pair {
    UniqueFd near, far;
    std::string out, back;  // read and not yet written
  };

  void run() {
    std::vector<Pair> pairs;
    while (!over_) {
      std::vector<pollfd> waiting = {{down_ ? -1 : listener_.get(), POLLIN, 0}};
      for (const auto& pair : pairs)
        for (const int fd : {pair.near.get(), pair.far.get()}) waiting.push_back({fd, POLLIN, 0});
      ::poll(waiting.data(), waiting.size(), 5);
      if (cut_.exchange(false) || down_) {
        cuts_ += pairs.size();
        pairs.clear();
      }
      if (!down_ && waiting[0].revents != 0) {
        UniqueFd near(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        UniqueFd far = connect_plain(to_);
        if (near && far) pairs.push_back({std::move(near), std::move(far), {}, {}});
      }
      std::erase_if(pairs, [this](Pair& pair) {
        return !carry(pair.near.get(), pair.far.get(), pair.out) || !carry(pair.far.get(), pair.near.get(), pair.back);
      });
    }
  }
  static bool carry(int from, int to, std::string& under_way) {
    std::array<char, 65536> bytes;
    while (true) {
      if (under_way.empty()) {
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        under_way.assign(bytes.data(), static_cast<std::size_t>(got));
      }
      const ssize_t sent = ::send(to, under_way.data(), under_way.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN;
      under_way.erase(0, static_cast<std::size_t>(sent));
    }
  }

  std::uint16_t to_;
  UniqueFd listener_;
  std::atomic<bool> over_{false}, cut_{false}, down_{false};
  std::atomic<std::uint64_t> cuts_{0};
  std::thread thread_;
};

ReadBack trace_of(const CollectorProcess& collector, Ledger& ledger) {
  auto reader = TraceReader::open(collector.log() + "/trace").value();
  auto back = read_back(reader);
  ledger = reader.ledger();
  return back;
}

TEST_CASE("meter path: a million events, and the ledger is exact", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kStandardFilter);
  const std::size_t each = fewer_if_sanitized(500'000, 50'000, "events of each meter");
  std::array<LinkReport, 2> reports;
  std::vector<std::thread> meters;
  for (std::uint32_t i = 0; i < 2; ++i) {
    meters.emplace_back([&, i] {
      LinkedMeter meter(collector.address(), i == 0 ? "red" : "green", i, patient(folder));
      meter.record(each);
      reports[i] = meter.end();
    });
  }
  for (auto& meter : meters) meter.join();
  for (const auto& report : reports) CHECK(report.confirmed == each);
  collector.stop();
  Ledger ledger;
  const auto back = trace_of(collector, ledger);
  CHECK(back.events.size() == 2 * each);
  CHECK(ledger.seen == 2 * each);
  CHECK(ledger.kept == 2 * each);
  CHECK(ledger.lost == 0);
  CHECK(ledger.warnings.empty());
}

TEST_CASE("meter path: a wire that is cut again and again neither loses nor doubles", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  Wire wire(collector.port());
  auto address = collector.address();
  address.port = wire.port();
  auto options = patient(folder);
  options.memory_events_max = 5000;
  LinkedMeter red(address, "red", 1, options), green(address, "green", 2, options);
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    red.record(1000);
    green.record(200, 7);
    if (random.chance(.3)) wire.cut();
    if (random.chance(.2)) std::this_thread::sleep_for(std::chrono::milliseconds(random.below(30)));
  }
  CHECK(red.end().confirmed == 100'000);
  CHECK(green.end().confirmed == 20'000);
  CHECK(wire.cuts() > 3);
  collector.stop();
  const auto stream = collector.stream();
  INFO(stream.reasons());
  CHECK(stream.count == 120'000);
  CHECK(counts_from_zero(stream));
  CHECK(stream.losses.seen == 120'000);
  CHECK(stream.lost() == 0);
}

TEST_CASE("meter path: a wire that is down for some seconds costs nothing but disk", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  Wire wire(collector.port());
  auto address = collector.address();
  address.port = wire.port();
  auto options = patient(folder);
  options.memory_events_max = 1000;
  LinkedMeter red(address, "red", 1, options);
  red.record(500);
  wire.set_down(true);
  red.record(60'000);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  wire.set_down(false);
  red.record(500);
  const auto report = red.end();
  CHECK(report.confirmed == 61'000);
  CHECK(report.warnings().empty());
  collector.stop();
  CHECK(collector.stream().count == 61'000);
  CHECK(counts_from_zero(collector.stream()));
}

TEST_CASE("meter path: a disk that is full is counted, and what follows is recorded again", "[meter-path]") {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // No file of this process grows beyond that: as a full disk says it.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {84 * 3000 + 20, 84 * 3000 + 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto options = patient(folder);
    options.memory_events_max = 1000;
    options.patience = Duration::from_seconds(.2);
    options.end_wait = Duration::from_seconds(.2);
    LinkedMeter red({{"127.0.0.1"}, 1, std::string(64, 'a')}, "red", 1, options);
    red.record(10'000);
    const auto report = red.end();
    const bool exact = report.recorded == 10'000 && report.recorded == report.confirmed + report.left + report.lost();
    // A thousand in memory, three thousand on disk; the file that is left is cut off by the same limit.
    const auto left = contents_of(text_of(report.left_in));
    const bool readable = left.count >= report.left && left.count > 2000 && counts_from_zero(left);
    const bool says_why = !report.losses.empty() && report.losses[0].reason.ends_with(": File too large");
    ::_exit(exact && report.lost() >= 6000 && readable && says_why ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("meter path: kill -9 of the filter at any moment: in the log, or counted", "[meter-path]") {
  for (int round = 0; round < 6; ++round) {
    const TemporaryFolder folder;
    CollectorProcess collector(folder / "log", kStandardFilter);
    LinkedMeter red(collector.address(), "red", 1, patient(folder));
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * round));
      ::kill(collector.filter_pid(), SIGKILL);
    });
    red.record(100'000);
    killer.join();
    const auto report = red.end();
    CHECK(report.recorded == 100'000);
    CHECK(report.recorded == report.confirmed + report.lost());
    collector.stop();
    const auto delivered = collector.report();
    REQUIRE(delivered.meters.size() <= 1);
    if (delivered.meters.empty()) continue;
    CHECK(delivered.meters[0].delivered == report.confirmed);
    std::uint64_t lost = 0;
    for (const auto& loss : delivered.meters[0].losses) lost += loss.events;
    CHECK(delivered.meters[0].seen == delivered.meters[0].delivered + lost);
    auto reader = TraceReader::open(collector.log() + "/trace");
    if (!reader) continue;  // killed before it began
    const auto back = read_back(*reader);
    CHECK(back.events.size() <= report.confirmed);
  }
}

}  // namespace
}  // namespace dpm::test
