#include "tests/linux/conformance/support/actor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace dpm {
namespace {

constexpr int kOutOfTheWay = 100;  // descriptors below this are the program's

void append(int fd, const std::string& line) {
  if (fd < 0) return;
  // The offset does not matter in a file opened for appending; a terminal cannot be written at one.
  if (pwrite(fd, line.data(), line.size(), 0) < 0 && write(fd, line.data(), line.size()) < 0) _exit(99);
}

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

}  // namespace

Actor Actor::first(const std::string& role) {
  const char* path = std::getenv("DPM_EXPECT");
  int fd = -1;
  if (path != nullptr) {
    const int low = must(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666), "open DPM_EXPECT");
    fd = must(fcntl(low, F_DUPFD_CLOEXEC, kOutOfTheWay), "move DPM_EXPECT");
    close(low);
  }
  return Actor(role, fd);
}

Actor Actor::as(const std::string& role) const { return Actor(role, expect_fd_); }

void Actor::expect(const char* kind, long bytes, const std::string& channel) const {
  expect_of(gettid(), kind, bytes, channel);
}

void Actor::expect_of(pid_t thread, const char* kind, long bytes, const std::string& channel) const {
  append(expect_fd_, std::to_string(thread) + " " + kind + " " + std::to_string(bytes) + " " + channel + "\n");
}

long Actor::result(const std::string& call, long value) const {
  const int error = errno;
  const char* name = strerrorname_np(error);
  says(call + " = " + (value >= 0 ? std::to_string(value) : name != nullptr ? name : std::to_string(error)));
  errno = error;
  return value;
}

void Actor::says(const std::string& text) const { append(STDOUT_FILENO, role_ + ": " + text + "\n"); }

pid_t Actor::forks(const std::string& role, const std::function<int(const Actor&)>& play) const {
  const pid_t parent = gettid();
  const pid_t child = must(fork(), "fork");
  if (child != 0) return child;
  const Actor actor = as(role);
  actor.expect("BEGIN", parent, "-");
  _exit(play(actor));
}

std::thread Actor::threads(const std::string& role, const std::function<void(const Actor&)>& play) const {
  return std::thread([actor = as(role), play, parent = gettid()] {
    actor.expect("BEGIN", parent, "-");
    play(actor);
  });
}

int Actor::waits_for(pid_t child, const std::string& role) const {
  int status = 0;
  must(waitpid(child, &status, 0), "waitpid");
  expect_of(child, "END", status, "-");
  says(role + (WIFSIGNALED(status) ? " was ended by signal " + std::to_string(WTERMSIG(status))
                                   : " exited with " + std::to_string(WEXITSTATUS(status))));
  return WEXITSTATUS(status);
}

void pause_ms(int milliseconds) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1000000L;
  if (until.tv_nsec >= 1000000000) {
    ++until.tv_sec;
    until.tv_nsec -= 1000000000;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

Stopwatch::Stopwatch() : started_ms_(now_ms()) {}

long Stopwatch::quarters() const { return (now_ms() - started_ms_) / 250; }

int must(int value, const char* what) {
  if (value >= 0) return value;
  std::perror(what);
  _exit(98);
}

}  // namespace dpm
