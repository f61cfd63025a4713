#include "scheduling/placing/topology.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scheduling/placing/linux_affinity_calls.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// /sys/devices/system of a machine with two nodes, each with a cache, of two cores with two hardware threads.
class FakeSystem {
 public:
  FakeSystem() {
    char name[] = "/tmp/dpm-topology-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
    write("cpu/online", "0-7");
    write("node/online", "0-1");
    write("node/node0/cpulist", "0-3");
    write("node/node1/cpulist", "4-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string folder = "cpu/cpu" + std::to_string(cpu) + "/";
      const int core = cpu / 2 * 2, node = cpu / 4 * 4;
      write(folder + "topology/core_cpus_list", std::to_string(core) + "-" + std::to_string(core + 1));
      write(folder + "cache/index0/level", "1");
      write(folder + "cache/index0/shared_cpu_list", std::to_string(cpu));
      write(folder + "cache/index3/level", "3");
      write(folder + "cache/index3/shared_cpu_list", std::to_string(node) + "-" + std::to_string(node + 3));
    }
  }
  ~FakeSystem() { std::filesystem::remove_all(path); }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + file).parent_path());
    std::ofstream(path + "/" + file) << text << '\n';
  }
  std::string places(const std::string& kind, const CpuSet& allowed = {0, 1, 2, 3, 4, 5, 6, 7}) const {
    const auto read = read_places(path, kind, allowed);
    if (!read) return read.error().what;
    std::string text;
    for (const auto& place : *read) text += (text.empty() ? "" : " ") + place.name + ":" + cpu_set_text(place.cpus);
    return text;
  }

  std::string path;
};

}  // namespace

TEST_CASE("topology: cores, groups that share a cache, and nodes", "[placing]") {
  const FakeSystem system;
  CHECK(system.places("cores") == "core0:0-1 core2:2-3 core4:4-5 core6:6-7");
  CHECK(system.places("core-groups") == "group0:0-3 group4:4-7");
  CHECK(system.places("nodes") == "node0:0-3 node1:4-7");
}

TEST_CASE("topology: CPUs that are offline or not allowed are in no place", "[placing]") {
  const FakeSystem system;
  CHECK(system.places("cores", {1, 2, 3}) == "core1:1 core2:2-3");
  system.write("cpu/online", "0-3");
  CHECK(system.places("cores") == "core0:0-1 core2:2-3");
}

TEST_CASE("topology: one place is too few, and the message says which there is", "[placing]") {
  const FakeSystem system;
  CHECK(system.places("nodes", {0, 1}) ==
        "there must be two nodes to choose from, and there is only node0 (CPUs 0-1 may be used; 0-7 are online)");
  CHECK(system.places("cores", {9}).find("there is none") != std::string::npos);
  CHECK(read_places("/nowhere", "cores", {0}).error().what.find("/nowhere/cpu/online") != std::string::npos);
}

TEST_CASE("topology: sets of CPUs as the kernel writes them", "[placing]") {
  CHECK(parse_cpu_set("0-2,5\n") == CpuSet{0, 1, 2, 5});
  CHECK(parse_cpu_set("") == CpuSet{});
  CHECK(cpu_set_text({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
  for (const char* text : {"a", "1-", "-1", "2-1", "1,", ",1", "8192", "1 2", "1-2-3"}) CHECK(!parse_cpu_set(text));
}

TEST_CASE("topology: the kernel's line of a thread", "[placing]") {
  const std::string line =
      "42 (a ) b) S 7 42 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 1234 100 200 18446744073709551615 1 1 0 0 0 0 0 0 0 0 "
      "0 0 "
      "17 3 0 0 0 0 0 0 0 0 0 0 0 0 0";
  const auto facts = parse_thread_facts(line);
  REQUIRE(facts);
  CHECK(*facts == ThreadFacts{7, 9, 1234, 3, false});
  for (std::size_t length = 0; length < line.find(" 17 3"); ++length)
    CHECK(!parse_thread_facts(line.substr(0, length)));
}
