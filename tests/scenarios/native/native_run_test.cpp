// The launcher: what becomes of processes, whatever happens to them or to it.
#include "scenarios/native/native_run.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

System system_of(Program a, Program b) {
  return System()
      .machine("red")
      .machine("blue")
      .process("a", "red", {"b"}, std::move(a))
      .process("b", "blue", {"a"}, std::move(b));
}

NativeOutcome run(const System& system, const NativeOptions& options = {}) {
  auto outcome = run_native(system.scenario, options);
  INFO((outcome ? "" : outcome.error().what));
  REQUIRE(outcome.has_value());
  if (outcome->signal != 0) std::raise(SIGKILL);  // who ends this program means all of it, not this run
  return *std::move(outcome);
}

void do_nothing(MessageCalls&) {}
void wait_for_ever(MessageCalls& calls) { calls.receive_message(); }
void compute_for_ever(MessageCalls& calls) {
  for (;;) calls.compute(milliseconds(5));
}
// Never stands still, hardly uses the CPU, and says who it is.
void idle_for_ever(MessageCalls& calls) {
  calls.print_line(std::to_string(::getpid()));
  for (;;) ::usleep(1000);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

// A launcher in a process of its own, whose processes' ids are told to us as they print them.
class LauncherProcess {
 public:
  explicit LauncherProcess(const System& system) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      const NativeOptions options{.on_line = [&](const PrintedLine& line) {
        const std::string text = line.text + "\n";
        if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(9);
      }};
      const auto outcome = run_native(system.scenario, options);
      ::_exit(!outcome ? 8 : outcome->signal);
    }
    ::close(ends[1]);
    told_ = ::fdopen(ends[0], "r");
    for (std::size_t i = 0; i < system.scenario.processes.size(); ++i) {
      int pid = 0;
      REQUIRE(std::fscanf(told_, "%d", &pid) == 1);
      processes_.push_back(pid);
    }
  }
  ~LauncherProcess() { std::fclose(told_); }

  // How it ended after the signal; and all its processes must be gone, or become so at once.
  int end_by(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    for (const pid_t process : processes_) {
      for (int i = 0; i < 2000 && !is_gone(process); ++i) ::usleep(1000);
      CHECK(is_gone(process));
    }
    return status;
  }

 private:
  pid_t pid_ = -1;
  std::FILE* told_ = nullptr;
  std::vector<pid_t> processes_;
};

}  // namespace

TEST_CASE("native: every process is an operating system process with its own name", "[native]") {
  const auto says_its_name = [](MessageCalls& calls) {
    calls.print_line(read_file("/proc/self/comm"));
    calls.print_line(read_file("/proc/self/cmdline").c_str());
    calls.print_line(std::to_string(::getppid()));
    calls.print_line(std::to_string(::getpid()));
  };
  System system;
  system.machine("red");
  system.process("a_long_name_of_a_process", "red", {}, says_its_name);
  const NativeOutcome outcome = run(system);
  REQUIRE(outcome.printed.size() == 4);
  CHECK(outcome.printed[0].text == "a_long_name_of_\n");  // the kernel keeps 15 characters
  CHECK(std::string("a_long_name_of_a_process").starts_with(outcome.printed[1].text));  // what has room
  CHECK_FALSE(outcome.printed[1].text.empty());
  CHECK(outcome.printed[2].text == std::to_string(::getpid()));
  CHECK(outcome.printed[3].text != std::to_string(::getpid()));
}

TEST_CASE("native: compute() uses CPU time, did_work() only when it is asked for", "[native]") {
  const System system = system_of(
      [](MessageCalls& calls) {
        calls.compute(milliseconds(40));
        calls.compute(milliseconds(0));
      },
      [](MessageCalls& calls) { calls.did_work(milliseconds(40)); });
  const std::uint64_t forty_ms = 40'000'000;
  const NativeOutcome done = run(system);
  CHECK(done.processes[0].cpu_ns >= forty_ms);
  CHECK(done.processes[0].cpu_ns < 2 * forty_ms);
  CHECK(done.processes[1].cpu_ns < forty_ms / 2);
  CHECK(done.elapsed.ns >= static_cast<std::int64_t>(forty_ms));
  CHECK(done.total_cpu_ns() == done.processes[0].cpu_ns + done.processes[1].cpu_ns);
  const NativeOutcome modelled = run(system, {.modelled_work = true});
  CHECK(modelled.processes[1].cpu_ns >= forty_ms);
  CHECK(modelled.processes[1].cpu_ns < 2 * forty_ms);
}

TEST_CASE("native: processes outside the computation count neither for T nor for the elapsed time", "[native]") {
  System system = system_of([](MessageCalls& calls) { calls.compute(milliseconds(5)); },
                            [](MessageCalls& calls) { calls.compute(milliseconds(60)); });
  system.scenario.processes[1].in_computation = false;
  const NativeOutcome outcome = run(system, {.pin = false});
  CHECK(outcome.total_cpu_ns() == outcome.processes[0].cpu_ns);
  CHECK(outcome.elapsed_all.ns >= 60'000'000);
  CHECK(outcome.elapsed < outcome.elapsed_all);
}

TEST_CASE("native: messages are counted by receiver and by kind, data apart", "[native]") {
  System system = system_of(
      [](MessageCalls& calls) {
        calls.address_space().resize(100);
        const LinkIndex mine = calls.create_link(DataArea{0, 100, true, true});
        const LinkIndex theirs = *calls.receive_message().passed;
        for (int i = 0; i < 3; ++i) calls.send_message(calls.link_to("b"), message_of(7, 20));
        calls.move_data(mine, theirs, 100);
        calls.send_message(calls.link_to("b"), message_of(8, 30));
      },
      [](MessageCalls& calls) {
        calls.address_space().resize(100);
        OutgoingMessage message = message_of(1, 10);
        message.pass = calls.create_link(DataArea{0, 100, true, true});
        calls.send_message(calls.link_to("a"), message);
        while (calls.receive_message().code != 8) continue;
      });
  system.scenario.move_data_message_bytes = 50;
  const NativeOutcome outcome = run(system);
  REQUIRE(outcome.traffic.size() == 2);
  CHECK(outcome.traffic[0].from == "a");
  CHECK(outcome.traffic[0].to == "b");
  CHECK(outcome.traffic[0].messages == 6);  // two of them data
  CHECK(outcome.traffic[0].bytes == 3 * 20 + 100 + 30);
  CHECK(outcome.messages() == 5);
  REQUIRE(outcome.processes[1].kinds.size() == 3);
  CHECK(outcome.processes[1].kinds[0].sent == 1);      // code 1
  CHECK(outcome.processes[1].kinds[1].received == 3);  // code 7
  CHECK(outcome.processes[1].kinds[2].received == 1);  // code 8
  CHECK(outcome.processes[1].messages_received == 4);
  CHECK(outcome.processes[1].data_received == 2);
}

TEST_CASE("native: the run ends when every process that is not a service has ended", "[native]") {
  System system;
  system.machine("red");
  system.process("client", "red", {"server"}, [](MessageCalls& calls) {
    calls.call(calls.link_to("server"), {});
    calls.compute(milliseconds(100));  // meanwhile the server has gone back to its wait, however busy the machine is
  });
  system.service("server", "red", {}, [](MessageCalls& calls) {
    for (;;) calls.reply(calls.receive_message(), {});
  });
  system.service("busy", "red", {}, compute_for_ever);
  const NativeOutcome outcome = run(system);
  CHECK(outcome.ended_by == "every process ended");
  CHECK(outcome.ended_well());
  CHECK(outcome.processes[0].final_state == "ended");
  CHECK(outcome.processes[1].final_state == "waits for a message from 'client'");
  CHECK(outcome.processes[2].final_state == "runs");
  CHECK(outcome.processes[1].messages_sent == 1);  // it could tell before it was ended
  CHECK(outcome.processes[1].messages_received == 1);

  CHECK(run(System().machine("red")).ended_by == "every process ended");
}

TEST_CASE("native: a process that dies takes the run with it, and is named", "[native]") {
  const NativeOutcome crashed = run(system_of(wait_for_ever, [](MessageCalls&) {
    std::signal(SIGSEGV, SIG_DFL);  // Catch's handler would report it as a failure of the test
    std::raise(SIGSEGV);
  }));
  CHECK(crashed.ended_by == "an error");
  CHECK(crashed.failure == "process 'b' on machine 'blue' was ended by signal 'Segmentation fault'");
  REQUIRE(crashed.blocked.size() == 1);  // it may have come as far as waiting, or not
  CHECK_THAT(crashed.blocked[0], Catch::StartsWith("process 'a' on machine 'red' "));
  CHECK_FALSE(crashed.ended_well());

  const NativeOutcome left = run(system_of(compute_for_ever, [](MessageCalls&) { ::_exit(7); }));
  CHECK(left.failure == "process 'b' on machine 'blue' ended with status 7");

  const NativeOutcome threw = run(system_of(wait_for_ever, [](MessageCalls&) { throw 5; }));
  CHECK(threw.failure == "process 'b' ended with an exception that is not a std::exception");
}

TEST_CASE("native: processes that wait because one computes do not stand still", "[native]") {
  const NativeOutcome outcome = run(system_of(
      [](MessageCalls& calls) {
        ::usleep(1'500'000);  // longer than a standstill
        calls.send_message(calls.link_to("b"), {});
      },
      wait_for_ever));
  CHECK(outcome.ended_by == "every process ended");
}

TEST_CASE("native: a run ends at the scenario's limits, in real time", "[native]") {
  System endless = system_of(idle_for_ever, do_nothing);
  endless.scenario.time_limit = milliseconds(150);
  const NativeOutcome timed = run(endless);
  CHECK(timed.ended_by == "the time limit of 0.15 s");
  CHECK(timed.blocked == std::vector<std::string>{"process 'a' on machine 'red' runs"});
  CHECK((timed.at_limit && timed.ended_well()));

  const auto echo = [](MessageCalls& calls, const std::string& other) {
    for (;;) {
      calls.send_message(calls.link_to(other), {});
      calls.receive_message();
    }
  };
  System chatter =
      system_of([=](MessageCalls& calls) { echo(calls, "b"); }, [=](MessageCalls& calls) { echo(calls, "a"); });
  chatter.scenario.message_limit = 100;
  CHECK(run(chatter).ended_by == "the message limit of 100 messages");
}

TEST_CASE("native: no process outlives its launcher, however that ends", "[native]") {
  const System system = system_of(idle_for_ever, idle_for_ever);
  const int killed = LauncherProcess(system).end_by(SIGKILL);
  CHECK(WIFSIGNALED(killed));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = LauncherProcess(system).end_by(signal);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == signal);  // it saw the signal and put everything away
  }
}

TEST_CASE("native: signals are the caller's again after a run, whatever it did with them", "[native]") {
  std::signal(SIGCHLD, SIG_IGN);
  const NativeOutcome outcome = run(system_of(do_nothing, [](MessageCalls&) { ::_exit(3); }));
  CHECK(outcome.failure == "process 'b' on machine 'blue' ended with status 3");
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGINT) == 0);
  CHECK(std::signal(SIGCHLD, SIG_DFL) == SIG_IGN);
}

TEST_CASE("native: pinned, a machine is one core; without enough cores it is refused", "[native]") {
  cpu_set_t ours;
  REQUIRE(::sched_getaffinity(0, sizeof ours, &ours) == 0);
  const auto says_its_cores = [](MessageCalls& calls) {
    cpu_set_t set;
    ::sched_getaffinity(0, sizeof set, &set);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) calls.print_line(std::to_string(core));
  };
  System one;
  one.machine("unused").machine("red");
  one.process("a", "red", {}, says_its_cores).process("b", "red", {}, says_its_cores);
  const NativeOutcome outcome = run(one, {.pin = true});
  REQUIRE(outcome.printed.size() == 2);
  CHECK(outcome.printed[0].text == outcome.printed[1].text);
  REQUIRE(outcome.processes[0].core.has_value());
  CHECK(CPU_ISSET(*outcome.processes[0].core, &ours));
  CHECK(std::to_string(*outcome.processes[0].core) == outcome.printed[0].text);
  CHECK_FALSE(run(one).processes[0].core.has_value());

  System many;
  for (int i = 0; i <= CPU_COUNT(&ours); ++i) {
    many.machine("m" + std::to_string(i));
    many.process("p" + std::to_string(i), "m" + std::to_string(i), {}, do_nothing);
  }
  const auto refused = run_native(many.scenario, {.pin = true});
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().what, Catch::Contains("a core for each machine") && Catch::Contains("fewer machines"));
  CHECK(run(many).ended_well());
}

TEST_CASE("native: pinned, a process that migrates goes to the core of the other machine", "[native]") {
  const auto core = [] {
    cpu_set_t set;
    ::sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) return std::to_string(i);
    return std::string();
  };
  System system = system_of(
      [](MessageCalls& calls) {
        calls.receive_message();
        const auto moved = migrate_process(calls, "b", "green");
        calls.print_line(moved ? "moved" : moved.error().what);
        calls.send_message(calls.link_to("b"), message_of(1));
      },
      [core](MessageCalls& calls) {
        calls.print_line(core());
        calls.send_message(calls.link_to("a"), message_of(1));
        calls.receive_message();
        calls.print_line(core());
      });
  system.scenario.processes[1].machine = "red";
  system.scenario.machines = {{"red"}, {"green"}};
  cpu_set_t ours;
  REQUIRE(::sched_getaffinity(0, sizeof ours, &ours) == 0);
  if (CPU_COUNT(&ours) >= 2) {
    const NativeOutcome moved = run(system, {.pin = true});
    REQUIRE(moved.printed.size() == 3);
    CHECK(moved.printed[1].text == "moved");
    CHECK(moved.printed[0].text != moved.printed[2].text);
    CHECK(std::to_string(*moved.processes[1].core) == moved.printed[2].text);
    CHECK(moved.processes[1].machine == "green");
  }
  // Without a core for it, the step is refused.
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &ours)) CPU_SET(i, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const NativeOutcome refused = run(system, {.pin = true});
  CHECK(::sched_setaffinity(0, sizeof ours, &ours) == 0);
  REQUIRE(refused.printed.size() == 3);
  CHECK_THAT(refused.printed[1].text, Catch::Contains("no core left for machine 'green'"));
  CHECK(refused.processes[1].machine == "red");
  // Unpinned, only its name changes.
  const NativeOutcome unpinned = run(system);
  CHECK(unpinned.processes[1].machine == "green");
  CHECK_FALSE(unpinned.processes[1].core.has_value());
}

TEST_CASE("native: requests to the process manager are messages, but not of the scenario's kinds", "[native]") {
  System system = system_of([](MessageCalls& calls) { (void)destroy_process(calls, "b"); }, compute_for_ever);
  const NativeOutcome outcome = run(system);
  CHECK(outcome.ended_well());
  CHECK(outcome.processes[0].messages_sent == 1);
  CHECK(outcome.processes[0].messages_received == 1);
  CHECK(outcome.processes[0].kinds.empty());
  CHECK(outcome.messages() == 0);
  REQUIRE(outcome.traffic.size() == 1);
  CHECK(outcome.traffic[0].to == "process manager");
  CHECK(outcome.processes[1].cpu_ns > 0);
}

TEST_CASE("native: a stopped process does not outlive its launcher", "[native]") {
  const System system = system_of(
      [](MessageCalls& calls) {
        calls.receive_message();
        (void)stop_process(calls, "b");
        idle_for_ever(calls);
      },
      [](MessageCalls& calls) {
        calls.print_line(std::to_string(::getpid()));
        calls.send_message(calls.link_to("a"), {});
        for (;;) ::usleep(1000);
      });
  for (const int signal : {SIGKILL, SIGTERM}) LauncherProcess(system).end_by(signal);
}

TEST_CASE("native: what only a simulator can do is refused before anything runs", "[native]") {
  System fast = system_of(do_nothing, do_nothing);
  fast.scenario.machines[0].speed = 2;
  CHECK_THAT(run_native(fast.scenario).error().what, Catch::Contains("machine 'red' has a speed of its own"));
  fast.scenario.machines[0] = {"red", 1, {}, 2};
  CHECK_THAT(run_native(fast.scenario).error().what, Catch::Contains("machine 'red' has several cores"));

  System faulty = system_of(do_nothing, do_nothing);
  faulty.scenario.faults.push_back({milliseconds(1), FaultKind::machine_off, "red", ""});
  CHECK_THAT(run_native(faulty.scenario).error().what, Catch::Contains("it has faults"));

  System sharing = system_of(do_nothing, do_nothing);
  sharing.scenario.semaphores.push_back({"lock", 1});
  CHECK_THAT(run_native(sharing.scenario).error().what, Catch::Contains("it has semaphores"));

  System unknown = system_of(do_nothing, do_nothing);
  unknown.scenario.processes[0].machine = "green";
  CHECK_THAT(run_native(unknown.scenario).error().what, Catch::Contains("machine 'green', which is not declared"));

  const auto asks =
      run(system_of([](MessageCalls& calls) { calls.standard_link(StandardLink::switchboard); }, do_nothing));
  CHECK_THAT(asks.failure,
             Catch::Contains("process 'a' on machine 'red', standard_link: a native run has no switchboard"));
}

TEST_CASE("native: two hundred processes pass a token around", "[native]") {
  constexpr int kProcesses = 200;
  System system;
  system.machine("red");
  for (int i = 0; i < kProcesses; ++i) {
    const std::string next = "p" + std::to_string((i + 1) % kProcesses);
    system.process("p" + std::to_string(i), "red", {next}, [i, next](MessageCalls& calls) {
      if (i > 0) calls.receive_message();
      calls.send_message(calls.link_to(next), message_of(1));
      if (i == 0) calls.receive_message();
    });
  }
  const NativeOutcome outcome = run(system);
  CHECK(outcome.ended_well());
  CHECK(outcome.messages() == kProcesses);
}
