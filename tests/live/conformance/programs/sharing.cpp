// Sockets that several processes or threads use: who of them got a message or a connection is recorded for that one.
// Which of them it is may differ from run to run, so that results print sums.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

// Like Actor::receives, but silent: how often it is called differs from run to run.
long receives_quietly(const Actor& actor, const End& end, Room& room) {
  actor.expect("RECEIVECALL", 0, end.in);
  const long received = read(end.fd, room.data(), room.size());
  if (received > 0) actor.expect("RECEIVE", received, end.in);
  return received;
}

// Two readers wait on one socket until it ends; every message is of one byte.
void two_readers(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream", "pipe"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    std::vector<pid_t> readers;
    for (int i = 0; i < 2; ++i) {
      readers.push_back(actor.forks("reader", [&](const Actor& reading) {
        close(out.fd);
        Room room{};
        int bytes = 0;
        for (long n = 0; (n = receives_quietly(reading, in, room)) > 0;) bytes += static_cast<int>(n);
        return bytes;
      }));
    }
    close(in.fd);
    for (int i = 0; i < 10; ++i) {
      pause_ms(20);
      actor.sends(out, "write", [&] { return write(out.fd, "x", 1); });
    }
    pause_ms(20);
    close(out.fd);
    int sum = 0;
    for (const pid_t reader : readers) {
      int status = 0;
      must(waitpid(reader, &status, 0), "waitpid");
      sum += WEXITSTATUS(status);
    }
    actor.result("bytes of both", sum);
  }
}

void several_acceptors(const Actor& actor) {
  const Listener listener = tcp_listener();
  std::vector<pid_t> acceptors;
  for (int i = 0; i < 3; ++i) {
    acceptors.push_back(actor.forks("acceptor", [&](const Actor& accepting) {
      int served = 0;
      for (;;) {
        const int fd = accept(listener.fd, nullptr, nullptr);
        if (fd < 0) return served;
        accepting.expect("ACCEPT", 0, "-");
        Room room{};
        // What the client says names the connection: its number, as two letters.
        accepting.expect("RECEIVECALL", 0, "?");
        const long n = read(fd, room.data(), room.size());
        if (n <= 0) return served;
        const std::string number(room.data(), 2);
        accepting.expect("RECEIVE", n, "c>s" + number);
        if (room[0] == 'Z') return served;
        ++served;
        accepting.expect("SEND", write(fd, room.data(), 2), "s>c" + number);
        close(fd);
      }
    }));
  }
  const auto speak = [&](const std::string& number) {
    const int fd = connect_to(listener);
    const End end{fd, "c>s" + number, "s>c" + number};
    Room room{};
    actor.sends(end, "write", [&] { return write(fd, number.data(), 2); });
    if (number[0] == 'Z') {
      actor.asks(end, "read", [&] { return read(fd, room.data(), room.size()); });
    } else {
      actor.receives(end, "read", [&] { return read(fd, room.data(), room.size()); });
    }
    close(fd);
  };
  pause_ms(50);
  for (char letter = 'a'; letter < 'm'; ++letter) speak(std::string("n") + letter);
  for (int i = 0; i < 3; ++i) speak(std::string("Z") + static_cast<char>('0' + i));
  int sum = 0;
  for (const pid_t acceptor : acceptors) {
    int status = 0;
    must(waitpid(acceptor, &status, 0), "waitpid");
    sum += WEXITSTATUS(status);
  }
  actor.result("connections served", sum);
}

void accept_limits(const Actor& actor) {
  const Listener listener = tcp_listener();
  const timeval limit{0, 375000};
  must(setsockopt(listener.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "SO_RCVTIMEO");
  {
    const Stopwatch stopwatch;
    actor.accepts("accept without a client", [&] { return accept(listener.fd, nullptr, nullptr); });
    actor.result("after 375 ms", stopwatch.shows(374));
  }
  must(fcntl(listener.fd, F_SETFL, O_NONBLOCK), "fcntl");
  actor.accepts("accept O_NONBLOCK", [&] { return accept(listener.fd, nullptr, nullptr); });
  const int client = connect_to(listener);
  const int server = actor.accepts("accept4", [&] { return accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK); });
  Room room{};
  actor.asks({server, kToClient, kToServer}, "read O_NONBLOCK", [&] { return read(server, room.data(), 5); });
  actor.sends({client, kToServer, kToClient}, "write", [&] { return write(client, "hello", 5); });
  actor.receives({server, kToClient, kToServer}, "read", [&] { return read(server, room.data(), 50); });
}

// Sends a descriptor over a UNIX socket, as one byte of message.
long send_descriptor(int over, int passed) {
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
  std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
  return sendmsg(over, &header, 0);
}

long receive_descriptor(int over, int& passed) {
  char byte = 0;
  iovec vector{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const long received = recvmsg(over, &header, 0);
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header)) std::memcpy(&passed, CMSG_DATA(rights), sizeof passed);
  return received;
}

// A connection is handed to another process, which goes on with it: the channel stays the same.
void passed_descriptor(const Actor& actor) {
  const Ends connection = medium("tcp4").connect(actor);
  const Ends between = medium("pair_stream").connect(actor);
  const End hand_over{between.a.fd, "hand", ""}, take_over{between.b.fd, "", "hand"};
  Room room{};
  actor.sends(connection.a, "write", [&] { return write(connection.a.fd, room.data(), 17); });
  actor.receives(connection.b, "read", [&] { return read(connection.b.fd, room.data(), room.size()); });
  const int only_here = dup(connection.b.fd);
  close(connection.b.fd);
  const pid_t heir = actor.forks("heir", [&](const Actor& inheriting) {
    close(only_here);
    int fd = -1;
    inheriting.receives(take_over, "recvmsg", [&] { return receive_descriptor(between.b.fd, fd); });
    const End end{fd, connection.b.out, connection.b.in};
    Room place{};
    inheriting.receives(end, "read", [&] { return read(fd, place.data(), place.size()); });
    inheriting.sends(end, "write", [&] { return write(fd, place.data(), 19); });
    return 0;
  });
  pause_ms(50);
  actor.sends(hand_over, "sendmsg", [&] { return send_descriptor(between.a.fd, only_here); });
  close(only_here);
  pause_ms(50);
  actor.sends(connection.a, "write", [&] { return write(connection.a.fd, room.data(), 23); });
  actor.receives(connection.a, "read", [&] { return read(connection.a.fd, room.data(), room.size()); });
  actor.asks(connection.a, "read at the end", [&] { return read(connection.a.fd, room.data(), room.size()); });
  actor.waits_for(heir, "heir");
}

// Duplicates and inherited descriptors are the same channel.
void duplicates(const Actor& actor) {
  const Ends ends = medium("unix_stream").connect(actor);
  const int other = must(dup(ends.a.fd), "dup");
  Room room{};
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 11); });
  actor.sends({other, ends.a.out, ""}, "write by the duplicate", [&] { return write(other, room.data(), 13); });
  actor.receives(ends.b, "read of both", [&] { return read(ends.b.fd, room.data(), room.size()); });
  const pid_t child = actor.forks("child", [&](const Actor& sending) {
    sending.sends(ends.a, "write", [&] { return write(other, room.data(), 29); });
    return 0;
  });
  actor.waits_for(child, "child");
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
  // The number is used for another channel.
  const Ends pipe = medium("pipe").connect(actor);
  must(dup2(pipe.a.fd, other), "dup2");
  actor.sends({other, "pipe", ""}, "write", [&] { return write(other, room.data(), 31); });
  actor.receives({pipe.b.fd, "", "pipe"}, "read", [&] { return read(pipe.b.fd, room.data(), room.size()); });
}

// The reader looks only when the writer has closed and ended: it is the same channel all the same.
void peer_closed_before(const Actor& actor) {
  for (const char* name : {"pair_stream", "pair_datagram", "unix_seqpacket", "tcp4", "pipe"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    const pid_t writer = actor.forks("writer", [&](const Actor& writing) {
      close(in.fd);
      writing.sends(out, "write", [&] { return write(out.fd, room.data(), 37); });
      return 0;
    });
    close(out.fd);
    actor.waits_for(writer, "writer");
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
  }
}

// Eight threads echo over a socket each, all at once.
void many_threads(const Actor& actor) {
  constexpr int kThreads = 8, kMessages = 50;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    const Ends ends = medium("pair_stream").connect(actor);
    const std::string number = std::to_string(i);
    for (const bool first : {true, false}) {
      const End end{first ? ends.a.fd : ends.b.fd, (first ? "a>b" : "b>a") + number, (first ? "b>a" : "a>b") + number};
      threads.push_back(actor.threads("thread " + number + (first ? "a" : "b"), [end, first](const Actor& echoing) {
        Room room{};
        for (int message = 1; message <= kMessages; ++message) {
          const auto length = static_cast<std::size_t>(message);
          if (first) echoing.sends(end, "write", [&] { return write(end.fd, room.data(), length); });
          echoing.receives(end, "read", [&] { return read(end.fd, room.data(), room.size()); });
          if (!first) echoing.sends(end, "write", [&] { return write(end.fd, room.data(), length); });
        }
      }));
    }
  }
  for (auto& thread : threads) thread.join();
}

constexpr std::array kCases = {
    Case{"two_readers", two_readers},     Case{"several_acceptors", several_acceptors},
    Case{"accept_limits", accept_limits}, Case{"passed_descriptor", passed_descriptor},
    Case{"duplicates", duplicates},       Case{"peer_closed_before", peer_closed_before},
    Case{"many_threads", many_threads},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
