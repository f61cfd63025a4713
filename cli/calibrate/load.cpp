#include "cli/calibrate/load.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>
#include <new>
#include <sstream>
#include <utility>
#include <vector>

#include "os/fork_bound.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

constexpr std::array kTransports = {std::pair{Transport::tcp, "tcp"}, std::pair{Transport::unix_socket, "unix"},
                                    std::pair{Transport::pipe, "pipe"}};
constexpr std::array kShapes = {std::pair{LoadShape::alone, "alone"}, std::pair{LoadShape::ping_pong, "ping-pong"},
                                std::pair{LoadShape::one_way, "one-way"}, std::pair{LoadShape::watched, "watched"}};

std::int64_t now_ns(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}
std::int64_t wall_ns() { return now_ns(CLOCK_MONOTONIC); }
std::int64_t cpu_ns() { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

// The cost of reading the CPU time, which is a system call.
std::int64_t clock_cost_ns() {
  constexpr int kReads = 2000;
  const std::int64_t before = cpu_ns();
  for (int i = 0; i < kReads; ++i) cpu_ns();
  return (cpu_ns() - before) / kReads;
}

// In memory that both processes share.
struct Side {
  std::atomic<std::int64_t> first_wall_ns{0}, last_wall_ns{0}, first_cpu_ns{0}, last_cpu_ns{0};

  void begin() {
    first_wall_ns = wall_ns();
    first_cpu_ns = cpu_ns();
  }
  void end() {
    last_cpu_ns = cpu_ns();
    last_wall_ns = wall_ns();
  }
  double cpu_s() const { return static_cast<double>(last_cpu_ns - first_cpu_ns) * 1e-9; }
  double elapsed_s() const { return static_cast<double>(last_wall_ns - first_wall_ns) * 1e-9; }
};

struct Shared {
  std::atomic<int> ready{0};
  std::atomic<int> failed{0};
  Side sender, receiver;
  std::int64_t sent_ns[1];  // by message, one for each; the latencies follow
};

// Both ways between two ends.
struct Ways {
  UniqueFd there_in, there_out, back_in, back_out;  // `in` is written to
};

Result<Ways> make_pipes() {
  int there[2] = {-1, -1}, back[2] = {-1, -1};
  if (::pipe2(there, O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
  Ways ways{UniqueFd(there[1]), UniqueFd(there[0]), {}, {}};
  if (::pipe2(back, O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
  ways.back_in = UniqueFd(back[1]);
  ways.back_out = UniqueFd(back[0]);
  return ways;
}

Result<std::pair<UniqueFd, UniqueFd>> make_connection() {
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener || ::bind(listener.get(), generic, length) != 0 || ::listen(listener.get(), 1) != 0 ||
      ::getsockname(listener.get(), generic, &length) != 0)
    return Error::from_errno("listen on 127.0.0.1");
  UniqueFd one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!one || ::connect(one.get(), generic, length) != 0) return Error::from_errno("connect to 127.0.0.1");
  UniqueFd other(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!other) return Error::from_errno("accept on 127.0.0.1");
  for (const auto* end : {&one, &other}) {
    const int on = 1;
    ::setsockopt(end->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return std::pair(std::move(one), std::move(other));
}

Result<Ways> make_ways(Transport transport) {
  if (transport == Transport::pipe) return make_pipes();
  std::pair<UniqueFd, UniqueFd> ends;
  if (transport == Transport::tcp) {
    auto connection = make_connection();
    if (!connection) return connection.error();
    ends = *std::move(connection);
  } else {
    int pair[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return Error::from_errno("make UNIX sockets");
    ends = {UniqueFd(pair[0]), UniqueFd(pair[1])};
  }
  for (const auto* end : {&ends.first, &ends.second}) {  // the largest message fits, so that a sender never waits
    const int bytes = 1 << 20;
    ::setsockopt(end->get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    ::setsockopt(end->get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  Ways ways;
  ways.back_in = UniqueFd(::dup(ends.second.get()));
  ways.back_out = UniqueFd(::dup(ends.first.get()));
  ways.there_in = std::move(ends.first);
  ways.there_out = std::move(ends.second);
  return ways;
}

Result<void> stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) return Error::from_errno(fmt::format("stay on core {}", core));
  return {};
}

class Load {
 public:
  Load(const LoadPlan& plan, Ways ways, Shared& shared)
      : plan_(plan),
        ways_(std::move(ways)),
        shared_(shared),
        buffer_(plan.bytes),
        working_set_(plan.working_set_bytes / sizeof(std::uint64_t), 1) {}

  LoadFigures alone() {
    const std::int64_t clock_ns = clock_cost_ns();
    std::int64_t send_ns = 0, receive_ns = 0;
    shared_.sender.begin();
    for (std::uint32_t i = 0; i < plan_.messages; ++i) {
      use_memory();
      const std::int64_t before = cpu_ns();
      send(ways_.there_in.get());
      const std::int64_t between = cpu_ns();
      receive(ways_.there_out.get());
      send_ns += between - before - clock_ns;
      receive_ns += cpu_ns() - between - clock_ns;
    }
    shared_.sender.end();
    LoadFigures figures = figures_of_sides();
    figures.sender_cpu_s = per_message(send_ns);
    figures.receiver_cpu_s = per_message(receive_ns);
    return figures;
  }

  void sender() {
    const std::int64_t clock_ns = clock_cost_ns();
    const bool answered = plan_.shape == LoadShape::ping_pong;
    while (shared_.ready.load() == 0 && shared_.failed.load() == 0) pause();
    pause();  // until the receiver is asleep
    std::int64_t gaps_ns = 0, clocks = 0;
    shared_.sender.begin();
    for (std::uint32_t i = 0; i < plan_.messages; ++i) {
      if (plan_.gap_s > 0) {
        const std::int64_t gap_begin = cpu_ns(), gap_end = gap_begin + static_cast<std::int64_t>(plan_.gap_s * 1e9);
        std::int64_t now = gap_begin;
        for (; now < gap_end; now = cpu_ns()) ++clocks;
        gaps_ns += now - gap_begin + clock_ns;
      }
      use_memory();
      shared_.sent_ns[i] = wall_ns();
      send(ways_.there_in.get());
      if (answered) receive(ways_.back_out.get());
    }
    shared_.sender.end();
    gaps_ns_ = gaps_ns;
  }

  // Ends the process.
  [[noreturn]] void receiver() {
    const bool answers = plan_.shape == LoadShape::ping_pong, watches = plan_.shape == LoadShape::watched;
    std::int64_t* latency_ns = shared_.sent_ns + plan_.messages;
    if (!stay_on(plan_.receiver_core)) fail();
    shared_.ready = 1;
    shared_.receiver.begin();
    for (std::uint32_t i = 0; i < plan_.messages; ++i) {
      std::int64_t seen_ns = 0;
      if (watches) {
        pollfd look = {ways_.there_out.get(), POLLIN, 0};
        while (::poll(&look, 1, 0) == 0) continue;
        seen_ns = wall_ns();
      }
      receive(ways_.there_out.get());
      latency_ns[i] = (watches ? seen_ns : wall_ns()) - shared_.sent_ns[i];
      use_memory();
      if (answers) send(ways_.back_in.get());
    }
    shared_.receiver.end();
    ::_exit(shared_.failed.load());
  }

  LoadFigures figures_of_sides() const {
    LoadFigures figures;
    const double messages = plan_.messages;
    figures.elapsed_s = shared_.sender.elapsed_s() / messages;
    figures.gaps_s = per_message(gaps_ns_);
    figures.sender_cpu_s = shared_.sender.cpu_s() / messages - figures.gaps_s;
    figures.receiver_cpu_s = shared_.receiver.cpu_s() / messages;
    figures.cpu_s = figures.sender_cpu_s + figures.receiver_cpu_s;
    if (plan_.shape == LoadShape::one_way || plan_.shape == LoadShape::watched) {
      std::vector<std::int64_t> latencies(shared_.sent_ns + plan_.messages, shared_.sent_ns + 2 * plan_.messages);
      std::nth_element(latencies.begin(), latencies.begin() + plan_.messages / 2, latencies.end());
      figures.latency_s = static_cast<double>(latencies[plan_.messages / 2]) * 1e-9;
    }
    return figures;
  }

 private:
  double per_message(std::int64_t ns) const { return static_cast<double>(ns) * 1e-9 / plan_.messages; }

  static void pause() {
    const timespec moment = {0, 1'000'000};
    ::nanosleep(&moment, nullptr);
  }
  [[noreturn]] void fail() {
    shared_.failed = 1;
    ::_exit(1);
  }

  void use_memory() {
    constexpr std::size_t kCacheLine = 64 / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < working_set_.size(); i += kCacheLine) working_set_[i] += working_set_[0];
  }

  void send(int fd) {
    for (std::size_t done = 0; done < buffer_.size();) {
      const ssize_t n = ::write(fd, buffer_.data() + done, buffer_.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail();
      done += static_cast<std::size_t>(n);
    }
  }
  void receive(int fd) {
    for (std::size_t done = 0; done < buffer_.size();) {
      const ssize_t n = ::read(fd, buffer_.data() + done, buffer_.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail();
      done += static_cast<std::size_t>(n);
    }
  }

  const LoadPlan& plan_;
  Ways ways_;
  Shared& shared_;
  std::vector<char> buffer_;
  std::vector<std::uint64_t> working_set_;
  std::int64_t gaps_ns_ = 0;
};

}  // namespace

std::string_view name_of(Transport transport) { return kTransports[static_cast<std::size_t>(transport)].second; }

std::optional<Transport> transport_from_name(std::string_view name) {
  for (const auto& [transport, its_name] : kTransports)
    if (name == its_name) return transport;
  return std::nullopt;
}

std::string_view name_of(LoadShape shape) { return kShapes[static_cast<std::size_t>(shape)].second; }

std::optional<LoadShape> load_shape_from_name(std::string_view name) {
  for (const auto& [shape, its_name] : kShapes)
    if (name == its_name) return shape;
  return std::nullopt;
}

std::string LoadFigures::to_text() const {
  std::ostringstream text;
  text.precision(12);
  text << elapsed_s << ' ' << sender_cpu_s << ' ' << receiver_cpu_s << ' ' << cpu_s << ' ' << latency_s << ' ' << gaps_s
       << '\n';
  return text.str();
}

Result<LoadFigures> LoadFigures::from_text(const std::string& text) {
  std::istringstream in(text);
  LoadFigures figures;
  in >> figures.elapsed_s >> figures.sender_cpu_s >> figures.receiver_cpu_s >> figures.cpu_s >> figures.latency_s >>
      figures.gaps_s;
  if (!in) return Error{"the load did not report its measurements"};
  return figures;
}

Result<LoadFigures> run_load(const LoadPlan& plan) {
  auto ways = make_ways(plan.transport);
  if (!ways) return ways.error();
  const std::size_t size = sizeof(Shared) + 2 * plan.messages * sizeof(std::int64_t);
  void* page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return Error::from_errno("share memory");
  auto& shared = *new (page) Shared;
  Load load(plan, *std::move(ways), shared);
  if (auto done = stay_on(plan.sender_core); !done) return done.error();
  if (plan.shape == LoadShape::alone) return load.alone();
  const pid_t child = fork_bound();
  if (child < 0) return Error::from_errno("start a process");
  if (child == 0) load.receiver();
  load.sender();
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0)
    return Error{
        fmt::format("cannot start the receiver on core {}: does this machine have that core?", plan.receiver_core)};
  LoadFigures figures = load.figures_of_sides();
  ::munmap(page, size);
  return figures;
}

}  // namespace dpm
