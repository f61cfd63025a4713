#include <functional>
#include <map>

#include "scheduling/live/live_scheduler.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

// Two cores. Processes that no scheduler has bound run where `roams` says.
struct FakePlacing : ProcessPlacing {
  std::vector<ProcessPlace> all = {{"core0", 1, true}, {"core1", 1, true}};
  std::map<std::uint32_t, std::size_t> bound, roams;
  std::map<std::uint32_t, std::string> refuses;  // by pid: why
  int puts = 0;

  std::vector<ProcessPlace> places() override { return all; }
  std::optional<std::size_t> place_of(std::uint32_t pid, std::uint32_t) override {
    const auto found = bound.find(pid);
    return found != bound.end() ? found->second : roams[pid];
  }
  Result<void> put(std::uint32_t pid, std::size_t place) override {
    if (refuses.contains(pid)) return Error{refuses[pid]};
    if (!all[place].usable) return Error{all[place].name + " is offline"};
    ++puts;
    bound[pid] = place;
    return {};
  }
  Result<void> let_go(std::uint32_t pid) override {
    bound.erase(pid);
    return {};
  }
};

struct Scripted : Policy {
  std::function<Proposal(const SystemView&)> answer = [](const SystemView&) { return Proposal{{}, {}, "nothing"}; };
  Proposal propose(const SystemView& view) override { return answer(view); }
};

// Processes 100, 101, ... receive `bytes_per_s` together, by where they are.
struct Machine {
  FakePlacing placing;
  Scripted policy;
  std::vector<JournalEntry> journal;
  LiveScheduler scheduler;
  std::function<std::uint32_t(FakePlacing&)> bytes = [](FakePlacing&) { return 100u; };
  std::int64_t now_ns = 0;
  std::uint32_t processes;

  double cpu_s = 0;

  struct Limits {
    bool dry_run = false, cpu = false;
  };

  explicit Machine(std::uint32_t count, Limits limits = {false, false})
      : scheduler(options(limits), policy, placing, [this](const JournalEntry& entry) { journal.push_back(entry); }),
        processes(count) {
    TraceGrowth growth;
    growth.machines.push_back({"host"});
    for (std::uint32_t p = 0; p < count; ++p) growth.processes.push_back(described(p));
    scheduler.learn(growth);
  }

  static ProcessInfo described(std::uint32_t p) {
    ProcessInfo process{"p" + std::to_string(p), "program", MachineId{0}};
    process.pid = process.tid = 100 + p;
    process.began_ns = 1;
    return process;
  }
  LiveSchedulerOptions options(Limits limits) {
    LiveSchedulerOptions options;
    options.loop = {.window = Duration::from_seconds(1), .settling = Duration::from_seconds(.2), .loss_max = -.01};
    options.loop.hold = Duration::from_seconds(20);
    options.loop.progress = Progress::bytes;
    options.loop.dry_run = limits.dry_run;
    options.window.length = Duration::from_seconds(1);
    if (limits.cpu) options.cpu_s = [this] { return cpu_s; };
    options.began_at = {100 * kSecondNs};
    return options;
  }

  void run(double seconds) {
    const auto until_ns = now_ns + static_cast<std::int64_t>(seconds * kSecondNs);
    for (; now_ns < until_ns; now_ns += kSecondNs / 10) {
      std::vector<Event> events;
      for (std::uint32_t p = 0; p < processes; ++p) {
        Event event;
        event.type = EventType::receive;
        event.process = {p};
        event.machine = {0};
        event.length_bytes = bytes(placing);
        events.push_back(event);
      }
      scheduler.take(events, {now_ns});
      scheduler.step({now_ns});
    }
  }
  std::string outcomes() const {
    std::string text;
    for (const auto& entry : journal) text += (text.empty() ? "" : " ") + std::string(name_of(entry.outcome));
    return text;
  }
  // Once: process 0 to core1.
  void propose_once() {
    policy.answer = [this](const SystemView& view) {
      if (proposed_ || !view.may_move[0]) return Proposal{{}, {}, "nothing"};
      proposed_ = true;
      return Proposal{{{{0}, view.machine_of[0], MachineId{1}}}, GainRange{.5, .4, .6}, "because"};
    };
  }

 private:
  bool proposed_ = false;
};

}  // namespace

TEST_CASE("live: with the first move the others are bound to where they were seen most", "[scheduling]") {
  Machine machine(3);
  machine.placing.roams = {{100, 0}, {101, 1}, {102, 0}};
  machine.bytes = [](FakePlacing& placing) { return placing.bound.contains(100) ? 200u : 100u; };
  machine.propose_once();
  machine.run(1.5);
  CHECK(machine.placing.bound == std::map<std::uint32_t, std::size_t>{{100, 1}, {101, 1}, {102, 0}});
  machine.run(3);
  CHECK(machine.outcomes() == "open kept nothing");
  CHECK(machine.placing.bound.size() == 3);
  REQUIRE(machine.journal[1].measured_gain());
  CHECK(*machine.journal[1].measured_gain() > .8);
}

TEST_CASE("live: a move that is not faster is undone, and the kernel places all processes again", "[scheduling]") {
  Machine machine(3);
  machine.propose_once();
  machine.run(5);
  CHECK(machine.outcomes() == "open undone nothing");
  CHECK(machine.placing.bound.empty());
}

TEST_CASE("live: an undone move leaves what an earlier decision has bound", "[scheduling]") {
  Machine machine(2);
  int asked = 0;
  machine.policy.answer = [&](const SystemView& view) {
    ++asked;
    if (asked == 1) return Proposal{{{{0}, view.machine_of[0], MachineId{1}}}, {}, "first"};
    if (asked == 2) return Proposal{{{{1}, view.machine_of[1], MachineId{1}}}, {}, "second"};
    return Proposal{{}, {}, "nothing"};
  };
  machine.bytes = [](FakePlacing& placing) { return placing.bound[100] == 1 && placing.bound[101] == 0 ? 200u : 100u; };
  machine.run(8);
  CHECK(machine.outcomes() == "open kept open undone nothing");
  CHECK(machine.placing.bound == std::map<std::uint32_t, std::size_t>{{100, 1}, {101, 0}});
}

TEST_CASE("live: a dry run tells what it would do, once, and moves nothing", "[scheduling]") {
  Machine machine(2, {.dry_run = true});
  machine.policy.answer = [](const SystemView& view) {
    return Proposal{{{{0}, view.machine_of[0], MachineId{1}}}, GainRange{.5, .4, .6}, "because"};
  };
  machine.run(6);
  CHECK(machine.outcomes() == "proposed");
  CHECK(machine.placing.puts == 0);
}

TEST_CASE("live: a process that ends while it is moved leaves no process bound", "[scheduling]") {
  Machine machine(2);
  machine.placing.refuses[100] = "process 100 has ended";
  machine.propose_once();
  machine.run(3);
  CHECK(machine.outcomes() == "open failed nothing");
  CHECK(machine.journal[1].reason.find("process 100 has ended") != std::string::npos);
  CHECK(machine.placing.bound.empty());
}

TEST_CASE("live: a core that goes offline is reported, its processes are let go, and nothing is put there",
          "[scheduling]") {
  Machine machine(2);
  machine.bytes = [](FakePlacing& placing) { return placing.bound.contains(100) ? 200u : 100u; };
  machine.propose_once();
  machine.run(4);
  REQUIRE(machine.placing.bound.at(100) == 1);
  machine.placing.all[1].usable = false;
  std::vector<bool> accepts;
  machine.policy.answer = [&](const SystemView& view) {
    accepts = {view.machines[0].accepts, view.machines[1].accepts};
    return Proposal{{}, {}, "nothing"};
  };
  machine.run(3);
  CHECK(machine.outcomes().find("machine lost") != std::string::npos);
  CHECK(!machine.placing.bound.contains(100));
  CHECK(accepts == std::vector<bool>{true, false});
}

TEST_CASE("live: a core that goes offline in the middle of a decision leaves no process bound to it", "[scheduling]") {
  for (int tenths = 0; tenths < 40; ++tenths) {
    CAPTURE(tenths);
    Machine machine(3);
    machine.propose_once();
    machine.run(tenths / 10.);
    machine.placing.all[1].usable = false;
    machine.run(4);
    for (const auto& [pid, place] : machine.placing.bound) CHECK(place == 0);
  }
}

TEST_CASE("live: nothing is moved while events are missing", "[scheduling]") {
  Machine machine(2);
  machine.propose_once();
  machine.scheduler.note_lost(1);
  machine.run(.9);
  machine.scheduler.note_lost(2);
  machine.run(.8);
  CHECK(machine.placing.puts == 0);
  CHECK(machine.outcomes() == "incomplete");
}

TEST_CASE("live: a policy that goes to and fro is held, and reported", "[scheduling]") {
  Machine machine(1);
  std::uint32_t rate = 100;
  machine.bytes = [&](FakePlacing&) { return rate += 10; };  // every move seems to help
  machine.policy.answer = [](const SystemView& view) {
    return Proposal{{{{0}, view.machine_of[0], MachineId{static_cast<std::uint16_t>(1 - view.machine_of[0].value)}}},
                    {},
                    "to and fro"};
  };
  machine.run(18);
  CHECK(machine.outcomes().find("oscillating") != std::string::npos);
  CHECK(machine.placing.puts <= 6);
}

TEST_CASE("live: a process that is where the placement has it is bound there all the same", "[scheduling]") {
  Machine machine(1);
  std::vector<bool> stays;
  machine.policy.answer = [&](const SystemView& view) {
    stays = view.stays;
    if (view.stays[0]) return Proposal{{}, {}, "nothing"};
    return Proposal{{{{0}, view.machine_of[0], view.machine_of[0]}}, {}, "the placement"};
  };
  machine.bytes = [](FakePlacing& placing) { return placing.bound.contains(100) ? 200u : 100u; };
  machine.run(4);
  CHECK(stays == std::vector<bool>{true});
  CHECK(machine.placing.bound == std::map<std::uint32_t, std::size_t>{{100, 0}});
}

TEST_CASE("live: a process that starts others is not bound, and is let go with them if it was", "[scheduling]") {
  Machine machine(3);
  const auto start = [&](std::uint32_t starter) {
    TraceGrowth growth;
    growth.processes.push_back(Machine::described(machine.processes));
    machine.scheduler.learn(growth);
    Event event;
    event.type = EventType::create_process;
    event.process = {starter};
    event.peer = {machine.processes++};
    machine.scheduler.take({&event, 1}, {machine.now_ns});
  };
  machine.bytes = [](FakePlacing& placing) { return placing.bound.contains(100) ? 200u : 100u; };
  machine.run(.5);
  start(1);
  machine.propose_once();
  machine.run(3);
  REQUIRE(machine.placing.bound.contains(100));
  CHECK(machine.placing.bound.contains(102));
  CHECK(!machine.placing.bound.contains(101));
  start(0);
  machine.placing.bound[104] = 1;  // as it inherits
  machine.run(.2);
  CHECK(!machine.placing.bound.contains(100));
  CHECK(!machine.placing.bound.contains(104));
  CHECK(machine.placing.bound.contains(102));
}

TEST_CASE("live: a policy that takes long is asked less often", "[scheduling]") {
  Machine machine(2, {.cpu = true});
  int asked = 0;
  machine.policy.answer = [&](const SystemView&) {
    ++asked;
    machine.cpu_s += .05;
    return Proposal{{}, {}, "nothing"};
  };
  machine.run(101);
  CHECK(asked >= 34);
  CHECK(asked <= 36);  // 1.8 % of 101 s, of .05 s each
}

TEST_CASE("live: no decision is begun while the CPU time that it may take is much for a run so short", "[scheduling]") {
  Machine machine(2, {.cpu = true});
  int asked = 0;
  machine.policy.answer = [&](const SystemView&) {
    ++asked;
    return Proposal{{}, {}, "nothing"};
  };
  machine.run(1.5);
  CHECK(asked == 0);
  machine.run(.5);
  CHECK(asked > 0);
}

TEST_CASE("live: a process is as old as its beginning says, whenever the scheduler began", "[scheduling]") {
  Machine machine(2);
  TraceGrowth growth;
  ProcessInfo young = Machine::described(2), unknown = Machine::described(3);
  young.began_ns = 90 * kSecondNs;  // the scheduler begins 100 s after the machine
  unknown.began_ns = 0;
  growth.processes = {young, unknown};
  machine.scheduler.learn(growth);
  machine.processes = 4;
  std::vector<Duration> ages;
  machine.policy.answer = [&](const SystemView& view) {
    if (ages.empty()) ages = view.ages;
    return Proposal{{}, {}, "nothing"};
  };
  machine.run(2.5);
  REQUIRE(ages.size() == 4);
  CHECK(ages[0].seconds() - ages[2].seconds() == Approx(90));
  CHECK(ages[2].seconds() == Approx(11.5).margin(1.5));
  CHECK(ages[3].seconds() == Approx(1.5).margin(1.5));
}

TEST_CASE("live: a client that ends while a move is measured leaves no process bound, and nothing was measured",
          "[scheduling]") {
  Machine machine(3);
  machine.propose_once();
  machine.run(1.3);
  REQUIRE(machine.outcomes() == "open");
  REQUIRE(machine.placing.bound.size() == 3);
  Event end;
  end.type = EventType::destroy_process;
  end.process = {2};
  machine.scheduler.take({&end, 1}, {machine.now_ns});
  machine.placing.refuses[102] = "process 102 has ended";
  machine.processes = 2;
  machine.run(.1);
  CHECK(machine.outcomes() == "open ended");
  CHECK(!machine.journal[1].measured_gain());
  CHECK(machine.placing.bound.empty());
  machine.run(3);
  CHECK(machine.outcomes() == "open ended nothing");
}

TEST_CASE("live: threads move with their process, which is asked for once", "[scheduling]") {
  Machine machine(1);
  TraceGrowth growth;
  ProcessInfo thread = Machine::described(1);
  thread.pid = 100;
  thread.group = {0};
  growth.processes.push_back(thread);
  machine.scheduler.learn(growth);
  machine.processes = 2;
  std::vector<bool> may_move;
  machine.policy.answer = [&](const SystemView& view) {
    may_move = view.may_move;
    return Proposal{{}, {}, "nothing"};
  };
  machine.run(2);
  CHECK(may_move == std::vector<bool>{true, false});
}
