#include "tests/live/conformance/support/actor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace dpm {
namespace {

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

// Without read(), which a meter would be notified of.
char state_of(const std::string& task) {
  std::array<char, 200> text{};
  const int fd = open((task + "/stat").c_str(), O_RDONLY);
  const ssize_t size = fd < 0 ? 0 : pread(fd, text.data(), text.size() - 1, 0);
  close(fd);
  const char* name_end = size > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return name_end == nullptr ? '?' : name_end[2];
}

bool all_sleep(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  DIR* tasks = opendir(folder.c_str());
  bool all = true;
  while (const dirent* entry = all && tasks != nullptr ? readdir(tasks) : nullptr) {
    const int tid = std::atoi(entry->d_name);
    const char state = state_of(folder + "/" + entry->d_name);
    if (tid != 0 && tid != gettid()) all = state != 'R' && state != 'D';  // or stopped, or gone
  }
  if (tasks != nullptr) closedir(tasks);
  return all;
}

}  // namespace

Actor Actor::as(const std::string& role) const { return Actor(role, *account_); }

void Actor::expect_of(pid_t thread, const char* kind, long bytes, const std::string& channel) const {
  const int error = errno;
  account_->add("expect " + std::to_string(thread) + " " + kind + " " + std::to_string(bytes) + " " + channel + "\n");
  errno = error;
}

void Actor::expect(const char* kind, long bytes, const std::string& channel) const {
  expect_of(gettid(), kind, bytes, channel);
}

void Actor::expect_by(const char* source, const char* kind, long bytes, const std::string& channel) const {
  expect((std::string(source) + ":" + kind).c_str(), bytes, channel);
}

void Actor::may_show(const char* kind, long bytes, const std::string& channel) const {
  expect(("MAYBE-" + std::string(kind)).c_str(), bytes, channel);
}

long Actor::result(const std::string& call, long value) const {
  const int error = errno;
  const char* name = strerrorname_np(error);
  says(call + " = " + (value >= 0 ? std::to_string(value) : name != nullptr ? name : std::to_string(error)));
  errno = error;
  return value;
}

void Actor::says(const std::string& text) const { account_->add("result " + role_ + ": " + text + "\n"); }

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
  expect("CHILDEND", child, "-");
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

void until_waiting(pid_t process, int then_ms) {
  constexpr int kLooks = 3, kBetweenMs = 5;
  for (int asleep = 0; asleep < kLooks; pause_ms(kBetweenMs)) asleep = all_sleep(process) ? asleep + 1 : 0;
  pause_ms(then_ms);
}

Stopwatch::Stopwatch() : started_ms_(now_ms()) {}

bool Stopwatch::shows(long milliseconds) const {
  constexpr long kBusyMachineMs = 10000;
  const long passed_ms = now_ms() - started_ms_;
  return passed_ms >= milliseconds && passed_ms < milliseconds + kBusyMachineMs;
}

int must(int value, const char* what) {
  if (value >= 0) return value;
  std::perror(what);
  _exit(98);
}

}  // namespace dpm
