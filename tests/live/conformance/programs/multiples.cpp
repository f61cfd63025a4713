// Calls that move several messages at once, or move bytes without their passing through the program; and calls that
// move bytes, but no messages.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

constexpr std::array<std::size_t, 3> kLengths = {13, 0, 29};

// Three datagrams, the second of them empty, by one call each way.
void three_datagrams(const Actor& actor, const Ends& ends) {
  std::array<char, 100> data{};
  std::array<iovec, 3> vectors{};
  std::array<mmsghdr, 3> headers{};
  const auto fill = [&](bool full) {
    for (std::size_t i = 0; i < 3; ++i) {
      vectors[i] = {data.data(), full ? data.size() : kLengths[i]};
      headers[i] = {};
      headers[i].msg_hdr.msg_iov = &vectors[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
  };
  fill(false);
  actor.result("sendmmsg", sendmmsg(ends.a.fd, headers.data(), 3, 0));
  for (const auto length : kLengths) actor.expect("SEND", static_cast<long>(length), ends.a.out);

  fill(true);
  actor.expect("RECEIVECALL", 0, ends.b.in);
  actor.result("recvmmsg", recvmmsg(ends.b.fd, headers.data(), 3, 0, nullptr));
  for (const auto& header : headers) actor.expect("RECEIVE", header.msg_len, ends.b.in);
  for (const auto& header : headers) actor.result("length", header.msg_len);
  // Asks for three, gets the one that is there.
  actor.sends(ends.a, "send", [&] { return send(ends.a.fd, data.data(), 17, 0); });
  fill(true);
  actor.expect("RECEIVECALL", 0, ends.b.in);
  actor.result("recvmmsg MSG_WAITFORONE", recvmmsg(ends.b.fd, headers.data(), 3, MSG_WAITFORONE, nullptr));
  actor.expect("RECEIVE", headers[0].msg_len, ends.b.in);
}

// Three come one after the other, while a call that asks for three waits: at once, and with a time limit.
void datagrams_in_time(const Actor& actor) {
  const Ends ends = medium("udp4").connect(actor);
  timespec limit{60, 0};
  for (timespec* const wait_limit : {static_cast<timespec*>(nullptr), &limit}) {
    std::thread sender = actor.threads("sender", [&](const Actor& other) {
      for (const std::size_t length : {11ul, 12ul, 13ul}) {
        ::usleep(30'000);
        std::array<char, 20> data{};
        other.sends(ends.a, "send", [&] { return send(ends.a.fd, data.data(), length, 0); });
      }
    });
    std::array<std::array<char, 50>, 3> rooms{};
    std::array<iovec, 3> vectors{};
    std::array<mmsghdr, 3> headers{};
    for (std::size_t i = 0; i < 3; ++i) {
      vectors[i] = {rooms[i].data(), rooms[i].size()};
      headers[i].msg_hdr.msg_iov = &vectors[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    actor.expect("RECEIVECALL", 0, ends.b.in);
    actor.result("recvmmsg in time", recvmmsg(ends.b.fd, headers.data(), 3, 0, wait_limit));
    for (const auto& header : headers) actor.expect("RECEIVE", header.msg_len, ends.b.in);
    // It makes a call before its headers are used again.
    actor.sends(ends.b, "send", [&] { return send(ends.b.fd, rooms[0].data(), 5, 0); });
    sender.join();
  }
}

void datagrams_udp(const Actor& actor) { three_datagrams(actor, medium("udp4").connect(actor)); }
void datagrams_unix(const Actor& actor) { three_datagrams(actor, medium("pair_datagram").connect(actor)); }

// One UDP socket that receives from two others, and answers each under the name it came from.
void udp_unconnected(const Actor& actor) {
  const Listener server = udp_socket();
  std::array<char, 100> room{};
  for (int client_number = 1; client_number <= 2; ++client_number) {
    const Listener client = udp_socket();
    const std::string there = "c" + std::to_string(client_number) + ">s", back = "s>c" + std::to_string(client_number);
    const End server_end{server.fd, back, there}, client_end{client.fd, there, back};
    for (int message = 0; message < 2; ++message) {
      actor.sends(client_end, "sendto", [&] {
        return sendto(client.fd, room.data(),
                      std::size_t{10} * static_cast<std::size_t>(client_number) + static_cast<std::size_t>(message), 0,
                      reinterpret_cast<const sockaddr*>(&server.name), server.name_length);
      });
      sockaddr_storage sender{};
      socklen_t length = sizeof sender;
      actor.receives(server_end, "recvfrom", [&] {
        return recvfrom(server.fd, room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
      });
      iovec vector{room.data(), static_cast<std::size_t>(33 + client_number)};
      msghdr header{};
      header.msg_name = &sender;
      header.msg_namelen = length;
      header.msg_iov = &vector;
      header.msg_iovlen = 1;
      actor.sends(server_end, "sendmsg", [&] { return sendmsg(server.fd, &header, 0); });
      actor.receives(client_end, "read", [&] { return read(client.fd, room.data(), room.size()); });
    }
  }
}

void unix_unconnected(const Actor& actor) {
  socklen_t length = 0;
  const sockaddr_un name = unix_name("server", length);
  const int server = must(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
  must(bind(server, reinterpret_cast<const sockaddr*>(&name), length), "bind");
  const int client = must(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
  std::array<char, 100> room{};
  const End client_end{client, kToServer, "-"}, server_end{server, "-", kToServer};
  for (std::size_t message = 1; message <= 3; ++message) {
    actor.sends(client_end, "sendto", [&] {
      return sendto(client, room.data(), 7 * message, 0, reinterpret_cast<const sockaddr*>(&name), length);
    });
    actor.receives(server_end, "recv", [&] { return recv(server, room.data(), room.size(), 0); });
  }
}

int file_of(std::size_t bytes) {
  const int fd = must(memfd_create("file", 0), "memfd_create");
  must(ftruncate(fd, static_cast<off_t>(bytes)), "ftruncate");
  return fd;
}

void send_file(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream"}) {
    const Ends ends = medium(name).connect(actor);
    const End out{ends.a.fd, std::string(name) + ends.a.out, ""}, in{ends.b.fd, "", std::string(name) + ends.b.in};
    const int file = file_of(5000);
    std::array<char, 8000> room{};
    actor.sends(out, "sendfile", [&] { return sendfile(out.fd, file, nullptr, 3000); });
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    // Less is there than is asked for.
    actor.sends(out, "sendfile of the rest", [&] { return sendfile(out.fd, file, nullptr, 4000); });
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    actor.sends(out, "sendfile at its end", [&] { return sendfile(out.fd, file, nullptr, 100); });
  }
}

// From a socket into a pipe and out of it again into another socket, as proxies do.
void splice_through(const Actor& actor) {
  const Ends in = medium("tcp4").connect(actor);
  const Ends out = medium("unix_stream").connect(actor);
  const Ends through = medium("pipe").connect(actor);
  const End from{in.b.fd, "", "first"}, to{out.a.fd, "second", ""};
  std::array<char, 5000> room{};
  for (const std::size_t length : {101ul, 4001ul}) {
    actor.sends({in.a.fd, "first", ""}, "send", [&] { return send(in.a.fd, room.data(), length, 0); });
    actor.expect("RECEIVECALL", 0, "first");
    actor.result("splice in", splice(from.fd, nullptr, through.a.fd, nullptr, 5000, 0));
    actor.expect("RECEIVE", static_cast<long>(length), "first");
    actor.expect("SEND", static_cast<long>(length), "pipe");
    actor.expect("RECEIVECALL", 0, "pipe");
    actor.result("splice out", splice(through.b.fd, nullptr, to.fd, nullptr, 5000, 0));
    actor.expect("RECEIVE", static_cast<long>(length), "pipe");
    actor.expect("SEND", static_cast<long>(length), "second");
    actor.receives({out.b.fd, "", "second"}, "recv", [&] { return recv(out.b.fd, room.data(), room.size(), 0); });
  }
}

// Files and timers are not messages.
void no_messages(const Actor& actor) {
  std::array<char, 600> room{};
  const int file = file_of(500);
  actor.result("read of a file", read(file, room.data(), room.size()));
  actor.result("write of a file", write(file, room.data(), 50));
  actor.result("read at its end", read(file, room.data(), room.size()));
  std::uint64_t count = 3;
  const int timer = must(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
  const itimerspec soon{{}, {0, 20000000}};
  must(timerfd_settime(timer, 0, &soon, nullptr), "timerfd_settime");
  actor.result("read of a timer", read(timer, &count, sizeof count));
  const int null = must(open("/dev/null", O_RDWR), "open");
  actor.result("write of /dev/null", write(null, room.data(), room.size()));
  actor.result("read of /dev/null", read(null, room.data(), room.size()));
  const int zero = must(open("/dev/zero", O_RDONLY), "open");
  actor.result("read of /dev/zero", read(zero, room.data(), room.size()));
}

// pread() is not notified, and is in the counters that show what a read() moved.
void beside_reads_of_files(const Actor& actor) {
  const Ends ends = medium("pipe").connect(actor);
  const int file = file_of(5000);
  std::array<char, 1000> room{};
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 40); });
  close(ends.a.fd);
  for (const char* name : {"read", "read at the end"}) {
    actor.receives(ends.b, name, [&] { return read(ends.b.fd, room.data(), room.size()); });
    must(static_cast<int>(pread(file, room.data(), room.size(), 0)), "pread");
  }
  actor.result("read of a file", read(file, room.data(), room.size()));
}

constexpr std::array kCases = {
    Case{"datagrams_udp", datagrams_udp},
    Case{"datagrams_unix", datagrams_unix},
    Case{"datagrams_in_time", datagrams_in_time},
    Case{"udp_unconnected", udp_unconnected},
    Case{"unix_unconnected", unix_unconnected},
    Case{"send_file", send_file},
    Case{"splice_through", splice_through},
    Case{"no_messages", no_messages},
    Case{"beside_reads_of_files", beside_reads_of_files},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
