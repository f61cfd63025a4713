#include "os/kernel/cgroups.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

const char* const kMounts =
    "25 30 0:23 / /proc rw,nosuid shared:5 - proc proc rw\n"
    "35 30 0:30 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "36 30 0:31 / /sys/fs/cgroup/unified rw,nosuid shared:10 master:3 - cgroup2 cgroup2 rw\n"
    "37 30 0:32 / /sys/fs/cgroup/freezer rw shared:11 - cgroup cgroup rw,freezer\n";

}  // namespace

TEST_CASE("cgroups: a process's place is in the line of version 2", "[kernel]") {
  CHECK(cgroup_in("0::/user.slice/run-7.scope\n") == "/user.slice/run-7.scope");
  CHECK(cgroup_in("9:name=systemd:/x\n4:memory:/y/z\n0::/\n") == "/");
  CHECK(cgroup_in("9:name=systemd:/x\n4:memory:/y/z\n").empty());
  CHECK(cgroup_in("").empty());
  // Outside of the reader's cgroup namespace.
  CHECK(cgroup_in("0::/../other\n").empty());
}

TEST_CASE("cgroups: a process has a place in the freezer of version 1, too", "[kernel]") {
  CHECK(freezer_in("7:cpu,freezer:/docker/4f\n0::/\n") == "/docker/4f");
  CHECK(freezer_in("7:freezer2:/docker/4f\n0::/\n").empty());
  CHECK(freezer_folder_in(kMounts, "/docker/4f") == "/sys/fs/cgroup/freezer/docker/4f");
  CHECK(freezer_folder_in("35 30 0:30 / /m rw - cgroup cgroup rw,memory\n", "/docker/4f").empty());
}

TEST_CASE("cgroups: the folder of a place is below the mount point", "[kernel]") {
  CHECK(cgroup_folder_in(kMounts, "/") == "/sys/fs/cgroup/unified");
  CHECK(cgroup_folder_in(kMounts, "/a/b") == "/sys/fs/cgroup/unified/a/b");
  CHECK(cgroup_folder_in("36 30 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "/a") == "/sys/fs/cgroup/a");
  CHECK(cgroup_folder_in(kMounts, "").empty());
  CHECK(cgroup_folder_in("25 30 0:23 / /proc rw - proc proc rw\n", "/a").empty());
  CHECK(cgroup_folder_in("36 30 0:31 - cgroup2 cgroup2", "/a").empty());
}

TEST_CASE("cgroups: a part of the tree may be mounted", "[kernel]") {
  const std::string mounts = "36 30 0:31 /docker/4f /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  CHECK(cgroup_folder_in(mounts, "/docker/4f") == "/sys/fs/cgroup");
  CHECK(cgroup_folder_in(mounts, "/docker/4f/inner") == "/sys/fs/cgroup/inner");
  CHECK(cgroup_folder_in(mounts, "/docker/4fe").empty());
}

TEST_CASE("cgroups: a label names the service or container", "[kernel]") {
  CHECK(cgroup_label("0::/user.slice/user-1000.slice/session-3.scope\n") ==
        "user.slice/user-1000.slice/session-3.scope");
  CHECK(cgroup_label("0::/\n").empty());
  CHECK(cgroup_label("").empty());
  CHECK(cgroup_label("0::/../outside\n").empty());
}

TEST_CASE("cgroups: a label has a container's id as docker shows it", "[kernel]") {
  const std::string id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  CHECK(cgroup_label("0::/system.slice/docker-" + id + ".scope\n") == "system.slice/docker-0123456789ab.scope");
  CHECK(cgroup_label("0::/docker/" + id + "\n") == "docker/0123456789ab");
  CHECK(cgroup_label("0::/a/deadbeef.service\n") == "a/deadbeef.service");
}

TEST_CASE("cgroups: where version 2 is not used, a label is a place of version 1", "[kernel]") {
  CHECK(cgroup_label("9:name=systemd:/a.service\n4:memory:/b\n0::/\n") == "a.service");
  CHECK(cgroup_label("4:memory:/b\n9:name=systemd:/a.service\n") == "a.service");
  CHECK(cgroup_label("9:name=systemd:/\n5:devices:/\n4:cpu,cpuacct:/docker/c\n0::/dpm-7\n") == "docker/c");
  CHECK(cgroup_label("damaged\n4\n4:\n4:memory\n4:memory:\n:/x\n").empty());
}

TEST_CASE("cgroups: a label leaves out the cgroup that dpm makes for a program", "[kernel]") {
  CHECK(cgroup_label("0::/user.slice/run-7.scope/dpm-4711-4026531836\n") == "user.slice/run-7.scope");
  CHECK(cgroup_label("0::/dpm-4711-4026531836\n").empty());
  CHECK(cgroup_label("0::/x/dpm-filter\n") == "x/dpm-filter");
  CHECK(cgroup_label("0::/x/dpm-\n") == "x/dpm-");
}

TEST_CASE("cgroups: a limit that is not passed on to cgroups below is hidden from programs there", "[kernel]") {
  std::string folder = "/tmp/dpm-limits-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder + "/" + name) << text; };
  CHECK(find_hidden_limit(folder).empty());
  write("memory.max", "max\n");
  write("cpu.max", "max 100000\n");
  write("cgroup.subtree_control", "pids\n");
  CHECK(find_hidden_limit(folder).empty());
  write("memory.max", "1073741824\n");
  CHECK(find_hidden_limit(folder) == "memory.max");
  write("cgroup.subtree_control", "cpu memory\n");
  CHECK(find_hidden_limit(folder).empty());
  write("cgroup.subtree_control", "memory\n");
  write("cpu.max", "50000 100000\n");
  CHECK(find_hidden_limit(folder) == "cpu.max");
  std::filesystem::remove_all(folder);
}

}  // namespace dpm
