// What the scripted kernel announces of processes, and what waits for children mean.
#include "tests/backends/linux/supervisor/scripted_program.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

// ---- names and clocks of processes

TEST_CASE("notifications: a process that ends before its name can be read is counted", "[linux]") {
  Program program;
  program.start_child();
  program.kernel.processes[kChild].program.clear();
  program.kernel.announce(ProcessChange::Kind::exec, kChild, kChild);
  program.end_child();
  const auto warnings = program.handler.warnings();
  CHECK(std::count(warnings.begin(), warnings.end(),
                   "processes that ended before their names could be read: 1; each is called 'process'") == 1);
}

TEST_CASE("notifications: a process is described with its cgroup, a thread of it is not", "[linux]") {
  Program program;
  program.kernel.process(kChild, kServer).cgroup = "system.slice/docker-0123456789ab.scope";
  program.kernel.thread(kWorker, kChild);
  program.kernel.announce(ProcessChange::Kind::fork, kChild, kChild, kServer);
  program.kernel.announce(ProcessChange::Kind::fork, kWorker, kChild, kChild);
  program.handler.tracker().read_news();
  const auto described = program.shared.meter.take().growth.processes;
  REQUIRE(described.size() == 3);
  CHECK(described[0].cgroup.empty());
  CHECK(described[1].cgroup == "system.slice/docker-0123456789ab.scope");
  CHECK(described[2].tid == kWorker);
  CHECK(described[2].cgroup.empty());
}

TEST_CASE("notifications: a name that the kernel has cut is that of the file", "[linux]") {
  Program program;
  program.start_child();
  program.kernel.processes[kChild].program = "/opt/a-program-with-a-long-name";
  program.kernel.announce(ProcessChange::Kind::exec, kChild, kChild);
  program.end_child();
  const auto renamed = program.shared.meter.take().growth.renamed;
  REQUIRE(renamed.size() == 1);
  CHECK(renamed[0].name == "a-program-with-a-long-name");
}

TEST_CASE("notifications: what a thread used before it was announced is not its process's first thread's", "[linux]") {
  Program program;
  program.kernel.threads[kServer].cpu_ns = 10'000'000;
  program.kernel.thread(kWorker, kServer).cpu_ns = 200'000'000;
  program.start_worker();
  program.kernel.announce(ProcessChange::Kind::exit, kWorker, kServer);
  program.kernel.announce(ProcessChange::Kind::exit, kServer, kServer);
  program.handler.tracker().read_news();
  std::uint64_t used_ns = 0;
  for (const Event& event : program.of(EventType::destroy_process)) used_ns += event.proc_time_ns;
  CHECK(used_ns == 210'000'000);
}

// Its clock is then read under the number of the first thread.
TEST_CASE(
    "notifications: a thread that executes a program goes on as the first, with no CPU time lost or counted twice",
    "[linux]") {
  const bool is_read_late = GENERATE(false, true);
  Program program;
  program.kernel.threads[kServer].cpu_ns = 10'000'000;
  program.kernel.thread(kWorker, kServer).cpu_ns = 30'000'000;
  program.start_worker();
  program.kernel.threads[kServer].cpu_ns = 12'000'000;
  program.kernel.threads[kWorker].cpu_ns = 30'000'000;
  const auto take_over = [&] {
    program.kernel.processes[kServer].ended_cpu_ns += program.kernel.threads[kServer].cpu_ns;
    program.kernel.threads[kServer].cpu_ns = program.kernel.threads[kWorker].cpu_ns;
    program.kernel.threads.erase(kWorker);
  };
  if (is_read_late) take_over();
  program.kernel.announce(ProcessChange::Kind::exit, kServer, kServer);
  if (!is_read_late) {
    program.kernel.threads[kServer].is_ending = true;
    program.handler.tracker().read_news();
    program.kernel.threads[kServer].is_ending = false;
    take_over();
  }
  program.kernel.announce(ProcessChange::Kind::exec, kServer, kServer);
  program.handler.tracker().read_news();
  program.kernel.threads[kServer].cpu_ns += 5'000'000;
  program.kernel.announce(ProcessChange::Kind::exit, kServer, kServer);
  program.handler.tracker().read_news();
  const auto ends = program.of(EventType::destroy_process);
  REQUIRE(ends.size() == 3);
  std::uint64_t used_ns = 0;
  for (const Event& event : ends) used_ns += event.proc_time_ns;
  CHECK(used_ns == 47'000'000);
  REQUIRE(program.count(EventType::exec) == 1);
  CHECK(program.of(EventType::exec)[0].process == ends[2].process);
  CHECK(program.of(EventType::start_process).back().peer == ends[1].process);
}

// ---- waits for children that are caught

TEST_CASE("notifications: the wait of a shell is held though it catches SIGCHLD, that of another program is not",
          "[linux]") {
  const auto [program_path, holds] = GENERATE(std::pair<std::string, bool>{"/usr/bin/dash", true},
                                              std::pair<std::string, bool>{"/usr/bin/server", false});
  Program program;
  program.kernel.processes[kServer].program = program_path;
  program.kernel.processes[kServer].catches_ends = true;
  program.kernel.announce(ProcessChange::Kind::exec, kServer, kServer);
  program.start_child();
  const auto id = program.wait_for_any_child();
  CHECK(program.waits(id) == holds);
}

// ---- waits for children

TEST_CASE("notifications: a wait is held until the child has ended, and the parent goes on because of that",
          "[linux]") {
  Program program;
  program.start_child();
  const auto id = program.wait_for_any_child();
  CHECK(program.waits(id));
  program.kernel.now_ns += 5'000'000;
  program.end_child();
  CHECK(program.was_let_go(id));
  const auto waits = program.of(EventType::wait);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].evidence == Evidence::observed);
  CHECK(waits[0].sequence >= 5'000'000);
}

TEST_CASE("notifications: a wait that a signal interrupts has lasted since it was made first", "[linux]") {
  Program program;
  program.start_child();
  program.kernel.take_away(program.wait_for_any_child());
  program.kernel.now_ns += 5'000'000;
  const auto again = program.wait_for_any_child();
  CHECK(program.waits(again));
  program.end_child();
  CHECK(program.was_let_go(again));
  const auto waits = program.of(EventType::wait);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].sequence >= 5'000'000);
}

TEST_CASE("notifications: the CPU time of children is counted from the first wait that does not wait for them",
          "[linux]") {
  Program program;
  program.start_child();
  CHECK_FALSE(program.kernel.counted.contains(kChild));
  CHECK(program.was_let_go(program.wait_for_any_child(WNOHANG)));
  CHECK(program.kernel.counted.contains(kChild));
}

TEST_CASE("notifications: a call that does not wait is held for milliseconds while a child is ending", "[linux]") {
  const auto [catches_ends, ends_soon] =
      GENERATE(std::pair{false, true}, std::pair{false, false}, std::pair{true, true});
  Program program;
  program.kernel.processes[kServer].catches_ends = catches_ends;
  program.start_child();
  program.kernel.processes[kChild].is_exiting = true;
  const auto id = program.wait_for_any_child(WNOHANG);
  CHECK(program.waits(id) == !catches_ends);
  if (catches_ends) return;
  if (ends_soon) {
    program.end_child();
  } else {
    program.kernel.now_ns += 10'000'000;
    program.handler.look_around(program.kernel.now_ns);
  }
  CHECK(program.was_let_go(id));
  CHECK(program.count(EventType::wait) == (ends_soon ? 1 : 0));
}

TEST_CASE("notifications: a child that ends before a counter is opened has the CPU time of the last look at it",
          "[linux]") {
  Program program;
  program.start_child();
  program.kernel.threads[kChild].cpu_ns = 4'000'000;
  program.wait_for_any_child(WNOHANG);
  program.kernel.threads.erase(kChild);  // and its parent has taken note of it
  program.kernel.processes.erase(kChild);
  program.kernel.announce(ProcessChange::Kind::exit, kChild, kChild);
  program.handler.tracker().read_news();
  const auto ends = program.of(EventType::destroy_process);
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].proc_time_ns == 4'000'000);
}

TEST_CASE("notifications: what a child forked just before its end is its child", "[linux]") {
  Program program;
  program.start_child();
  const auto id = program.wait_for_any_child();
  // The end shows by looking, before anything is read that was announced.
  program.kernel.process(kGrandchild, 1);
  program.kernel.announce(ProcessChange::Kind::fork, kGrandchild, kGrandchild, kChild);
  program.kernel.threads.erase(kChild);
  program.kernel.processes[kChild].is_dead = true;
  program.kernel.announce(ProcessChange::Kind::exit, kChild, kChild);
  program.kernel.now_ns += 10'000'000;
  program.handler.look_around(program.kernel.now_ns);
  CHECK(program.was_let_go(id));
  program.call(kGrandchild, SYS_sendto, {kFd, 0x2000, 1});
  const auto births = program.of(EventType::create_process);
  const auto ends = program.of(EventType::destroy_process);
  REQUIRE(births.size() == 2);
  REQUIRE(ends.size() == 1);
  CHECK(births[1].process == ends[0].process);
}

TEST_CASE("notifications: a call that does not wait takes a child that ends between the look at it and the call",
          "[linux]") {
  const bool takes = GENERATE(true, false), ends_itself = GENERATE(true, false);
  Program program;
  program.start_child();
  program.wait_for_any_child(WNOHANG);
  if (takes) {
    program.kernel.processes[kServer].reaped_faults += 100;
    program.kernel.processes[kServer].children.clear();
    program.kernel.processes.erase(kChild);
  } else {
    program.kernel.processes[kChild].is_dead = true;
  }
  program.kernel.threads.erase(kChild);
  program.kernel.announce(ProcessChange::Kind::exit, kChild, kChild);
  if (ends_itself) {
    program.kernel.announce(ProcessChange::Kind::exit, kServer, kServer);
  } else {
    program.call(kServer, SYS_sendto, {kFd, 0x2000, 1});
  }
  program.handler.tracker().read_news();
  CHECK(program.count(EventType::wait) == (takes ? 1 : 0));
}

// ---- nothing is announced

namespace {

// A server that has executed, on a kernel that announces nothing.
struct Unannounced : Program {
  Unannounced() {
    kernel.announces = false;
    kernel.processes[kServer].has_executed = true;
    kernel.processes[kServer].image = 1;
    call(kServer, SYS_sendto, {kFd, 0x2000, 1});
  }
  // It has what a fork leaves: its parent's program.
  void make_child() {
    kernel.process(kChild, kServer).image = kernel.processes[kServer].image;
    kernel.processes[kChild].program = kernel.processes[kServer].program;
  }
  void child_executes(const std::string& path) {
    kernel.processes[kChild].program = path;
    kernel.processes[kChild].has_executed = true;
    ++kernel.processes[kChild].image;
    kernel.now_ns += 1'000'000;
  }
  void child_ends() {
    kernel.threads.erase(kChild);
    kernel.processes[kChild].is_dead = true;
    kernel.now_ns += 1'000'000;
  }
  void child_is_reaped() {
    kernel.processes.erase(kChild);
    kernel.processes[kServer].children.clear();
    kernel.processes[kServer].reaped_faults += 100;
  }
};

}  // namespace

TEST_CASE("notifications: an exec that is not announced is found at the next call, be it of the same file", "[linux]") {
  Unannounced program;
  REQUIRE(program.count(EventType::exec) == 1);  // the server's own
  program.make_child();
  program.call(kChild, SYS_sendto, {kFd, 0x2000, 1});
  CHECK(program.count(EventType::create_process) == 1);
  CHECK(program.count(EventType::exec) == 1);
  for (const std::string path : {"/usr/bin/other", "/usr/bin/other"}) {
    program.child_executes(path);
    program.call(kChild, SYS_sendto, {kFd, 0x2000, 1});
  }
  CHECK(program.count(EventType::exec) == 3);
}

TEST_CASE("notifications: a child that makes no call is found by its parent's wait, dead or alive", "[linux]") {
  const bool is_dead = GENERATE(false, true);
  Unannounced program;
  program.make_child();
  program.child_executes("/usr/bin/silent");
  if (is_dead) program.child_ends();
  const auto id = program.wait_for_any_child();
  CHECK(program.waits(id) == !is_dead);
  program.child_ends();
  program.handler.tracker().look_at_end(kChild);
  CHECK(program.was_let_go(id));
  for (const EventType type : {EventType::create_process, EventType::destroy_process, EventType::wait})
    CHECK(program.count(type) == 1);
  CHECK(program.count(EventType::exec) == 2);
  CHECK(program.handler.warnings().empty());
}

TEST_CASE("notifications: the end that a wait cannot be held for shows by the child that is gone", "[linux]") {
  Unannounced program;
  program.kernel.processes[kServer].catches_ends = true;
  program.kernel.exit_code = 9 << 8;  // the program has cleared its own copy since
  program.make_child();
  const auto id = program.wait_for_any_child();
  CHECK(program.was_let_go(id));
  program.child_ends();
  program.child_is_reaped();
  program.call(kServer, SYS_sendto, {kFd, 0x2000, 1});
  CHECK(program.count(EventType::wait) == 1);
  REQUIRE(program.count(EventType::destroy_process) == 1);
  CHECK(program.of(EventType::destroy_process)[0].code == 9);
}

TEST_CASE("notifications: what looking has missed is counted by name", "[linux]") {
  Unannounced program;
  program.kernel.processes[kServer].catches_ends = true;
  program.make_child();
  program.call(kServer, SYS_wait4, {UINT64_MAX, 0, 0});
  program.kernel.process(kGrandchild, kServer);  // comes and goes while its parent waits
  program.kernel.threads.erase(kGrandchild);
  program.kernel.processes.erase(kGrandchild);
  program.kernel.processes[kServer].children = {kChild};
  program.kernel.processes[kServer].reaped_faults += 100;
  program.call(kServer, SYS_sendto, {kFd, 0x2000, 1});
  const auto warnings = program.handler.warnings();
  CHECK(std::count(warnings.begin(), warnings.end(),
                   "processes that were never seen, because they made no metered call, by their parents: 1 (server "
                   "(100))") == 1);
}

TEST_CASE("notifications: a number that another process has by now is that process's", "[linux]") {
  Unannounced program;
  program.make_child();
  program.call(kChild, SYS_sendto, {kFd, 0x2000, 1});
  program.child_ends();
  program.handler.look_around(program.kernel.now_ns);
  program.child_is_reaped();
  program.make_child();
  program.call(kChild, SYS_sendto, {kFd, 0x2000, 1});
  CHECK(program.count(EventType::create_process) == 2);
}

// ---- which child a wait takes

TEST_CASE("notifications: a wait takes the child that is gone afterwards, not the one that had ended before",
          "[linux]") {
  constexpr std::uint32_t kOlder = kChild, kYounger = kGrandchild;
  Program program;
  program.start_child();
  program.kernel.process(kYounger, kServer);
  program.kernel.announce(ProcessChange::Kind::fork, kYounger, kYounger, kServer);
  const auto id = program.wait_for_any_child();
  REQUIRE(program.waits(id));
  program.kernel.threads.erase(kYounger);
  program.kernel.processes[kYounger].is_dead = true;
  program.kernel.announce(ProcessChange::Kind::exit, kYounger, kYounger);
  program.handler.tracker().read_news();
  CHECK(program.was_let_go(id));
  CHECK(program.count(EventType::wait) == 0);  // the older one may end before the kernel makes the call
  const auto end_and_reap = [&program](std::uint32_t pid) {
    program.kernel.threads.erase(pid);
    program.kernel.processes.erase(pid);
    std::erase(program.kernel.processes[kServer].children, pid);
  };
  const auto names = [&program](EventType type) {
    std::vector<ProcessId> named;
    for (const Event& event : program.of(type)) named.push_back(type == EventType::wait ? event.peer : event.process);
    return named;
  };

  SECTION("the older one, whose end is announced in time") {
    end_and_reap(kOlder);
    program.kernel.announce(ProcessChange::Kind::exit, kOlder, kOlder);
  }
  SECTION("the older one, whose end is announced late") { end_and_reap(kOlder); }
  SECTION("the younger one") {
    end_and_reap(kYounger);
    program.send(1);
    CHECK(program.count(EventType::wait) == 1);
    return;
  }
  program.send(1);
  REQUIRE(program.count(EventType::wait) == 1);
  CHECK(program.was_let_go(program.wait_for_any_child()));  // the younger one is still there
  REQUIRE(program.count(EventType::wait) == 2);
  CHECK(names(EventType::wait)[0] != names(EventType::wait)[1]);
  CHECK(program.count(EventType::destroy_process) == 2);
}

}  // namespace dpm
