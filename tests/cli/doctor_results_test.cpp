#include "cli/meter/doctor_results.hpp"

#include <algorithm>
#include <cerrno>

#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

constexpr Attempt kWorked{true, 0};
constexpr Attempt kRefused{true, EPERM};
constexpr Attempt kNotTried{};

// A machine on which nothing is missing.
MachineCapabilities whole_machine() {
  MachineCapabilities machine;
  machine.kernel_release = "6.18.0";
  machine.architecture = "x86_64";
  machine.notification = machine.sync_wake_up = machine.borrow_descriptor = machine.read_memory =
      machine.transfer_counts = machine.thread_times = machine.cpu_counter = machine.unix_peers = kWorked;
  machine.io_uring = {true, ENOSYS};
  machine.may_administrate = machine.may_trace_all = machine.proc_mounted = machine.proc_is_ours = true;
  machine.descriptors_max = 1024;
  machine.descriptors_limit = 20000;
  return machine;
}

const Check& find_check(const Diagnosis& diagnosis, const std::string& name) {
  const auto found =
      std::find_if(diagnosis.begin(), diagnosis.end(), [&](const Check& check) { return check.name == name; });
  REQUIRE(found != diagnosis.end());
  return *found;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("doctor: a machine that lacks nothing is told nothing to do", "[doctor]") {
  const Diagnosis diagnosis = diagnose(whole_machine());
  CHECK(can_meter(diagnosis));
  for (const auto& check : diagnosis) {
    INFO(check.name);
    CHECK(check.verdict == Verdict::good);
    CHECK(check.advice.empty());
  }
  CHECK(says(diagnosis_text(diagnosis, 80), "\nmetering works here\n"));
}

TEST_CASE("doctor: whatever is limited or missing comes with advice, unless it follows from something else",
          "[doctor]") {
  MachineCapabilities machine;  // nothing works at all
  machine.notification = kRefused;
  machine.kernel_source_problem = "it needs CAP_BPF";
  const Diagnosis diagnosis = diagnose(machine);
  CHECK_FALSE(can_meter(diagnosis));
  for (const auto& check : diagnosis) {
    INFO(check.name);
    const bool is_bad = check.verdict == Verdict::limited || check.verdict == Verdict::missing;
    CHECK((!is_bad || !check.advice.empty() || says(check.found, "could not be tried")));
  }
}

TEST_CASE("doctor: each obstacle to user notification has its own remedy", "[doctor]") {
  const auto advice_for = [](int error_number) {
    MachineCapabilities machine = whole_machine();
    machine.kernel_source_problem = "it needs CAP_BPF";
    machine.notification = {true, error_number};
    machine.borrow_descriptor = machine.read_memory = machine.sync_wake_up = kNotTried;
    const Diagnosis diagnosis = diagnose(machine);
    CHECK_FALSE(can_meter(diagnosis));
    CHECK(find_check(diagnosis, "access to programs").found == "could not be tried");
    return find_check(diagnosis, "user notification").advice;
  };
  CHECK(says(advice_for(EPERM), "seccomp=unconfined"));
  CHECK(says(advice_for(EBUSY), "allows one"));
  CHECK(says(advice_for(ENOSYS), "Linux 5.6"));
  CHECK(says(advice_for(EINVAL), "Linux 5.6"));
}

TEST_CASE("doctor: where no call may wait for the meter, the eBPF source still meters", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.notification = kRefused;
  machine.borrow_descriptor = machine.read_memory = machine.sync_wake_up = kNotTried;
  const Diagnosis diagnosis = diagnose(machine);
  CHECK(can_meter(diagnosis));
  CHECK(find_check(diagnosis, "user notification").verdict == Verdict::limited);
  CHECK(says(diagnosis_text(diagnosis, 80), "\nmetering works here with the eBPF source only\n"));
}

TEST_CASE("doctor: what is missing of CPU times is named, with its remedy", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.cpu_counter = kRefused;
  Check check = find_check(diagnose(machine), "CPU time");
  CHECK(check.verdict == Verdict::limited);
  CHECK(says(check.advice, "kernel.perf_event_paranoid=2"));
  machine.thread_times = {true, ENOENT};
  check = find_check(diagnose(machine), "CPU time");
  CHECK(says(check.found, "schedstat"));
  CHECK(says(check.advice, "CONFIG_SCHED_INFO"));
}

TEST_CASE("doctor: without the kernel's iterator samples come from /proc", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.iterator_problem = "the kernel refuses an eBPF task iterator: Operation not permitted";
  const Check check = find_check(diagnose(machine), "samples");
  CHECK(check.verdict == Verdict::note);
  CHECK(says(check.advice, "refuses an eBPF task iterator"));
  CHECK(can_meter(diagnose(machine)));
}

TEST_CASE("doctor: limits of processes and of folders are named, with their remedies", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.tasks_problem = "the meter needs 8 processes and threads: raise pids.max";
  CHECK(find_check(diagnose(machine), "processes and threads").verdict == Verdict::missing);
  CHECK(says(find_check(diagnose(machine), "processes and threads").advice, "raise pids.max"));
  CHECK_FALSE(can_meter(diagnose(machine)));
  machine = whole_machine();
  machine.sockets_problem = "there is no place for sockets: set XDG_RUNTIME_DIR";
  CHECK(find_check(diagnose(machine), "sockets of meters").verdict == Verdict::limited);
  CHECK(can_meter(diagnose(machine)));
  machine.kernel_source_problem = "it needs CAP_BPF";
  CHECK(find_check(diagnose(machine), "sockets of meters").verdict == Verdict::missing);
}

TEST_CASE("doctor: Yama is named where it is in the way", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.may_trace_all = machine.may_administrate = false;
  machine.yama_scope = 1;
  machine.borrow_descriptor = kRefused;
  Diagnosis diagnosis = diagnose(machine);
  CHECK(says(find_check(diagnosis, "access to programs").advice, "kernel.yama.ptrace_scope=1"));
  CHECK(find_check(diagnosis, "running programs").verdict == Verdict::limited);

  machine.borrow_descriptor = {true, ENOSYS};
  diagnosis = diagnose(machine);
  CHECK_FALSE(says(find_check(diagnosis, "access to programs").advice, "yama"));
}

TEST_CASE("doctor: without the right to administrate no_new_privs is announced, once", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.may_administrate = false;
  CHECK(find_check(diagnose(machine), "privileges").verdict == Verdict::limited);
  CHECK(says(diagnosis_text(diagnose(machine), 80), "\nmetering works here, with limits\n"));
  machine.no_new_privileges = true;
  CHECK(find_check(diagnose(machine), "privileges").verdict == Verdict::note);
}

TEST_CASE("doctor: other machines and hidden processes", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.architecture = "aarch64";
  CHECK(find_check(diagnose(machine), "kernel").verdict == Verdict::missing);
  machine = whole_machine();
  machine.hidden_processes = "hidepid=2";
  CHECK(find_check(diagnose(machine), "/proc").verdict == Verdict::note);
  machine.proc_is_ours = false;
  CHECK(says(find_check(diagnose(machine), "/proc").advice, "--mount-proc"));
  machine.proc_mounted = false;
  CHECK(find_check(diagnose(machine), "/proc").verdict == Verdict::missing);
  machine = whole_machine();
  machine.unix_peers = kRefused;
  CHECK(find_check(diagnose(machine), "UNIX sockets").verdict == Verdict::limited);
}

TEST_CASE("doctor: advice is wrapped to the terminal", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  machine.may_administrate = false;
  const std::string text = diagnosis_text(diagnose(machine), 60);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    CHECK(end - begin <= 60 + 2);  // "…" has three bytes
}

TEST_CASE("doctor: how programs are stopped and killed", "[doctor]") {
  MachineCapabilities machine = whole_machine();
  CHECK(says(find_check(diagnose(machine), "stop and kill").found, "freezes and kills a program's cgroup"));
  machine.cgroup_problem = "/sys/fs/cgroup/x is not delegated to this user";
  CHECK(says(find_check(diagnose(machine), "stop and kill").found, "signals a program's processes: /sys/fs/cgroup/x"));
  machine.login = {.has_logind = true, .lingers = true, .scope_runner = "/usr/bin/systemd-run"};
  CHECK(says(find_check(diagnose(machine), "stop and kill").found, "in a scope of systemd --user"));
}

TEST_CASE("doctor: what a logout ends, and how to prevent it", "[doctor]") {
  const auto check = [](const LoginPolicy& login) {
    auto machine = whole_machine();
    machine.login = login;
    return find_check(diagnose(machine), "logout");
  };
  CHECK(check({}).verdict == Verdict::good);
  CHECK(check({.has_logind = true}).verdict == Verdict::good);
  const Check killed = check({.has_logind = true, .kills_at_logout = true});
  CHECK(killed.verdict == Verdict::limited);
  CHECK(says(killed.advice, "loginctl enable-linger"));
  // A service manager that goes away with the last session protects nothing.
  CHECK(check({.has_logind = true, .kills_at_logout = true, .scope_runner = "/usr/bin/systemd-run"}).verdict ==
        Verdict::limited);
  const Check lingers =
      check({.has_logind = true, .lingers = true, .kills_at_logout = true, .scope_runner = "/usr/bin/systemd-run"});
  CHECK(lingers.verdict == Verdict::note);
  CHECK(says(lingers.advice, "systemd-run --user --scope"));
}

}  // namespace dpm::cli
