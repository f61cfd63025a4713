// comings_and_goings connections|pipes|datagrams|processes COUNT PART: makes and ends COUNT of them, one after the other, and prints
// after every PART how long that part took and how many messages there have been: "50000 3.271 200000".
//
//   connections  a client and a server on the loopback: connect, accept, a question, an answer, close
//   pipes        made, written to, read from and closed by one process
//   datagrams    questions to one server, each from a socket of its own, and their answers
//   processes    a child that writes into a pipe and ends
//
// A client's connection ends by a reset, so that no port has to wait, and local ports come round again.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

void need(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::_Exit(1);
}

class Progress {
 public:
  explicit Progress(long part) : part_(part) {}

  void done(long one, int messages) {
    messages_ += messages;
    if (one % part_ != 0) return;
    const auto now = Clock::now();
    std::printf("%ld %.6f %ld\n", one, std::chrono::duration<double>(now - begun_).count(), messages_);
    std::fflush(stdout);
    begun_ = Clock::now();
  }

 private:
  long part_, messages_ = 0;
  Clock::time_point begun_ = Clock::now();
};

sockaddr_in any_port_of_loopback() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int bound_socket(int type, sockaddr_in& address) {
  const int fd = ::socket(AF_INET, type, 0);
  address = any_port_of_loopback();
  socklen_t length = sizeof address;
  need(::bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0, "bind");
  need(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0, "getsockname");
  return fd;
}

void serve_connections(int listener, long count) {
  char question[64];
  for (long i = 0; i < count; ++i) {
    const int fd = ::accept(listener, nullptr, nullptr);
    need(fd >= 0, "accept");
    const ssize_t asked = ::recv(fd, question, sizeof question, 0);
    need(asked > 0 && ::send(fd, question, static_cast<std::size_t>(asked), 0) == asked, "answer");
    ::close(fd);
  }
}

void connections(long count, long part) {
  sockaddr_in address;
  const int listener = bound_socket(SOCK_STREAM, address);
  need(::listen(listener, 64) == 0, "listen");
  const pid_t server = ::fork();
  if (server == 0) {
    serve_connections(listener, count);
    std::_Exit(0);
  }
  ::close(listener);
  Progress progress(part);
  char answer[64];
  for (long i = 1; i <= count; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    const linger reset = {1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    need(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
    need(::send(fd, "question", 8, 0) == 8, "ask");
    need(::recv(fd, answer, sizeof answer, 0) == 8, "answer");
    ::close(fd);
    progress.done(i, 2);
  }
  ::waitpid(server, nullptr, 0);
}

void serve_datagrams(int fd, long count) {
  char question[64];
  for (long i = 0; i < count; ++i) {
    sockaddr_in from = {};
    socklen_t length = sizeof from;
    const ssize_t asked = ::recvfrom(fd, question, sizeof question, 0, reinterpret_cast<sockaddr*>(&from), &length);
    need(asked > 0, "question");
    need(
        ::sendto(fd, question, static_cast<std::size_t>(asked), 0, reinterpret_cast<sockaddr*>(&from), length) == asked,
        "answer");
  }
}

void datagrams(long count, long part) {
  sockaddr_in address;
  const int at = bound_socket(SOCK_DGRAM, address);
  const pid_t server = ::fork();
  if (server == 0) {
    serve_datagrams(at, count);
    std::_Exit(0);
  }
  ::close(at);
  Progress progress(part);
  char answer[64];
  for (long i = 1; i <= count; ++i) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
    need(::sendto(fd, "question", 8, 0, reinterpret_cast<sockaddr*>(&address), sizeof address) == 8, "ask");
    need(::recv(fd, answer, sizeof answer, 0) == 8, "answer");
    ::close(fd);
    progress.done(i, 2);
  }
  ::waitpid(server, nullptr, 0);
}

void pipes(long count, long part) {
  Progress progress(part);
  char read_there[64];
  for (long i = 1; i <= count; ++i) {
    int ends[2];
    need(::pipe(ends) == 0, "pipe");
    need(::write(ends[1], "message", 7) == 7 && ::read(ends[0], read_there, sizeof read_there) == 7, "message");
    ::close(ends[0]);
    ::close(ends[1]);
    progress.done(i, 1);
  }
}

void processes(long count, long part) {
  Progress progress(part);
  char read_there[64];
  for (long i = 1; i <= count; ++i) {
    int ends[2];
    need(::pipe(ends) == 0, "pipe");
    const pid_t child = ::fork();
    if (child == 0) std::_Exit(::write(ends[1], "message", 7) == 7 ? 0 : 1);
    ::close(ends[1]);
    need(::read(ends[0], read_there, sizeof read_there) == 7, "message");
    ::close(ends[0]);
    need(::waitpid(child, nullptr, 0) == child, "waitpid");
    progress.done(i, 1);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const std::string what = words[1];
  const long times = std::atol(words[2]), part = std::atol(words[3]);
  if (what == "connections")
    connections(times, part);
  else if (what == "datagrams")
    datagrams(times, part);
  else if (what == "pipes")
    pipes(times, part);
  else if (what == "processes")
    processes(times, part);
  else
    return 2;
  return 0;
}
