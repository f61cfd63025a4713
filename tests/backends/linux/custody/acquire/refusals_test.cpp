// What cannot be acquired is refused with the reason and what to do, and is left exactly as it was.
#include <fmt/format.h>
#include <linux/audit.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/acquire/acquired_by_user.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using Catch::Contains;
using Catch::StartsWith;

constexpr std::uint32_t kNoPid = 0x3fffffff;

std::string refusal(std::uint32_t pid, const AcquireOptions& options = {}) {
  const auto program = acquire(pid, options);
  return program ? "(it was acquired)" : program.error().what;
}

bool is_root() { return ::geteuid() == 0; }

bool skipped_without_root(const char* what) {
  if (is_root()) return false;
  WARN("SKIPPED: " << what << " needs root");
  return true;
}

// A guarded_target that must be as it was after what was tried.
class Unchanged {
 public:
  explicit Unchanged(const std::string& way, uid_t user = 0) : target_({"guarded_target", way}, user) {
    const std::string said = target_.read_line();
    here_ = said == "waiting";
    if (!here_) WARN("SKIPPED: " << way << " " << said);
    REQUIRE(await_sleep(pid()));
    before_ = *read_status(pid());
  }
  bool here() const { return here_; }
  std::uint32_t pid() const { return target_.pid(); }
  void check() {
    const auto after = read_status(pid());
    REQUIRE(after);
    CHECK(after->seccomp_filters == before_.seccomp_filters);
    CHECK(after->no_new_privileges == before_.no_new_privileges);
    CHECK(after->tracer_pid == before_.tracer_pid);
    target_.write("!");
    CHECK(target_.read_line() == "went on");
    CHECK(target_.wait_for_end() == 0);
  }

 private:
  TargetProcess target_;
  ThreadStatus before_;
  bool here_ = false;
};

// A 32-bit executable that waits without end: pause() by int 0x80.
std::string write_32_bit_program() {
  const std::vector<unsigned char> code = {0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7};
  const std::uint32_t base = 0x08048000, header_size = 52 + 32;
  std::string file(
      "\x7f"
      "ELF\x01\x01\x01",
      7);
  file.resize(16);
  const auto add = [&file](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 0xff);
  };
  add(2, 2), add(3, 2), add(1, 4), add(base + header_size, 4), add(52, 4), add(0, 4), add(0, 4);
  add(52, 2), add(32, 2), add(1, 2), add(0, 2), add(0, 2), add(0, 2);
  const auto size = header_size + static_cast<std::uint32_t>(code.size());
  add(1, 4), add(0, 4), add(base, 4), add(base, 4), add(size, 4), add(size, 4), add(5, 4), add(0x1000, 4);
  file.append(code.begin(), code.end());
  char name[] = "/tmp/dpm-32-bit-XXXXXX";
  ::close(::mkstemp(name));
  std::ofstream(name, std::ios::binary) << file;
  ::chmod(name, 0755);
  return name;
}

}  // namespace

TEST_CASE("acquire: pids that cannot be acquired", "[linux]") {
  CHECK_THAT(refusal(kNoPid), Contains("there is no such process"));
  CHECK_THAT(refusal(static_cast<std::uint32_t>(::getpid())), Contains("this is dpm itself"));
  CHECK_THAT(refusal(1), Contains("the first process"));
  const auto second = read_status(2);
  if (second && second->kernel_thread) {
    CHECK_THAT(refusal(2), StartsWith("acquire 2 (kthreadd): this is a thread of the kernel"));
  } else {
    WARN("SKIPPED: process 2 is not a kernel thread here");
  }
}

TEST_CASE("acquire: a thread is refused in favour of its process", "[linux]") {
  Unchanged target("threaded");
  for (const std::uint32_t tid : read_thread_ids(target.pid())) {
    if (tid != target.pid())
      CHECK_THAT(refusal(tid), Contains("a thread of process " + std::to_string(target.pid()) + " (acquire_guarded"));
  }
  target.check();
}

TEST_CASE("acquire: a process that has ended but was not waited for", "[linux]") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended = {};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);  // with all its threads
  CHECK_THAT(refusal(static_cast<std::uint32_t>(child)),
             Contains("ended already; its parent, process " + std::to_string(::getpid())));
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("acquire: a process that is traced, with the name of its tracer", "[linux]") {
  Unchanged target("traced");
  CHECK_THAT(refusal(target.pid()), Contains("traced already, by process") && Contains("(some-tracer)"));
  target.check();
}

TEST_CASE("acquire: a process that is frozen with its cgroup", "[linux]") {
  const std::string own = read_cgroup_folder(static_cast<std::uint32_t>(::getpid()));
  const std::string folder = fmt::format("{}/acquire-{}", own, ::getpid());
  if (own.empty() || ::mkdir(folder.c_str(), 0755) != 0) {
    WARN("SKIPPED: no cgroup can be made here");
    return;
  }
  {
    TargetProcess target({"guarded_target", "threaded"});
    REQUIRE(target.read_line() == "waiting");
    std::ofstream(folder + "/cgroup.procs") << target.pid();
    CHECK(read_frozen_cgroup(target.pid()).empty());
    std::ofstream(folder + "/cgroup.freeze") << 1;
    CHECK_THAT(refusal(target.pid()), Contains("frozen with its cgroup " + folder));
    std::ofstream(folder + "/cgroup.freeze") << 0;
    CHECK(becomes_true([&] { return read_frozen_cgroup(target.pid()).empty(); }));
  }
  CHECK(becomes_true([&] { return ::rmdir(folder.c_str()) == 0; }));
}

TEST_CASE("acquire: a 32-bit program", "[linux]") {
  const std::string path = write_32_bit_program();
  TargetProcess target({path});
  if (!await_sleep(target.pid())) {
    WARN("SKIPPED: this kernel runs no 32-bit programs");
  } else {
    CHECK_THAT(refusal(target.pid()), Contains("it is a 32-bit program"));
    CHECK(read_status(target.pid())->seccomp_filters == 0);
  }
  ::unlink(path.c_str());
}

TEST_CASE("acquire: programs whose filters forbid it", "[linux]") {
  SECTION("strict") {
    Unchanged target("strict");
    CHECK_THAT(refusal(target.pid()), Contains("strict seccomp"));
    target.check();
  }
  SECTION("one_filtered_thread") {
    Unchanged target("one_filtered_thread");
    CHECK_THAT(refusal(target.pid()), Contains("under other seccomp filters than thread"));
    target.check();
  }
  SECTION("differently_filtered_threads") {
    if (skipped_without_root("suspending filters")) return;
    Unchanged target("differently_filtered_threads");
    CHECK_THAT(refusal(target.pid()), Contains("a seccomp filter that the others do not have"));
    target.check();
  }
}

TEST_CASE("acquire: programs that have a supervisor already", "[linux]") {
  SECTION("another supervisor's") {
    if (skipped_without_root("suspending filters")) return;
    Unchanged target("supervised");
    CHECK_THAT(refusal(target.pid()), Contains("under a supervisor") && Contains("not dpm"));
    target.check();
  }
  SECTION("a meter") {
    TargetProcess target({"guarded_target", "plain"});
    REQUIRE(target.read_line() == "waiting");
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    const TestSupervisor supervisor(std::move(program->listener));
    CHECK_THAT(refusal(target.pid()), Contains("metered already, by process " + std::to_string(::getpid())));
    target.write("!");
    CHECK(target.read_line() == "went on");
  }
  SECTION("a keeper") {
    TargetProcess target({"guarded_target", "plain"});
    REQUIRE(target.read_line() == "waiting");
    { const AcquiredByUser meter(0, target.pid()); }
    CHECK_THAT(refusal(target.pid()), Contains("its keeper (process ") && Contains("take it over"));
    target.write("!");
    CHECK(target.read_line() == "went on");
  }
  SECTION("a dead keeper") {
    TargetProcess target({"guarded_target", "plain"});
    REQUIRE(target.read_line() == "waiting");
    { const AcquiredByUser meter(0, target.pid()); }
    const auto kept = find_kept_program(target.pid());
    REQUIRE(kept);
    ::kill(static_cast<pid_t>(kept->keeper_pid), SIGKILL);
    REQUIRE(becomes_true([&target] { return !find_kept_program(target.pid()); }));
    CHECK_THAT(refusal(target.pid()), Contains("are dead; take it over"));
    auto program = rescue(target.pid());
    REQUIRE(program);
    const TestSupervisor supervisor(std::move(program->listener));
    target.write("!");
    CHECK(target.read_line() == "went on");
  }
}

TEST_CASE("acquire: a program that handles its system calls itself", "[linux]") {
  Unchanged target("dispatching");
  if (!target.here()) return;
  CHECK_THAT(refusal(target.pid()), Contains("carries out system calls itself"));
  target.check();
}

TEST_CASE("acquire: a program without a free descriptor", "[linux]") {
  Unchanged target("without_descriptors");
  CHECK_THAT(refusal(target.pid()), Contains("no descriptor left") && Contains("prlimit --nofile"));
  target.check();
}

TEST_CASE("acquire: a process that cannot be stopped in time", "[linux]") {
  TargetProcess target({"waiting_target", "vfork"});
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  AcquireOptions options;
  options.patience = Duration::from_seconds(0.05);
  CHECK_THAT(refusal(target.pid(), options), Contains("could be stopped within 0.05 s") && Contains("in state D"));
  CHECK(read_status(target.pid())->seccomp_filters == 0);
  target.write("!");
  CHECK(target.read_rest() == "result 7, afterwards 0\ntalked 100\ntalked 100\n");
}

TEST_CASE("acquire: what an account has no right to", "[linux]") {
  if (skipped_without_root("becoming another account")) return;
  SECTION("another user's process") {
    Unchanged target("plain");
    const AcquiredByUser attempt(kNobody, target.pid());
    CHECK_THAT(attempt.outcome(), Contains("belongs to another user (root, user id 0)") && Contains("as root"));
    target.check();
  }
  SECTION("a protected process of its own") {
    Unchanged target("undumpable", kNobody);
    const AcquiredByUser attempt(kNobody, target.pid());
    CHECK_THAT(attempt.outcome(), Contains("protected") && Contains("run dpm as root"));
    target.check();
  }
  SECTION("a process with filters of its own") {
    Unchanged target("sandboxed", kNobody);
    const AcquiredByUser attempt(kNobody, target.pid());
    CHECK_THAT(attempt.outcome(), Contains("1 seccomp filter of its own") && Contains("CAP_SYS_ADMIN"));
    target.check();
  }
  SECTION("a process that would have to give up privileges, when that is not allowed") {
    Unchanged target("plain", kNobody);
    AcquireOptions options;
    options.allow_no_new_privileges = false;
    const AcquiredByUser attempt(kNobody, target.pid(), options);
    CHECK_THAT(attempt.outcome(), Contains("no_new_privs") && Contains("not allowed"));
    target.check();
  }
}

TEST_CASE("acquire: inside a container that forbids what it takes", "[linux]") {
  if (skipped_without_root("a filter without no_new_privs")) return;
  for (const int call : {SYS_ptrace, SYS_pidfd_getfd}) {
    INFO("system call " << call);
    Unchanged target("plain");
    const AcquiredByUser attempt(0, target.pid(), {}, [call] { forbid_calls({call}); });
    CHECK_THAT(attempt.outcome(), Contains("as in a container") && Contains("--cap-add=SYS_PTRACE"));
    target.check();
  }
}

}  // namespace dpm
