// Receiving what is not there yet: a reader waits in its call over every medium and with every limit to waiting, and is
// answered at the right moment, with the right bytes.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 4000>;

// The last RECEIVE came at least this long after its RECEIVECALL.
void expect_waited(const Actor& actor, long milliseconds) { actor.expect("WAITED", milliseconds, "-"); }

// A writer lets the reader wait for each of two messages and for the end: much longer than expected, because on a busy
// machine the meter sees the call late.
void reader_waits(const Actor& actor, const Medium& medium) {
  const Ends ends = medium.connect(actor);
  const bool has_end = medium.stream || std::string(medium.name).find("seqpacket") != std::string::npos;
  const pid_t reader = actor.forks("reader", [&](const Actor& reading) {
    close(ends.a.fd);
    Room room{};
    for (int message = 0; message < 2; ++message) {
      reading.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
      expect_waited(reading, 20);
    }
    if (has_end) reading.asks(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
    return 7;
  });
  close(ends.b.fd);
  Room room{};
  for (const std::size_t length : {19ul, 1301ul}) {
    until_waiting(reader, 120);
    actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), length); });
  }
  until_waiting(reader, 50);
  close(ends.a.fd);
  actor.waits_for(reader, "reader");
}

template <std::size_t kIndex>
void over_medium(const Actor& actor) {
  reader_waits(actor, media()[kIndex]);
}

// Plays `write` in another process, once this one waits.
template <typename Write>
pid_t later(const Actor& actor, const char* role, Write write) {
  return actor.forks(role, [&](const Actor& writing) {
    until_waiting(getppid(), 50);
    write(writing);
    return 0;
  });
}

void timeout(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream", "pair_datagram", "udp4"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    const timeval limit{0, 375000};
    must(setsockopt(in.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "SO_RCVTIMEO");
    Room room{};
    {
      const Stopwatch stopwatch;
      actor.asks(in, std::string(name) + " recv, nothing comes", [&] { return recv(in.fd, room.data(), 10, 0); });
      actor.result("after 375 ms", stopwatch.shows(374));
    }
    const pid_t writer = later(actor, "writer", [&](const Actor& writing) {
      writing.sends(out, "write", [&] { return write(out.fd, room.data(), 23); });
    });
    const timeval long_limit{5, 0};
    must(setsockopt(in.fd, SOL_SOCKET, SO_RCVTIMEO, &long_limit, sizeof long_limit), "SO_RCVTIMEO");
    actor.receives(in, "read, something comes in time", [&] { return read(in.fd, room.data(), room.size()); });
    expect_waited(actor, 20);
    actor.waits_for(writer, "writer");
  }
}

// Sends that find no room wait for it, also where the wait has a limit.
void time_for_room(const Actor& actor) {
  constexpr std::size_t kLength = 50000;
  constexpr int kMessages = 12;  // more than a socket keeps
  static std::array<char, kLength> room{};
  for (const char* name : {"tcp4", "unix_stream"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    const int few = 60000;
    must(setsockopt(out.fd, SOL_SOCKET, SO_SNDBUF, &few, sizeof few), "SO_SNDBUF");
    const timeval limit{20, 0};
    must(setsockopt(out.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), "SO_SNDTIMEO");
    const pid_t writer = actor.forks("writer", [&](const Actor& writing) {
      for (int i = 0; i < kMessages; ++i)
        writing.sends(out, "send with a time limit", [&] { return send(out.fd, room.data(), room.size(), 0); });
      return 0;
    });
    until_waiting(writer, 50);
    for (int i = 0; i < kMessages; ++i)
      actor.receives(in, "recv MSG_WAITALL", [&] { return recv(in.fd, room.data(), room.size(), MSG_WAITALL); });
    actor.waits_for(writer, "writer");
  }
}

void without_waiting(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream", "pair_datagram", "udp4", "pipe"}) {
    const Medium& over = medium(name);
    const Ends ends = over.connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    if (over.socket) actor.asks(in, "recv MSG_DONTWAIT", [&] { return recv(in.fd, room.data(), 10, MSG_DONTWAIT); });
    actor.sends(out, "write", [&] { return write(out.fd, room.data(), 31); });
    if (over.socket)
      actor.receives(in, "recv MSG_DONTWAIT", [&] { return recv(in.fd, room.data(), room.size(), MSG_DONTWAIT); });
    must(fcntl(in.fd, F_SETFL, O_NONBLOCK), "fcntl");
    if (over.socket) actor.sends(out, "write", [&] { return write(out.fd, room.data(), 37); });
    actor.receives(in, "read O_NONBLOCK", [&] { return read(in.fd, room.data(), room.size()); });
    actor.asks(in, "read O_NONBLOCK", [&] { return read(in.fd, room.data(), 10); });
  }
}

// Two parts with a pause between them.
pid_t two_parts(const Actor& actor, const End& out, std::size_t first, std::size_t second) {
  return later(actor, "writer", [&](const Actor& writing) {
    Room room{};
    writing.sends(out, "write", [&] { return write(out.fd, room.data(), first); });
    until_waiting(getppid(), 50);
    writing.sends(out, "write", [&] { return write(out.fd, room.data(), second); });
  });
}

void wait_for_all(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    pid_t writer = two_parts(actor, out, 103, 211);
    actor.receives(in, "recv MSG_WAITALL", [&] { return recv(in.fd, room.data(), 314, MSG_WAITALL); });
    actor.waits_for(writer, "writer");
    // Not all comes in time.
    const timeval limit{1, 0};
    must(setsockopt(in.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "SO_RCVTIMEO");
    writer = two_parts(actor, out, 107, 109);
    actor.receives(in, "recv MSG_WAITALL with a timeout",
                   [&] { return recv(in.fd, room.data(), room.size(), MSG_WAITALL); });
    actor.waits_for(writer, "writer");
  }
}

void low_water(const Actor& actor) {
  const Ends ends = medium("tcp4").connect(actor);
  const int least = 200;
  must(setsockopt(ends.b.fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least), "SO_RCVLOWAT");
  Room room{};
  const pid_t writer = two_parts(actor, ends.a, 113, 127);
  actor.receives(ends.b, "recv above SO_RCVLOWAT", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
  expect_waited(actor, 50);
  actor.waits_for(writer, "writer");
}

// Looking is not receiving, as little as poll() is.
void peeking(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream", "udp4"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    const pid_t writer = later(actor, "writer", [&](const Actor& writing) {
      writing.sends(out, "write", [&] { return write(out.fd, room.data(), 41); });
    });
    actor.result("recv MSG_PEEK, waiting", recv(in.fd, room.data(), room.size(), MSG_PEEK));
    actor.result("recv MSG_PEEK", recv(in.fd, room.data(), 5, MSG_PEEK));
    actor.receives(in, "recv", [&] { return recv(in.fd, room.data(), room.size(), 0); });
    actor.waits_for(writer, "writer");
  }
}

// Bytes that do not fit into the reader's buffer are lost with datagrams (the received message is the whole one, but the
// result of the call is not), and stay with streams.
void too_little_room(const Actor& actor) {
  Room room{};
  for (const char* name : {"udp4", "pair_datagram", "unix_seqpacket"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    for (const std::size_t length : {400ul, 300ul})
      actor.sends(out, "write", [&] { return write(out.fd, room.data(), length); });
    actor.expect("RECEIVECALL", 0, in.in);
    actor.result("recv", recv(in.fd, room.data(), 43, 0));
    actor.expect_by("notify", "RECEIVE", 400, in.in);
    actor.expect_by("ebpf", "RECEIVE", name == std::string("pair_datagram") ? 400 : 43, in.in);
    actor.receives(in, "recv MSG_TRUNC", [&] { return recv(in.fd, room.data(), 47, MSG_TRUNC); });
  }
  const Ends ends = medium("tcp4").connect(actor);
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 500); });
  actor.receives(ends.b, "recv of a part", [&] { return recv(ends.b.fd, room.data(), 53, 0); });
  // TCP throws away what MSG_TRUNC reads, without touching the buffer.
  actor.receives(ends.b, "recv MSG_TRUNC", [&] { return recv(ends.b.fd, nullptr, 59, MSG_TRUNC); });
  actor.receives(ends.b, "recv of the rest", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
}

// Servers wait for many descriptors before they read one.
void poll_first(const Actor& actor) {
  const Ends ends = medium("tcp4").connect(actor);
  Room room{};
  const int epoll = must(epoll_create1(0), "epoll_create1");
  epoll_event interest{};
  interest.events = EPOLLIN;
  must(epoll_ctl(epoll, EPOLL_CTL_ADD, ends.b.fd, &interest), "epoll_ctl");
  for (int round = 0; round < 3; ++round) {
    const pid_t writer = later(actor, "writer", [&](const Actor& writing) {
      writing.sends(ends.a, "write",
                    [&] { return write(ends.a.fd, room.data(), std::size_t{61} + static_cast<std::size_t>(round)); });
    });
    epoll_event event{};
    pollfd wanted{ends.b.fd, POLLIN, 0};
    actor.result("wait", round == 0 ? epoll_wait(epoll, &event, 1, 5000) : poll(&wanted, 1, 5000));
    actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
    actor.waits_for(writer, "writer");
    actor.result("epoll_wait of nothing", epoll_wait(epoll, &event, 1, 0));
  }
}

constexpr std::array kLimits = {
    Case{"timeout", timeout},           Case{"without_waiting", without_waiting},
    Case{"wait_for_all", wait_for_all}, Case{"low_water", low_water},
    Case{"peeking", peeking},           Case{"too_little_room", too_little_room},
    Case{"poll_first", poll_first},     Case{"time_for_room", time_for_room},
};

template <std::size_t... kIndexes>
auto all_cases(std::index_sequence<kIndexes...>) {
  std::array<Case, sizeof...(kIndexes) + kLimits.size()> cases = {
      Case{media()[kIndexes].name, over_medium<kIndexes>}...};
  for (std::size_t i = 0; i < kLimits.size(); ++i) cases[sizeof...(kIndexes) + i] = kLimits[i];
  return cases;
}

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::all_cases(std::make_index_sequence<13>()), argc, argv); }
