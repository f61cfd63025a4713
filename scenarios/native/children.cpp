#include "scenarios/native/children.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>

#include "model/check.hpp"
#include "scenarios/native/board.hpp"

namespace dpm::native {
namespace {

constexpr std::int64_t kPatienceNs = 1'000'000'000;  // with a process that is told to end

// S of sleeping, R of running: the third field of /proc/PID/stat.
char state_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '?' : stat[name_end + 2];
}

std::uint64_t cpu_ns_of(const rusage& usage) {
  const auto ns = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_usec) * 1000u;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

}  // namespace

Result<void> Children::start(std::uint32_t process, const std::string& name, const std::function<void()>& run) {
  Child& child = children_[process];
  // A child has its parent's name at first, and a meter may look at it before its first instruction.
  char own_name[16] = "";
  ::prctl(PR_GET_NAME, own_name);
  ::prctl(PR_SET_NAME, name.c_str());
  child.pid = ::fork();
  if (child.pid == 0) {
    for (Child& other : children_) other.descriptor.reset();
    run();
    DPM_CHECK(false);
  }
  ::prctl(PR_SET_NAME, own_name);
  if (child.pid < 0) return Error::from_errno(fmt::format("start process '{}'", name));
  child.is_alive = true;
  child.descriptor.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.descriptor) return Error::from_errno(fmt::format("watch process '{}'", name));
  return {};
}

bool Children::all_sleep() const {
  return std::all_of(children_.begin(), children_.end(), [](const Child& child) {
    return !child.is_alive || state_of(child.pid) == (child.is_stopped ? 'T' : 'S');
  });
}

void Children::stop(std::uint32_t process) {
  children_[process].is_stopped = true;
  ::kill(children_[process].pid, SIGSTOP);
}

void Children::resume(std::uint32_t process) {
  children_[process].is_stopped = false;
  ::kill(children_[process].pid, SIGCONT);
}

void Children::wait(std::vector<pollfd>& others, int timeout_ms) {
  polled_.clear();
  for (const Child& child : children_)
    if (child.is_alive) polled_.push_back({child.descriptor.get(), POLLIN, 0});
  const auto living = static_cast<std::ptrdiff_t>(polled_.size());
  polled_.insert(polled_.end(), others.begin(), others.end());
  ::poll(polled_.data(), polled_.size(), timeout_ms);
  std::copy(polled_.begin() + living, polled_.end(), others.begin());
}

std::vector<Children::Ended> Children::reap_ended() {
  std::vector<Ended> ended;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (children_[i].is_alive && polled_[at++].revents != 0) ended.push_back({i, reap(children_[i])});
  return ended;
}

int Children::reap(Child& child) {
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  child.is_alive = false;
  child.cpu_ns = cpu_ns_of(usage);
  return status;
}

// One that is stopped takes the signal when it continues, and does nothing else before.
void Children::tell_to_end(const Child& child) {
  ::kill(child.pid, SIGTERM);
  if (child.is_stopped) ::kill(child.pid, SIGCONT);
}

void Children::await_end(Child& child, std::int64_t deadline_ns) {
  pollfd ended{child.descriptor.get(), POLLIN, 0};
  const std::int64_t left_ms = std::max<std::int64_t>(deadline_ns - monotonic_ns(), 0) / 1'000'000;
  if (::poll(&ended, 1, static_cast<int>(left_ms)) != 1) ::kill(child.pid, SIGKILL);
  reap(child);
}

void Children::end(std::uint32_t process) {
  Child& child = children_[process];
  if (!child.is_alive) return;
  tell_to_end(child);
  await_end(child, monotonic_ns() + kPatienceNs);
}

void Children::end_all() {
  for (const Child& child : children_)
    if (child.is_alive) tell_to_end(child);
  const std::int64_t deadline_ns = monotonic_ns() + kPatienceNs;
  for (Child& child : children_)
    if (child.is_alive) await_end(child, deadline_ns);
}

}  // namespace dpm::native
