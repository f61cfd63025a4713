// States that any user can force, recognised in at least 99 of 100 samples (S4 7.1).
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "os/fork_bound.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "tests/sampling/forced/forced_process.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr double kRecognised = .99;

void check(ForcedStates& forced) {
  for (const auto& found : forced.sampled()) {
    INFO(info_of(found.expected).name << " expected, from " << found.source << ": " << found_text(found.counts));
    CHECK(share_in(found.counts, {found.expected}) >= kRecognised);
  }
}

std::array<int, 2> pipe_ends() {
  std::array<int, 2> ends;
  REQUIRE(::pipe(ends.data()) == 0);
  return ends;
}

std::array<int, 2> socket_ends(int type = SOCK_STREAM) {
  std::array<int, 2> ends;
  REQUIRE(::socketpair(AF_UNIX, type, 0, ends.data()) == 0);
  return ends;
}

// A connection over the loopback interface.
std::array<int, 2> inet_ends() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(::connect(client, reinterpret_cast<sockaddr*>(&address), length) == 0);
  const int server = ::accept(listener, nullptr, nullptr);
  ::close(listener);
  return {client, server};
}

void read_one(int fd) {
  std::array<char, 8> bytes;  // an eventfd and a timerfd give no fewer
  if (::read(fd, bytes.data(), bytes.size()) < 0) ::_exit(2);
}

void write_until_full(int fd) {
  static const std::array<char, 65536> bytes = {};
  while (::write(fd, bytes.data(), bytes.size()) > 0) {
  }
}

// Descriptors of the parent, closed at the end of a test.
struct Closed {
  std::array<int, 2> ends;
  ~Closed() {
    for (const int fd : ends) ::close(fd);
  }
};

TEST_CASE("forced: reads and writes of pipes and sockets", "[sampling]") {
  ForcedStates forced;
  const Closed pipe{pipe_ends()}, full{pipe_ends()}, unix_stream{socket_ends()}, datagrams{socket_ends(SOCK_DGRAM)},
      inet{inet_ends()};
  forced.add(State::pipe_read, [&] { read_one(pipe.ends[0]); });
  forced.add(State::pipe_write, [&] { write_until_full(full.ends[1]); });
  forced.add(State::unix_read, [&] { read_one(unix_stream.ends[0]); });
  forced.add(State::unix_write, [&] { write_until_full(unix_stream.ends[0]); });
  forced.add(State::unix_read, [&] { read_one(datagrams.ends[0]); });
  forced.add(State::inet_read, [&] { read_one(inet.ends[0]); });
  forced.add(State::inet_write, [&] { write_until_full(inet.ends[0]); });
  forced.add(State::inet_read, [] { read_one(::socket(AF_INET, SOCK_DGRAM, 0)); });
  forced.add(State::other_read, [] { read_one(::socket(AF_NETLINK, SOCK_RAW, 0)); });
  forced.add(State::pipe_read, [] {
    const std::string path = "/tmp/dpm-forced-fifo-" + std::to_string(::getpid());
    ::mkfifo(path.c_str(), 0600);
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    ::unlink(path.c_str());
    ::fcntl(fd, F_SETFL, 0);
    const int writer = ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_WRONLY);
    read_one(writer < 0 ? -1 : fd);
  });
  check(forced);
}

// To a socket of its own, which it does not read.
void write_netlink_until_full() {
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  socklen_t length = sizeof address;
  const int receiver = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
  ::bind(receiver, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(receiver, reinterpret_cast<sockaddr*>(&address), &length);
  const int sender = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
  static const std::array<char, 4096> bytes = {};
  while (::sendto(sender, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&address), length) > 0) {
  }
}

// getppid() is handed to a supervisor that never answers.
void wait_for_supervisor() {
  std::array code = {sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                     sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
                     sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
                     sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {code.size(), code.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) < 0) ::_exit(2);
  ::syscall(SYS_getppid);
}

TEST_CASE("forced: a terminal's input and output", "[sampling]") {
  ForcedStates forced;
  std::array<int, 2> ends;
  REQUIRE(::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) == 0);
  const Closed terminal{ends};
  const int user_side = ends[1];
  forced.add(State::terminal_input, [=] { read_one(user_side); });
  forced.add(State::terminal_input, [=] {
    pollfd waited = {user_side, POLLIN, 0};
    ::poll(&waited, 1, -1);
  });
  // As a shell waits for a line: pselect of the terminal alone.
  forced.add(State::terminal_input, [=] {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(user_side, &set);
    ::pselect(user_side + 1, &set, nullptr, nullptr, nullptr, nullptr);
  });
  forced.add(State::terminal_output, [=] { write_until_full(user_side); });
  check(forced);
}

TEST_CASE("forced: several descriptors at once", "[sampling]") {
  ForcedStates forced;
  const Closed pipe{pipe_ends()};
  const int fd = pipe.ends[0];
  forced.add(State::select, [=] {
    pollfd waited = {fd, POLLIN, 0};
    ::poll(&waited, 1, -1);
  });
  forced.add(State::select, [=] {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    ::select(fd + 1, &set, nullptr, nullptr, nullptr);
  });
  forced.add(State::select, [=] {
    const int epoll = ::epoll_create1(0);
    epoll_event event = {};
    ::epoll_wait(epoll, &event, 1, -1);
  });
  check(forced);
}

TEST_CASE("forced: time and signals", "[sampling]") {
  ForcedStates forced;
  forced.add(State::sleep, [] { ::sleep(100); });
  forced.add(State::sleep, [] { ::poll(nullptr, 0, 100'000); });
  forced.add(State::sleep, [] { ::select(0, nullptr, nullptr, nullptr, nullptr); });
  forced.add(State::sleep, [] {
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec times = {{}, {100, 0}};
    ::timerfd_settime(timer, 0, &times, nullptr);
    read_one(timer);
  });
  forced.add(State::signal, [] { ::pause(); });
  forced.add(State::signal, [] {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGUSR1);
    int signal;
    ::sigwait(&set, &signal);
  });
  forced.add(State::signal, [] {
    sigset_t set;
    ::sigemptyset(&set);
    signalfd_siginfo info;
    if (::read(::signalfd(-1, &set, 0), &info, sizeof info) < 0) ::_exit(2);
  });
  forced.add(State::stopped, [] { ::raise(SIGSTOP); });
  check(forced);
}

TEST_CASE("forced: a sleep that begins again after a stop is known from before it", "[sampling]") {
  ForcedProcess sleeper([] { ::sleep(100); });
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {sleeper.pid()}});
  const auto await = [&](State state) {
    for (int i = 0; i < 1000; ++i) {
      CountArray one({.source = "proc"});
      sampler.take(one);
      if (share_in(one.total(), {state}) == 1) return true;
      ::usleep(2000);
    }
    return false;
  };
  CHECK(await(State::sleep));
  ::kill(static_cast<pid_t>(sleeper.pid()), SIGSTOP);
  CHECK(await(State::stopped));
  ::kill(static_cast<pid_t>(sleeper.pid()), SIGCONT);
  CHECK(await(State::sleep));
}

TEST_CASE("forced: children, and a process that has ended", "[sampling]") {
  ForcedStates forced;
  forced.add(State::child, [] {
    if (fork_bound() == 0) {
      ::sleep(10);
      ::_exit(0);
    }
    ::wait(nullptr);
  });
  forced.add(State::child, [] {
    // With vfork the parent goes on when its child calls exec or ends; sleep(10) here is what a slow exec would be.
    if (::vfork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::syscall(SYS_nanosleep, std::array<long, 2>{10, 0}.data(), nullptr);
      ::_exit(0);
    }
  });
  forced.add(State::ending, [] { ::_exit(0); });
  check(forced);
}

TEST_CASE("forced: locks of files", "[sampling]") {
  ForcedStates forced;
  const std::string path = "/tmp/dpm-forced-lock-" + std::to_string(::getpid());
  const Closed file{{::open(path.c_str(), O_RDWR | O_CREAT, 0600), ::open("/dev/null", O_RDONLY)}};
  REQUIRE(::flock(file.ends[0], LOCK_EX) == 0);
  forced.add(State::exclusive_lock, [&] { ::flock(::open(path.c_str(), O_RDWR), LOCK_EX); });
  forced.add(State::shared_lock, [&] { ::flock(::open(path.c_str(), O_RDWR), LOCK_SH); });
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  REQUIRE(::fcntl(file.ends[0], F_SETLK, &whole) == 0);
  for (const auto& [type, state] : {std::pair{F_WRLCK, State::exclusive_lock}, {F_RDLCK, State::shared_lock}})
    forced.add(state, [&, lock_type = type] {
      struct flock wanted = {};
      wanted.l_type = static_cast<short>(lock_type);
      ::fcntl(::open(path.c_str(), O_RDWR), F_SETLKW, &wanted);
    });
  check(forced);
  std::filesystem::remove(path);
}

TEST_CASE("forced: locks and messages of programs", "[sampling]") {
  ForcedStates forced;
  forced.add(State::futex, [] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    ::pthread_mutex_lock(&mutex);
    ::pthread_mutex_lock(&mutex);
  });
  const int semaphores = ::semget(IPC_PRIVATE, 1, 0600);
  const int queue = ::msgget(IPC_PRIVATE, 0600);
  forced.add(State::semaphore, [=] {
    sembuf operation = {0, -1, 0};
    ::semop(semaphores, &operation, 1);
  });
  forced.add(State::message_queue, [=] {
    std::array<long, 8> message;
    if (::msgrcv(queue, message.data(), 8, 0, 0) < 0) ::_exit(2);
  });
  forced.add(State::event, [] { read_one(::eventfd(0, 0)); });
  forced.add(State::supervisor, wait_for_supervisor);
  forced.add(State::other_write, write_netlink_until_full);
  check(forced);
  ::semctl(semaphores, 0, IPC_RMID);
  ::msgctl(queue, IPC_RMID, nullptr);
}

TEST_CASE("forced: one or more threads on a CPU", "[sampling]") {
  const auto spin = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    for (volatile bool on = true; on;) {
    }
  };
  const auto look = [&](std::unique_ptr<TaskLooker> looker) {
    ForcedProcess one(spin), other(spin);
    const LevelCounts counts =
        sampled({one.pid(), other.pid()}, {State::cpu_run, State::cpu_queue}, 300, std::move(looker));
    INFO(found_text(counts));
    CHECK(share_in(counts, {State::cpu_run, State::cpu_queue}) >= kRecognised);
    // The truth is in the scheduler's counters.
    const double ran = static_cast<double>(counts.ran_ns) / static_cast<double>(counts.ran_ns + counts.waited_ns);
    CHECK(std::abs(share_in(counts, {State::cpu_run}) - ran) < .08);
    CHECK(share_in(counts, {State::cpu_run}) <= .5);
  };
  look(nullptr);
  if (auto iterator = iterator_if_possible()) look(std::move(iterator));
}

TEST_CASE("forced: a page that nothing brings, and io_uring", "[sampling]") {
  ForcedStates forced;
  constexpr long kUserModeOnly = 1;
  const long pages = ::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly);
  if (pages < 0) {
    WARN("SKIPPED: userfaultfd is not allowed here");
  } else {
    ::close(static_cast<int>(pages));
    forced.add(State::page_wait, [] {
      struct {
        std::uint64_t api, features, ioctls;
      } api = {0xAA, 0, 0};
      struct {
        std::uint64_t start, length, mode, ioctls;
      } range = {};
      const int fd = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly));
      ::ioctl(fd, _IOWR(0xAA, 0x3F, decltype(api)), &api);
      char* memory =
          static_cast<char*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      range = {reinterpret_cast<std::uint64_t>(memory), 4096, 1, 0};
      ::ioctl(fd, _IOWR(0xAA, 0x00, decltype(range)), &range);
      *memory = 1;
    });
  }
  std::array<char, 120> parameters = {};  // struct io_uring_params, all zero
  const long ring = ::syscall(425, 1, parameters.data());
  if (ring < 0) {
    WARN("SKIPPED: io_uring is not allowed here");
  } else {
    forced.add(State::io_uring, [=] { ::syscall(426, ring, 0, 1, 1, nullptr, 0); });
    ::close(static_cast<int>(ring));
  }
  check(forced);
}

}  // namespace
}  // namespace dpm::sampling
