// Blame in words, and as figures.
#include "analysis/blame/blame.hpp"

#include "tests/support/catch.hpp"
#include "view/blame_words.hpp"
#include "view/figures_blame.hpp"

namespace dpm::view {
namespace {

TraceInfo client_and_database() {
  TraceInfo info;
  info.machines.push_back({"red"});
  for (const char* name : {"client", "database"}) info.processes.push_back({name, "", MachineId{0}});
  return info;
}

// A client that waits 340 of 1000 for a database, which has no CPU in 204 of them.
BlameNode example() {
  BlameNode root;
  root.process = ProcessId{0};
  root.parts_ns[static_cast<std::size_t>(BlamePart::cpu)] = 200;
  root.parts_ns[static_cast<std::size_t>(BlamePart::other)] = 150;
  root.parts_ns[static_cast<std::size_t>(BlamePart::disk)] = 200;
  root.parts_ns[static_cast<std::size_t>(BlamePart::timer)] = 110;
  BlameNode database;
  database.process = ProcessId{1};
  database.times = 3;
  database.parts_ns[static_cast<std::size_t>(BlamePart::cpu)] = 132;
  database.parts_ns[static_cast<std::size_t>(BlamePart::cpu_queue)] = 208;
  database.rivals = {{BlamePart::cpu_queue, ProcessId{}, "backup", 204}};
  root.waits.push_back(database);
  return root;
}

}  // namespace

TEST_CASE("blame: the longest cause is a sentence that follows the wait", "[view]") {
  CHECK(sentence(example(), "request 3 of client", client_and_database()) ==
        "34.0 % of request 3 of client waits for database; for 61.2 % of that time, database waited in the run queue, "
        "98.1 % of it while backup had the CPU");
}

TEST_CASE("blame: the boxes of a flame graph lie within the box that they are parts of, and side by side", "[view]") {
  const auto figures = blame_figures({example(), "client"}, client_and_database());
  REQUIRE(figures.size() == 3);
  const auto& boxes = std::get<FlameGraph>(figures[0].drawing).boxes;
  REQUIRE(boxes.size() == 9);  // the whole, the wait with its three, four parts
  CHECK(boxes[0].to == 1);
  double at_depth_1 = 0;
  for (const FlameBox& box : boxes) {
    CHECK(box.from >= 0);
    CHECK(box.to <= Approx(1));
    if (box.depth == 1) at_depth_1 += box.to - box.from;
  }
  CHECK(at_depth_1 == Approx(1));
  const auto& causes = std::get<Table>(figures[1].drawing);
  CHECK(causes.rows.at(0).at(0).text == "database: run-queue wait");
  CHECK(causes.rows.at(0).at(1).text == "20.8 %");
  CHECK(causes.rows.at(1).at(0).text == "\u2003while backup had the CPU");
  CHECK(causes.rows.at(1).at(1).text == "20.4 %");
}

}  // namespace dpm::view
