// Clients of a UNIX listener that connect, send and end before the server accepts: what they sent is theirs.
#include <unistd.h>

#include <array>
#include <string>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

constexpr int kClients = 3, kOfEach = 2;

int connected(int type, const sockaddr_un& name, socklen_t length) {
  const int client = must(socket(AF_UNIX, type, 0), "socket");
  must(connect(client, reinterpret_cast<const sockaddr*>(&name), length), "connect");
  return client;
}

std::string channel(int client, int connection) {
  return "client " + std::to_string(client) + " connection " + std::to_string(connection);
}

void clients(const Actor& actor, int type) {
  socklen_t length = 0;
  const sockaddr_un name = unix_name("server", length);
  const int listener = must(socket(AF_UNIX, type, 0), "socket");
  must(bind(listener, reinterpret_cast<const sockaddr*>(&name), length), "bind");
  must(listen(listener, kClients * kOfEach), "listen");
  std::array<char, 100> room{};
  for (int client = 0; client < kClients; ++client) {
    const pid_t child = actor.forks("client", [&](const Actor& sending) {
      for (int connection = 0; connection < kOfEach; ++connection) {
        const int fd = connected(type, name, length);
        sending.sends({fd, channel(client, connection), ""}, "send", [&] { return send(fd, room.data(), 40, 0); });
        close(fd);
      }
      return 0;
    });
    actor.waits_for(child, "client");
  }
  for (int client = 0; client < kClients; ++client) {
    for (int connection = 0; connection < kOfEach; ++connection) {
      const int fd = actor.accepts("accept", [&] { return accept(listener, nullptr, nullptr); });
      const End in{fd, "", channel(client, connection)};
      actor.receives(in, "recv", [&] { return recv(fd, room.data(), room.size(), 0); });
      actor.asks(in, "recv at the end", [&] { return recv(fd, room.data(), room.size(), 0); });
      close(fd);
    }
  }
}

void streams(const Actor& actor) { clients(actor, SOCK_STREAM); }
void packets(const Actor& actor) { clients(actor, SOCK_SEQPACKET); }

constexpr std::array kCases = {Case{"streams", streams}, Case{"packets", packets}};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
