#include "answers/results/process_groups.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

ProcessId add(TraceInfo& info, const std::string& name, bool outside = false, ProcessId group = {}) {
  ProcessInfo process{name, name, MachineId{0}};
  process.in_computation = !outside;
  process.pid = outside ? 0 : static_cast<std::uint32_t>(100 + info.processes.size());
  process.group = group;
  info.processes.push_back(process);
  return {static_cast<std::uint32_t>(info.processes.size() - 1)};
}

void connect(TraceInfo& info, const std::string& client, const std::string& server) {
  info.channels.push_back({.name = "tcp " + client + " > " + server});
  info.channels.push_back({.name = "tcp " + server + " > " + client});
}

}  // namespace

TEST_CASE("process groups: many processes of one program are one, a few are not", "[cli]") {
  TraceInfo info;
  info.machines.push_back({"here"});
  const ProcessId shell = add(info, "sh"), first = add(info, "true");
  for (int i = 2; i <= 20; ++i) add(info, "true#" + std::to_string(i));
  const ProcessId thread = add(info, "true#20/1", false, ProcessId{20});
  const ProcessId worker = add(info, "worker"), second = add(info, "worker#2");
  const TraceInfo grouped = group_processes(info);
  CHECK(grouped[first].name == "true x 20");
  CHECK(grouped[ProcessId{20}].group == first);
  CHECK(grouped[thread].group == first);
  CHECK(grouped[shell].name == "sh");
  CHECK(grouped[worker].name == "worker");
  CHECK(grouped[second].group.is_none());
  CHECK(group_processes(info, 1)[worker].name == "worker x 2");
}

TEST_CASE("process groups: processes of one program in different cgroups are different groups", "[cli]") {
  TraceInfo info;
  info.machines.push_back({"here"});
  std::vector<ProcessId> workers;
  for (int i = 0; i < 40; ++i) workers.push_back(add(info, i == 0 ? "worker" : "worker#" + std::to_string(i + 1)));
  for (const auto worker : workers) info.processes[worker.value].cgroup = worker.value % 2 == 0 ? "even" : "odd";
  const TraceInfo grouped = group_processes(info);
  CHECK(grouped[workers[0]].name == "worker x 20");
  CHECK(grouped[workers[1]].name == "worker x 20");
  CHECK(grouped[workers[2]].group == workers[0]);
  CHECK(grouped[workers[3]].group == workers[1]);
}

TEST_CASE("process groups: peers outside that use one service are one", "[cli]") {
  TraceInfo info;
  info.machines.push_back({"here"});
  add(info, "server");
  const ProcessId a = add(info, "outside 10.0.0.9:4001", true), b = add(info, "outside 10.0.0.9:4002", true);
  const ProcessId store = add(info, "outside 10.0.0.2:5432", true);
  const ProcessId pipe = add(info, "outside pipe 15:1", true), other_pipe = add(info, "outside pipe 15:2", true);
  connect(info, "10.0.0.9:4001", "10.0.0.1:80");
  connect(info, "10.0.0.9:4002", "10.0.0.1:80");
  connect(info, "10.0.0.1:50001", "10.0.0.2:5432");
  const TraceInfo grouped = group_processes(info);
  CHECK(grouped[a].name == "clients of 10.0.0.1:80 x 2");
  CHECK(grouped[b].group == a);
  CHECK(grouped[store].name == "outside 10.0.0.2:5432");
  CHECK(grouped[pipe].name == "outside pipes x 2");
  CHECK(grouped[other_pipe].group == pipe);
}

namespace {

// `size` processes of one program, on machines that they take in turn.
std::vector<ProcessId> simulate(TraceInfo& info, const std::string& program, std::size_t size) {
  std::vector<ProcessId> members;
  for (std::size_t i = 1; i <= size; ++i) {
    members.push_back({static_cast<std::uint32_t>(info.processes.size())});
    const MachineId machine{static_cast<std::uint16_t>(i % info.machines.size())};
    info.processes.push_back({program + "_" + std::to_string(i), program, machine});
  }
  return members;
}

TraceInfo with_machines(std::size_t count) {
  TraceInfo info;
  info.properties.scripted = true;
  for (std::size_t m = 1; m <= count; ++m) info.machines.push_back({"node_" + std::to_string(m)});
  return info;
}

}  // namespace

TEST_CASE("process groups: simulated processes of one program on many machines are one", "[cli]") {
  TraceInfo info = with_machines(50);
  const auto clients = simulate(info, "client", 1000), stores = simulate(info, "store", 4);
  const TraceInfo grouped = group_processes(info);
  CHECK(grouped[clients[0]].name == "client x 1000");
  CHECK(grouped[clients[999]].group == clients[0]);
  CHECK(grouped[stores[0]].name == "store x 4");
  const auto extents = group_extents(grouped);
  CHECK(extents[clients[0].value].processes == 1000);
  CHECK(extents[clients[0].value].place == "50 machines");
  CHECK(extents[stores[1].value].processes == 1);
}

TEST_CASE("process groups: a small system is shown whole", "[cli]") {
  TraceInfo info = with_machines(16);
  const auto servers = simulate(info, "server", 16);
  const TraceInfo grouped = group_processes(info);
  for (const auto server : servers) CHECK(grouped[server].group.is_none());
}

TEST_CASE("process groups: queues of a group are one, with the waits of all", "[cli]") {
  TraceInfo info = with_machines(50);
  const auto workers = simulate(info, "worker", 100);
  Queues queues;
  for (const auto worker : workers) {
    QueueStatistics queue{.process = worker, .measured = true, .queued = 2, .received = 2};
    queue.length_max = worker.value;
    queue.length_mean = worker.value % 2 == 0 ? 1 : 3;
    queue.observed = {1'000'000'000};
    queue.waits.add(1000 * worker.value);
    queues.processes.push_back(queue);
  }
  const Queues rows = group_queues(queues, group_processes(info));
  REQUIRE(rows.processes.size() == 1);
  CHECK(rows.processes[0].received == 200);
  CHECK(rows.processes[0].length_max == 99);
  CHECK(rows.processes[0].length_mean == Approx(2));
  CHECK(rows.processes[0].waits.count() == 100);
  CHECK(rows.processes[0].waits.max_ns() == 99'000);
  CHECK(rows.processes[0].waits.quantile_ns(.5) == 49'000);
}

TEST_CASE("process groups: requests of a group have one letter, and probabilities of the group", "[cli]") {
  TraceInfo info = with_machines(50);
  const auto fronts = simulate(info, "front", 2), workers = simulate(info, "worker", 30);
  Causality causality;
  causality.letters.resize(info.processes.size());
  causality.letters[fronts[0].value] = "F1";
  causality.letters[fronts[1].value] = "F2";
  for (std::size_t i = 0; i < workers.size(); ++i) causality.letters[workers[i].value] = "W" + std::to_string(i + 1);
  causality.strings = {{"F1W1F1", 2, 3}, {"F1W30F1", 3, 3}, {"F2W1F2", 4, 3}};
  causality.branching = {{fronts[0], {}, workers[0], 2, .4},
                         {fronts[0], {}, workers[29], 3, .6},
                         {fronts[1], {}, workers[0], 4, 1},
                         {fronts[0], {}, fronts[1], 1, 1}};
  causality.states = {{fronts[0], workers[0], 5, .5}, {fronts[1], workers[1], 5, 1}, {fronts[0], {}, 10, .5}};
  const Causality rows = group_causality(causality, group_processes(info));
  REQUIRE(rows.strings.size() == 1);
  CHECK(rows.strings[0].path == "F1W1F1");
  CHECK(rows.strings[0].count == 9);
  REQUIRE(rows.branching.size() == 2);
  CHECK(rows.branching[1].to == workers[0]);
  CHECK(rows.branching[1].probability == Approx(.9));
  REQUIRE(rows.states.size() == 2);
  CHECK(rows.states[0].probability == Approx(.5));
  CHECK(rows.letters[workers[3].value].empty());
}
