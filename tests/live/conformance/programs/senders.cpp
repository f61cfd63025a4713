// Several clients of one UNIX datagram socket, as of /dev/log: each datagram that is received is from the process that sent it. All are
// equally long.
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

constexpr const char* kToAll = "to the server";
constexpr long kBytes = 40;

struct Name {
  explicit Name(const std::string& purpose) : address(unix_name(purpose, length)) {}
  const sockaddr* at() const { return reinterpret_cast<const sockaddr*>(&address); }

  socklen_t length = 0;
  sockaddr_un address;
};

// How a client reaches the server, and how the server receives.
struct Way {
  const char* name;
  bool client_has_name, is_connected, is_asked_for_name, by_several;
};
constexpr std::array kWays = {
    Way{"connected", false, true, false, false},      Way{"connected_and_named", true, true, false, false},
    Way{"to_name", false, false, false, false},       Way{"named_to_name", true, false, true, false},
    Way{"connected_asked", false, true, true, false}, Way{"several_at_once", false, true, false, true},
};

struct Datagram {
  pid_t sender = 0;
  int number = 0;
  std::array<char, kBytes - 8> rest{};
};
static_assert(sizeof(Datagram) == kBytes);

int send_all(const Actor& actor, const Way& way, const Name& server, int client, int messages) {
  const End out{must(socket(AF_UNIX, SOCK_DGRAM, 0), "socket"), kToAll, ""};
  const Name own("client" + std::to_string(client));
  if (way.client_has_name) must(bind(out.fd, own.at(), own.length), "bind");
  if (way.is_connected) must(connect(out.fd, server.at(), server.length), "connect");
  Datagram datagram;
  datagram.sender = gettid();
  for (; datagram.number < messages; ++datagram.number) {
    actor.sends(out, "send", [&] {
      return way.is_connected ? send(out.fd, &datagram, sizeof datagram, 0)
                              : sendto(out.fd, &datagram, sizeof datagram, 0, server.at(), server.length);
    });
  }
  return 0;
}

void receive_several(const Actor& actor, int server, int count) {
  std::vector<Datagram> datagrams(static_cast<std::size_t>(count));
  std::vector<iovec> rooms(datagrams.size());
  std::vector<mmsghdr> headers(datagrams.size());
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    rooms[i] = {&datagrams[i], sizeof(Datagram)};
    headers[i].msg_hdr.msg_iov = &rooms[i];
    headers[i].msg_hdr.msg_iovlen = 1;
  }
  actor.expect("RECEIVECALL", 0, kToAll);
  actor.result("recvmmsg", recvmmsg(server, headers.data(), static_cast<unsigned>(count), 0, nullptr));
  for (const Datagram& datagram : datagrams) {
    actor.expect("RECEIVE", kBytes, kToAll);
    actor.expect("SENDER", datagram.sender, "-");
  }
}

void receive_all(const Actor& actor, const Way& way, int server, int count) {
  if (way.by_several) return receive_several(actor, server, count);
  const End in{server, "", kToAll};
  for (int i = 0; i < count; ++i) {
    Datagram datagram;
    sockaddr_un sender{};
    socklen_t length = sizeof sender;
    actor.receives(in, "recv", [&] {
      return way.is_asked_for_name
                 ? recvfrom(server, &datagram, sizeof datagram, 0, reinterpret_cast<sockaddr*>(&sender), &length)
                 : recv(server, &datagram, sizeof datagram, 0);
    });
    actor.expect("SENDER", datagram.sender, "-");
  }
}

// The server receives while the clients send, and when they have ended.
void clients(const Actor& actor, const Way& way) {
  constexpr int kClients = 3, kMessages = 30, kQueued = 3;  // of each client
  const Name name("server");
  const int server = must(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
  must(bind(server, name.at(), name.length), "bind");
  for (const bool have_ended : {false, true}) {
    if (way.by_several && !have_ended) continue;
    const int messages = have_ended ? kQueued : kMessages;
    std::vector<pid_t> children;
    for (int client = 0; client < kClients; ++client)
      children.push_back(actor.forks("client " + std::to_string(client), [&](const Actor& sending) {
        return send_all(sending, way, name, client, messages);
      }));
    const auto await_all = [&] {
      for (const pid_t child : children) actor.waits_for(child, "client");
    };
    if (have_ended) await_all();
    receive_all(actor, way, server, kClients * messages);
    if (!have_ended) await_all();
  }
}

template <std::size_t kIndex>
void by_way(const Actor& actor) {
  clients(actor, kWays[kIndex]);
}

template <std::size_t... kIndexes>
std::array<Case, sizeof...(kIndexes)> cases(std::index_sequence<kIndexes...>) {
  return {Case{kWays[kIndexes].name, by_way<kIndexes>}...};
}

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  return dpm::play_case(dpm::cases(std::make_index_sequence<dpm::kWays.size()>()), argc, argv);
}
