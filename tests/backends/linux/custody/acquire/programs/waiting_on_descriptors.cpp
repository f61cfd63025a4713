#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>

#include "tests/backends/linux/custody/acquire/programs/waiting.hpp"

namespace dpm {
namespace {

struct Ends {
  int mine = -1, theirs = -1;
};

Ends make_pipe() {
  int ends[2];
  need(::pipe(ends), "pipe");
  return {ends[0], ends[1]};
}

int listen_on_loopback(sockaddr_in& address) {
  const int listener = need(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  need(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), "bind");
  need(::listen(listener, 5), "listen");
  socklen_t length = sizeof address;
  need(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  return listener;
}

int connect_to(const sockaddr_in& address) {
  const int socket = need(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  need(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return socket;
}

Ends make_tcp() {
  sockaddr_in address;
  const int listener = listen_on_loopback(address);
  const int mine = connect_to(address);
  return {mine, need(::accept(listener, nullptr, nullptr), "accept")};
}

void set_timeout(int socket, int option, double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timeval timeout = {whole, static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6)};
  need(::setsockopt(socket, SOL_SOCKET, option, &timeout, sizeof timeout), "setsockopt");
}

void write_some(int fd) { need(static_cast<int>(::write(fd, "hello", 5)), "write"); }

Wait::Scene receive_scene(Ends ends, double timeout_seconds, const std::function<long(int)>& receive) {
  if (timeout_seconds > 0) set_timeout(ends.mine, SO_RCVTIMEO, timeout_seconds);
  return {[=] { return or_errno(receive(ends.mine)); }, [=] { write_some(ends.theirs); }};
}

long receive_message(int fd) {
  char data[16];
  iovec vector{data, sizeof data};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  return ::recvmsg(fd, &message, 0);
}

// Two messages of the same length: whether it returns with one or both is a matter of time.
long receive_messages(int fd) {
  char data[16];
  iovec vector{data, sizeof data};
  mmsghdr messages[1] = {};
  messages[0].msg_hdr.msg_iov = &vector;
  messages[0].msg_hdr.msg_iovlen = 1;
  return ::recvmmsg(fd, messages, 1, 0, nullptr);
}

void add_receives(std::vector<Wait>& waits) {
  const auto plain = [](int fd) {
    char data[16];
    return static_cast<long>(::recv(fd, data, sizeof data, 0));
  };
  const auto by_read = [](int fd) {
    char data[16];
    return static_cast<long>(::read(fd, data, sizeof data));
  };
  waits.push_back({"pipe_read", [=] { return receive_scene(make_pipe(), 0, by_read); }});
  waits.push_back({"tcp_recv", [=] { return receive_scene(make_tcp(), 0, plain); }});
  waits.push_back({"tcp_recv_with_timeout", [=] { return receive_scene(make_tcp(), 20, plain); }});
  waits.push_back({"tcp_read_with_timeout", [=] { return receive_scene(make_tcp(), 20, by_read); }});
  waits.push_back({"tcp_recvmsg_with_timeout", [=] { return receive_scene(make_tcp(), 20, receive_message); }});
  waits.push_back({"tcp_recvmmsg_with_timeout", [=] { return receive_scene(make_tcp(), 20, receive_messages); }});
  waits.push_back({"tcp_recv_timing_out", [=] {
                     auto scene = receive_scene(make_tcp(), 0.4, plain);
                     scene.end = [] {};
                     scene.least_seconds = 0.4;
                     return scene;
                   }});
  waits.push_back({"eventfd_read", [=] {
                     const int fd = need(::eventfd(0, 0), "eventfd");
                     return Wait::Scene{[=] { return or_errno(by_read(fd)); }, [=] { ::eventfd_write(fd, 7); }};
                   }});
  waits.push_back({"timerfd_read", [=] {
                     const int fd = need(::timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
                     const itimerspec in{{0, 0}, {0, 400'000'000}};
                     need(::timerfd_settime(fd, 0, &in, nullptr), "timerfd_settime");
                     return Wait::Scene{[=] { return or_errno(by_read(fd)); }, [] {}, 0.3};
                   }});
  waits.push_back({"signalfd_read", [=] {
                     sigset_t set;
                     ::sigemptyset(&set);
                     ::sigaddset(&set, SIGUSR1);
                     ::sigprocmask(SIG_BLOCK, &set, nullptr);
                     const int fd = need(::signalfd(-1, &set, 0), "signalfd");
                     const pid_t self = ::getpid();
                     return Wait::Scene{[=] {
                                          signalfd_siginfo info[1];
                                          return or_errno(::read(fd, info, sizeof info));
                                        },
                                        [=] { ::kill(self, SIGUSR1); }};
                   }});
  waits.push_back({"inotify_read", [=] {
                     const int fd = need(::inotify_init(), "inotify_init");
                     char name[] = "/tmp/dpm-acquire-XXXXXX";
                     const int file = need(::mkstemp(name), "mkstemp");
                     need(::inotify_add_watch(fd, name, IN_MODIFY), "inotify_add_watch");
                     ::unlink(name);
                     return Wait::Scene{[=] {
                                          char data[4096];
                                          return or_errno(::read(fd, data, sizeof data));
                                        },
                                        [=] { write_some(file); }};
                   }});
}

void add_sends(std::vector<Wait>& waits) {
  // More than fits; the other side takes everything, and counts.
  const auto scene = [](double timeout_seconds, bool by_write) {
    const Ends ends = make_tcp();
    const int small = 1 << 16;
    need(::setsockopt(ends.mine, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), "setsockopt");
    if (timeout_seconds > 0) set_timeout(ends.mine, SO_SNDTIMEO, timeout_seconds);
    static constexpr std::size_t kBytes = 1 << 20;
    return Wait::Scene{[=] {
                         const std::string data(kBytes, 'x');
                         // Partial results are lawful; what counts is that all goes out, once.
                         std::size_t sent = 0;
                         while (sent < kBytes) {
                           const auto* at = data.data() + sent;
                           const ssize_t part = by_write ? ::write(ends.mine, at, kBytes - sent)
                                                         : ::send(ends.mine, at, kBytes - sent, 0);
                           if (part < 0) return or_errno(part);
                           sent += static_cast<std::size_t>(part);
                         }
                         char received = 0;
                         ::shutdown(ends.mine, SHUT_WR);
                         return or_errno(::read(ends.mine, &received, 1)) == 1 ? static_cast<long>(received) : -1;
                       },
                       [=] {
                         std::string data(1 << 16, 0);
                         std::size_t received = 0;
                         ssize_t part = 0;
                         while ((part = ::read(ends.theirs, data.data(), data.size())) > 0)
                           received += static_cast<std::size_t>(part);
                         const char all = received == kBytes ? 'a' : 'n';
                         need(static_cast<int>(::write(ends.theirs, &all, 1)), "write");
                       }};
  };
  waits.push_back({"tcp_send", [=] { return scene(0, false); }});
  waits.push_back({"tcp_send_with_timeout", [=] { return scene(20, false); }});
  waits.push_back({"tcp_write_with_timeout", [=] { return scene(20, true); }});
}

void add_connections(std::vector<Wait>& waits) {
  const auto scene = [](double timeout_seconds) {
    sockaddr_in address;
    const int listener = listen_on_loopback(address);
    if (timeout_seconds > 0) set_timeout(listener, SO_RCVTIMEO, timeout_seconds);
    return Wait::Scene{[=] { return or_errno(::accept(listener, nullptr, nullptr)) > 0 ? 1L : or_errno(-1); },
                       [=] { connect_to(address); }};
  };
  waits.push_back({"accept", [=] { return scene(0); }});
  waits.push_back({"accept_with_timeout", [=] { return scene(90); }});
  waits.push_back(
      {"connect_with_timeout", [] {
         // A UNIX listener whose queue is full makes connect() wait.
         sockaddr_un address = {};
         address.sun_family = AF_UNIX;
         const std::string name = "dpm-acquire-" + std::to_string(::getpid());
         std::memcpy(address.sun_path + 1, name.data(), name.size());
         const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
         const auto* at = reinterpret_cast<const sockaddr*>(&address);
         const int listener = need(::socket(AF_UNIX, SOCK_STREAM, 0), "socket");
         need(::bind(listener, at, length), "bind");
         need(::listen(listener, 0), "listen");
         const int first = need(::socket(AF_UNIX, SOCK_STREAM, 0), "socket");
         need(::connect(first, at, length), "connect");
         const int second = need(::socket(AF_UNIX, SOCK_STREAM, 0), "socket");
         set_timeout(second, SO_SNDTIMEO, 90);
         return Wait::Scene{
             [=] { return or_errno(::connect(second, reinterpret_cast<const sockaddr*>(&address), length)); },
             [=] {
               ::accept(listener, nullptr, nullptr);
               ::accept(listener, nullptr, nullptr);
             }};
       }});
}

void add_polls(std::vector<Wait>& waits) {
  const auto add = [&waits](const char* name, const std::function<long(int)>& wait) {
    waits.push_back({name, [=] {
                       const Ends ends = make_pipe();
                       return Wait::Scene{[=] { return or_errno(wait(ends.mine)); }, [=] { write_some(ends.theirs); }};
                     }});
  };
  add("poll", [](int fd) {
    pollfd item{fd, POLLIN, 0};
    return static_cast<long>(::poll(&item, 1, -1));
  });
  add("poll_with_timeout", [](int fd) {
    pollfd item{fd, POLLIN, 0};
    return static_cast<long>(::poll(&item, 1, 90'000));
  });
  add("ppoll", [](int fd) {
    pollfd item{fd, POLLIN, 0};
    const timespec timeout{90, 0};
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    return static_cast<long>(::ppoll(&item, 1, &timeout, &blocked));
  });
  const auto by_select = [](int fd, timeval* timeout) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return static_cast<long>(::select(fd + 1, &set, nullptr, nullptr, timeout));
  };
  add("select", [=](int fd) { return by_select(fd, nullptr); });
  add("select_with_timeout", [=](int fd) {
    timeval timeout{90, 0};
    return by_select(fd, &timeout);
  });
  add("pselect", [](int fd) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    const timespec timeout{90, 0};
    sigset_t blocked;
    ::sigfillset(&blocked);
    return static_cast<long>(::pselect(fd + 1, &set, nullptr, nullptr, &timeout, &blocked));
  });
}

void add_epolls(std::vector<Wait>& waits) {
  const auto add = [&waits](const char* name, const std::function<long(int, epoll_event*)>& wait, bool ended,
                            double least) {
    waits.push_back({name, [=] {
                       const Ends ends = make_pipe();
                       const int epoll = need(::epoll_create1(0), "epoll_create1");
                       epoll_event event = {};
                       event.events = EPOLLIN;
                       need(::epoll_ctl(epoll, EPOLL_CTL_ADD, ends.mine, &event), "epoll_ctl");
                       return Wait::Scene{[=] {
                                            epoll_event came = {};
                                            return or_errno(wait(epoll, &came));
                                          },
                                          [=] {
                                            if (ended) write_some(ends.theirs);
                                          },
                                          least};
                     }});
  };
  add(
      "epoll_wait", [](int epoll, epoll_event* event) { return ::epoll_wait(epoll, event, 1, -1); }, true, 0);
  add(
      "epoll_wait_with_timeout", [](int epoll, epoll_event* event) { return ::epoll_wait(epoll, event, 1, 90'000); },
      true, 0);
  add(
      "epoll_wait_timing_out", [](int epoll, epoll_event* event) { return ::epoll_wait(epoll, event, 1, 400); }, false,
      0.4);
  add(
      "epoll_pwait",
      [](int epoll, epoll_event* event) {
        sigset_t blocked;
        ::sigfillset(&blocked);
        return ::epoll_pwait(epoll, event, 1, -1, &blocked);
      },
      true, 0);
}

}  // namespace

void add_descriptor_waits(std::vector<Wait>& waits) {
  add_receives(waits);
  add_sends(waits);
  add_connections(waits);
  add_polls(waits);
  add_epolls(waits);
}

}  // namespace dpm
