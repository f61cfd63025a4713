#include "analysis/parallelism/as_it_ran.hpp"

#include <utility>

#include "analysis/history/target.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// A shell runs two commands one after the other on a machine of two cores; the test decides whether the trace contains
// its waits for them.
EventScript shell(bool waits_are_metered) {
  EventScript script({"red"});
  script.info.machines[0].cores = 2;
  for (const char* name : {"shell", "first", "second", "log"}) script.process(name, "red");
  double now = 0;
  std::vector<EventScript::Sent> said;
  for (const char* name : {"first", "second"}) {
    script.at_ms("shell", now);
    script.other("shell", 0, EventType::create_process, name);
    script.at_ms(name, now);
    script.other(name, 0, EventType::start_process);
    script.at_ms(name, now + 10);
    said.push_back(script.send(name, 10, "log"));
    script.end(name, 0);
    now += 12;
    script.at_ms("shell", now);
    if (waits_are_metered) script.wait("shell", 0, name);
  }
  script.end("shell", 0);
  double received = 11;
  for (const auto& message : said) {
    script.at_ms("log", std::exchange(received, 23));
    script.receive("log", 0, message);
  }
  return script;
}

FalseOverlaps overlaps_of(const History& history) {
  return find_false_overlaps(history, contended_schedule(history, traced_target(history)).value());
}

}  // namespace

TEST_CASE("as it ran: P of the run is by its machine's clock, whatever a replay makes of it", "[parallelism]") {
  const auto script = shell(false);
  const History history = history_of(script.info, script.events);
  const RunTimes run = as_it_ran(history, history.cpu_ns());
  CHECK(run.T_s == Approx(.020));
  CHECK(run.elapsed_s == Approx(.024));
  CHECK(run.P == Approx(20.0 / 24));
  CHECK(measure_parallelism(history, traced_target(history)).value().run.P == Approx(run.P));
}

TEST_CASE("as it ran: what an acquired process had used before is not of the run", "[parallelism]") {
  EventScript script({"red"});
  script.process("A", "red");
  script.process("B", "red");
  script.info.processes[0].acquired = true;
  script.at_ms("A", 5);
  const auto message = script.send("A", 1000, "B");
  script.at_ms("B", 6);
  script.receive("B", 1, message);
  script.at_ms("A", 15);
  script.end("A", 9);
  const History history = history_of(script.info, script.events);
  const RunTimes run = as_it_ran(history, history.cpu_ns());
  CHECK(run.T_s == Approx(.010));
  CHECK(run.P == Approx(1));
  CHECK(measure_parallelism(history, traced_target(history)).value().no_delay.T_s == Approx(.010));
}

TEST_CASE("as it ran: a replay that lets overlap what never did is found, with its seconds", "[parallelism]") {
  const auto script = shell(false);
  const History history = history_of(script.info, script.events);
  const FalseOverlaps overlaps = overlaps_of(history);
  CHECK(overlaps.seconds == Approx(.010));
  CHECK(overlaps.processes == 2);
  CHECK(overlaps.a == ProcessId{1});
  CHECK(overlaps.b == ProcessId{2});
  const auto warning = warning_of(overlaps, history, .010);
  REQUIRE(warning);
  CHECK(warning->find("such as 'first' and 'second'") != std::string::npos);
  CHECK_FALSE(warning_of(overlaps, history, 2));  // less than a hundredth
}

TEST_CASE("as it ran: there is none where the trace has the waits", "[parallelism]") {
  const auto script = shell(true);
  CHECK(overlaps_of(history_of(script.info, script.events)).seconds == 0);
}
