#include "model/random.hpp"
#include "scheduling/placing/linux_placing.hpp"
#include "tests/scheduling/placing/fake_affinity.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Four CPUs as two places. `guard` has what a guard would have.
struct Machine {
  FakeAffinity calls;
  AffinityRecord guard;
  bool guard_lives = true;
  LinuxPlacing placing =
      LinuxPlacing::begin({{"left", {0, 1}}, {"right", {2, 3}}}, calls, [this](const std::string& line) {
        return note(line);
      }).value();

  Machine() = default;
  Machine(const Machine&) = delete;

 private:
  Result<void> note(const std::string& line) {
    if (!guard_lives) return Error{"no guard"};
    if (!guard.add_line(line)) return Error{"not a line of a record: " + line};
    return {};
  }
};

const CpuSet kAll = {0, 1, 2, 3}, kLeft = {0, 1}, kRight = {2, 3};

}  // namespace

TEST_CASE("placing: all threads of a process are bound, and get back what they might use", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  machine.calls.start(100, 101, {1, 2, 3});
  machine.calls.start(200, 200, kAll);
  REQUIRE(machine.placing.put(100, 1));
  CHECK(machine.calls.cpus_of(100) == kRight);
  CHECK(machine.calls.cpus_of(101) == kRight);
  CHECK(machine.calls.cpus_of(200) == kAll);
  REQUIRE(machine.placing.put(100, 0));
  CHECK(machine.calls.cpus_of(101) == CpuSet{1});  // it might not use 0 before
  REQUIRE(machine.placing.let_go(100));
  CHECK(machine.calls.cpus_of(100) == kAll);
  CHECK(machine.calls.cpus_of(101) == CpuSet{1, 2, 3});
}

TEST_CASE("placing: the guard restores what the scheduler had changed, with threads and children started since",
          "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  machine.calls.start(300, 300, {0}, 1, 60);  // a stranger, bound by its own user
  REQUIRE(machine.placing.put(100, 0));
  machine.calls.start_from(100, 100, 105);  // a thread
  machine.calls.start_from(100, 110, 110);  // a child
  machine.calls.start_from(110, 120, 120);  // its child; the child ends
  machine.calls.threads.erase(110);
  machine.calls.threads.at(120).facts.parent_pid = 1;
  const auto restored = machine.guard.restore_all(machine.calls);
  CHECK(restored == RestoredThreads{3, 0});
  for (const std::uint32_t tid : {100u, 105u, 120u}) CHECK(machine.calls.cpus_of(tid) == kAll);
  CHECK(machine.calls.cpus_of(300) == CpuSet{0});
}

TEST_CASE("placing: a fork that had begun before its parent was given back its CPUs shows its child later",
          "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  REQUIRE(machine.placing.put(100, 0));
  machine.calls.begin_start_from(100, 110, 110, 1);
  machine.calls.begin_start_from(100, 100, 120, 4);
  CHECK(machine.guard.restore_all(machine.calls) == RestoredThreads{3, 0});
  for (const std::uint32_t tid : {100u, 110u, 120u}) CHECK(machine.calls.cpus_of(tid) == kAll);
}

TEST_CASE("placing: a thread that has changed its own affinity since keeps it", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  REQUIRE(machine.placing.put(100, 0));
  machine.calls.threads.at(100).cpus = {1};
  CHECK(machine.guard.restore_all(machine.calls) == RestoredThreads{0, 0});
  CHECK(machine.calls.cpus_of(100) == CpuSet{1});
  REQUIRE(machine.placing.put(100, 0));  // and that is where it goes back to
  CHECK(machine.calls.cpus_of(100) == CpuSet{1});
}

TEST_CASE("placing: a thread with the number of one that has ended is another thread", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  REQUIRE(machine.placing.put(100, 0));
  machine.calls.threads.clear();
  machine.calls.start(100, 100, kLeft, 1, 99);
  REQUIRE(machine.placing.put(100, 0));
  CHECK(machine.calls.cpus_of(100) == kLeft);
}

TEST_CASE("placing: a process that ends while it is moved is reported, and nothing is left", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  machine.calls.before_set = [&](std::uint32_t tid) { machine.calls.threads.erase(tid); };
  const auto moved = machine.placing.put(100, 1);
  REQUIRE(!moved);
  CHECK(moved.error().what == "process 100 has ended");
  CHECK(machine.placing.let_go(100));
  CHECK(!machine.placing.put(4711, 0));
}

TEST_CASE("placing: an account that may not set the affinity gets a clear message, and what was bound is let go",
          "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  machine.calls.start(100, 101, kAll);
  machine.calls.threads.at(101).refuses = EPERM;
  const auto moved = machine.placing.put(100, 1);
  REQUIRE(!moved);
  CHECK(moved.error().what.find("may not set the CPU affinity of process 100") != std::string::npos);
  CHECK(moved.error().what.find("CAP_SYS_NICE") != std::string::npos);
  CHECK(machine.calls.cpus_of(100) == kAll);
}

TEST_CASE("placing: a place whose cores are offline takes nothing, and a process of it is free", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  REQUIRE(machine.placing.put(100, 1));
  machine.calls.all = {0, 1};
  CHECK(!machine.placing.places()[1].usable);
  machine.calls.threads.at(100).cpus = kAll;  // the kernel's way out
  const auto moved = machine.placing.put(100, 1);
  REQUIRE(!moved);
  CHECK(moved.error().what == "right is offline");
  CHECK(machine.placing.put(100, 0));
  machine.calls.all = {0, 1, 2};
  CHECK(machine.guard.restore_all(machine.calls).failed == 0);
  CHECK(machine.calls.cpus_of(100) == kAll);
}

TEST_CASE("placing: one of several cores of a place goes offline, and the process still gets back all", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  REQUIRE(machine.placing.put(100, 1));
  machine.calls.all = {0, 1, 2};
  CHECK(machine.guard.restore_all(machine.calls) == RestoredThreads{1, 0});
  CHECK(machine.calls.cpus_of(100) == kAll);
}

TEST_CASE("placing: a process is never given CPUs that it might not use", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, {0});
  const auto moved = machine.placing.put(100, 1);
  REQUIRE(!moved);
  CHECK(moved.error().what.find("may use CPUs 0 only") != std::string::npos);
  CHECK(machine.calls.cpus_of(100) == CpuSet{0});
}

TEST_CASE("placing: without a guard nothing is changed", "[placing]") {
  Machine machine;
  machine.calls.start(100, 100, kAll);
  machine.guard_lives = false;
  CHECK(!machine.placing.put(100, 1));
  CHECK(machine.calls.cpus_of(100) == kAll);
  CHECK(machine.calls.changes == 0);
}

TEST_CASE("placing: whatever is moved, starts and ends, and whenever the scheduler dies, nothing stays bound",
          "[placing]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Machine machine;
    std::map<std::uint32_t, CpuSet> allowed;  // by tid
    std::uint32_t next = 100;
    for (int i = 0; i < 3; ++i, next += 10) {
      const CpuSet cpus = random.chance(.3) ? CpuSet{1, 2} : kAll;
      machine.calls.start(next, next, cpus);
      allowed[next] = cpus;
    }
    const auto any = [&] {
      auto at = machine.calls.threads.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random.below(machine.calls.threads.size())));
      return at->first;
    };
    // A thread that starts or ends between two calls of the placing.
    const auto happens = [&] {
      if (random.chance(.15) && machine.calls.threads.size() < 12) {
        const std::uint32_t from = any();
        const std::uint32_t tid = next++;
        const std::uint32_t pid = random.chance(.5) ? machine.calls.threads.at(from).pid : tid;
        if (random.chance(.5))
          machine.calls.start_from(from, pid, tid);
        else
          machine.calls.begin_start_from(from, pid, tid, 1 + static_cast<int>(random.below(4)));
        allowed[tid] = allowed.at(from);
      }
      if (random.chance(.05) && machine.calls.threads.size() > 1) machine.calls.threads.erase(any());
    };
    machine.calls.before_set = [&](std::uint32_t) { happens(); };
    for (int i = 0; i < 12; ++i) {
      happens();
      const std::uint32_t pid = machine.calls.threads.at(any()).pid;
      if (random.chance(.8))
        (void)machine.placing.put(pid, random.below(2));
      else
        (void)machine.placing.let_go(pid);
    }
    machine.calls.before_set = nullptr;
    machine.guard.restore_all(machine.calls);
    for (const auto& [tid, thread] : machine.calls.threads) {
      CAPTURE(tid);
      CHECK(thread.cpus == allowed.at(tid));
    }
  }
}

TEST_CASE("placing: the lines of a record are read as they were written, and nothing else is", "[placing]") {
  const OriginalAffinity thread{100, 101, 55, 7, {0, 1, 2, 8}};
  AffinityRecord record;
  REQUIRE(record.add_line(AffinityRecord::line_of(thread)));
  REQUIRE(record.find(101, 55) != nullptr);
  CHECK(*record.find(101, 55) == thread);
  CHECK(record.find(101, 56) == nullptr);
  for (const char* line : {"", "place", "place x", "place 3-1", "place 0,", "thread 1 2 3 4", "thread 1 2 3 4 ",
                           "thread 1 2 3 4 9999999", "thread a 2 3 4 0", "end"})
    CHECK(!record.add_line(line));
}
