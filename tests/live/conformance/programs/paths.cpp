// How paths between processes begin and end. A meter is not notified of these calls: it infers them when a socket is first
// used, so that a test can expect only used sockets, at no particular time.
//
// The line "PATHS" means that all of the thread's path events are listed.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

void there_and_back(const Actor& actor, const Ends& ends) {
  Room room{};
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 17); });
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
  actor.sends(ends.b, "write", [&] { return write(ends.b.fd, room.data(), 19); });
  actor.receives(ends.a, "read", [&] { return read(ends.a.fd, room.data(), room.size()); });
}

// "Socketpair() is not treated differently from a pair of socket creates followed by separate connects and accepts; all
// four messages are produced" (metering report 3.2).
void socket_pair(const Actor& actor) {
  const pid_t child = actor.forks("child", [&](const Actor& process) {
    const Ends ends = medium("pair_stream").connect(process);
    there_and_back(process, ends);
    process.expect("PATHS", 0, "-");
    for (const char* kind : {"SOCKET", "SOCKET", "CONNECT", "ACCEPTED", "DESTSOCKET", "DESTSOCKET"})
      process.expect(kind, 0, "-");
    return 0;
  });
  actor.waits_for(child, "child");
}

void connection(const Actor& actor) {
  const Listener listener = tcp_listener();
  const pid_t client = actor.forks("client", [&](const Actor& process) {
    close(listener.fd);
    const int fd = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    process.result("connect", connect(fd, reinterpret_cast<const sockaddr*>(&listener.name), listener.name_length));
    const End end{fd, kToServer, kToClient};
    Room room{};
    process.sends(end, "write", [&] { return write(fd, room.data(), 23); });
    process.receives(end, "read", [&] { return read(fd, room.data(), room.size()); });
    process.expect("PATHS", 0, "-");
    for (const char* kind : {"SOCKET", "CONNECT", "DESTSOCKET"}) process.expect(kind, 0, "-");
    return 0;
  });
  const int fd = actor.accepts("accept", [&] { return accept(listener.fd, nullptr, nullptr); });
  const End end{fd, kToClient, kToServer};
  Room room{};
  actor.receives(end, "read", [&] { return read(fd, room.data(), room.size()); });
  actor.sends(end, "write", [&] { return write(fd, room.data(), 29); });
  actor.waits_for(client, "client");
}

// A client may speak before it is accepted.
void speaks_before_accept(const Actor& actor) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  const std::string text = "dpm-early-" + std::to_string(getpid());
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  const int listener = must(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  must(bind(listener, reinterpret_cast<const sockaddr*>(&name), length), "bind");
  must(listen(listener, 5), "listen");
  Room room{};
  for (const std::string round : {"first", "second"}) {
    const int fd = must(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
    must(connect(fd, reinterpret_cast<const sockaddr*>(&name), length), "connect");
    const End client{fd, round + " to server", round + " to client"};
    actor.sends(client, "write", [&] { return write(client.fd, room.data(), 17); });
    actor.sends(client, "send", [&] { return send(client.fd, room.data(), 18, 0); });
    const End server{actor.accepts("accept", [&] { return accept(listener, nullptr, nullptr); }), client.in,
                     client.out};
    actor.receives(server, "recv", [&] { return recv(server.fd, room.data(), room.size(), 0); });
    actor.sends(server, "write", [&] { return write(server.fd, room.data(), 19); });
    actor.receives(client, "read", [&] { return read(client.fd, room.data(), room.size()); });
    close(server.fd);
    close(client.fd);
  }
  close(listener);
}

// The number of a socket is used again for others: each has its own end.
void numbers_again(const Actor& actor) {
  const pid_t child = actor.forks("child", [&](const Actor& process) {
    for (int round = 0; round < 3; ++round) {
      Ends ends = medium("pair_datagram").connect(process);
      const std::string number = std::to_string(round);
      ends.a.out = ends.b.in = "a>b" + number;
      ends.a.in = ends.b.out = "b>a" + number;
      there_and_back(process, ends);
      close(ends.a.fd);
      close(ends.b.fd);
    }
    process.expect("PATHS", 0, "-");
    for (int round = 0; round < 3; ++round) {
      for (const char* kind : {"SOCKET", "SOCKET", "CONNECT", "ACCEPTED", "DESTSOCKET", "DESTSOCKET"})
        process.expect(kind, 0, "-");
    }
    return 0;
  });
  actor.waits_for(child, "child");
}

// A duplicate is announced when it is first used, and the socket ends with the last of them.
void duplicate_by(const Actor& actor, int (*make)(int)) {
  const pid_t child = actor.forks("child", [&](const Actor& process) {
    const Ends ends = medium("pair_stream").connect(process);
    there_and_back(process, ends);
    const int other = must(make(ends.a.fd), "dup");
    close(ends.a.fd);
    there_and_back(process, {{other, ends.a.out, ends.a.in}, ends.b});
    process.expect("PATHS", 0, "-");
    for (const char* kind : {"SOCKET", "SOCKET", "CONNECT", "ACCEPTED", "DUP", "DESTSOCKET", "DESTSOCKET"})
      process.expect(kind, 0, "-");
    return 0;
  });
  actor.waits_for(child, "child");
}

void duplicate(const Actor& actor) {
  duplicate_by(actor, [](int fd) { return dup(fd); });
}

void duplicate_by_fcntl(const Actor& actor) {
  duplicate_by(actor, [](int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 40); });
}

constexpr std::array kCases = {
    Case{"socket_pair", socket_pair},
    Case{"connection", connection},
    Case{"speaks_before_accept", speaks_before_accept},
    Case{"numbers_again", numbers_again},
    Case{"duplicate", duplicate},
    Case{"duplicate_by_fcntl", duplicate_by_fcntl},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
