// A program that waits in one way, prints the result, and then exchanges messages with itself:
//
//     waiting_target WAIT     prints "waiting", waits, prints the result, ...
//     waiting_target --list
//
// A byte on its standard input ends the wait.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/backends/linux/custody/acquire/programs/waiting.hpp"

namespace dpm {

int need(int result, const char* doing) {
  if (result >= 0) return result;
  std::fprintf(stderr, "waiting_target: %s: %s\n", doing, std::strerror(errno));
  std::exit(1);
}

long or_errno(long result) { return result >= 0 ? result : -errno; }

const std::vector<Wait>& all_waits() {
  static const std::vector<Wait> waits = [] {
    std::vector<Wait> made;
    add_descriptor_waits(made);
    add_other_waits(made);
    return made;
  }();
  return waits;
}

namespace {

double now_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void end_when_told(const Wait::Scene& scene) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char byte = 0;
  if (::read(STDIN_FILENO, &byte, 1) == 1) scene.end();
  ::_exit(0);
}

// How many of `rounds` messages came back as they were sent.
int talk_to_self(int rounds) {
  int ends[2];
  need(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    int received = -1;
    if (::write(ends[0], &round, sizeof round) == sizeof round &&
        ::recv(ends[1], &received, sizeof received, 0) == sizeof received && received == round) {
      ++right;
    }
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return right;
}

int run(const Wait& wait) {
  const Wait::Scene scene = wait.make();
  const pid_t other = need(::fork(), "fork");
  if (other == 0) end_when_told(scene);
  std::printf("waiting\n");
  std::fflush(stdout);
  const double began = now_seconds();
  const long result = scene.wait();
  const bool too_early = now_seconds() - began < scene.least_seconds;
  std::printf("result %ld%s, afterwards %ld\n", result, too_early ? " too early" : "", scene.afterwards());
  std::fflush(stdout);
  ::waitpid(other, nullptr, 0);  // a wait that timed out may have been over before anybody acquired us
  std::printf("talked %d\n", talk_to_self(100));
  std::fflush(stdout);
  ::usleep(30'000);
  std::printf("talked %d\n", talk_to_self(100));
  return 0;
}

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  for (const auto& wait : dpm::all_waits()) {
    if (wanted == "--list") std::printf("%s\n", wait.name.c_str());
    if (wanted == wait.name) return dpm::run(wait);
  }
  return wanted == "--list" ? 0 : 2;
}
