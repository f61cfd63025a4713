// idle_threads THREADS REQUESTS: a server with a thread for each connection, which waits in recv(). All are idle but one,
// which answers requests. Prints how long the requests took, in seconds.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr std::size_t kRequestBytes = 4;

void* serve(void* connection) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(connection));
  char bytes[kRequestBytes];
  while (::recv(fd, bytes, sizeof bytes, 0) > 0)
    if (::send(fd, bytes, sizeof bytes, 0) < 0) break;
  return nullptr;
}

void fail(const char* doing) {
  std::perror(doing);
  std::exit(2);
}

void start_thread(int fd) {
  constexpr std::size_t kStackBytes = 65536;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  if (::pthread_create(&thread, &attributes, serve, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd))) != 0)
    fail("start a thread");
}

void allow_descriptors(rlim_t count) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, count);
  limit.rlim_max = std::max(limit.rlim_max, count);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("open as many files");
}

double now_s() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int threads = std::atoi(arguments[1]), requests = std::atoi(arguments[2]);
  allow_descriptors(static_cast<rlim_t>(2 * threads + 100));
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener, 128) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    fail("listen");
  std::vector<int> clients;
  for (int i = 0; i <= threads; ++i) {
    clients.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    if (::connect(clients.back(), reinterpret_cast<const sockaddr*>(&address), length) != 0) fail("connect");
    const int served = ::accept(listener, nullptr, nullptr);
    if (served < 0) fail("accept");
    start_thread(served);
  }
  const timespec until_all_wait{1, 0};
  ::nanosleep(&until_all_wait, nullptr);
  const double began_s = now_s();
  char bytes[kRequestBytes] = {};
  for (int i = 0; i < requests; ++i)
    if (::send(clients.back(), bytes, sizeof bytes, 0) < 0 || ::recv(clients.back(), bytes, sizeof bytes, 0) < 0)
      fail("make a request");
  std::printf("%.6f\n", now_s() - began_s);
  std::fflush(stdout);
  ::_exit(0);
}
