// How communication ends, and calls that fail: the peer closes, resets, shuts down, is killed; descriptors and
// addresses are wrong. What is reported to whom must not change, and no failed call is a message.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

void ignore_broken_pipes() { signal(SIGPIPE, SIG_IGN); }

// Resets a TCP connection by closing it without lingering.
void reset(int fd) {
  const linger none{1, 0};
  must(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), "SO_LINGER");
  close(fd);
}

void reset_while_waiting(const Actor& actor) {
  const Ends ends = medium("tcp4").connect(actor);
  const pid_t reader = actor.forks("reader", [&](const Actor& reading) {
    close(ends.a.fd);
    Room room{};
    reading.asks(ends.b, "recv", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
    reading.asks(ends.b, "recv after it", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
    reading.result("send after it", send(ends.b.fd, room.data(), 5, MSG_NOSIGNAL));
    return 0;
  });
  close(ends.b.fd);
  until_waiting(reader, 50);
  reset(ends.a.fd);
  actor.waits_for(reader, "reader");
}

void refused_datagram(const Actor& actor) {
  const Listener gone = udp_socket();
  close(gone.fd);
  const Listener own = udp_socket();
  must(connect(own.fd, reinterpret_cast<const sockaddr*>(&gone.name), gone.name_length), "connect");
  const End end{own.fd, "out", "in"};
  Room room{};
  actor.sends(end, "send without a reader", [&] { return send(own.fd, room.data(), 11, 0); });
  pause_ms(20);
  actor.asks(end, "recv", [&] { return recv(own.fd, room.data(), room.size(), 0); });
  actor.asks(end, "recv MSG_DONTWAIT", [&] { return recv(own.fd, room.data(), room.size(), MSG_DONTWAIT); });
  actor.sends(end, "send without a reader", [&] { return send(own.fd, room.data(), 13, 0); });
  pause_ms(20);
  actor.result("send with an error pending", send(own.fd, room.data(), 17, 0));
  actor.may_show("SEND", 17, end.out);  // that it is pending cannot be seen without taking it
  actor.sends(end, "send without a reader", [&] { return send(own.fd, room.data(), 19, 0); });
}

void empty_messages(const Actor& actor) {
  Room room{};
  for (const char* name : {"udp4", "pair_datagram"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    actor.sends(out, "empty send", [&] { return send(out.fd, room.data(), 0, 0); });
    actor.receives(in, "empty recv", [&] { return recv(in.fd, room.data(), room.size(), 0); });
    actor.sends(out, "send", [&] { return send(out.fd, room.data(), 23, 0); });
    actor.receives(in, "recv", [&] { return recv(in.fd, room.data(), room.size(), 0); });
  }
  const Ends ends = medium("tcp4").connect(actor);
  actor.result("send of nothing", send(ends.a.fd, room.data(), 0, 0));
  actor.sends(ends.a, "send", [&] { return send(ends.a.fd, room.data(), 29, 0); });
  actor.asks(ends.b, "recv into no room", [&] { return recv(ends.b.fd, room.data(), 0, 0); });
  actor.receives(ends.b, "recv", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
}

void shut_down(const Actor& actor) {
  ignore_broken_pipes();
  for (const char* name : {"tcp4", "unix_stream"}) {
    const Ends ends = medium(name).connect(actor);
    const std::string forth = std::string(name) + ">", back = std::string(name) + "<";
    const End a{ends.a.fd, forth, back}, b{ends.b.fd, back, forth};
    Room room{};
    actor.sends(a, "send", [&] { return send(a.fd, room.data(), 31, 0); });
    actor.result("shutdown of sending", shutdown(a.fd, SHUT_WR));
    actor.result("send after it", send(a.fd, room.data(), 31, 0));
    if (a.out == "unix_stream>") actor.may_show("SEND", 31, a.out);  // only the process learns of its failure
    actor.receives(b, "recv of what was sent before", [&] { return recv(b.fd, room.data(), room.size(), 0); });
    actor.asks(b, "recv at the end", [&] { return recv(b.fd, room.data(), room.size(), 0); });
    actor.sends(b, "send, the other way is open", [&] { return send(b.fd, room.data(), 37, 0); });
    actor.receives(a, "recv", [&] { return recv(a.fd, room.data(), room.size(), 0); });
    // Another thread ends the waiting.
    std::thread reader = actor.threads("reader", [&](const Actor& reading) {
      Room place{};
      reading.asks(a, "recv while receiving is shut down", [&] { return recv(a.fd, place.data(), place.size(), 0); });
    });
    until_waiting(getpid(), 50);
    actor.result("shutdown of receiving", shutdown(a.fd, SHUT_RD));
    reader.join();
  }
}

// The descriptor is closed by one thread while another waits: without a meter, the waiting call goes on with the open
// file. A call that waits with the meter fails, as it would if it were made then.
void close_while_waiting(const Actor& actor) {
  ignore_broken_pipes();
  for (const char* name : {"tcp4", "unix_stream", "pipe"}) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    std::thread reader = actor.threads("reader", [&](const Actor& reading) {
      Room room{};
      reading.expect("RECEIVECALL", 0, in.in);
      reading.result(std::string(name) + " read", read(in.fd, room.data(), room.size()));
      reading.may_show("RECEIVE", 5, in.in);
    });
    until_waiting(getpid(), 50);
    actor.result("close", close(in.fd));
    pause_ms(100);
    actor.result(std::string(name) + " write", write(out.fd, "hello", 5));
    actor.may_show("SEND", 5, out.out);
    reader.join();
    close(out.fd);
  }
}

// The descriptor becomes another socket while its first one is waited for: likewise.
void replaced_while_waiting(const Actor& actor) {
  const Ends first = medium("tcp4").connect(actor);
  const Ends second = medium("unix_stream").connect(actor);
  std::thread reader = actor.threads("reader", [&](const Actor& reading) {
    Room room{};
    reading.expect("RECEIVECALL", 0, "first");
    reading.result("read", read(first.b.fd, room.data(), room.size()));
    reading.may_show("RECEIVE", 5, "first");
  });
  until_waiting(getpid(), 50);
  actor.result("dup2", dup2(second.b.fd, first.b.fd) == first.b.fd);
  pause_ms(100);
  actor.sends({first.a.fd, "first", ""}, "write to the first", [&] { return write(first.a.fd, "hello", 5); });
  pause_ms(100);
  actor.sends({second.a.fd, "second", ""}, "write to the second", [&] { return write(second.a.fd, "goodbye", 7); });
  reader.join();
}

// A process that waits is killed, or exits with another thread waiting: its peer sees the end at once.
void killed_while_waiting(const Actor& actor) {
  for (const char* name : {"tcp4", "unix_stream"}) {
    for (const bool killed : {true, false}) {
      const Ends ends = medium(name).connect(actor);
      const std::string connection = std::string(name) + (killed ? " killed " : " exiting ");
      const End in{ends.b.fd, connection + "<", connection + ">"}, out{ends.a.fd, connection + ">", connection + "<"};
      const pid_t reader = actor.forks("reader", [&](const Actor& reading) {
        close(out.fd);
        Room room{};
        reading.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
        if (!killed)
          reading
              .threads("other",
                       [](const Actor& other) {
                         pause_ms(300);
                         other.says("exits");
                         _exit(5);
                       })
              .detach();
        reading.asks(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
        return 0;
      });
      close(in.fd);
      actor.sends(out, "write", [&] { return write(out.fd, "hello", 5); });
      until_waiting(reader, 50);
      if (killed) actor.result("kill", kill(reader, SIGKILL));
      const Stopwatch stopwatch;
      Room room{};
      actor.asks(out, "read at its end", [&] { return read(out.fd, room.data(), room.size()); });
      actor.result("at once", stopwatch.shows(0));
      actor.waits_for(reader, "reader");
    }
  }
}

void broken_pipes(const Actor& actor) {
  for (const char* name : {"pipe", "unix_stream", "fifo"}) {
    const Ends ends = medium(name).connect(actor);
    close(ends.b.fd);
    const pid_t writer = actor.forks("writer", [&](const Actor&) {
      return static_cast<int>(write(ends.a.fd, "hello", 5));  // ended by SIGPIPE
    });
    actor.waits_for(writer, "writer");
    const pid_t careful = actor.forks("careful writer", [&](const Actor& writing) {
      ignore_broken_pipes();
      writing.result("write", write(ends.a.fd, "hello", 5));
      return 0;
    });
    actor.waits_for(careful, "careful writer");
    close(ends.a.fd);
  }
}

void wrong_arguments(const Actor& actor) {
  char* volatile unmapped = reinterpret_cast<char*>(8);  // volatile: the compiler knows too well that this is wrong
  char* nowhere = unmapped;
  for (const char* name : {"tcp4", "unix_stream", "pipe"}) {
    const Medium& over = medium(name);
    const Ends ends = over.connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    Room room{};
    actor.result("write from nowhere", write(out.fd, nowhere, 41));
    actor.sends(out, "write", [&] { return write(out.fd, room.data(), 43); });
    actor.asks(in, "read to nowhere", [&] { return read(in.fd, nowhere, 47); });
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    if (!over.socket) {
      actor.result("send on a pipe", send(out.fd, room.data(), 5, 0));
      actor.result("recv on a pipe", recv(in.fd, room.data(), 5, 0));
    }
  }
  Room room{};
  actor.result("read of no descriptor", read(-1, room.data(), 5));
  actor.result("write of a closed descriptor", write(77, room.data(), 5));
  actor.result("accept of a closed descriptor", accept(77, nullptr, nullptr));
  const int loose = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
  actor.result("recv of an unconnected socket", recv(loose, room.data(), 5, 0));
  actor.result("send of an unconnected socket", send(loose, room.data(), 5, MSG_NOSIGNAL));
  actor.result("accept without listen", accept(loose, nullptr, nullptr));
  const Listener listener = tcp_listener();
  actor.result("read of a listener", read(listener.fd, room.data(), 5));
}

constexpr std::array kCases = {
    Case{"reset_while_waiting", reset_while_waiting},
    Case{"refused_datagram", refused_datagram},
    Case{"empty_messages", empty_messages},
    Case{"shut_down", shut_down},
    Case{"close_while_waiting", close_while_waiting},
    Case{"replaced_while_waiting", replaced_while_waiting},
    Case{"killed_while_waiting", killed_while_waiting},
    Case{"broken_pipes", broken_pipes},
    Case{"wrong_arguments", wrong_arguments},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
