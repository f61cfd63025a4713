// Calls that do not wait although there is nothing to take: refused for their arguments, asking for nothing, ended by
// shutdown() or by a time limit of their own. Each is made by a process of its own, and what it returns is printed; one
// that waits all the same is ended after a second, and that is printed instead.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <thread>

namespace {

using Call = std::function<long()>;

void show(const std::string& name, const Call& call) {
  constexpr unsigned kWaitsS = 1;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kWaitsS);
    errno = 0;
    const long result = call();
    std::printf("%s: %ld %s\n", name.c_str(), result, result < 0 ? std::strerror(errno) : "");
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) std::printf("%s: waits\n", name.c_str());
}

struct Ends {
  int reads = -1, writes = -1;
};

Ends pipe_ends() {
  int fds[2];
  return ::pipe(fds) == 0 ? Ends{fds[0], fds[1]} : Ends{};
}

Ends pair(int type) {
  int fds[2];
  return ::socketpair(AF_UNIX, type, 0, fds) == 0 ? Ends{fds[0], fds[1]} : Ends{};
}

int listener(sockaddr_in& address) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd, name, length) != 0 || ::listen(fd, 5) != 0 || ::getsockname(fd, name, &length) != 0) return -1;
  return fd;
}

Ends tcp_ends() {
  sockaddr_in address = {};
  const int listening = listener(address), connecting = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(connecting, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  const int accepted = ::accept(listening, nullptr, nullptr);
  ::close(listening);
  return {connecting, accepted};
}

char room[64];
void* const kKernelMemory = reinterpret_cast<void*>(std::uintptr_t{0xffff800000000000});

long raw_readv(int fd, const void* parts, long count) { return ::syscall(SYS_readv, fd, parts, count); }
long raw_preadv2(int fd, const void* parts, long place, long flags) {
  return ::syscall(SYS_preadv2, fd, parts, 1, place, 0, flags);
}
long raw_receive(long call, int fd, const void* message, long a = 0, long b = 0, const void* limit = nullptr) {
  return ::syscall(call, fd, message, a, b, limit);
}

void reads(const std::string& of, int fd) {
  iovec empty{room, 0}, endless{room, SIZE_MAX}, usual{room, 8};
  show(of + " read of nothing", [=] { return ::syscall(SYS_read, fd, room, 0); });
  show(of + " read into the kernel", [=] { return ::syscall(SYS_read, fd, kKernelMemory, 8); });
  show(of + " readv of nothing", [&] { return raw_readv(fd, &empty, 1); });
  show(of + " readv of no parts", [&] { return raw_readv(fd, &usual, 0); });
  show(of + " readv of -1 parts", [&] { return raw_readv(fd, &usual, -1); });
  show(of + " readv of 2000 parts", [&] { return raw_readv(fd, &usual, 2000); });
  show(of + " readv of an endless part", [&] { return raw_readv(fd, &endless, 1); });
  show(of + " preadv2 at a place", [&] { return raw_preadv2(fd, &usual, 0, 0); });
  show(of + " preadv2 that does not wait", [&] { return raw_preadv2(fd, &usual, -1, RWF_NOWAIT); });
  show(of + " preadv2 with a flag that is not known", [&] { return raw_preadv2(fd, &usual, -1, 0x4000); });
}

void receives(const std::string& of, int fd) {
  iovec usual{room, 8};
  msghdr crowded = {};
  crowded.msg_iov = &usual;
  crowded.msg_iovlen = 2000;
  mmsghdr several = {};
  several.msg_hdr.msg_iov = &usual;
  several.msg_hdr.msg_iovlen = 1;
  const timespec negative{0, -5};
  const void* nowhere = reinterpret_cast<void*>(std::uintptr_t{8});
  show(of + " recv into the kernel",
       [=] { return ::syscall(SYS_recvfrom, fd, kKernelMemory, 8, 0, nullptr, nullptr); });
  show(of + " recvmsg of 2000 parts", [&] { return raw_receive(SYS_recvmsg, fd, &crowded); });
  show(of + " recvmsg of no message", [&] { return raw_receive(SYS_recvmsg, fd, nowhere); });
  show(of + " recvmmsg of none", [&] { return raw_receive(SYS_recvmmsg, fd, &several, 0); });
  show(of + " recvmmsg, a negative limit", [&] { return raw_receive(SYS_recvmmsg, fd, &several, 1, 0, &negative); });
  show(of + " recvmmsg, no limit to read", [&] { return raw_receive(SYS_recvmmsg, fd, &several, 1, 0, nowhere); });
}

void splices() {
  const Ends from = pipe_ends(), to = pipe_ends(), tcp = tcp_ends();
  const auto splice = [](int in, loff_t* at, int out, std::size_t bytes, unsigned flags) {
    return ::splice(in, at, out, nullptr, bytes, flags);
  };
  loff_t offset = 0;
  show("splice of nothing", [=] { return splice(from.reads, nullptr, to.writes, 0, 0); });
  show("splice with a flag that is not known", [=] { return splice(from.reads, nullptr, to.writes, 10, 0x1000); });
  show("splice from a place in a pipe", [&] { return splice(from.reads, &offset, to.writes, 1, 0); });
  show("splice into the end that reads", [=] { return splice(from.reads, nullptr, to.reads, 10, 0); });
  show("splice into no descriptor", [=] { return splice(from.reads, nullptr, -1, 10, 0); });
  show("splice into the same pipe", [=] { return splice(from.reads, nullptr, from.writes, 10, 0); });
  show("splice between sockets", [=] { return splice(tcp.reads, nullptr, tcp.writes, 10, 0); });
}

// Another thread shuts the socket down while recv() waits.
long shut_down_while_waiting(int fd) {
  std::thread other([fd] {
    ::usleep(200'000);
    ::shutdown(fd, SHUT_RD);
  });
  const long result = ::recv(fd, room, 4, 0);
  other.join();
  return result;
}

int bound_udp() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? fd : -1;
}

long wait_for_child_by_pidfd() {
  constexpr idtype_t kPidfd = static_cast<idtype_t>(3);
  const pid_t child = ::fork();
  if (child == 0) {
    ::usleep(400'000);
    ::_exit(1);
  }
  const auto fd = static_cast<id_t>(::syscall(SYS_pidfd_open, child, O_NONBLOCK));
  siginfo_t info = {};
  return ::waitid(kPidfd, fd, &info, WEXITED);
}

// The limit counts from the call on: the second datagram comes after it, and the third never.
long receive_with_limit() {
  const Ends ends = pair(SOCK_DGRAM);
  if (::fork() == 0) {
    for (int i = 0; i < 2; ++i) {
      ::usleep(250'000);
      [[maybe_unused]] const ssize_t sent = ::write(ends.writes, "x", 1);
    }
    ::_exit(0);
  }
  std::array<iovec, 3> parts;
  std::array<mmsghdr, 3> messages = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {room + 8 * i, 8};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  timespec limit{0, 300'000'000};
  return ::recvmmsg(ends.reads, messages.data(), static_cast<unsigned>(messages.size()), 0, &limit);
}

// Several are there, and some of their rooms cannot be written: how many were taken, and what is left.
long receive_into(const void* second_room, const void* second_vector, unsigned flags) {
  const Ends ends = pair(SOCK_DGRAM);
  for (const char* text : {"one", "three", "fifteen"})
    if (::write(ends.writes, text, std::strlen(text)) < 0) return -1;
  std::array<iovec, 4> parts;
  std::array<mmsghdr, 4> messages = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {i == 1 ? const_cast<void*>(second_room) : room + 8 * i, 8};
    messages[i].msg_hdr.msg_iov =
        i == 1 && second_vector != nullptr ? static_cast<iovec*>(const_cast<void*>(second_vector)) : &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const long taken = ::recvmmsg(ends.reads, messages.data(), 4, static_cast<int>(flags), nullptr);
  const long left = ::recv(ends.reads, room, sizeof room, MSG_DONTWAIT);
  return 1000 * taken + 100 * static_cast<long>(messages[0].msg_len) + (left < 0 ? 99 : left);
}

// The second of three is too long: the call ends before it.
long send_one_too_long() {
  const int fd = bound_udp();
  sockaddr_in to = {};
  socklen_t length = sizeof to;
  static std::array<char, 70000> data;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&to), &length) != 0) return -1;
  std::array<iovec, 3> parts{iovec{data.data(), 5}, iovec{data.data(), data.size()}, iovec{data.data(), 7}};
  std::array<mmsghdr, 3> messages = {};
  for (std::size_t i = 0; i < parts.size(); ++i)
    messages[i].msg_hdr = {.msg_name = &to, .msg_namelen = length, .msg_iov = &parts[i], .msg_iovlen = 1};
  return ::sendmmsg(fd, messages.data(), 3, 0);
}

void several() {
  for (const unsigned flags : {unsigned{MSG_DONTWAIT}, unsigned{MSG_WAITFORONE}}) {
    show("recvmmsg of three", [=] { return receive_into(room + 8, nullptr, flags); });
    show("recvmmsg, no second room", [=] { return receive_into(kKernelMemory, nullptr, flags); });
    show("recvmmsg, no second vector", [=] { return receive_into(room + 8, kKernelMemory, flags); });
  }
  show("sendmmsg of one that is too long", send_one_too_long);
}

}  // namespace

int main() {
  const Ends tcp = tcp_ends(), stream = pair(SOCK_STREAM), datagrams = pair(SOCK_DGRAM);
  reads("pipe:", pipe_ends().reads);
  reads("tcp:", tcp.reads);
  reads("unix stream:", stream.reads);
  reads("unix datagrams:", datagrams.reads);
  reads("eventfd:", ::eventfd(0, 0));
  receives("tcp:", tcp.reads);
  receives("unix stream:", stream.reads);
  receives("unix datagrams:", datagrams.reads);
  sockaddr_in address = {};
  const int listening = listener(address);
  show("accept4 with a flag that is not known", [=] { return ::accept4(listening, nullptr, nullptr, 1); });
  splices();
  show("shutdown of a udp socket", [fd = bound_udp()] { return shut_down_while_waiting(fd); });
  show("shutdown of a unix datagram socket", [fd = datagrams.reads] { return shut_down_while_waiting(fd); });
  show("waitid on a pidfd that does not wait", wait_for_child_by_pidfd);
  show("recvmmsg with a limit", receive_with_limit);
  several();
}
