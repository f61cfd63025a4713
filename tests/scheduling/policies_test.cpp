#include <algorithm>

#include "scheduling/policies/policy_registry.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// Three processes on machine red, green is idle. `chatty` and `partner` exchange messages; all use CPU time.
struct Crowded {
  TraceInfo info;
  SlidingWindow window{{.length = {1'000'000'000}}};
  std::vector<MachineId> machine_of;
  std::vector<bool> stays;
  std::vector<std::vector<MachineId>> moments;
  // Within the second half of its life a process uses `later` times as much CPU time.
  explicit Crowded(std::vector<MachineId> places, std::vector<std::uint64_t> cpu_ns,
                   std::vector<double> later = {1, 1, 1}, std::int64_t step_ns = 10'000'000)
      : machine_of(std::move(places)) {
    info.machines = {{"red"}, {"green"}};
    info.delays.remote.delivery_s = PiecewiseLinear::through({{1, .001}}).value();
    const char* names[] = {"chatty", "partner", "loner"};
    for (std::uint32_t p = 0; p < machine_of.size(); ++p) info.processes.push_back({names[p], names[p], machine_of[p]});
    window.on_begin(info);
    std::vector<std::uint64_t> used(machine_of.size(), 0);
    std::int64_t time_ns = 0;
    const auto add = [&](EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t sequence) {
      Event e;
      e.type = type;
      e.process = {process};
      e.peer = {peer};
      e.machine = machine_of[process];
      e.channel = {type == EventType::send ? process : peer};
      e.sequence = sequence;
      e.proc_time_ns = used[process];
      e.local_time = {time_ns += step_ns};
      window.on_events({&e, 1});
    };
    for (std::uint32_t p = 0; p < machine_of.size(); ++p) add(EventType::start_process, p, p, 0);
    for (std::uint64_t i = 1; i <= 20; ++i) {
      for (std::uint32_t p = 0; p < machine_of.size(); ++p)
        used[p] += static_cast<std::uint64_t>(static_cast<double>(cpu_ns[p] / 20) * (i > 10 ? later[p] : 1));
      add(EventType::send, 0, 1, i);
      add(EventType::receive, 1, 0, i);
      if (machine_of.size() > 2) add(EventType::send, 2, 2, i);
    }
    window.set_now({999'999'999});
  }

  Proposal ask(const std::string& policy, PolicyOptions options = {}) {
    const auto made = make_policy(policy, options);
    REQUIRE(made.has_value());
    return (*made)->propose(
        {window, info.machines, machine_of, std::vector<bool>(machine_of.size(), true), stays, moments});
  }
};

constexpr MachineId kRed{0}, kGreen{1};
constexpr std::uint64_t kMs = 1'000'000;

// Two live processes of much CPU time on red, connected by a stream. Until half of the window, the first also sends to a
// process that is not metered.
struct Live {
  TraceInfo info;
  SlidingWindow window{{.length = {1'000'000'000}}};

  Live() {
    info.machines = {{"red"}, {"green"}};
    for (const char* name : {"server", "client"}) info.processes.push_back({name, name, kRed});
    info.channels = {{ProcessId{1}, "tcp 127.0.0.1:1 > 127.0.0.1:2", ChannelKind::stream},
                     {ProcessId{}, "tcp 127.0.0.1:3 > 10.0.0.1:4", ChannelKind::stream}};
    window.on_begin(info);
    for (std::uint64_t i = 0; i < 20; ++i) {
      add(EventType::send, 0, {0}, i);
      add(EventType::receive, 1, {0}, i);
      if (i < 8) add(EventType::send, 0, {1}, i);
    }
    window.set_now({999'999'999});
  }

  void add(EventType type, std::uint32_t process, ChannelId channel, std::uint64_t round) {
    Event e;
    e.type = type;
    e.process = {process};
    e.machine = kRed;
    e.channel = channel;
    e.length_bytes = 10;
    e.sequence = round * 10;
    e.proc_time_ns = (round + 1) * 20'000'000;
    e.local_time = {time_ns_ += 10'000'000};
    window.on_events({&e, 1});
  }

 private:
  std::int64_t time_ns_ = 0;
};

}  // namespace

TEST_CASE("policies: all are found by their folders, and an unknown one is refused with the nearest", "[scheduling]") {
  auto names = policy_names();
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"even-load", "fixed", "near", "none", "predicted"});
  const auto unknown = make_policy("predictd", {});
  REQUIRE(!unknown);
  CHECK(unknown.error().what.find("predicted") != std::string::npos);
}

TEST_CASE("policies: none moves nothing", "[scheduling]") {
  CHECK(Crowded({kRed, kRed, kRed}, {400 * kMs, 300 * kMs, 200 * kMs}).ask("none").moves.empty());
}

TEST_CASE("policies: even-load makes the busiest and the idlest machine alike, and then rests", "[scheduling]") {
  const auto proposal = Crowded({kRed, kRed, kRed}, {400 * kMs, 300 * kMs, 200 * kMs}).ask("even-load");
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.moves[0] == ProcessMove{{0}, kRed, kGreen});
  CHECK(Crowded({kRed, kGreen}, {400 * kMs, 400 * kMs}).ask("even-load").moves.empty());
}

TEST_CASE("policies: near puts the two that talk together, and then rests", "[scheduling]") {
  const auto proposal = Crowded({kRed, kGreen, kGreen}, {100 * kMs, 100 * kMs, 100 * kMs}).ask("near");
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.moves[0] == ProcessMove{{0}, kRed, kGreen});
  CHECK(Crowded({kRed, kRed, kGreen}, {100 * kMs, 100 * kMs, 100 * kMs}).ask("near").moves.empty());
}

TEST_CASE("policies: fixed moves what is not where the file has it", "[scheduling]") {
  Crowded crowded({kRed, kRed, kRed}, {kMs, kMs, kMs});
  const auto proposal = crowded.ask("fixed", {.placement = {{"loner", "green"}, {"chatty", "red"}}});
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.moves[0] == ProcessMove{{2}, kRed, kGreen});
  CHECK(crowded.ask("fixed", {.placement = {{"loner", "red"}}}).moves.empty());
}

TEST_CASE("policies: predicted moves what pays, and says how much", "[scheduling]") {
  Crowded crowded({kRed, kRed}, {400 * kMs, 400 * kMs});
  const auto proposal = crowded.ask("predicted");
  REQUIRE(proposal.moves.size() == 1);
  REQUIRE(proposal.predicted);
  CHECK(proposal.predicted->expected > .5);
  CHECK(proposal.predicted->low > 0);
  CHECK(crowded.ask("predicted", {.gain_min = 10}).moves.empty());
  CHECK(crowded.ask("predicted", {.move_cost = Duration::from_seconds(1000)}).moves.empty());
  CHECK(Crowded({kRed, kGreen}, {400 * kMs, 400 * kMs}).ask("predicted").moves.empty());
}

TEST_CASE("policies: predicted moves nothing for what was a gain in one half of the window only", "[scheduling]") {
  // Later only one of them computes: the other may as well be where it is.
  CHECK(!Crowded({kRed, kRed}, {400 * kMs, 400 * kMs}).ask("predicted").moves.empty());
  CHECK(Crowded({kRed, kRed}, {400 * kMs, 400 * kMs}, {1, 0, 1}).ask("predicted").moves.empty());
}

TEST_CASE("policies: predicted looks at halves of the window that have other processes outside", "[scheduling]") {
  const Live live;
  const std::size_t events = live.window.events();
  REQUIRE(live.window.history({0, events / 2})->process_count() == 3);
  REQUIRE(live.window.history({events / 2, events})->process_count() == 2);
  const auto policy = make_policy("predicted", {});
  REQUIRE(policy.has_value());
  const auto proposal = (*policy)->propose({live.window, live.info.machines, {kRed, kRed}, {true, true}});
  INFO(proposal.reason);
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.predicted->expected > .5);
}

TEST_CASE("policies: where the kernel places the processes, predicted compares with the time that they took",
          "[scheduling]") {
  // Both on one machine take 800 ms, which the replay of that placement says. But the events took 400 ms: they were not there.
  Crowded quick({kRed, kRed}, {400 * kMs, 400 * kMs});
  quick.stays = {false, false};
  CHECK(quick.ask("predicted").moves.empty());
  Crowded slow({kRed, kRed}, {400 * kMs, 400 * kMs}, {1, 1}, 20 * kMs);
  slow.stays = {false, false};
  CHECK(slow.ask("predicted").moves.size() == 1);
}

TEST_CASE("policies: predicted doubts a gain if most of the time that was taken is not explained", "[scheduling]") {
  Crowded idle({kRed, kRed}, {400 * kMs, 400 * kMs}, {1, 1}, 120 * kMs);
  idle.stays = {false, false};
  const auto proposal = idle.ask("predicted");
  CHECK(proposal.moves.empty());
  CHECK(proposal.reason.find("within the interval") != std::string::npos);
  Crowded busy({kRed, kRed}, {400 * kMs, 400 * kMs}, {1, 1}, 40 * kMs);
  busy.stays = {false, false};
  CHECK(busy.ask("predicted").moves.size() == 1);
}

TEST_CASE("policies: predicted brings together what has to be woken by turns", "[scheduling]") {
  // A message every 12 ms: 6 until the other core is awake, 5 until it is received, 1 until it is answered.
  TraceInfo info;
  info.machines = {{"red"}, {"green"}};
  info.processes = {{"server", "server", kRed}, {"client", "client", kGreen}};
  info.channels = {{ProcessId{1}, "tcp 127.0.0.1:1 > 127.0.0.1:2", ChannelKind::stream},
                   {ProcessId{0}, "tcp 127.0.0.1:2 > 127.0.0.1:1", ChannelKind::stream}};
  info.delays.remote.wake_ups = WakeUp{.006, 0, 0};
  SlidingWindow window({.length = {1'000'000'000}});
  window.on_begin(info);
  std::uint64_t cpu_ns[2] = {};
  std::int64_t time_ns = 0;
  for (std::uint64_t i = 0; i < 80; ++i) {
    const std::uint32_t sender = i % 2, receiver = 1 - sender;
    const auto add = [&](EventType type, std::uint32_t process, std::int64_t later_ms, std::uint64_t used_ms) {
      Event e;
      e.type = type;
      e.process = {process};
      e.machine = info.processes[process].machine;
      e.channel = {sender};
      e.length_bytes = 10;
      e.sequence = i / 2 * 10;
      e.proc_time_ns = cpu_ns[process] += used_ms * kMs;
      e.local_time = {time_ns += later_ms * static_cast<std::int64_t>(kMs)};
      window.on_events({&e, 1});
    };
    add(EventType::send, sender, 1, 1);
    add(EventType::receive, receiver, 11, 5);
  }
  window.set_now({999'999'999});
  const auto policy = make_policy("predicted", {});
  REQUIRE(policy.has_value());
  const auto proposal = (*policy)->propose({window, info.machines, {kRed, kGreen}, {true, true}, {false, false}});
  INFO(proposal.reason);
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.predicted->expected == Approx(1).margin(.1));
}

TEST_CASE("policies: predicted doubts a gain that waits for the meter on another core could take back",
          "[scheduling]") {
  const auto moves = [](bool calls_wait, double delay_s) {
    Crowded busy({kRed, kRed}, {400 * kMs, 400 * kMs}, {1, 1}, 20 * kMs);
    busy.stays = {false, false};
    busy.info.delays.remote.wake_ups = WakeUp{delay_s, 0, 0};
    return busy.ask("predicted", {.calls_wait = calls_wait}).moves.size();
  };
  // Each process makes 20 calls, and waits twice the delay at each.
  CHECK(moves(false, .015) == 1);
  CHECK(moves(true, .015) == 0);
  CHECK(moves(true, .001) == 1);
}

TEST_CASE("policies: predicted binds the processes to where they were most, if the kernel does not leave them there",
          "[scheduling]") {
  Crowded crowded({kRed, kGreen}, {400 * kMs, 400 * kMs}, {1, 1}, 20 * kMs);
  crowded.stays = {false, false};
  crowded.moments = {{kRed, kGreen}, {kRed, kGreen}};
  CHECK(crowded.ask("predicted").moves.empty());
  crowded.moments = {{kRed, kRed}, {kRed, kGreen}};
  const auto proposal = crowded.ask("predicted");
  INFO(proposal.reason);
  REQUIRE(proposal.moves.size() == 1);
  CHECK(proposal.moves[0] == ProcessMove{{0}, kRed, kRed});
  REQUIRE(proposal.predicted);
  CHECK(proposal.predicted->expected > .2);
  CHECK(proposal.predicted->expected < .5);
}

TEST_CASE("policies: a machine that is off gets nothing", "[scheduling]") {
  for (const auto& name : policy_names()) {
    Crowded crowded({kRed, kRed, kRed}, {400 * kMs, 300 * kMs, 200 * kMs});
    crowded.info.machines[kGreen.value].accepts = false;
    CAPTURE(name);
    CHECK(crowded.ask(name, {.placement = {{"loner", "green"}}}).moves.empty());
  }
}
