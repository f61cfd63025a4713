// A collector in a process of its own, as it is in life, with a filter that keeps the stream in a file; and links to
// it.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "control/transport/collector/filter_collector.hpp"
#include "control/transport/frames/meter_scope.hpp"
#include "control/transport/link/meter_link.hpp"
#include "os/net/asio.hpp"
#include "os/net/descriptor.hpp"
#include "os/random.hpp"
#include "tests/control/transport/read_delivery.hpp"
#include "tests/control/transport/read_stream.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/files.hpp"

namespace dpm::test {

// Waits until it is so; false after a minute.
inline bool eventually(const std::function<bool()>& is_so) {
  for (int i = 0; i < 6000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline std::string text_of(const std::string& path) { return read_text_file(path, std::size_t{1} << 30).value(); }

class CollectorProcess {
 public:
  CollectorProcess(const std::string& log, std::vector<std::string> program, ConnectionLimits limits = {},
                   std::string secret = new_secret().value(), std::size_t waiting_bytes_max = 1 << 20)
      : log_(log), secret_(std::move(secret)) {
    std::array<int, 2> stop = {}, start = {};
    REQUIRE((::pipe2(stop.data(), O_CLOEXEC) == 0 && ::pipe2(start.data(), O_CLOEXEC) == 0));
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::close(stop[1]);
      CollectorOptions options;
      options.log = log;
      options.program = std::move(program);
      options.secret = secret_;
      options.place.loopback_only = true;
      options.limits = limits;
      options.waiting_bytes_max = waiting_bytes_max;
      options.filter_patience = std::chrono::milliseconds(20'000);
      asio::io_context context;
      auto collector = FilterCollector::create(context, options);
      if (!collector) {
        std::fprintf(stderr, "collector: %s\n", collector.error().what.c_str());
        ::_exit(1);
      }
      const std::array<int, 2> told = {(*collector)->port(), (*collector)->filter_pid()};
      (void)!::write(start[1], told.data(), sizeof told);
      Descriptor told_to_stop(context, UniqueFd(stop[0]));
      told_to_stop.when_readable([&] { (*collector)->stop(); });
      (*collector)->begin({}, [&] { context.stop(); });
      context.run();
      ::_exit(0);
    }
    ::close(stop[0]);
    ::close(start[1]);
    stop_ = UniqueFd(stop[1]);
    std::array<int, 2> told = {};
    REQUIRE(::read(start[0], told.data(), sizeof told) == sizeof told);
    ::close(start[0]);
    port_ = told[0];
    filter_pid_ = told[1];
  }
  CollectorProcess(const CollectorProcess&) = delete;
  ~CollectorProcess() {
    if (pid_ <= 0) return;
    ::kill(filter_pid_, SIGKILL);  // which may be one that reads nothing, and would not notice
    kill_hard();
  }

  FilterAddress address() const { return {{"127.0.0.1"}, static_cast<std::uint16_t>(port_), secret_, "", false, ""}; }
  std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }
  int filter_pid() const { return filter_pid_; }
  const std::string& log() const { return log_; }

  // Returns once the log is finished.
  void stop() {
    stop_.reset();
    wait();
  }
  void kill_hard() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  void suspend() { ::kill(pid_, SIGSTOP); }
  void resume() { ::kill(pid_, SIGCONT); }

  DeliveryReport report() const { return read_delivery(text_of(log_ + "/" + kDeliveryName)); }
  bool reports(const std::function<bool(const DeliveryReport&)>& is_so) const {
    return eventually([&] { return ::access((log_ + "/" + kDeliveryName).c_str(), R_OK) == 0 && is_so(report()); });
  }
  StreamContents stream() const { return contents_of(text_of(log_ + "/stream")); }

 private:
  void wait() {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
  }

  std::string log_, secret_;
  int pid_ = -1, port_ = 0, filter_pid_ = 0;
  UniqueFd stop_;
};

inline const std::vector<std::string> kKeepStream = {"/bin/sh", "-c", "exec cat > stream"};

inline MeterLinkOptions patient(const TemporaryFolder& folder) {
  MeterLinkOptions options;
  options.folder = folder / "spool";
  return options;
}

// The thread that waits for what a link does.
class Loop {
 public:
  Loop() : work_(asio::make_work_guard(context)), thread_([this] { context.run(); }) {}
  ~Loop() {
    context.stop();
    thread_.join();
  }
  asio::io_context context;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

inline UniqueFd connect_plain(std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return UniqueFd();
  ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  return socket;
}

inline constexpr const char* kJob = "job";

// A meter with its link, whose events come in batches. `address` has the filter's secret.
struct LinkedMeter {
  LinkedMeter(const FilterAddress& address, const std::string& machine, std::uint32_t pid, MeterLinkOptions options)
      : meter(machine, 3),
        link(MeterLink::create(loop->context, address_for_scope(address, {machine, kJob}).value(),
                               {machine, pid, kJob, "program"}, std::move(options))
                 .value()) {
    link->on_begin(meter.info);
    meter.growth();
  }
  void record(std::size_t count, std::size_t batch = 50) {
    link->on_growth(meter.growth());
    for (std::size_t done = 0; done < count; done += batch)
      link->on_events(meter.events(std::min(batch, count - done)));
  }
  LinkReport end() {
    link->on_end({meter.total(), {}, {}});
    return link->report();
  }

  std::unique_ptr<Loop> loop = std::make_unique<Loop>();
  LittleMeter meter;
  std::unique_ptr<MeterLink> link;
};

}  // namespace dpm::test
