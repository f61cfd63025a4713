#include "answers/results/cgroup_column.hpp"

#include <nlohmann/json.hpp>

#include "answers/results/statistics_results.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

ProcessId add(TraceInfo& info, const std::string& cgroup, std::uint32_t pid = 7, ProcessId group = {}) {
  const ProcessId id{static_cast<std::uint32_t>(info.processes.size())};
  ProcessInfo process{"process-" + std::to_string(id.value), "program", MachineId{0}};
  process.pid = pid;
  process.group = group;
  process.cgroup = cgroup;
  info.processes.push_back(process);
  return id;
}

// A row for each process.
std::string table_of(const TraceInfo& info) {
  Statistics statistics;
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    ProcessStatistics row;
    row.process = ProcessId{p};
    row.last_machine = MachineId{0};
    statistics.processes.push_back(row);
  }
  return statistics_text(statistics, info, 120);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("cgroups: the column is there if processes began in different ones", "[cli]") {
  TraceInfo info;
  info.machines.push_back({"here"});
  add(info, "system.slice/a.service");
  add(info, "system.slice/a.service");
  add(info, "", 0);  // outside: its cgroup is not known
  CHECK_FALSE(has(table_of(info), "cgroup"));
  add(info, "system.slice/docker-0123456789ab.scope");
  CHECK(has(table_of(info), "cgroup"));
  CHECK(has(table_of(info), "  docker-0123456789ab.scope  "));
  CHECK_FALSE(has(table_of(info), "system.slice"));
}

TEST_CASE("cgroups: cells are short where that is clear", "[cli]") {
  TraceInfo info;
  const ProcessId first = add(info, "pod-1/web"), second = add(info, "pod-2/web"), other = add(info, "pod-2/store"),
                  thread = add(info, "", 7, other), none = add(info, ""), outside = add(info, "", 0);
  const CgroupColumn column({first, second, other, thread, none, outside}, info);
  REQUIRE(column.is_shown());
  CHECK(column.cell(first) == "pod-1/web");
  CHECK(column.cell(second) == "pod-2/web");
  CHECK(column.cell(other) == "store");
  CHECK(column.cell(thread) == "store");
  CHECK(column.cell(none) == "-");
  CHECK(column.cell(outside) == "-");
  CHECK_FALSE(CgroupColumn({none, outside}, info).is_shown());
}

TEST_CASE("cgroups: JSON has them for every metered process", "[cli]") {
  TraceInfo info;
  info.machines.push_back({"here"});
  add(info, "system.slice/a.service");
  add(info, "", 0);
  Statistics statistics;
  for (const std::uint32_t p : {0u, 1u}) {
    ProcessStatistics row;
    row.process = ProcessId{p};
    row.last_machine = MachineId{0};
    statistics.processes.push_back(row);
  }
  const auto document = statistics_json(statistics, info, {});
  CHECK(document["processes"][0]["cgroup"] == "system.slice/a.service");
  CHECK_FALSE(document["processes"][1].contains("cgroup"));
}
