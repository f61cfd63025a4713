#include "answers/prediction/placement_hints.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

std::vector<RankPlace> on(const std::vector<std::string>& hosts) {
  std::vector<RankPlace> ranks;
  for (const auto& host : hosts) ranks.push_back({"p", host, "0"});
  return ranks;
}
std::string options(const std::vector<std::string>& hosts) { return slurm_options_text(on(hosts), "hosts"); }

}  // namespace

TEST_CASE("hints: a rankfile has a line for each rank", "[cli]") {
  CHECK(rankfile_text({{"a", "red", "0-3"}, {"b", "green", "2"}}) == "rank 0=red slot=0-3\nrank 1=green slot=2\n");
}

TEST_CASE("hints: block and cyclic are named where they are the placement, and a file otherwise", "[cli]") {
  CHECK(options({"red", "red", "green", "green"}) == "--ntasks=4 --nodes=2 --distribution=block\n");
  CHECK(options({"red", "green", "red", "green"}) == "--ntasks=4 --nodes=2 --distribution=cyclic\n");
  CHECK(options({"red", "green", "red"}) == "--ntasks=3 --nodes=2 --distribution=cyclic\n");
  CHECK(options({"red", "green", "green", "red"}) ==
        "SLURM_HOSTFILE=hosts srun --ntasks=4 --nodes=2 --distribution=arbitrary\n");
  CHECK(slurm_hosts_text(on({"red", "green"})) == "red\ngreen\n");
}

TEST_CASE("hints: ranks on cores of one host are bound to them", "[cli]") {
  CHECK(slurm_options_text({{"a", "red", "1"}, {"b", "red", "0"}}, "hosts") ==
        "--ntasks=2 --nodes=1 --distribution=block --cpu-bind=map_cpu:1,0\n");
}

TEST_CASE("hints: cores are those of the traced host, and only processes that may move are ranks", "[cli]") {
  TraceInfo info;
  info.machines = {{"red", 1, 4}};
  std::vector<Event> events;
  for (std::uint32_t p = 0; p < 3; ++p) {
    info.processes.push_back({"p" + std::to_string(p), "p", MachineId{0}});
    Event event;
    event.type = EventType::send;
    event.process = event.peer = {p};
    event.machine = {0};
    event.channel = {0};
    event.sequence = 1;
    events.push_back(event);
  }
  const History history = test::history_of(info, events);
  Target target = traced_target(history);
  target.machines.push_back({"core1"});
  target.machine_of[2] = {1};
  CHECK(ranks_of(history, target, {"p1", "p2"}) == std::vector<RankPlace>{{"p1", "red", "0-3"}, {"p2", "red", "1"}});
  CHECK(ranks_of(history, target, {}).size() == 3);
}
