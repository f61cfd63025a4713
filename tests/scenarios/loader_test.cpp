#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Two machines, a group of clients, a group of servers; `more` are further top-level members.
std::string two_groups(const std::string& more = "") {
  return R"({
    "name": "t", "parameters": {"clients": 3, "size": {"default": 100, "meaning": "bytes"}},
    "machines": ["red", {"name": "vax", "count": 2, "speed": 2, "cores": 4, "clock": {"offset_s": -5, "drift_ppm": 10, "tick_s": 0.001}}],
    "programs": {
      "asks": {"parameters": {"n": 1, "whom": "server"},
               "start": [{"repeat": "$n", "do": [{"call": "read", "to": "$whom", "bytes": "$size"}]}]},
      "answers": {"on": [{"kind": "read", "from": "client", "do": [{"reply": "data", "bytes": 512}]}]}
    },
    "processes": [
      {"name": "client", "count": "$clients", "program": "asks", "machine": ["vax", "red"], "parameters": {"n": "$index"}},
      {"name": "server", "count": 2, "program": "answers", "machine": "red"}
    ])" + more +
         "}";
}

}  // namespace

TEST_CASE("loader: a count makes a group, and machines are taken in turn", "[scenarios]") {
  const Scenario scenario = scenario_of(two_groups());
  REQUIRE(scenario.machines.size() == 3);
  CHECK(scenario.machines[2].name == "vax_2");
  CHECK(scenario.machines[2].speed == 2);
  CHECK(scenario.machines[2].cores == 4);
  CHECK(scenario.machines[2].clock.offset == Duration::from_seconds(-5));
  CHECK(scenario.machines[2].clock.tick.ns == 1000000);
  CHECK(scenario.machines[0].clock.tick.ns == 1);
  REQUIRE(scenario.processes.size() == 5);
  CHECK(process_of(scenario, "client_1").machine == "vax_1");
  CHECK(process_of(scenario, "client_2").machine == "vax_2");
  CHECK(process_of(scenario, "client_3").machine == "red");
  CHECK(process_of(scenario, "client_1").program_name == "asks");
  CHECK(process_of(scenario, "client_1").filter == "filter");
  CHECK(process_of(scenario, "client_1").flags == MeterFlags::all());
}

TEST_CASE("loader: the links of a program written in the file follow from its steps", "[scenarios]") {
  const Scenario scenario = scenario_of(two_groups());
  CHECK(process_of(scenario, "client_2").links == std::vector<std::string>{"server_1", "server_2"});
  CHECK(process_of(scenario, "server_1").links.empty());
}

TEST_CASE("loader: a step to the sender gives links back to every process that has one", "[scenarios]") {
  std::string text = two_groups();
  const std::string reply = R"({"reply": "data", "bytes": 512})";
  text.replace(text.find(reply), reply.size(), R"({"send": "data", "to": "sender", "bytes": 512})");
  const std::string call = R"({"call": "read", "to": "$whom", "bytes": "$size"})";
  text.replace(text.find(call), call.size(), R"({"send": "read", "to": "$whom", "bytes": 1}, {"wait": "data"})");
  const Scenario scenario = scenario_of(text);
  CHECK(process_of(scenario, "server_2").links == std::vector<std::string>{"client_1", "client_2", "client_3"});
}

TEST_CASE("loader: a server without a stop is a service unless the file says otherwise", "[scenarios]") {
  CHECK(process_of(scenario_of(two_groups()), "server_1").service);
  CHECK_FALSE(process_of(scenario_of(two_groups()), "client_1").service);
}

TEST_CASE("loader: parameters and placements can be overridden for a run", "[scenarios]") {
  const std::string text =
      two_groups(R"(, "seed": 7, "placements": {"A": {"client": "red", "client_2": "vax_1", "server": ["vax"]}})");
  const auto file = parse(text);
  REQUIRE(file.has_value());
  CHECK(file->placement.empty());
  Overrides overrides;
  overrides.placement = "A";
  overrides.seed = 9;
  overrides.parameters["clients"] = 2;
  const auto scenario = instantiate(*file, overrides);
  REQUIRE(scenario.has_value());
  CHECK(scenario->seed == 9);
  CHECK(instantiate(*file)->seed == 7);
  CHECK(scenario->processes.size() == 4);
  CHECK(process_of(*scenario, "client_1").machine == "red");
  CHECK(process_of(*scenario, "client_2").machine == "vax_1");  // later entries win
  CHECK(process_of(*scenario, "server_2").machine == "vax_2");
  CHECK(placement_of(*scenario).machine_of_process.at("server_1") == "vax_1");
}

TEST_CASE("loader: a system that is read once can be placed again and again", "[scenarios]") {
  const auto file = parse(two_groups(
      R"(, "seed": 7, "placements": {"A": {"client": "red", "server": "vax"}, "B": {"client": ["vax"], "server": "red"}})"));
  REQUIRE(file.has_value());
  const auto machines = [](const Scenario& scenario) { return placement_of(scenario).machine_of_process; };
  for (const std::string placement : {"A", "B", "A"}) {
    const auto placed = place(*file->system, placement);
    const auto read_again =
        instantiate(*file, {placement, {}, {{"clients", file->parameters.at("clients").default_value}}});
    REQUIRE(placed.has_value());
    REQUIRE(read_again.has_value());
    CHECK(placed->placement == placement);
    CHECK(placed->seed == 7);
    CHECK(machines(*placed) == machines(*read_again));
  }
  CHECK(place(*file->system, "A", 9)->seed == 9);
  CHECK(read_system(*file, {}).value() == file->system);  // not read again
}

TEST_CASE("loader: an override of something the file does not have is refused", "[scenarios]") {
  const auto file = parse(two_groups(R"(, "placements": {"apart": {"client": "red"}})"));
  REQUIRE(file.has_value());
  Overrides wrong_parameter;
  wrong_parameter.parameters["client"] = 1;
  CHECK(instantiate(*file, wrong_parameter).error().what ==
        "test.json: the scenario has no parameter 'client' (did you mean 'clients'?)");
  Overrides wrong_placement;
  wrong_placement.placement = "aprat";
  CHECK(instantiate(*file, wrong_placement).error().what ==
        "test.json: the scenario has no placement 'aprat' (did you mean 'apart'?)");
  Overrides wrong_value;
  wrong_value.parameters["clients"] = 0.5;
  CHECK_FALSE(instantiate(*file, wrong_value).has_value());
}

TEST_CASE("loader: codes of kinds do not depend on parameters", "[scenarios]") {
  const std::string kinds = R"(, "kinds": {"data": 1, "other": 40})";
  CHECK(parse(two_groups(kinds)).has_value());
}

TEST_CASE("loader: members_of expands groups and refuses strangers", "[scenarios]") {
  const Scenario scenario = scenario_of(two_groups());
  CHECK(members_of(scenario, {"server", "client_2"}).value() ==
        std::vector<std::string>{"server_1", "server_2", "client_2"});
  CHECK(members_of(scenario, {"sever"}).error().what == "no process 'sever' in scenario 't'");
}

TEST_CASE("loader: the study is read with its defaults", "[scenarios]") {
  const auto file = parse(two_groups(R"(,
    "placements": {"A": {"client": "red"}, "B": {"client": "vax_1"}}, "placement": "B", "seed": 3,
    "sweeps": [{"parameter": "clients", "values": [1, 2]},
               {"name": "grid", "over": {"clients": [1], "size": [10, 20]}, "placements": ["A", "B"], "seeds": [5, 6]}],
    "analyses": ["queues", {"kind": "prediction", "name": "mine", "order": "role", "method": "thesis1984",
                            "processes": "server", "placements": ["A"], "external_time": true}],
    "predictions": [{"placements": ["A", "B"], "parameters": {"clients": 2}, "order": "recorded"}],
    "published": [{"label": "P", "figure": "5.13", "quantity": "/runs/0/P", "value": 1.4, "within": 0.1}],
    "study": {"sweeps": ["grid"], "predictions": ["predictions"]})"));
  INFO((file ? "" : file.error().what));
  REQUIRE(file.has_value());
  CHECK(file->placement == "B");
  REQUIRE(file->sweeps.size() == 2);
  CHECK(file->sweeps[0].name == "clients");
  CHECK(file->sweeps[0].placements == std::vector<std::string>{"B"});
  CHECK(file->sweeps[0].seeds == std::vector<std::uint64_t>{3});
  CHECK(file->sweeps[1].axes.size() == 2);
  CHECK(file->sweeps[1].axes[1].values == std::vector<double>{10, 20});
  REQUIRE(file->analyses.size() == 2);
  CHECK(file->analyses[0].kind == "queues");
  CHECK(file->analyses[0].name == "queues");
  CHECK(file->analyses[1].prediction.order == "role");
  CHECK(file->analyses[1].prediction.method == "thesis1984");
  CHECK(file->analyses[1].external_time);
  CHECK(file->predictions[0].parameters.at("clients") == 2);
  CHECK(file->predictions[0].prediction.order == "recorded");
  CHECK(file->published[0].within == 0.1);
  CHECK(file->study.predictions == std::vector<std::string>{"predictions"});
  CHECK(file->study.sweeps == std::vector<std::string>{"grid"});
  CHECK(instantiate(*file)->placement == "B");
}

TEST_CASE("loader: meter, filters, faults, limits and delays arrive in the scenario", "[scenarios]") {
  const Scenario scenario = scenario_of(two_groups(R"(,
    "meter": {"flags": "send,receive", "buffered_events": 20, "cpu_per_event_s": 0.001, "cpu_per_meter_message_s": 0.002,
              "bytes_per_event": 32, "delayed_delivery": true},
    "filters": [{"name": "here", "machine": "vax_2", "rules": ["type=1", "length>100"]}],
    "faults": [{"at_s": 2, "kind": "link_down", "machines": ["red", "vax_1"]}, {"at_s": 3, "kind": "machine_on", "machine": "red"}],
    "delays": {"name": "mine", "local": 0.001, "remote": {"delivery_s": [[1, 0.01], [100, 0.02]], "sender_cpu_s": 0.003},
               "pairs": [{"machines": ["red", "vax_2"], "delivery_s": 0.5, "receiver_cpu_s": [[0, 0.1]]}]},
    "time_limit_s": 60, "message_limit": 1000, "move_data_message_bytes": 500)"));
  CHECK(to_string(process_of(scenario, "client_1").flags) == "send,receive");
  CHECK(scenario.meter.buffered_events == 20);
  CHECK(scenario.meter.cpu_per_event.ns == 1000000);
  CHECK(scenario.meter.cpu_per_meter_message.ns == 2000000);
  CHECK(scenario.meter.bytes_per_event == 32);
  CHECK(scenario.meter.delayed_delivery);
  REQUIRE(scenario.filters.size() == 1);
  CHECK(scenario.filters[0].machine == "vax_2");
  REQUIRE(scenario.faults.size() == 2);
  CHECK(scenario.faults[0].kind == FaultKind::link_down);
  CHECK(scenario.faults[0].other_machine == "vax_1");
  CHECK(scenario.faults[1].kind == FaultKind::machine_on);
  CHECK(scenario.delays.name == "mine");
  CHECK(DelayModel::delivery(scenario.delays.between("red", "red"), 5).ns == 1000000);
  CHECK(DelayModel::delivery(scenario.delays.between("vax_2", "red"), 5).ns == 500000000);
  CHECK(DelayModel::sender_cpu(scenario.delays.remote, 5).ns == 3000000);
  CHECK(scenario.time_limit == Duration::from_seconds(60));
  CHECK(scenario.message_limit == 1000);
  CHECK(scenario.move_data_message_bytes == 500);
}

TEST_CASE("loader: programs written in C++ are found by name, and by folder and name", "[scenarios]") {
  const std::string text = R"({"name": "t", "machines": ["red"], "processes": [
    {"name": "ping", "program": "ping-pong/ping", "links": ["pong"], "flags": "none", "in_computation": false},
    {"name": "pong", "program": "pong", "links": ["ping"]}],
    "spawnable": [{"name": "child", "program": "pong", "in_computation": false}]})";
  const Scenario scenario = scenario_of(text);
  CHECK(process_of(scenario, "ping").machine == "red");  // there is no other
  CHECK(process_of(scenario, "ping").flags.none());
  CHECK_FALSE(process_of(scenario, "ping").in_computation);
  REQUIRE(scenario.programs.size() == 1);
  CHECK(scenario.programs[0].name == "child");
  CHECK_FALSE(scenario.programs[0].in_computation);
}

TEST_CASE("loader: a program written in C++ gets its defaults, and what the process changes", "[scenarios]") {
  Parameters given;
  ProgramRegistry registry;
  registry.add("x", {{"worker",
                      "",
                      {{"rounds", 7.0, ""},
                       {"partner", std::string("b"), ""},
                       {"fast", true, ""},
                       {"sizes", std::vector<double>{1, 2}, ""}},
                      [&](const Parameters& parameters) -> Program {
                        given = parameters;
                        return [](MessageCalls&) {};
                      }}});
  const auto file = parse_scenario(R"({"name": "t", "machines": ["red"], "processes": [
    {"name": "w", "count": 2, "program": "worker", "parameters": {"partner": "a_$index", "sizes": [3, 4, 5]}}]})",
                                   "x/scenario.json", registry);
  REQUIRE(file.has_value());
  CHECK(given.number("rounds", 0) == 7);
  CHECK(given.text("partner", "") == "a_2");  // of the last member
  CHECK(given.flag("fast", false));
  CHECK(given.numbers("sizes", {}) == std::vector<double>{3, 4, 5});
}

TEST_CASE("registry: a name two folders have must be written with its folder, except at home", "[scenarios]") {
  ProgramRegistry registry;
  registry.add("a", {{"server", "", {}, {}}});
  registry.add("b", {{"server", "", {}, {}}, {"client", "", {}, {}}});
  CHECK(registry.find("server", "x").error().what ==
        "several scenarios have a program 'server': write 'a/server' or 'b/server'");
  CHECK(registry.find("server", "b").has_value());
  CHECK(registry.find("a/server", "x").has_value());
  CHECK(registry.find("client", "x").has_value());
  CHECK(registry.find("clinet", "x").error().what == "no program 'clinet' (did you mean 'client'?)");
}

TEST_CASE("loader: a group of 100000 is loaded, and 10^10 links are refused without building them", "[scenarios]") {
  const std::string text = R"({"name": "t", "machines": ["red"], "programs": {
    "asks": {"start": [{"send": "x", "to": "p", "bytes": 1, "pick": "all"}], "on": [{"kind": "x", "do": []}]}},
    "time_limit_s": 1, "processes": [{"name": "p", "count": 100000, "program": "asks"}]})";
  CHECK(parse(text).error().what == "test.json:1: more than 1000000 links between processes");
}

TEST_CASE("loader: arithmetic on $index, the count of the group and parameters closes a ring", "[scenarios]") {
  const Scenario scenario = scenario_of(R"({"name": "t", "machines": ["m_1", "m_2"], "parameters": {"n": 3},
    "programs": {
      "member": {"parameters": {"tokens": 0},
                 "start": [{"repeat": "$tokens", "do": [{"send": "token", "to": "member_${index % count + 1}", "bytes": 9}]}],
                 "on": [{"kind": "token", "from": "member_${(index - 2) % count + 1}", "do": [{"stop": true}]}]}},
    "processes": [{"name": "member", "count": "${n * 2 - 2}", "program": "member", "machine": "m_${index % 2 + 1}",
                   "parameters": {"tokens": "${index / index + 1}"}}]})");
  REQUIRE(scenario.processes.size() == 4);
  CHECK(process_of(scenario, "member_1").links == std::vector<std::string>{"member_2"});
  CHECK(process_of(scenario, "member_4").links == std::vector<std::string>{"member_1"});
  CHECK(process_of(scenario, "member_1").machine == "m_2");
  CHECK(process_of(scenario, "member_2").machine == "m_1");
  CHECK_FALSE(process_of(scenario, "member_2").service);
}

TEST_CASE("loader: a parameter called count keeps its meaning", "[scenarios]") {
  const Scenario scenario =
      scenario_of(R"({"name": "t", "machines": ["m"], "parameters": {"count": 2}, "time_limit_s": 1,
    "programs": {"p": {"start": [{"send": "x", "to": "p_${count}", "bytes": 1}, {"send": "x", "to": "p_${count + 1}", "bytes": 1}],
                       "on": [{"kind": "x", "do": []}]}},
    "processes": [{"name": "p", "count": 5, "program": "p"}]})");
  CHECK(process_of(scenario, "p_1").links == std::vector<std::string>{"p_2", "p_3"});
}
