// call_loop KIND SECONDS|COUNTx: does one thing for a time or a number of calls, and prints how many nanoseconds passed
// for each call, and how many were made (including those to get warm):
//
//   tcp, tcp_empty   send() and recv() on a loopback connection; non-blocking recv() of nothing
//   unix             send() and recv() on a pair of UNIX sockets
//   pipe             write() and read()
//   mixed            tcp, unix and pipe alternately
//   file             read() of a regular file, which is not a message
//   compute          arithmetic, without any call
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace {

constexpr std::size_t kMessageBytes = 64;
std::array<char, kMessageBytes> message;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Ends {
  int from = -1, to = -1;
};

Ends tcp_connection() {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0), from = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listening, name, length) != 0 || ::listen(listening, 1) != 0 ||
      ::getsockname(listening, name, &length) != 0 || ::connect(from, name, length) != 0)
    fail("connect over loopback");
  const int to = ::accept(listening, nullptr, nullptr);
  ::close(listening);
  return {from, to};
}

Ends unix_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) fail("socketpair");
  return {ends[0], ends[1]};
}

Ends pipe_ends() {
  int ends[2];
  if (::pipe(ends) != 0) fail("pipe");
  return {ends[1], ends[0]};
}

void send_and_receive(Ends ends) {
  if (::send(ends.from, message.data(), message.size(), 0) != kMessageBytes) fail("send");
  if (::recv(ends.to, message.data(), message.size(), 0) != kMessageBytes) fail("recv");
}

void write_and_read(Ends ends) {
  if (::write(ends.from, message.data(), message.size()) != kMessageBytes) fail("write");
  if (::read(ends.to, message.data(), message.size()) != kMessageBytes) fail("read");
}

std::uint64_t compute(std::uint64_t state) {
  for (int i = 0; i < 1000; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
  return state;
}

// When a loop ends: after a number of seconds, or of turns.
struct Limit {
  double seconds = 0;
  std::uint64_t turns = UINT64_MAX;
};

Limit parse_limit(const std::string& text, std::uint64_t calls_a_turn) {
  if (text.back() == 'x') return {1e9, std::strtoull(text.c_str(), nullptr, 10) / calls_a_turn};
  return {std::atof(text.c_str()), UINT64_MAX};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How many turns were made.
std::uint64_t repeat(const std::function<void()>& turn, const Limit& limit) {
  constexpr std::uint64_t kBetweenLooks = 20;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t turns = 0;
  while (turns < limit.turns && seconds_since(begin) < limit.seconds) {
    for (std::uint64_t i = 0; i < kBetweenLooks; ++i) turn();
    turns += kBetweenLooks;
  }
  return turns;
}

// One turn of a kind, and how many calls it makes.
struct Kind {
  std::function<void()> turn;
  std::uint64_t calls = 0;
};

Kind make_kind(const std::string& name) {
  if (name == "tcp") return {[ends = tcp_connection()] { send_and_receive(ends); }, 2};
  if (name == "unix") return {[ends = unix_pair()] { send_and_receive(ends); }, 2};
  if (name == "pipe") return {[ends = pipe_ends()] { write_and_read(ends); }, 2};
  if (name == "mixed") {
    return {[tcp = tcp_connection(), pair = unix_pair(), pipe = pipe_ends()] {
              send_and_receive(tcp);
              send_and_receive(pair);
              write_and_read(pipe);
            },
            6};
  }
  if (name == "tcp_empty")
    return {[to = tcp_connection().to] { ::recv(to, message.data(), message.size(), MSG_DONTWAIT); }, 1};
  if (name == "file") {
    return {[zero = ::open("/dev/zero", O_RDONLY)] {
              if (::read(zero, message.data(), message.size()) < 0) fail("read");
            },
            1};
  }
  if (name == "compute") return {[state = std::uint64_t{1}]() mutable { state = compute(state); }, 1};
  std::fprintf(stderr, "call_loop: no kind '%s'\n", name.c_str());
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: call_loop KIND SECONDS|COUNTx\n");
    return 2;
  }
  constexpr std::uint64_t kWarmUp = 200;
  const Kind kind = make_kind(arguments[1]);
  const std::uint64_t before = repeat(kind.turn, {1e9, kWarmUp});
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t turns = repeat(kind.turn, parse_limit(arguments[2], kind.calls));
  const double call_ns = seconds_since(begin) * 1e9 / static_cast<double>(turns * kind.calls);
  const std::uint64_t calls = (before + turns) * kind.calls;
  std::printf("%.1f %" PRIu64 "\n", call_ns, calls);
  return 0;
}
