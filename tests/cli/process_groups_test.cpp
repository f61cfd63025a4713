#include "cli/results/process_groups.hpp"

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
