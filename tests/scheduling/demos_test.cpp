#include "model/random.hpp"
#include "scheduling/demos/reduced_message.hpp"
#include "scheduling/demos/scheduler_program.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

std::vector<std::byte> example() {
  TraceInfo info;
  info.processes = {{"a", "program a", MachineId{0}}, {"b", "program b", MachineId{1}}};
  info.channel_sets.push_back({ChannelId{3}});
  Event event;
  event.type = EventType::receive;
  event.process = {1};
  event.peer = {0};
  event.machine = {1};
  event.channel = {3};
  event.sequence = 77;
  event.proc_time_ns = 1'000'000'007;
  event.local_time = {-5};
  event.length_bytes = 300;
  Event not_selected = event;
  not_selected.type = EventType::create_path;
  const std::vector<Event> events = {event, not_selected};
  const std::vector<MachineNow> machines = {{1, true}, {2.5, false}};
  return reduce({info, events, machines, 9});
}

// Two processes that compute and do not wait for each other, both on the first of two machines.
System crowded() {
  System system;
  const auto work = [](MessageCalls& calls) {
    for (int i = 0; i < 2000; ++i) {
      calls.compute(milliseconds(10));
      calls.send_message(calls.link_to(calls.name()), message_of(1));
      calls.receive_message();
    }
  };
  system.machine("red").machine("green");
  system.process("first", "red", {"first"}, work).process("second", "red", {"second"}, work);
  for (auto& process : system.scenario.processes) process.flags = MeterFlags::all();
  system.scenario.meter.buffered_events = 10;
  return system;
}

}  // namespace

TEST_CASE("scheduler: what a filter passes on is read as it was written, without what no window counts",
          "[scheduling]") {
  const auto read = read_reduced(example());
  REQUIRE(read.has_value());
  CHECK(read->lost_events == 9);
  CHECK(read->machines[1].speed == 2.5);
  CHECK(!read->machines[1].on);
  CHECK(read->processes[1].name == "b");
  CHECK(read->channel_sets.at(1) == std::vector<ChannelId>{ChannelId{3}});
  REQUIRE(read->events.size() == 1);
  CHECK(read->events[0].local_time.ns == -5);
  CHECK(read->events[0].proc_time_ns == 1'000'000'007);
  CHECK(read->events[0].channel == ChannelId{3});
}

TEST_CASE("scheduler: a message that is cut or damaged is refused or read, and never more than that", "[scheduling]") {
  const auto whole = example();
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(!read_reduced(std::span(whole).first(size)).has_value());
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    auto damaged = whole;
    damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    (void)read_reduced(damaged);
  }
}

TEST_CASE("scheduler: it moves a process of a crowded machine by a request to the process manager", "[scheduling]") {
  System system = crowded();
  SchedulerDescription description;
  description.window = Duration::from_seconds(2);
  REQUIRE(add_scheduler(system.scenario, description, "even-load").has_value());
  SimSource source(system.scenario);
  Collected seen;
  REQUIRE(source.run(seen).has_value());
  CHECK(seen.losses.lost() == 0);
  CHECK(source.truth().makespan.seconds() < 30);  // 40 without a scheduler
  const auto journal = journal_of(source.truth().printed);
  REQUIRE(!journal.empty());
  CHECK(journal.front().outcome == DecisionOutcome::kept);
  CHECK(*journal.front().measured_gain() > .5);
  CHECK(without_journal(source.truth().printed).empty());
}

TEST_CASE("scheduler: an unknown policy, machine or process is refused", "[scheduling]") {
  Scenario scenario = crowded().scenario;
  CHECK(!add_scheduler(scenario, {}, "luck"));
  CHECK(!add_scheduler(scenario, {.machine = "blue"}, "none"));
  CHECK(!add_scheduler(scenario, {.processes = {"third"}}, "none"));
  CHECK(!scenario.feedback);
}
