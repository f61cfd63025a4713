// Readers that never wait, and readers that are many: what comes at the very moment at which one looks is recorded once,
// for the one that got it.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 2000>;

// Counted in memory that all share, so that a sender that would lose datagrams waits without a call that is metered.
struct Progress {
  std::atomic<long> received{0}, bytes{0};

  static Progress& shared() {
    void* at = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return *new (at) Progress;
  }
};

constexpr long kMessages = 1500, kAhead = 100;

void sends_all(const Actor& actor, const End& out, const Progress& progress) {
  Room room{};
  unsigned random = 1;
  for (long message = 0; message < kMessages; ++message) {
    while (message - progress.received > kAhead) pause_ms(1);
    random = random * 1103515245 + 12345;
    for (volatile unsigned spin = (random >> 16) % 4000; spin > 0;) spin = spin - 1;
    const auto length = static_cast<std::size_t>(20 + message % 400);
    std::memcpy(room.data(), &message, sizeof message);
    const long sent = send(out.fd, room.data(), length, 0);
    if (sent > 0) actor.expect("SEND", sent, out.out);
  }
}

// As an event loop: takes until there is nothing more, then waits until there is.
void takes_until(const Actor& actor, const End& in, Progress& progress) {
  Room room{};
  pollfd readable{in.fd, POLLIN, 0};
  while (progress.received < kMessages) {
    if (poll(&readable, 1, 20) != 1) continue;
    for (;;) {
      actor.expect("RECEIVECALL", 0, in.in);
      const long got = recv(in.fd, room.data(), room.size(), 0);
      if (got <= 0) break;
      actor.expect("RECEIVE", got, in.in);
      progress.bytes += got;
      ++progress.received;
    }
  }
}

void crowd(const Actor& actor, const char* name, int readers, bool processes) {
  const Ends ends = medium(name).connect(actor);
  Progress& progress = Progress::shared();
  must(fcntl(ends.b.fd, F_SETFL, O_NONBLOCK), "fcntl");
  std::vector<std::thread> threads;
  std::vector<pid_t> children;
  for (int reader = 0; reader < readers; ++reader) {
    const auto play = [&](const Actor& reading) { takes_until(reading, ends.b, progress); };
    if (processes) {
      children.push_back(actor.forks("reader", [&](const Actor& reading) { return play(reading), 0; }));
    } else {
      threads.push_back(actor.threads("reader", play));
    }
  }
  sends_all(actor, ends.a, progress);
  for (auto& thread : threads) thread.join();
  for (const pid_t child : children) actor.waits_for(child, "reader");
  actor.result("messages", progress.received);
  actor.result("bytes", progress.bytes);
}

void one_udp(const Actor& actor) { crowd(actor, "udp4", 1, false); }
void one_unix_datagram(const Actor& actor) { crowd(actor, "pair_datagram", 1, true); }
void one_seqpacket(const Actor& actor) { crowd(actor, "unix_seqpacket", 1, true); }
void threads_udp(const Actor& actor) { crowd(actor, "udp4", 4, false); }
void processes_udp(const Actor& actor) { crowd(actor, "udp4", 3, true); }
void threads_seqpacket(const Actor& actor) { crowd(actor, "unix_seqpacket", 3, false); }

// Data, one byte with a descriptor, data: a receive ends behind the descriptor, whatever else waits.
void send_with_descriptor(const Actor& actor, const End& out) {
  char byte = 'd';
  iovec vector{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &out.fd, sizeof out.fd);
  actor.sends(out, "sendmsg with a descriptor", [&] { return sendmsg(out.fd, &header, 0); });
}

long receive_with_descriptors(int fd, Room& room) {
  iovec vector{room.data(), room.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const long received = recvmsg(fd, &header, 0);
  int passed = -1;
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header)) std::memcpy(&passed, CMSG_DATA(rights), sizeof passed);
  if (passed >= 0) close(passed);
  return received;
}

void passed_descriptors(const Actor& actor) {
  for (const char* name : {"pair_stream", "unix_stream", "unix_seqpacket"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    for (int round = 0; round < 3; ++round) {
      actor.sends(out, "send", [&] { return send(out.fd, room.data(), 100, 0); });
      send_with_descriptor(actor, out);
      actor.sends(out, "send", [&] { return send(out.fd, room.data(), 200, 0); });
    }
    int files = dup(0);
    close(files);
    for (int round = 0; round < 2; ++round) {
      actor.receives(in, "recvmsg", [&] { return receive_with_descriptors(in.fd, room); });
      actor.receives(in, "recv", [&] { return recv(in.fd, room.data(), 150, 0); });
      actor.receives(in, "recv", [&] { return recv(in.fd, room.data(), room.size(), 0); });
    }
    must(fcntl(in.fd, F_SETFL, O_NONBLOCK), "fcntl");
    for (long got = 1; got > 0;)
      got = actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    const int after = dup(0);
    close(after);
    actor.result("descriptors left over", after - files);
  }
}

// Without room there is nothing to wait for; read() returns at once, and takes no datagram.
void without_room(const Actor& actor) {
  Room room{};
  for (const char* name : {"tcp4", "unix_stream", "udp4", "pipe"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    actor.result("read without room", read(in.fd, room.data(), 0));
    actor.sends(out, "write", [&] { return write(out.fd, room.data(), 40); });
    actor.result("read without room", read(in.fd, room.data(), 0));
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    must(fcntl(in.fd, F_SETFL, O_NONBLOCK), "fcntl");
    actor.result("read without room", read(in.fd, room.data(), 0));
  }
}

// What a call without data may say besides EAGAIN.
void other_answers(const Actor& actor) {
  Room room{};
  const Ends ended = medium("tcp4").connect(actor);
  must(shutdown(ended.b.fd, SHUT_RD), "shutdown");
  actor.asks(ended.b, "recv after SHUT_RD", [&] { return recv(ended.b.fd, room.data(), 10, MSG_DONTWAIT); });
  const Ends ends = medium("udp4").connect(actor);
  actor.asks(ends.b, "recv into no memory", [&] {
    return recv(ends.b.fd, reinterpret_cast<void*>(~0ul << 12), 10, MSG_DONTWAIT);  // NOLINT: an unmapped address
  });
  actor.asks(ends.b, "recvmsg without a header", [&] { return recvmsg(ends.b.fd, nullptr, MSG_DONTWAIT); });
  actor.result("recv MSG_ERRQUEUE", recv(ends.b.fd, room.data(), 10, MSG_ERRQUEUE));
  const Listener none = udp_socket();
  const int asks = must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
  must(connect(asks, reinterpret_cast<const sockaddr*>(&none.name), none.name_length), "connect");
  close(none.fd);
  must(static_cast<int>(write(asks, "x", 1)), "write");
  actor.expect("SEND", 1, "nowhere");
  pause_ms(20);
  actor.expect("RECEIVECALL", 0, "-");
  actor.result("recv with a pending error", recv(asks, room.data(), 10, MSG_DONTWAIT));
  actor.expect("RECEIVECALL", 0, "-");
  actor.result("recv again", recv(asks, room.data(), 10, MSG_DONTWAIT));
}

// A refused send is not a message.
void refused_sends(const Actor& actor) {
  static std::array<char, 300000> data{};
  for (const char* name : {"udp4", "udp6", "pair_datagram", "unix_seqpacket"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    for (const std::size_t length : {65507ul, 65508ul, 65528ul, 300000ul}) {
      const long sent =
          actor.sends(out, std::string(name) + " send", [&] { return send(out.fd, data.data(), length, 0); });
      if (sent > 0) actor.receives(in, "recv", [&] { return recv(in.fd, data.data(), data.size(), 0); });
    }
  }
  const Ends closed = medium("unix_seqpacket").connect(actor);
  close(closed.b.fd);
  actor.sends({closed.a.fd, "closed", ""}, "send", [&] { return send(closed.a.fd, data.data(), 10, MSG_NOSIGNAL); });
  const Listener none = udp_socket();
  const int asks = must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
  must(connect(asks, reinterpret_cast<const sockaddr*>(&none.name), none.name_length), "connect");
  close(none.fd);
  for (int attempt = 0; attempt < 3; ++attempt) {
    actor.sends({asks, "nowhere", ""}, "send", [&] { return send(asks, data.data(), 10, 0); });
    pause_ms(20);
  }
}

// As the workers of a server: each polls, and all but one come too late.
void herd(const Actor& actor) {
  constexpr int kConnections = 60;
  const Listener listener = tcp_listener();
  Progress& progress = Progress::shared();
  must(fcntl(listener.fd, F_SETFL, O_NONBLOCK), "fcntl");
  std::vector<pid_t> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.push_back(actor.forks("worker", [&](const Actor& accepting) {
      pollfd readable{listener.fd, POLLIN, 0};
      while (progress.received < kConnections) {
        if (poll(&readable, 1, 20) != 1) continue;
        const int fd = accept(listener.fd, nullptr, nullptr);
        if (fd < 0) continue;
        accepting.expect("ACCEPT", 0, "-");
        // Some are used at once, some late, some never.
        const long number = progress.received++;
        Room room{};
        if (number % 3 == 1) pause_ms(150);
        if (number % 3 < 2) accepting.expect("SEND", write(fd, room.data(), 7), "-");
      }
      pause_ms(200);
      return 0;
    }));
  }
  std::vector<int> clients;
  for (int i = 0; i < kConnections; ++i) {
    clients.push_back(connect_to(listener));
    if (i % 3 == 0) pause_ms(2);
  }
  for (const pid_t worker : workers) actor.waits_for(worker, "worker");
  actor.result("connections", progress.received);
}

constexpr std::array kCases = {
    Case{"one_udp", one_udp},
    Case{"one_unix_datagram", one_unix_datagram},
    Case{"one_seqpacket", one_seqpacket},
    Case{"threads_udp", threads_udp},
    Case{"processes_udp", processes_udp},
    Case{"threads_seqpacket", threads_seqpacket},
    Case{"passed_descriptors", passed_descriptors},
    Case{"without_room", without_room},
    Case{"other_answers", other_answers},
    Case{"refused_sends", refused_sends},
    Case{"herd", herd},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
