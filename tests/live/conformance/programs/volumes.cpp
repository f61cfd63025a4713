// Many bytes in pieces of random sizes, with partial and refused writes: every byte is in one SEND and one
// RECEIVE. The pieces differ from run to run, so the results are sums.
#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

constexpr std::size_t kTotal = 2'000'000;
constexpr std::size_t kPieceMax = 30'000;

struct Manner {
  bool waits = true;  // the writer's calls block
  bool reader_waits = true;
  bool socket_calls = false;  // send() and recv(), or write() and read()
};

void wait_until(int fd, short events) {
  pollfd wanted{fd, events, 0};
  poll(&wanted, 1, 5000);
}

int write_all(const Actor& actor, const End& out, const Manner& manner) {
  if (!manner.waits) must(fcntl(out.fd, F_SETFL, O_NONBLOCK), "fcntl");
  std::mt19937 random(7);
  std::vector<char> bytes(kPieceMax);
  for (std::size_t left = kTotal; left > 0;) {
    const std::size_t piece = std::min<std::size_t>(left, 1 + random() % kPieceMax);
    const long sent = manner.socket_calls ? send(out.fd, bytes.data(), piece, 0) : write(out.fd, bytes.data(), piece);
    if (sent > 0) {
      actor.expect("SEND", sent, out.out);
      left -= static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      wait_until(out.fd, POLLOUT);
    } else {
      return 1;
    }
  }
  return 0;
}

void transfer(const Actor& actor, const std::string& name, const Manner& manner) {
  const Ends ends = medium(name).connect(actor);
  // The kernel does not tell how much recv() took from a UNIX socket: the trace has what was waiting at the call.
  const bool exact = !manner.socket_calls || name == "tcp4";
  if (!exact) actor.expect("UNSEEN", 0, "-");
  const pid_t writer = actor.forks("writer", [&](const Actor& writing) {
    close(ends.b.fd);
    if (!exact && !manner.waits) writing.expect("UNSEEN", 0, "-");  // nor how much of a send() was taken at once
    return write_all(writing, ends.a, manner);
  });
  close(ends.a.fd);
  if (!manner.reader_waits) must(fcntl(ends.b.fd, F_SETFL, O_NONBLOCK), "fcntl");
  std::mt19937 random(11);
  std::vector<char> room(kPieceMax);
  std::size_t received = 0;
  for (;;) {
    const std::size_t piece = 1 + random() % kPieceMax;
    actor.expect("RECEIVECALL", 0, ends.b.in);
    const long n = manner.socket_calls ? recv(ends.b.fd, room.data(), piece, 0) : read(ends.b.fd, room.data(), piece);
    if (n > 0) {
      actor.expect("RECEIVE", n, ends.b.in);
      received += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      wait_until(ends.b.fd, POLLIN);
    } else {
      break;
    }
  }
  actor.result("bytes received", static_cast<long>(received));
  actor.waits_for(writer, "writer");
}

constexpr Manner kWaiting, kReady{.waits = false, .reader_waits = false};
constexpr Manner kSocketCalls{.socket_calls = true};
constexpr Manner kReadySocketCalls{.waits = false, .reader_waits = false, .socket_calls = true};

void tcp_waiting(const Actor& actor) { transfer(actor, "tcp4", kWaiting); }
void tcp_ready(const Actor& actor) { transfer(actor, "tcp4", kReady); }
void tcp_send_recv(const Actor& actor) { transfer(actor, "tcp4", kReadySocketCalls); }
void unix_waiting(const Actor& actor) { transfer(actor, "unix_stream", kWaiting); }
void unix_ready(const Actor& actor) { transfer(actor, "unix_stream", kReady); }
void unix_send_recv(const Actor& actor) { transfer(actor, "unix_stream", kSocketCalls); }
void unix_send_recv_ready(const Actor& actor) { transfer(actor, "unix_stream", kReadySocketCalls); }
void pipe_waiting(const Actor& actor) { transfer(actor, "pipe", kWaiting); }
void pipe_ready(const Actor& actor) { transfer(actor, "pipe", kReady); }

constexpr std::array kCases = {
    Case{"tcp_waiting", tcp_waiting},
    Case{"tcp_ready", tcp_ready},
    Case{"tcp_send_recv", tcp_send_recv},
    Case{"unix_waiting", unix_waiting},
    Case{"unix_ready", unix_ready},
    Case{"unix_send_recv", unix_send_recv},
    Case{"unix_send_recv_ready", unix_send_recv_ready},
    Case{"pipe_waiting", pipe_waiting},
    Case{"pipe_ready", pipe_ready},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
