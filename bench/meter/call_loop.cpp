// call_loop KIND SECONDS: a program that does one thing for so long, and prints how many nanoseconds it takes each time
// and how many times it did it:
//
//   tcp, tcp_empty   send() and non-blocking recv() on a loopback connection; recv() of nothing
//   unix             send() and non-blocking recv() on a pair of UNIX sockets
//   pipe             write() and read()
//   file             read() of a regular file, which is no message
//   compute          arithmetic, without any call
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
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
  if (::recv(ends.to, message.data(), message.size(), MSG_DONTWAIT) != kMessageBytes) fail("recv");
}

void write_and_read(Ends ends) {
  if (::write(ends.from, message.data(), message.size()) != kMessageBytes) fail("write");
  if (::read(ends.to, message.data(), message.size()) != kMessageBytes) fail("read");
}

std::uint64_t compute(std::uint64_t state) {
  for (int i = 0; i < 1000; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
  return state;
}

struct Measured {
  double call_ns = 0;
  std::uint64_t calls = 0;
};

// `turn` makes so many calls each time.
Measured measure(const std::function<void()>& turn, int calls, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWarmUp = 200, kBetweenLooks = 20;
  for (int i = 0; i < kWarmUp; ++i) turn();
  const auto begin = Clock::now();
  std::uint64_t turns = 0;
  std::chrono::duration<double> passed{};
  while (passed.count() < seconds) {
    for (int i = 0; i < kBetweenLooks; ++i) turn();
    turns += kBetweenLooks;
    passed = Clock::now() - begin;
  }
  const std::uint64_t made = turns * static_cast<std::uint64_t>(calls);
  return {passed.count() * 1e9 / static_cast<double>(made), made};
}

Measured run(const std::string& kind, double seconds) {
  if (kind == "tcp" || kind == "unix") {
    const Ends ends = kind == "tcp" ? tcp_connection() : unix_pair();
    return measure([ends] { send_and_receive(ends); }, 2, seconds);
  }
  if (kind == "tcp_empty") {
    const int to = tcp_connection().to;
    return measure([to] { ::recv(to, message.data(), message.size(), MSG_DONTWAIT); }, 1, seconds);
  }
  if (kind == "pipe") {
    const Ends ends = pipe_ends();
    return measure([ends] { write_and_read(ends); }, 2, seconds);
  }
  if (kind == "file") {
    const int zero = ::open("/dev/zero", O_RDONLY);
    return measure(
        [zero] {
          if (::read(zero, message.data(), message.size()) < 0) fail("read");
        },
        1, seconds);
  }
  if (kind == "compute") {
    volatile std::uint64_t state = 1;
    return measure([&state] { state = compute(state); }, 1, seconds);
  }
  std::fprintf(stderr, "call_loop: no kind '%s'\n", kind.c_str());
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: call_loop KIND SECONDS\n");
    return 2;
  }
  const Measured measured = run(arguments[1], std::atof(arguments[2]));
  std::printf("%.1f %llu\n", measured.call_ns, static_cast<unsigned long long>(measured.calls));
  return 0;
}
