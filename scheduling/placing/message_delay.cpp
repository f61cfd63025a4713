#include "scheduling/placing/message_delay.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "os/fork_bound.hpp"
#include "os/unique_fd.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"

namespace dpm {
namespace {

constexpr int kBefore = 20, kRoundTrips = 120;
// Programs work between their messages. A core that has been idle for a moment only is woken faster.
constexpr std::chrono::microseconds kWork{30};

struct Pipe {
  UniqueFd reading, writing;

  static Result<Pipe> make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe to measure the delay of messages");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  }
};

using Clock = std::chrono::steady_clock;

void work() {
  const auto end = Clock::now() + kWork;
  while (Clock::now() < end) {
  }
}

bool bind_self(int cpu) { return LinuxAffinityCalls().set_affinity(0, {cpu}) == 0; }

[[noreturn]] void echo(const Pipe& in, const Pipe& out, int cpu) {
  char byte = 0;
  if (bind_self(cpu))
    while (::read(in.reading.get(), &byte, 1) == 1) {
      work();
      if (::write(out.writing.get(), &byte, 1) != 1) break;
    }
  ::_exit(0);
}

// The median of the round trips in ns, as text on `result`.
[[noreturn]] void ask(const Pipe& out, const Pipe& in, int cpu, const Pipe& result) {
  std::vector<std::int64_t> times_ns;
  char byte = 1;
  if (bind_self(cpu))
    for (int i = 0; i < kBefore + kRoundTrips; ++i) {
      work();
      const auto begin = Clock::now();
      if (::write(out.writing.get(), &byte, 1) != 1 || ::read(in.reading.get(), &byte, 1) != 1) ::_exit(1);
      if (i >= kBefore) times_ns.push_back(std::chrono::nanoseconds(Clock::now() - begin).count());
    }
  if (times_ns.empty()) ::_exit(1);
  std::nth_element(times_ns.begin(), times_ns.begin() + kRoundTrips / 2, times_ns.end());
  ::_exit(::write(result.writing.get(), &times_ns[kRoundTrips / 2], sizeof(std::int64_t)) > 0 ? 0 : 1);
}

Result<std::int64_t> round_trip_ns(int cpu, int other_cpu) {
  auto out = Pipe::make(), back = Pipe::make(), result = Pipe::make();
  for (const auto* pipe : {&out, &back, &result})
    if (!*pipe) return pipe->error();
  const pid_t echoing = fork_bound();
  if (echoing == 0) echo(*out, *back, other_cpu);
  const pid_t asking = fork_bound();
  if (asking == 0) ask(*out, *back, cpu, *result);
  // The children hold their own ends; with ours closed, each sees the end of the other.
  out->writing.reset();
  back->writing.reset();
  result->writing.reset();
  std::int64_t time_ns = 0;
  const bool is_known = ::read(result->reading.get(), &time_ns, sizeof time_ns) == sizeof time_ns;
  for (const pid_t child : {echoing, asking})
    if (child > 0) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  if (!is_known) return Error{"the delay of messages between cores could not be measured"};
  return time_ns;
}

}  // namespace

Result<Duration> measure_message_delay(int cpu, int other_cpu) {
  const auto together = round_trip_ns(cpu, cpu);
  if (!together) return together.error();
  const auto apart = round_trip_ns(cpu, other_cpu);
  if (!apart) return apart.error();
  return Duration{std::max<std::int64_t>(*apart - *together, 0) / 2};
}

}  // namespace dpm
