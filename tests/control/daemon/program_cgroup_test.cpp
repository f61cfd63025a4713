// A program's cgroup, played by plain folders and files: what is written to them, and what is taken away.
#include "control/agents/program_cgroup.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "control/agents/program_group.hpp"
#include "os/kernel/cgroups.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

// No process has it.
constexpr std::uint32_t kNoPid = 999'999'999;

// A folder with the files that the kernel puts into every cgroup.
class ScriptedTree {
 public:
  ScriptedTree() {
    std::string path = fs::temp_directory_path() / "dpm-cgroups-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    root_ = path;
    write(root_ / "cgroup.procs", "");
  }
  ~ScriptedTree() { fs::remove_all(root_); }
  ScriptedTree(const ScriptedTree&) = delete;
  ScriptedTree& operator=(const ScriptedTree&) = delete;

  std::string add(const std::string& name, const std::string& pids) {
    fs::create_directories(root_ / name);
    write(root_ / name / "cgroup.procs", pids);
    write(root_ / name / "cgroup.freeze", "0\n");
    return root_ / name;
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

// A child that waits for signals, until the test ends.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) ::pause();
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  // What waitpid() tells: WIFSTOPPED and so on. Waits for it.
  int change() const {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, WUNTRACED | WCONTINUED) == pid_);
    return status;
  }
  bool has_changed() const {
    siginfo_t found = {};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(pid_), &found, WSTOPPED | WCONTINUED | WEXITED | WNOHANG | WNOWAIT) == 0);
    return found.si_pid != 0;
  }

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE("program cgroup: freezing and thawing are orders to the kernel", "[cgroup]") {
  ScriptedTree tree;
  const ProgramCgroup cgroup(tree.add("dpm-7", "7\n8\n"));
  CHECK_FALSE(cgroup.is_frozen());
  REQUIRE(cgroup.freeze());
  CHECK(tree.read(tree.root() / "dpm-7/cgroup.freeze") == "1");
  CHECK(cgroup.is_frozen());
  cgroup.thaw();
  CHECK_FALSE(cgroup.is_frozen());
  CHECK_FALSE(ProgramCgroup(tree.root() / "gone").freeze());
  CHECK_FALSE(ProgramCgroup(tree.root() / "gone").is_frozen());
}

TEST_CASE("program cgroup: it includes the cgroups that the program has made", "[cgroup]") {
  ScriptedTree tree;
  const ProgramCgroup cgroup(tree.add("dpm-7", "7\n8\n"));
  tree.add("dpm-7/inner/leaf", "9\n");
  CHECK(cgroup.processes() == std::vector<std::uint32_t>{7, 8, 9});
}

TEST_CASE("program cgroup: the kernel kills what is in it, or we kill it frozen", "[cgroup]") {
  ScriptedTree tree;
  const Sleeper process;
  const ProgramCgroup cgroup(tree.add("dpm-7", std::to_string(process.pid()) + "\n"));
  SECTION("cgroup.kill") {
    tree.write(tree.root() / "dpm-7/cgroup.kill", "");
    cgroup.kill();
    CHECK(tree.read(tree.root() / "dpm-7/cgroup.kill") == "1");
    CHECK_FALSE(cgroup.is_frozen());
    CHECK_FALSE(process.has_changed());
  }
  SECTION("before Linux 5.14") {
    cgroup.kill();
    CHECK(cgroup.is_frozen());
    CHECK(WTERMSIG(process.change()) == SIGKILL);
  }
}

TEST_CASE("program cgroup: empty folders go, inner ones first; others stay", "[cgroup]") {
  ScriptedTree tree;
  fs::create_directories(tree.root() / "dpm-7/inner/leaf");
  CHECK(ProgramCgroup(tree.root() / "dpm-7").remove());
  CHECK_FALSE(fs::exists(tree.root() / "dpm-7"));
  // A file stands for a process: then the kernel refuses.
  const ProgramCgroup populated(tree.add("dpm-8", "8\n"));
  CHECK_FALSE(populated.remove());
  CHECK(fs::exists(populated.folder()));
}

TEST_CASE("program cgroup: what is left in one that is dissolved goes to the cgroup above", "[cgroup]") {
  ScriptedTree tree;
  const ProgramCgroup cgroup(tree.add("dpm-7", "8\n"));
  cgroup.dissolve();
  CHECK(tree.read(tree.root() / "cgroup.procs") == "8");
}

TEST_CASE("program cgroup: those of programs that have ended are removed", "[cgroup]") {
  ScriptedTree tree;
  const std::string own = program_cgroup_name(static_cast<std::uint32_t>(::getpid()));
  const std::string gone = program_cgroup_name(kNoPid), of_a_container = fmt::format("dpm-{}-1", kNoPid);
  const std::vector<std::string> kept = {own, of_a_container, gone + "x", "dpm-doctor-1", "other-" + gone};
  fs::create_directory(tree.root() / gone);
  for (const auto& name : kept) fs::create_directory(tree.root() / name);
  remove_old_cgroups(tree.root());
  CHECK_FALSE(fs::exists(tree.root() / gone));
  for (const auto& name : kept) CHECK(fs::exists(tree.root() / name));
  remove_old_cgroups(tree.root() / "no such folder");
}

TEST_CASE("program cgroup: that of one ended program is found below others", "[cgroup]") {
  ScriptedTree tree;
  const fs::path scope = tree.root() / "user.slice/run-1.scope", ended = scope / program_cgroup_name(7);
  const std::vector<fs::path> kept = {scope, tree.root() / "user.slice" / program_cgroup_name(70),
                                      tree.root() / program_cgroup_name(8), scope / "dpm-7-1"};
  fs::create_directories(ended / "inner");
  for (const auto& path : kept) fs::create_directories(path);
  remove_old_cgroup(tree.root(), 7);
  CHECK_FALSE(fs::exists(ended));
  for (const auto& path : kept) CHECK(fs::exists(path));
}

TEST_CASE("program cgroup: one that cannot be made leaves nothing behind", "[cgroup]") {
  ScriptedTree tree;
  // A plain folder: the kernel has put no files into it, as in a tree that cannot be frozen.
  CHECK_FALSE(ProgramCgroup::make(tree.root(), kNoPid));
  CHECK_FALSE(fs::exists(tree.root() / program_cgroup_name(kNoPid)));
  CHECK_FALSE(ProgramCgroup::make(tree.root() / "no such folder", kNoPid));
  CHECK_FALSE(ProgramCgroup::of(kNoPid));
}

TEST_CASE("program group: without a cgroup it is stopped, continued and killed by signals", "[cgroup]") {
  const Sleeper process;
  ProgramGroup group([&] { return std::vector<std::uint32_t>{process.pid()}; });
  CHECK_FALSE(group.is_frozen());
  group.stop();
  CHECK(WIFSTOPPED(process.change()));
  group.go_on(true);
  CHECK(WIFCONTINUED(process.change()));
  group.kill();
  CHECK(WTERMSIG(process.change()) == SIGKILL);
}

TEST_CASE("program group: what is in the cgroup gets no signals, what has left it does", "[cgroup]") {
  ScriptedTree tree;
  const Sleeper inside, outside;
  ProgramGroup group([&] { return std::vector<std::uint32_t>{inside.pid(), outside.pid()}; });
  group.set_cgroup(ProgramCgroup(tree.add("dpm-7", std::to_string(inside.pid()))));
  group.stop();
  CHECK(group.is_frozen());
  CHECK(WIFSTOPPED(outside.change()));
  CHECK_FALSE(inside.has_changed());
  group.go_on(false);
  CHECK_FALSE(group.is_frozen());
  CHECK(WIFCONTINUED(outside.change()));
  CHECK_FALSE(inside.has_changed());
}

TEST_CASE("program group: a program that others have stopped by a signal, too, goes on", "[cgroup]") {
  ScriptedTree tree;
  const Sleeper inside;
  ProgramGroup group([&] { return std::vector<std::uint32_t>{inside.pid()}; });
  group.set_cgroup(ProgramCgroup(tree.add("dpm-7", std::to_string(inside.pid()))));
  ::kill(static_cast<pid_t>(inside.pid()), SIGSTOP);
  CHECK(WIFSTOPPED(inside.change()));
  group.stop();
  group.go_on(true);
  CHECK(WIFCONTINUED(inside.change()));
}

TEST_CASE("program group: where a cgroup cannot be frozen, signals stop what is in it", "[cgroup]") {
  ScriptedTree tree;
  const Sleeper inside;
  ProgramGroup group([&] { return std::vector<std::uint32_t>{inside.pid()}; });
  group.set_cgroup(ProgramCgroup(tree.root() / "gone"));
  group.stop();
  CHECK(WIFSTOPPED(inside.change()));
  group.go_on(true);
  CHECK(WIFCONTINUED(inside.change()));
}

}  // namespace dpm
