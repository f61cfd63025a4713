#include "tests/live/conformance/support/media.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace dpm {
namespace {

const sockaddr* general(const sockaddr_storage& name) { return reinterpret_cast<const sockaddr*>(&name); }

Listener bound_to_loopback(int domain, int type, bool mapped) {
  Listener listener;
  listener.fd = must(socket(domain, type | SOCK_CLOEXEC, 0), "socket");
  if (domain == AF_INET) {
    auto* name = reinterpret_cast<sockaddr_in*>(&listener.name);
    name->sin_family = AF_INET;
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener.name_length = sizeof *name;
  } else {
    auto* name = reinterpret_cast<sockaddr_in6*>(&listener.name);
    name->sin6_family = AF_INET6;
    if (mapped) {
      must(inet_pton(AF_INET6, "::ffff:127.0.0.1", &name->sin6_addr), "inet_pton");
    } else {
      name->sin6_addr = in6addr_loopback;
    }
    listener.name_length = sizeof *name;
  }
  must(bind(listener.fd, general(listener.name), listener.name_length), "bind");
  must(getsockname(listener.fd, reinterpret_cast<sockaddr*>(&listener.name), &listener.name_length), "getsockname");
  return listener;
}

Ends two_way(int a, int b) { return {{a, "a>b", "b>a"}, {b, "b>a", "a>b"}}; }
Ends one_way(int reader, int writer) { return {{writer, "a>b", "?"}, {reader, "?", "a>b"}}; }

Ends tcp(const Actor& actor, int domain, bool mapped) {
  const Listener listener = tcp_listener(domain, mapped);
  const int client = connect_to(listener, domain);
  const int server = actor.accepts("accept", [&] { return accept(listener.fd, nullptr, nullptr); });
  close(listener.fd);
  return two_way(client, must(server, "accept"));
}

Ends tcp4(const Actor& actor) { return tcp(actor, AF_INET, false); }
Ends tcp6(const Actor& actor) { return tcp(actor, AF_INET6, false); }
Ends tcp_mapped(const Actor& actor) { return tcp(actor, AF_INET6, true); }

Ends unix_connection(const Actor& actor, int type, const char* purpose) {
  socklen_t length = 0;
  const sockaddr_un name = unix_name(purpose, length);
  const int listener = must(socket(AF_UNIX, type, 0), "socket");
  must(bind(listener, reinterpret_cast<const sockaddr*>(&name), length), "bind");
  must(listen(listener, 5), "listen");
  const int client = must(socket(AF_UNIX, type, 0), "socket");
  must(connect(client, reinterpret_cast<const sockaddr*>(&name), length), "connect");
  const int server = actor.accepts("accept4", [&] { return accept4(listener, nullptr, nullptr, 0); });
  close(listener);
  return two_way(client, must(server, "accept"));
}

Ends unix_stream(const Actor& actor) { return unix_connection(actor, SOCK_STREAM, "stream"); }
Ends unix_seqpacket(const Actor& actor) { return unix_connection(actor, SOCK_SEQPACKET, "seqpacket"); }

Ends unix_datagram(const Actor&) {
  std::array<int, 2> fds{};
  std::array<sockaddr_un, 2> names{};
  std::array<socklen_t, 2> lengths{};
  for (std::size_t i = 0; i < 2; ++i) {
    names[i] = unix_name("datagram" + std::to_string(i), lengths[i]);
    fds[i] = must(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
    must(bind(fds[i], reinterpret_cast<const sockaddr*>(&names[i]), lengths[i]), "bind");
  }
  for (std::size_t i = 0; i < 2; ++i)
    must(connect(fds[i], reinterpret_cast<const sockaddr*>(&names[1 - i]), lengths[1 - i]), "connect");
  return two_way(fds[0], fds[1]);
}

Ends socket_pair(int type) {
  std::array<int, 2> fds{};
  must(socketpair(AF_UNIX, type, 0, fds.data()), "socketpair");
  return two_way(fds[0], fds[1]);
}

Ends pair_stream(const Actor&) { return socket_pair(SOCK_STREAM); }
Ends pair_datagram(const Actor&) { return socket_pair(SOCK_DGRAM); }
Ends pair_seqpacket(const Actor&) { return socket_pair(SOCK_SEQPACKET); }

Ends udp(int domain) {
  const Listener a = udp_socket(domain), b = udp_socket(domain);
  must(connect(a.fd, general(b.name), b.name_length), "connect");
  must(connect(b.fd, general(a.name), a.name_length), "connect");
  return two_way(a.fd, b.fd);
}

Ends udp4(const Actor&) { return udp(AF_INET); }
Ends udp6(const Actor&) { return udp(AF_INET6); }

Ends pipe_ends(const Actor&) {
  std::array<int, 2> fds{};
  must(pipe(fds.data()), "pipe");
  return one_way(fds[0], fds[1]);
}

Ends fifo(const Actor&) {
  std::array<char, 32> folder{"/tmp/conformance.XXXXXX"};
  if (mkdtemp(folder.data()) == nullptr) must(-1, "mkdtemp");
  const std::string path = std::string(folder.data()) + "/fifo";
  must(mkfifo(path.c_str(), 0600), "mkfifo");
  const int reader = must(open(path.c_str(), O_RDONLY | O_NONBLOCK), "open");
  const int writer = must(open(path.c_str(), O_WRONLY), "open");
  must(fcntl(reader, F_SETFL, 0), "fcntl");
  unlink(path.c_str());
  rmdir(folder.data());
  return one_way(reader, writer);
}

constexpr std::array kMedia = {
    Medium{"tcp4", tcp4, true, true, true},
    Medium{"tcp6", tcp6, true, true, true},
    Medium{"tcp_mapped", tcp_mapped, true, true, true},
    Medium{"unix_stream", unix_stream, true, true, true},
    Medium{"unix_seqpacket", unix_seqpacket, true, false, true},
    Medium{"unix_datagram", unix_datagram, true, false, true},
    Medium{"pair_stream", pair_stream, true, true, true},
    Medium{"pair_datagram", pair_datagram, true, false, true},
    Medium{"pair_seqpacket", pair_seqpacket, true, false, true},
    Medium{"udp4", udp4, true, false, true},
    Medium{"udp6", udp6, true, false, true},
    Medium{"pipe", pipe_ends, false, true, false},
    Medium{"fifo", fifo, false, true, false},
};

}  // namespace

std::span<const Medium> media() { return kMedia; }

const Medium& medium(const std::string& name) {
  for (const auto& one : kMedia)
    if (name == one.name) return one;
  std::fprintf(stderr, "no medium '%s'\n", name.c_str());
  std::abort();
}

sockaddr_un unix_name(const std::string& purpose, socklen_t& length) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = "conformance-" + std::to_string(getpid()) + "-" + purpose;
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

Listener tcp_listener(int domain, bool mapped) {
  const Listener listener = bound_to_loopback(domain, SOCK_STREAM, mapped);
  must(listen(listener.fd, 16), "listen");
  return listener;
}

int connect_to(const Listener& listener, int domain) {
  const int fd = must(socket(domain, SOCK_STREAM, 0), "socket");
  must(connect(fd, general(listener.name), listener.name_length), "connect");
  return fd;
}

Listener udp_socket(int domain) { return bound_to_loopback(domain, SOCK_DGRAM, false); }

}  // namespace dpm
