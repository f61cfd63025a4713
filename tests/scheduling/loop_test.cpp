#include <memory>
#include <utility>

#include "model/random.hpp"
#include "scheduling/decisions/decision_loop.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr ProcessId kWorker{0}, kClient{1};
constexpr MachineId kRed{0}, kGreen{1};

struct Scripted : Policy {
  std::function<Proposal(const SystemView&)> answer;
  int asked = 0;
  Proposal propose(const SystemView& view) override {
    ++asked;
    return answer(view);
  }
};

// A system in which one process receives `rate(machine)` messages in each time unit, and another `of_client(machine)` until it ends.
struct World {
  TraceInfo info;
  SlidingWindow window{{.length = {10}}};
  Scripted policy;
  std::vector<JournalEntry> journal;
  MachineId machine = kRed;
  std::function<int(MachineId)> rate = [](MachineId) { return 5; };
  std::function<int(MachineId)> of_client;
  std::int64_t client_ends = INT64_MAX;
  DecisionLoop loop{{.window = {10}, .settling = {3}, .hold = {100}}, policy, [this](const JournalEntry& entry) {
                      journal.push_back(entry);
                    }};
  int moves = 0;
  std::string refuse;  // why a move fails
  std::optional<Duration> age;

  World() {
    info.machines = {{"red"}, {"green"}};
    info.processes.push_back({"worker", "worker", kRed});
    window.on_begin(info);
    policy.answer = [](const SystemView& view) {
      return Proposal{{{kWorker, view.machine_of[0], view.machine_of[0] == kRed ? kGreen : kRed}}, {}, "because"};
    };
  }

  void add_client(std::function<int(MachineId)> its_rate) {
    info.processes.push_back({"client", "client", kRed});
    of_client = std::move(its_rate);
  }

  void happen(EventType type, ProcessId process, int times) {
    Event e;
    e.type = type;
    e.process = process;
    e.machine = machine;
    for (int i = 0; i < times; ++i) window.on_events({&e, 1});
  }

  void run(std::int64_t until) {
    for (std::int64_t now = window.now().ns + 1; now <= until; ++now) {
      window.set_now({now});
      happen(EventType::receive, kWorker, rate(machine));
      if (of_client && now < client_ends) happen(EventType::receive, kClient, of_client(machine));
      if (now == client_ends) happen(EventType::destroy_process, kClient, 1);
      const std::vector<MachineId> places(info.processes.size(), machine);
      const std::vector<Duration> ages = age ? std::vector{*age} : std::vector<Duration>();
      while (const auto move = loop.next({window, info.machines, places, {true}, {}, {}, ages})) {
        REQUIRE(move->from == machine);
        if (refuse.empty()) machine = move->to, ++moves;
        loop.moved(window, refuse);
      }
    }
  }

  std::string outcomes() const {
    std::string text;
    for (const auto& entry : journal) text += (text.empty() ? "" : " ") + std::string(name_of(entry.outcome));
    return text;
  }
};

}  // namespace

TEST_CASE("loop: the policy is asked when the window is full, not before", "[scheduling]") {
  World world;
  world.policy.answer = [](const SystemView&) { return Proposal{{}, {}, "nothing to do"}; };
  world.run(9);
  CHECK(world.policy.asked == 0);
  world.run(30);
  CHECK(world.policy.asked > 0);
  CHECK(world.outcomes() == "nothing");  // told once
}

TEST_CASE("loop: a move that helps is kept, and the journal has what was measured", "[scheduling]") {
  World world;
  world.rate = [](MachineId machine) { return machine == kRed ? 5 : 10; };
  world.policy.answer = [](const SystemView& view) {
    if (view.machine_of[0] == kGreen) return Proposal{{}, {}, "good"};
    return Proposal{{{kWorker, kRed, kGreen}}, GainRange{.9, .8, 1}, "faster there"};
  };
  world.run(60);
  CHECK(world.machine == kGreen);
  CHECK(world.outcomes() == "open kept nothing");
  REQUIRE(world.journal[1].measured_gain());
  CHECK(*world.journal[1].measured_gain() == Approx(1).margin(.15));
  CHECK(world.journal[1].predicted->low == .8);
}

TEST_CASE("loop: a move that makes it slower is undone, and not tried again for a while", "[scheduling]") {
  World world;
  world.rate = [](MachineId machine) { return machine == kRed ? 10 : 5; };
  world.run(60);
  CHECK(world.machine == kRed);
  CHECK(world.moves == 2);
  CHECK(world.outcomes() == "open undone nothing");
  world.run(400);
  CHECK(world.machine == kRed);
  CHECK(world.moves <= 6);  // held for 100, then for 200
}

TEST_CASE("loop: what is clearly slower is undone before a whole window has been measured", "[scheduling]") {
  World world;
  world.rate = [](MachineId machine) { return machine == kRed ? 10 : 5; };
  world.run(16);  // 10 for the window, 3 until it has settled, 2 for a slice
  CHECK(world.outcomes() == "open undone");
  CHECK(world.machine == kRed);
}

TEST_CASE("loop: what is a little slower and not clearly so is measured for longer, and judged by the mean",
          "[scheduling]") {
  World world;
  world.rate = [&](MachineId machine) {
    const std::int64_t now = world.window.now().ns;
    return (now / 4 % 2 == 0 ? 9 : 11) - (machine == kGreen && now % 4 != 0 ? 1 : 0);
  };
  world.run(30);
  CHECK(world.outcomes() == "open");
  world.run(60);
  CHECK(world.outcomes() == "open undone nothing");
}

TEST_CASE("loop: a predicted gain that the rate varies by itself moves nothing", "[scheduling]") {
  World world;
  world.rate = [&](MachineId) { return world.window.now().ns / 4 % 2 == 0 ? 2 : 18; };
  const auto answer = [](double gain) {
    return [gain](const SystemView&) {
      return Proposal{{{kWorker, kRed, kGreen}}, GainRange{gain, gain / 2, gain * 2}, "because"};
    };
  };
  world.policy.answer = answer(.1);
  world.run(40);
  CHECK(world.outcomes() == "nothing");
  CHECK(world.journal[0].reason.find("the rate varies by") != std::string::npos);
  world.policy.answer = answer(5);
  world.run(45);
  CHECK(world.moves == 1);
}

TEST_CASE("loop: a prediction that was too high is charged to the next ones, and forgotten with time", "[scheduling]") {
  World world;
  world.rate = [](MachineId machine) { return machine == kRed ? 10 : 5; };
  ProcessId other{1};
  world.info.processes.push_back({"other", "other", kRed});
  bool first = true;
  world.policy.answer = [&](const SystemView&) {
    const ProcessMove move{std::exchange(first, false) ? kWorker : other, kRed, kGreen};
    return Proposal{{move}, GainRange{.5, .4, .6}, "because"};
  };
  world.run(60);
  CHECK(world.outcomes() == "open undone nothing");
  CHECK(world.journal.back().reason.find("too high by") != std::string::npos);
  CHECK(world.moves == 2);
  world.run(400);
  CHECK(world.moves > 2);
}

namespace {

// A policy that moves the worker to green once, and then wants nothing but that.
Proposal to_green(const SystemView& view) {
  if (view.machine_of[0] == kGreen) return {{}, {}, "good"};
  return {{{kWorker, kRed, kGreen}}, GainRange{.5, .4, .6}, "because"};
}

}  // namespace

TEST_CASE("loop: the end of a process with a part in the messages is not taken for the effect of a move",
          "[scheduling]") {
  // The window ends at 10, the move has settled at 13, and is measured until 23.
  for (const std::int64_t end : {11, 12, 13, 14, 15, 17, 20, 22}) {
    CAPTURE(end);
    World world;
    world.rate = [](MachineId machine) { return machine == kRed ? 5 : 8; };
    world.add_client([](MachineId machine) { return machine == kRed ? 5 : 8; });
    world.client_ends = end;
    world.policy.answer = to_green;
    world.run(end + 1);
    CHECK(world.outcomes() == "open ended");
    CHECK(world.machine == kRed);
    CHECK(world.journal[1].reason == "because; 'client' ended before the effect had been measured");
    CHECK(!world.journal[1].measured_gain());
    const auto read = decode_entry(encode_entry(world.journal[1]));
    REQUIRE(read.has_value());
    CHECK(read->outcome == DecisionOutcome::ended);
    // Neither held nor charged: it is tried again with what is left.
    world.run(80);
    CHECK(world.outcomes() == "open ended open kept nothing");
    CHECK(world.machine == kGreen);
  }
}

TEST_CASE("loop: a process without a part in the messages may end while a move is measured", "[scheduling]") {
  World world;
  world.rate = [](MachineId machine) { return machine == kRed ? 30 : 60; };
  world.add_client([](MachineId) { return 1; });
  world.client_ends = 15;
  world.policy.answer = to_green;
  world.run(40);
  CHECK(world.outcomes() == "open kept nothing");
}

TEST_CASE("loop: work that stands still after a move was not made slower by it", "[scheduling]") {
  World world;
  world.rate = [&](MachineId) { return world.moves == 1 && world.window.now().ns >= 12 ? 0 : 10; };
  world.policy.answer = to_green;
  world.run(16);
  REQUIRE(world.outcomes() == "open ended");
  CHECK(world.machine == kRed);
  CHECK(world.journal[1].reason == "because; then the program stopped working, which no placement explains");
  CHECK(!world.journal[1].measured_gain());
  world.run(60);
  CHECK(world.outcomes().starts_with("open ended open"));  // neither held nor charged
}

TEST_CASE("loop: what became slower because a process ended is told again when its end is seen", "[scheduling]") {
  World world;
  world.rate = [&](MachineId) { return world.client_ends - world.window.now().ns <= 3 && world.moves == 1 ? 1 : 10; };
  world.add_client([](MachineId) { return 0; });
  world.of_client = [&](MachineId machine) { return world.rate(machine); };
  world.client_ends = 16;  // it has been undone at 15
  world.policy.answer = to_green;
  world.run(15);
  REQUIRE(world.outcomes() == "open undone");
  world.run(16);
  REQUIRE(world.outcomes() == "open undone ended");
  CHECK(world.journal[2].number == world.journal[1].number);
  CHECK(!world.journal[2].measured_gain());
  world.run(60);
  CHECK(world.outcomes().find("undone ended open") != std::string::npos);  // neither held nor charged
}

TEST_CASE("loop: nothing is decided by a window in which a process with a part in the messages ended", "[scheduling]") {
  World world;
  world.add_client([](MachineId) { return 5; });
  world.client_ends = 8;
  world.policy.answer = to_green;
  world.run(16);
  CHECK(world.policy.asked == 0);
  CHECK(world.outcomes() == "nothing");
  CHECK(world.journal[0].reason.find("'client' has ended") == 0);
  world.run(17);
  CHECK(world.policy.asked == 1);
}

TEST_CASE("loop: what has not run for long is moved only if that is expected to save far more than a wrong move costs",
          "[scheduling]") {
  // A wrong move lasts for 3 and a slice of 2: half of that is lost.
  const auto moves = [](double gain, std::int64_t age) {
    World world;
    world.age = Duration{age};
    world.rate = [](MachineId machine) { return machine == kRed ? 5 : 10; };
    world.policy.answer = [gain](const SystemView&) {
      return Proposal{{{kWorker, kRed, kGreen}}, GainRange{gain, gain, gain}, "because"};
    };
    world.run(20);
    return world.moves;
  };
  CHECK(moves(.1, 100) == 0);
  CHECK(moves(.1, 130) == 1);
  CHECK(moves(1, 45) == 0);
  CHECK(moves(1, 55) == 1);
}

TEST_CASE("loop: a process that goes to and fro is held, and the journal says that the policy oscillates",
          "[scheduling]") {
  World world;
  world.run(130);
  CHECK(world.outcomes().find("oscillating") != std::string::npos);
  CHECK(world.moves <= 5);
}

TEST_CASE("loop: no move while the window has losses", "[scheduling]") {
  World world;
  world.window.note_lost(1);
  world.run(10);
  CHECK(world.policy.asked == 0);
  CHECK(world.outcomes() == "incomplete");
  world.run(13);  // the rate is known for one slice only
  CHECK(world.policy.asked == 0);
  world.run(14);
  CHECK(world.policy.asked == 1);
}

TEST_CASE("loop: moves made before one that fails are undone", "[scheduling]") {
  World world;
  world.refuse = "process 'worker' has ended";
  world.run(40);
  CHECK(world.outcomes() == "open failed nothing");
  CHECK(world.journal[1].reason.find("has ended") != std::string::npos);
}

TEST_CASE("loop: whatever a policy proposes, there is one move at a time and each is settled before it is judged",
          "[scheduling]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    World world;
    world.rate = [&](MachineId) { return static_cast<int>(random.below(20)); };
    world.policy.answer = [&](const SystemView& view) {
      if (random.chance(.3)) return Proposal{{}, {}, "no"};
      return Proposal{{{kWorker, view.machine_of[0], view.machine_of[0] == kRed ? kGreen : kRed}}, {}, "yes"};
    };
    world.run(500);
    int open = 0;
    Duration opened;
    for (const auto& entry : world.journal) {
      if (entry.outcome == DecisionOutcome::open) {
        REQUIRE(open == 0);
        open = 1;
        opened = entry.at;
      } else if (!entry.moves.empty()) {
        REQUIRE(open == 1);
        open = 0;
        REQUIRE(entry.at == opened);
      }
      const auto read = decode_entry(encode_entry(entry));
      REQUIRE(read.has_value());
      REQUIRE(encode_entry(*read) == encode_entry(entry));
    }
  }
}

TEST_CASE("journal: a line that is not one of it is refused", "[scheduling]") {
  for (const char* line : {"", "decision", "decision\t1\t2\t3", "decision\tx\t0\t0\t\t\t\tkept\t",
                           "decision\t1\t0\t0\ta|b\t\t\tkept\t", "decision\t1\t0\t0\t\t1|2\t\tkept\t",
                           "decision\t1\t0\t0\t\t\t\tperhaps\t", "decision\t1\t0\tnan\t\t\t\tkept\t"})
    CHECK(!decode_entry(line));
}
