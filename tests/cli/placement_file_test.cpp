#include "answers/prediction/placement_file.hpp"

#include <fmt/format.h>

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::cli {
namespace {

Result<PlacementFile> load(const std::string& text) {
  const PlantedTree folder({{"p.json", text}});
  return load_placement((folder.root() / "p.json").string());
}

History question_and_answer() {
  test::EventScript script({"red", "green"});
  script.process("server", "red", "server");
  script.process("client", "green", "client");
  for (int i = 0; i < 4; ++i) {
    script.receive("server", 1, script.send("client", 1, "server"));
    script.receive("client", 0, script.send("server", 1, "client"));
  }
  return test::history_of(script.info, script.events);
}

TEST_CASE("placement file: processes, new machines and a name are read", "[cli]") {
  const auto file = load(R"({"name": "fast", "machines": [{"name": "cray", "speed": 10}, {"name": "pc"}],
                             "processes": {"office": "cray", "archive": "pc"}})");
  REQUIRE(file);
  CHECK(file->placement.name == "fast");
  CHECK(file->placement.machine_of_process.at("office") == "cray");
  CHECK(file->placement.machine_of_process.at("archive") == "pc");
  REQUIRE(file->machines.size() == 2);
  CHECK(file->machines[0].speed == 10);
  CHECK_FALSE(file->machines[1].speed.has_value());
}

TEST_CASE("placement file: a machine that is some CPUs of a real one has as many cores", "[cli]") {
  const auto file = load(R"({"machines": [{"name": "core0", "cpus": [0]}, {"name": "rest", "cpus": [1, 2, 3]}],
                             "processes": {"office": "core0"}})");
  REQUIRE(file);
  CHECK(file->machines[0].cores == 1);
  CHECK(file->machines[1].cores == 3);
  CHECK_FALSE(load(R"({"machines": [{"name": "core0", "cpus": []}], "processes": {"office": "core0"}})"));
  CHECK_FALSE(load(R"({"machines": [{"name": "core0", "cpus": [-1]}], "processes": {"office": "core0"}})"));
  const auto both =
      load(R"({"machines": [{"name": "two", "cores": 4, "cpus": [0, 1]}], "processes": {"office": "two"}})");
  REQUIRE_FALSE(both);
  CHECK(both.error().what.find("4 cores but names 2 cpus") != std::string::npos);
}

TEST_CASE("placement file: what is written is read as it was, with machines that the trace does not have", "[cli]") {
  History history;
  history.info.machines = {{"red", 2, 4}};
  history.info.processes = {{"office", "", MachineId{0}}, {"archive", "", MachineId{0}}};
  history.events.resize(2);
  history.first_event = {0, 1, 2};
  Target target = traced_target(history);
  target.placement = "best found";
  target.machines.push_back({"core1", 3, 1});
  target.machine_of[1] = MachineId{1};
  const PlantedTree folder({{"unused.txt", std::string()}});
  const std::string path = (folder.root() / "best.json").string();
  REQUIRE(write_placement(path, history, target));
  const auto read = target_from(history, path);
  REQUIRE(read);
  CHECK(read->left_out.empty());
  CHECK(read->target.placement == "best found");
  CHECK(read->target.machine_of == target.machine_of);
  REQUIRE(read->target.machines.size() == 2);
  CHECK(read->target.machines[1].speed == 3);
  CHECK_FALSE(write_placement(path, history, target));
}

TEST_CASE("placement file: delays and copies that are written are read again", "[cli]") {
  const PlantedTree folder({{"unused.txt", std::string()}});
  const History history = question_and_answer();
  for (const double delay : {1., .5, 7.})
    for (const std::uint32_t copies : {1u, 3u}) {
      INFO("delay " << delay << ", copies " << copies);
      const WhatIf changes{
          .speeds = {},
          .delays = {{kAllMachines, delay}},
          .cores = {},
          .replicas = copies > 1 ? std::vector<ReplicaChange>{{"server", copies}} : std::vector<ReplicaChange>()};
      History tried = history;
      REQUIRE(add_copies(changes, tried));
      Target target = traced_target(tried);
      REQUIRE(apply(changes, tried, target));
      const std::string path = (folder.root() / fmt::format("{}-{}.json", delay, copies)).string();
      REQUIRE(write_placement(path, tried, target, changes));
      const auto read = target_from(history, path);
      INFO((read ? "" : read.error().what));
      REQUIRE(read);
      CHECK(read->left_out.empty());
      CHECK(read->target.delays.remote.delivery_s.points() == target.delays.remote.delivery_s.points());
      CHECK(read->target.machine_of == target.machine_of);
      CHECK(read->target.replicas.size() == target.replicas.size());
      CHECK(read->history(history).process_count() == 1 + copies);
      CHECK(target_without_copies(history, path).has_value() == (copies == 1));
      CHECK(load_real_placement(path).has_value() == (copies == 1 && delay == 1));
    }
}

TEST_CASE("placement file: delays and copies out of range are named with their line", "[cli]") {
  for (const char* text : {R"({"delay": -1, "processes": {}})", R"({"replicas": {"a": 1001}, "processes": {}})",
                           R"({"replicas": {"a": 1.5}, "processes": {}})", R"({"replicas": 2, "processes": {}})"}) {
    const auto file = load(text);
    REQUIRE_FALSE(file);
    CHECK_THAT(file.error().what, Catch::Contains("p.json:1: "));
  }
}

TEST_CASE("placement file: speeds and cores that are not given stay as traced, or are 1", "[cli]") {
  History history;
  history.info.machines = {{"red", 2, 4}, {"green", 3, 8}};
  history.info.processes = {{"office", "", MachineId{0}}};
  history.first_event = {0, 0};
  const std::string text = R"({"machines": [{"name": "red", "cores": 16}, {"name": "green", "speed": 1},
                                             {"name": "pc", "cores": 2}, {"name": "cray", "speed": 10}],
                                "processes": {"office": "pc"}})";
  const PlantedTree folder({{"p.json", text}});
  const auto target = target_from(history, (folder.root() / "p.json").string());
  REQUIRE(target);
  const auto& machines = target->target.machines;
  REQUIRE(machines.size() == 4);
  CHECK((machines[0].speed == 2 && machines[0].cores == 16));
  CHECK((machines[1].speed == 1 && machines[1].cores == 8));
  CHECK((machines[2].speed == 1 && machines[2].cores == 2));
  CHECK((machines[3].speed == 10 && machines[3].cores == 1));
}

TEST_CASE("placement file: without a name it is called as its file", "[cli]") {
  const auto file = load(R"({"processes": {}})");
  REQUIRE(file);
  CHECK_THAT(file->placement.name, Catch::EndsWith("p.json"));
}

TEST_CASE("placement file: every unknown name is named with its line, and the file once", "[cli]") {
  History history;
  history.info.machines = {{"red", 1, 1}};
  history.info.processes = {{"office", "", MachineId{0}}};
  history.first_event = {0, 0};
  const std::string text = "{\"processes\": {\n\"offce\": \"red\",\n\"office\": \"read\"}}";
  const PlantedTree folder({{"p.json", text}});
  const std::string path = (folder.root() / "p.json").string();
  const auto target = target_from(history, path);
  REQUIRE_FALSE(target);
  CHECK(target.error().what == path + ":2: no process 'offce' in the trace (did you mean 'office'?)\n" + path +
                                   ":3: no machine 'read' for process 'office' (did you mean 'red'?)");
}

TEST_CASE("placement file: two machines of one name are refused", "[cli]") {
  const auto file = load("{\"machines\": [{\"name\": \"n\"},\n{\"name\": \"n\"}], \"processes\": {\"a\": \"n\"}}");
  REQUIRE_FALSE(file);
  CHECK_THAT(file.error().what, Catch::Contains("p.json:2: machine 'n' is described twice"));
}

TEST_CASE("placement file: mistakes in JSON are named with their line", "[cli]") {
  const auto file = load("{\"processes\":\n {\"a\": \"red\",\n }}");
  REQUIRE_FALSE(file);
  CHECK_THAT(file.error().what, Catch::Contains("p.json:3: this is not JSON, at column 2: unexpected '}'"));
}

TEST_CASE("placement file: anything that is not a placement is refused, never thrown", "[cli]") {
  for (const auto* text : {"",
                           " ",
                           "3",
                           "null",
                           "[]",
                           "{}",
                           "{\"processes\": 1}",
                           "{\"processes\": {\"a\": null}}",
                           "\xff\xfe",
                           "{\"processes\": {}, \"machines\": {}}",
                           "{\"processes\": {}, \"machines\": [[]]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": 3}]}",
                           "{\"processes\": {}, \"name\": 3}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": -1}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": \"1\"}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": 1e999}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"cores\": 0}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"cores\": 1.5}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"cores\": 65536}]}",
                           "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"cores\": -1}]}"}) {
    INFO(text);
    const auto file = load(text);
    REQUIRE_FALSE(file);
    CHECK_THAT(file.error().what, Catch::Contains("p.json"));
  }
}

}  // namespace
}  // namespace dpm::cli
