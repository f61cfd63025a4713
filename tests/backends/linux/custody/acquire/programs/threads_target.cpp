// A program of many threads, each busy in its own way and checking what it does. Prints "running", and when its
// standard input ends, what every thread found.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> stopping{false};

struct Finding {
  std::string name;
  std::atomic<std::uint64_t> done{0}, wrong{0};
};

// Every thread has done something before the end.
bool goes_on(const Finding& finding) { return !stopping || finding.done == 0; }

struct Pair {
  int ends[2] = {-1, -1};
  Pair() {
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  }
};

void exchange(Finding& finding, int to, int from) {
  const std::uint64_t sent = finding.done;
  std::uint64_t received = ~sent;
  if (::write(to, &sent, sizeof sent) != sizeof sent || ::read(from, &received, sizeof received) != sizeof received ||
      received != sent) {
    ++finding.wrong;
  }
  ++finding.done;
}

void talk(Finding& finding) {
  const Pair pair;
  while (goes_on(finding)) exchange(finding, pair.ends[0], pair.ends[1]);
}

void talk_slowly(Finding& finding) {
  const Pair pair;
  while (goes_on(finding)) {
    exchange(finding, pair.ends[0], pair.ends[1]);
    if (::usleep(2000) != 0) ++finding.wrong;
  }
}

void compute(Finding& finding) {
  std::uint64_t first = 0;
  while (goes_on(finding)) {
    std::uint64_t value = 88172645463325252u;
    double sum = 0;
    for (int i = 0; i < 200'000; ++i) {
      value ^= value << 13;
      value ^= value >> 7;
      value ^= value << 17;
      sum += static_cast<double>(value & 0xff) * 1.5;
    }
    const std::uint64_t result = value ^ static_cast<std::uint64_t>(sum);
    if (first == 0) first = result;
    if (result != first) ++finding.wrong;
    ++finding.done;
  }
}

void make_threads(Finding& finding) {
  while (goes_on(finding)) {
    std::atomic<int> sum{0};
    std::thread one([&] {
      sum += 1;
      const Pair pair;
      Finding inner;
      exchange(inner, pair.ends[0], pair.ends[1]);
      finding.wrong += inner.wrong;
      ::close(pair.ends[0]);
      ::close(pair.ends[1]);
    });
    std::thread two([&] { sum += 2; });
    one.join();
    two.join();
    if (sum != 3) ++finding.wrong;
    ++finding.done;
  }
}

void wait_for_events(Finding& finding) {
  const int epoll = ::epoll_create1(0);
  while (goes_on(finding)) {
    epoll_event event;
    if (::epoll_wait(epoll, &event, 1, 20) != 0) ++finding.wrong;
    ++finding.done;
  }
}

std::mutex mutex;
std::condition_variable stopped;

void wait_for_stop(Finding& finding) {
  std::unique_lock lock(mutex);
  stopped.wait(lock, [] { return stopping.load(); });
  ++finding.done;
}

}  // namespace

int main() {
  const std::vector<std::pair<const char*, std::function<void(Finding&)>>> kinds = {
      {"talk", talk},
      {"talk slowly", talk_slowly},
      {"compute", compute},
      {"threads", make_threads},
      {"epoll", wait_for_events},
      {"condition", wait_for_stop},
  };
  std::vector<Finding> findings(kinds.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    findings[i].name = kinds[i].first;
    threads.emplace_back([&, i] { kinds[i].second(findings[i]); });
  }
  std::printf("running\n");
  std::fflush(stdout);
  char byte = 0;
  const ssize_t end = ::read(STDIN_FILENO, &byte, 1);
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  stopped.notify_all();
  for (auto& thread : threads) thread.join();
  for (const auto& finding : findings) {
    std::printf("%s: %s, %llu wrong\n", finding.name.c_str(), finding.done > 0 ? "done" : "nothing done",
                static_cast<unsigned long long>(finding.wrong));
  }
  std::printf("main: %zd\n", end);
}
