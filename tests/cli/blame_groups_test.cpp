// Processes of one program as one row of a divided time.
#include "answers/results/blame_groups.hpp"

#include "analysis/blame/blame_causes.hpp"
#include "answers/results/blame_results.hpp"
#include "tests/support/catch.hpp"
#include "view/blame_words.hpp"

namespace dpm::cli {
namespace {

TraceInfo live(const std::vector<std::string>& names) {
  TraceInfo info;
  info.machines.push_back({"red"});
  for (const std::string& name : names) {
    info.processes.push_back({name, "", MachineId{0}});
    info.processes.back().pid = info.processes.back().tid = static_cast<std::uint32_t>(info.processes.size());
  }
  return info;
}

BlameNode& wait(BlameNode& node, std::uint32_t process, BlameWait why, BlamePart part, std::int64_t time_ns) {
  BlameNode& child = node.waited_for(ProcessId{process}, why);
  child.times = 1;
  child.of(part) = time_ns;
  return child;
}

BlameTree tree_of(std::uint32_t process, const std::string& what) {
  BlameTree tree{.what = what};
  tree.root.process = ProcessId{process};
  return tree;
}

}  // namespace

TEST_CASE("blame: children of one program are one row, one cause, and followed as one", "[cli]") {
  const TraceInfo info = live({"sh", "sleep", "sleep#2", "sleep#3"});
  BlameTree tree = tree_of(0, "sh");
  tree.root.of(BlamePart::other) = 110;
  for (const std::uint32_t child : {1u, 2u, 3u})
    wait(tree.root, child, BlameWait::process_end, BlamePart::timer, 100).of(BlamePart::cpu) = 2;
  const BlameGroups groups = group_blame(tree, info);
  CHECK(groups.tree.root.total_ns() == tree.root.total_ns());
  REQUIRE(groups.tree.root.waits.size() == 1);
  CHECK(groups.tree.root.waits[0].times == 3);
  CHECK(groups.tree.root.waits[0].of(BlamePart::timer) == 300);
  const auto causes = longest_causes(groups.tree.root);
  CHECK(view::cause_text(causes.at(0), groups.info) == "sleep x 3: waits for a timeout");
  CHECK(view::sentence(groups.tree.root, "sh", groups.info) ==
        "73.6 % of sh waits for sleep x 3; for 98.0 % of that time, sleep x 3 waited for its own timeout");
  // The rows of a group are too short to be shown alone.
  BlameTree many = tree;
  many.root.of(BlamePart::cpu) = 100'000;
  CHECK(blame_text(group_blame(many, info).tree, groups.info, .0025, 100)
            .find("waits for the end of sleep x 3, 3 times") != std::string::npos);
}

TEST_CASE("blame: a process that waits and those that it waits for stay apart, also if they run one program", "[cli]") {
  const TraceInfo info = live({"python3", "python3#2", "python3#3", "python3#4"});
  BlameTree tree = tree_of(3, "python3#4");
  BlameNode& server = wait(tree.root, 1, BlameWait::message, BlamePart::cpu, 10);
  wait(server, 2, BlameWait::message, BlamePart::cpu, 20);
  tree.root.rivals = {{BlamePart::cpu_queue, ProcessId{0}, "", 5}};
  const BlameGroups groups = group_blame(tree, info);
  REQUIRE(groups.tree.root.waits.size() == 1);
  CHECK(groups.info[groups.tree.root.waits[0].process].name == "python3#2");
  REQUIRE(groups.tree.root.waits[0].waits.size() == 1);
  CHECK(groups.info[groups.tree.root.waits[0].waits[0].process].name == "python3#3");
}

TEST_CASE("blame: processes of one program that only had the CPU are one row", "[cli]") {
  const TraceInfo info = live({"client", "worker", "worker#2", "worker#3", "worker#4", "server"});
  BlameTree tree = tree_of(0, "client");
  wait(tree.root, 4, BlameWait::message, BlamePart::cpu, 10);
  for (const std::uint32_t worker : {1u, 2u, 3u, 4u})
    tree.root.rivals.push_back({BlamePart::cpu_queue, ProcessId{worker}, "", 5});
  const BlameGroups groups = group_blame(tree, info);
  const auto& rivals = groups.tree.root.rivals;
  REQUIRE(rivals.size() == 2);
  CHECK(groups.info[rivals[0].process].name == "worker x 3");
  CHECK(rivals[0].time_ns == 15);
  CHECK(groups.info[rivals[1].process].name == "worker#4");
  CHECK(groups.info[groups.tree.root.waits[0].process].name == "worker#4");
}

TEST_CASE("blame: threads of one process are one row", "[cli]") {
  TraceInfo info = live({"server", "server/2", "server/3", "client"});
  for (const std::uint32_t thread : {1u, 2u}) info.processes[thread].group = ProcessId{0};
  BlameTree tree = tree_of(3, "client");
  wait(tree.root, 1, BlameWait::message, BlamePart::cpu, 10);
  wait(tree.root, 2, BlameWait::message, BlamePart::lock, 20);
  wait(tree.root, 0, BlameWait::message, BlamePart::cpu, 5);
  const BlameGroups groups = group_blame(tree, info);
  REQUIRE(groups.tree.root.waits.size() == 2);
  CHECK(groups.info[groups.tree.root.waits[0].process].name == "threads of server x 2");
}

}  // namespace dpm::cli
