// Real processes, a scheduler that is killed at any moment, and what they may use afterwards.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "model/random.hpp"
#include "os/fork_bound.hpp"
#include "scheduling/placing/affinity_guard.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"
#include "scheduling/placing/linux_placing.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// A process with two threads that starts children, which live for a while, until it is killed.
class BusyProcess {
 public:
  BusyProcess() : pid_(fork_bound()) {
    if (pid_ != 0) return;
    ::setsid();
    std::thread([] {
      for (;;) ::pause();
    }).detach();
    for (;;) {
      if (fork_bound() == 0) {
        ::usleep(30'000);
        ::_exit(0);
      }
      ::usleep(5'000);
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;
  ~BusyProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }

 private:
  pid_t pid_;
};

std::vector<CpuPlace> two_places(const CpuSet& cpus) {
  return {{"first", {*cpus.begin()}}, {"last", {*cpus.rbegin()}}};
}

// Moves the processes to and fro until it is killed.
[[noreturn]] void schedule(const std::vector<std::uint32_t>& pids, const CpuSet& cpus) {
  LinuxAffinityCalls calls;
  auto guard = AffinityGuard::start();
  if (!guard) ::_exit(1);
  auto placing =
      LinuxPlacing::begin(two_places(cpus), calls, [&](const std::string& line) { return guard->note(line); });
  if (!placing) ::_exit(1);
  for (std::size_t turn = 0;; ++turn)
    for (const std::uint32_t pid : pids) (void)placing->put(pid, turn % 2);
}

// Every thread of the process and of its children that run may use these CPUs.
bool may_use(LinuxAffinityCalls& calls, std::uint32_t pid, const CpuSet& cpus) {
  for (const std::uint32_t other : calls.processes()) {
    const auto facts = calls.facts_of(other, other);
    if (!facts || facts->has_ended || (other != pid && facts->parent_pid != pid)) continue;
    for (const std::uint32_t tid : calls.threads_of(other)) {
      const auto now = calls.affinity_of(tid);
      if (now && *now != cpus) return false;
    }
  }
  return true;
}

template <typename Condition>
bool soon(const Condition& condition) {
  for (int look = 0; look < 2000; ++look) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

CpuSet own_cpus() { return LinuxAffinityCalls().affinity_of(0).value(); }

}  // namespace

TEST_CASE("guard: whenever the scheduler is killed, no thread and no child stays bound", "[placing]") {
  const CpuSet cpus = own_cpus();
  if (cpus.size() < 2) return;
  const auto seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  CAPTURE(seed);
  Random random(seed);
  LinuxAffinityCalls calls;
  for (int turn = 0; turn < 12; ++turn) {
    CAPTURE(turn);
    const BusyProcess one, other;
    const pid_t scheduler = fork_bound();
    if (scheduler == 0) schedule({one.pid(), other.pid()}, cpus);
    if (turn % 2 == 0) REQUIRE(soon([&] { return calls.affinity_of(one.pid()) != cpus; }));
    ::usleep(static_cast<useconds_t>(random.below(60'000)));
    ::kill(scheduler, SIGKILL);
    ::waitpid(scheduler, nullptr, 0);
    CHECK(soon([&] { return may_use(calls, one.pid(), cpus) && may_use(calls, other.pid(), cpus); }));
  }
}

TEST_CASE("guard: at the wish of the scheduler everything is restored before it goes on", "[placing]") {
  const CpuSet cpus = own_cpus();
  if (cpus.size() < 2) return;
  LinuxAffinityCalls calls;
  const BusyProcess process;
  auto guard = AffinityGuard::start();
  REQUIRE(guard);
  auto placing =
      LinuxPlacing::begin(two_places(cpus), calls, [&](const std::string& line) { return guard->note(line); });
  REQUIRE(placing);
  REQUIRE(placing->put(process.pid(), 1));
  CHECK(calls.affinity_of(process.pid()) == CpuSet{*cpus.rbegin()});
  // On a busy machine it waits a moment before it runs there.
  CHECK(soon([&] { return placing->place_of(process.pid(), process.pid()) == 1; }));
  const auto restored = guard->end();
  REQUIRE(restored);
  CHECK(restored->threads >= 2);
  CHECK(restored->failed == 0);
  CHECK(may_use(calls, process.pid(), cpus));
  CHECK(!guard->note("place 0"));
}

TEST_CASE("guard: a process that may not be touched is refused with what it takes", "[placing]") {
  const CpuSet cpus = own_cpus();
  if (cpus.size() < 2 || ::getuid() != 0) {
    WARN("SKIPPED: this needs two CPUs, and root, which becomes another account");
    return;
  }
  const BusyProcess process;
  const pid_t other_account = fork_bound();
  if (other_account == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    LinuxAffinityCalls calls;
    auto placing = LinuxPlacing::begin(two_places(cpus), calls, [](const std::string&) { return Result<void>(); });
    const auto done = placing->put(process.pid(), 0);
    ::_exit(!done && done.error().what.find("may not set the CPU affinity") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ::waitpid(other_account, &status, 0);
  CHECK(status == 0);
  LinuxAffinityCalls calls;
  CHECK(calls.affinity_of(process.pid()) == cpus);
}
