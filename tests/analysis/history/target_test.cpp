#include "analysis/history/target.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

History two_processes() {
  EventScript script({"red", "green"});
  script.process("reader", "red");
  script.process("writer", "green");
  script.receive("reader", 1, script.send("writer", 1, "reader"));
  return history_of(script.info, script.events);
}

std::string refusal(const Placement& placement) {
  const auto resolved = resolve(two_processes(), placement);
  REQUIRE_FALSE(resolved.has_value());
  return resolved.error().what;
}

}  // namespace

TEST_CASE("placement: processes it leaves out stay where they were traced, and are named", "[history]") {
  const auto resolved = resolve(two_processes(), {"both", {{"writer", "red"}}}).value();
  CHECK(resolved.target.machine_of == std::vector{MachineId{0}, MachineId{0}});
  CHECK(resolved.left_out == std::vector<std::string>{"reader"});
  CHECK(resolved.target.placement == "both");
}

TEST_CASE("placement: threads stay with their process", "[history]") {
  EventScript script({"red", "green"});
  for (const auto* thread : {"first", "server", "last"}) script.process(thread, "red");
  script.info.processes[0].group = script.info.processes[2].group = ProcessId{1};
  script.process("client", "red");
  for (const auto* thread : {"first", "server", "last"}) script.receive(thread, 1, script.send("client", 1, thread));
  const History history = history_of(script.info, script.events);
  const auto moved = resolve(history, {"moved", {{"server", "green"}, {"last", "red"}}}).value();
  CHECK(moved.target.machine_of == std::vector{MachineId{1}, MachineId{1}, MachineId{0}, MachineId{0}});
  CHECK(moved.left_out == std::vector<std::string>{"client"});
  const auto stayed = resolve(history, {"stayed", {{"client", "green"}}}).value();
  CHECK(stayed.target.machine_of == std::vector{MachineId{0}, MachineId{0}, MachineId{0}, MachineId{1}});
  CHECK(stayed.left_out == std::vector<std::string>{"server"});
}

TEST_CASE("placement: unknown names are refused with the nearest", "[history]") {
  CHECK(refusal({"x", {{"raeder", "red"}}}) ==
        "placement 'x': no process 'raeder' in the trace (did you mean 'reader'?)");
  CHECK(refusal({"x", {{"reader", "gren"}}}) ==
        "placement 'x': no machine 'gren' for process 'reader' (did you mean 'green'?)");
  CHECK(refusal({"x", {}}).find("it names no process") != std::string::npos);
}

TEST_CASE("placement: on other machines, a process that is left out needs its traced machine there", "[history]") {
  const History history = two_processes();
  const auto stuck = resolve(history, {"new", {{"reader", "blue"}}}, {{"blue", 2}}, {});
  REQUIRE_FALSE(stuck.has_value());
  CHECK(stuck.error().what.find("does not place process 'writer', whose traced machine 'green'") != std::string::npos);
  const auto fine = resolve(history, {"new", {{"reader", "blue"}}}, {{"blue", 2}, {"green", 1}}, {});
  REQUIRE(fine.has_value());
  CHECK(fine->target.machine_of == std::vector{MachineId{0}, MachineId{1}});
}
