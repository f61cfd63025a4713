// links: dpm_link dpm_collector dpm_tls dpm_trace dpm_model
// What do names, numbers, confirmations, TLS and the union of ids cost on the way from a meter to a filter? The whole
// path against a bare copy of the same bytes over TCP into a pipe, both to `cat > /dev/null`, a process on each side.
// Goal: a million events a second.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "bench/measure.hpp"
#include "control/transport/collector/filter_collector.hpp"
#include "control/transport/frames/meter_scope.hpp"
#include "control/transport/link/meter_link.hpp"
#include "model/check.hpp"
#include "os/net/asio.hpp"
#include "os/random.hpp"

namespace {

using namespace dpm;

constexpr std::uint64_t kEvents = 500'000;
constexpr std::size_t kBatch = 50;

// Runs `serve` in a separate process, which first writes a port to the descriptor it is given.
template <typename Serve>
pid_t start(Serve serve, std::uint16_t& port) {
  std::array<int, 2> told = {};
  DPM_CHECK(::pipe(told.data()) == 0);
  const pid_t pid = ::fork();
  DPM_CHECK(pid >= 0);
  if (pid == 0) {
    serve(told[1]);
    ::_exit(0);
  }
  DPM_CHECK(::read(told[0], &port, sizeof port) == sizeof port);
  ::close(told[0]);
  ::close(told[1]);
  return pid;
}

void tell(int to, std::uint16_t port) { DPM_CHECK(::write(to, &port, sizeof port) == sizeof port); }

std::vector<Event> some_events(TraceInfo& info) {
  info.source = "bench";
  info.machines.push_back({"red", 1});
  for (std::uint32_t i = 0; i < 10; ++i) {
    info.processes.push_back({"p" + std::to_string(i), "p", MachineId{0}, 0, true});
    info.channels.push_back({ProcessId{i}, "c" + std::to_string(i)});
  }
  std::vector<Event> events(kBatch);
  for (std::uint32_t i = 0; i < kBatch; ++i) {
    events[i].process = events[i].peer = ProcessId{i % 10};
    events[i].channel = ChannelId{i % 10};
    events[i].machine = MachineId{0};
    events[i].sequence = i;
  }
  return events;
}

void send_by_link(std::uint16_t port, const std::string& secret, const std::string& folder) {
  TraceInfo info;
  const auto events = some_events(info);
  MeterLinkOptions options;
  options.folder = folder;
  asio::io_context context;
  const auto until_stopped = asio::make_work_guard(context);
  std::thread loop([&] { context.run(); });
  const FilterAddress filter = {{"127.0.0.1"}, port, secret, "", false, ""};
  const auto address = address_for_scope(filter, {"red", "bench"}).value();
  auto link = MeterLink::create(context, address, {"red", 1, "bench", "program"}, options).value();
  link->on_begin(info);
  for (std::uint64_t sent = 0; sent < kEvents; sent += kBatch) link->on_events(events);
  link->on_end({kEvents, {}, {}});
  DPM_CHECK(link->report().confirmed == kEvents);
  context.stop();
  loop.join();
}

// Reads until the end and answers with a byte, so that both ways end when everything is in the pipe.
void copy_one_after_the_other(int listener, int pipe) {
  std::vector<char> bytes(65536);
  while (true) {
    const UniqueFd meter(::accept(listener, nullptr, nullptr));
    for (ssize_t got = 0; (got = ::read(meter.get(), bytes.data(), bytes.size())) > 0;)
      for (ssize_t done = 0; done < got;)
        done += ::write(pipe, bytes.data() + done, static_cast<std::size_t>(got - done));
    (void)!::write(meter.get(), bytes.data(), 1);
  }
}

void send_bare(std::uint16_t port) {
  TraceInfo info;
  const auto events = some_events(info);
  std::string batch;
  for (const auto& event : events) append_event(batch, event);
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  DPM_CHECK(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (std::uint64_t sent = 0; sent < kEvents; sent += kBatch)
    for (std::size_t done = 0; done < batch.size();)
      done += static_cast<std::size_t>(::write(socket.get(), batch.data() + done, batch.size() - done));
  ::shutdown(socket.get(), SHUT_WR);
  char answer = 0;
  DPM_CHECK(::read(socket.get(), &answer, 1) == 1);
}

}  // namespace

int main() {
  const std::string folder = (std::filesystem::temp_directory_path() / "dpm-bench-XXXXXX").string();
  std::string made = folder;
  DPM_CHECK(::mkdtemp(made.data()) != nullptr);
  const std::string secret = new_secret().value();

  std::uint16_t collector_port = 0, bare_port = 0;
  const pid_t collector = start(
      [&](int told) {
        CollectorOptions options;
        options.log = made + "/log";
        options.program = {"/bin/sh", "-c", "exec cat > /dev/null"};
        options.secret = secret;
        options.place.loopback_only = true;
        asio::io_context context;
        auto filter = FilterCollector::create(context, options).value();
        tell(told, filter->port());
        filter->begin({}, {});
        context.run();
      },
      collector_port);
  const pid_t bare = start(
      [&](int told) {
        const auto listener = MeterConnections::listen({.loopback_only = true}).value();
        ::fcntl(listener.get(), F_SETFL, 0);
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        DPM_CHECK(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
        FILE* cat = ::popen("exec cat > /dev/null", "w");
        tell(told, ntohs(address.sin_port));
        copy_one_after_the_other(listener.get(), ::fileno(cat));
      },
      bare_port);

  print_ratio("from meter to filter",
              Way{"events by MeterLink and collector", [&] { send_by_link(collector_port, secret, made); }},
              Way{"a bare TCP copy", [&] { send_bare(bare_port); }}, kEvents, "event");
  for (const pid_t pid : {collector, bare}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  std::filesystem::remove_all(made);
}
